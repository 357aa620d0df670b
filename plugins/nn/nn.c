/* The plugin: its note, its ops, its one exported function. */
#include "nn.h"

#define EVERY_LIST(DO)                                                                             \
    DO(TN_ACTIVATION_OPS)                                                                          \
    DO(TN_RELU_OPS)                                                                                \
    DO(TN_SOFTMAX_OPS)                                                                             \
    DO(TN_NORM_OPS)

EVERY_LIST(TN_DECLARE_OPS)

TN_PLUGIN_NOTE("nn", "1.0.0", EVERY_LIST(TN_OPS_NOTE));

static const tn_op_desc *const ops[] = {EVERY_LIST(TN_OPS_POINTERS)};

TN_DEFINE_QUERY("nn", "1.0.0", ops)
