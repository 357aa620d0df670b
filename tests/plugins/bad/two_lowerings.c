/* A lowering function and a lowering text. */
#define ADJUSTS
#include "plugins/sample.h"

static tn_code lower(const tn_lower_context *l) {
    return l->cb->fail(l->cb, TN_DECLINED, "never");
}

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)kernel;
    op->lower = lower;
    op->lowering_text = "opset 1";
}
