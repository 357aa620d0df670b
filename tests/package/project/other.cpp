#include "tenon/plugin.h"

extern "C" const tn_plugin *tenon_plugin_query(uint32_t) {
    static tn_plugin plugin = [] {
        tn_plugin p = {};
        p.struct_size = sizeof p;
        p.abi_needed = 1;
        p.name = "other";
        p.version = "1.0.0";
        return p;
    }();
    return &plugin;
}
