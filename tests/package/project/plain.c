#include "tenon/plugin.h"

/* Visible as far as this file can tell; the helper must hide it all the same. */
__attribute__((visibility("default"))) int third_party_helper(void);
int third_party_helper(void) {
    return 1;
}

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    static tn_plugin plugin = {
        .struct_size = sizeof(tn_plugin), .abi_needed = 1, .name = "plain", .version = "1.0.0"};
    return host_abi >= 1 && third_party_helper() ? &plugin : NULL;
}
