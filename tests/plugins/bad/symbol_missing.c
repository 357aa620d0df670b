/* Calls a function that no library has, and only from its kernel. */
#define ADJUSTS
#include "plugins/sample.h"

tn_code tn_test_nowhere(void);

static tn_code run(const tn_run_context *ctx, void *state, const tn_call *call) {
    TN_CHECK(twice_run(ctx, state, call));
    return tn_test_nowhere();
}

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)op;
    kernel->run = run;
}
