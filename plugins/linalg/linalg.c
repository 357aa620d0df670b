/* The plugin: its note, its ops, its one exported function. */
#include "linalg.h"

TN_DECLARE_OPS(TN_PRODUCT_OPS)

TN_PLUGIN_NOTE("linalg", "1.0.0", TN_NOTE_OP(TN_MATMUL_SCHEMA) TN_OPS_NOTE(TN_PRODUCT_OPS));

static const tn_op_desc *const ops[] = {&tn__op_matmul, TN_OPS_POINTERS(TN_PRODUCT_OPS)};

TN_DEFINE_QUERY("linalg", "1.0.0", ops)
