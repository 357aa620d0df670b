/* Gives its tn_plugin a size that no struct has. */
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->struct_size = 0x7fffffff;
}
