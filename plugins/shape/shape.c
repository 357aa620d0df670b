/* The plugin: its note, its ops, its one exported function. */
#include "shape.h"

#define EVERY_LIST(DO)                                                                             \
    DO(TN_VIEW_OPS)                                                                                \
    DO(TN_PERMUTE_OPS)                                                                             \
    DO(TN_SLICE_OPS)                                                                               \
    DO(TN_JOIN_OPS)                                                                                \
    DO(TN_INDEX_OPS)                                                                               \
    DO(TN_MAKE_OPS)

EVERY_LIST(TN_DECLARE_OPS)

TN_PLUGIN_NOTE("shape", "1.0.0", EVERY_LIST(TN_OPS_NOTE));

static const tn_op_desc *const ops[] = {EVERY_LIST(TN_OPS_POINTERS)};

TN_DEFINE_QUERY("shape", "1.0.0", ops)
