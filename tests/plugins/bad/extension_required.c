/* Requires an extension that is not known here. */
#define ADJUSTS
#include "plugins/sample.h"

static const tn_extension extension = {sizeof extension, TN_EXT_REQUIRED, NULL, "acme.magic.v1"};

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)kernel;
    op->extensions = &extension;
}
