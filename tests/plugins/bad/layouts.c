/* More layouts than arguments. */
#define ADJUSTS
#include "plugins/sample.h"

static const uint8_t layouts[] = {TN_LAYOUT_ANY, TN_LAYOUT_CONTIGUOUS};

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)kernel;
    op->layouts = layouts;
    op->n_layouts = 2;
}
