/* The same op two times in one plugin. */
#define NOTE_BODY TN_NOTE_OP(SCHEMA) TN_NOTE_OP(SCHEMA)
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->n_ops = 2;
}
