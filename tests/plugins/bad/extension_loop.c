/* Its chain of extensions bites its tail. */
#define ADJUSTS
#include "plugins/sample.h"

static tn_extension extension = {sizeof extension, 0, &extension, "acme.loop.v1"};

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->extensions = &extension;
}
