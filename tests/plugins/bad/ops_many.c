/* Has a wild count of ops. */
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->n_ops = 0xdeadbeef;
}
