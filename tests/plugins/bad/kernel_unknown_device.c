/* Its only kernel is for a device that is not known here. */
#define ADJUSTS
#include "plugins/sample.h"

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)plugin;
    (void)op;
    kernel->device_type = 15;
}
