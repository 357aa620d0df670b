/* Needs a library that is not there (see CMakeLists.txt). */
#define ADJUSTS
#include "plugins/sample.h"

int tn_test_gone(void);

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->n_ops = tn_test_gone() ? 1 : 0;
}
