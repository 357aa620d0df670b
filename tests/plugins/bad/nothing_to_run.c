/* An op that has a schema, a meta function, and no way to run. */
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)kernel;
    op->n_kernels = 0;
}
