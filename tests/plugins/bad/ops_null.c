/* Says that it has an op, and has no list of them. */
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->ops = NULL;
}
