/* The plugin: its note, its list of ops, its one exported function. */
#include "acme.h"

TN_PLUGIN_NOTE("acme", "1.0.0",
               TN_NOTE_OP(ACME_SWISH) TN_NOTE_OP(ACME_BILINEAR_GATE)
                   TN_NOTE_OP(ACME_MEDIAN_FILTER));

static const tn_op_desc *const ops[] = {&acme_swish, &acme_bilinear_gate, &acme_median_filter};

static const tn_plugin plugin = {TN_SIZED(tn_plugin),    .abi_needed = TN_ABI_NEEDED,
                                 .n_ops = TN_COUNT(ops), .name = "acme",
                                 .version = "1.0.0",     .ops = ops};

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    return host_abi < TN_ABI_NEEDED ? NULL : &plugin;
}
