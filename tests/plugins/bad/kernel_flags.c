/* A kernel with a flag that must be known. */
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)op;
    kernel->flags = 1u << 12;
}
