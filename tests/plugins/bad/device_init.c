/* Its device_init fails. */
#define ADJUSTS
#include "plugins/sample.h"

static tn_code init(const tn_callback *cb, tn_device device, void **out_state) {
    (void)device;
    (void)out_state;
    return tn_fail(cb, TN_UNSUPPORTED, "no licence for this machine");
}

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->device_init = init;
}
