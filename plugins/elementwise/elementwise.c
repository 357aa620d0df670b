/* The plugin: its note, its ops, its one exported function. */
#include "elementwise.h"

#define EVERY_LIST(DO)                                                                             \
    DO(TN_UNARY_OPS)                                                                               \
    DO(TN_BINARY_OPS)                                                                              \
    DO(TN_COMPARE_OPS)                                                                             \
    DO(TN_ADD_OPS)                                                                                 \
    DO(TN_POWER_OPS)                                                                               \
    DO(TN_CHOOSE_OPS)                                                                              \
    DO(TN_CONVERT_OPS)

EVERY_LIST(TN_DECLARE_OPS)

TN_PLUGIN_NOTE("elementwise", "1.0.0", EVERY_LIST(TN_OPS_NOTE));

static const tn_op_desc *const ops[] = {EVERY_LIST(TN_OPS_POINTERS)};

TN_DEFINE_QUERY("elementwise", "1.0.0", ops)
