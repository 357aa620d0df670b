/* The plugin: its note, its ops, its one exported function. */
#include "reduce.h"

#define EVERY_LIST(DO)                                                                             \
    DO(TN_SUM_OPS)                                                                                 \
    DO(TN_EXTREME_OPS)                                                                             \
    DO(TN_SPREAD_OPS)

EVERY_LIST(TN_DECLARE_OPS)

TN_PLUGIN_NOTE("reduce", "1.0.0", EVERY_LIST(TN_OPS_NOTE));

static const tn_op_desc *const ops[] = {EVERY_LIST(TN_OPS_POINTERS)};

TN_DEFINE_QUERY("reduce", "1.0.0", ops)
