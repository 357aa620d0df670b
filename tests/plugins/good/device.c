/* Keeps state for each device, and counts who has some. */
#define SCHEMA "device::twice(Tensor x) -> Tensor"
#define PLUGIN "device"
#define ADJUSTS
#include "plugins/sample.h"

static int alive;

static tn_code init(const tn_callback *cb, tn_device device, void **out_state) {
    TN_REQUIRE(cb, device.type == TN_DEVICE_CPU, "device type %d", (int)device.type);
    alive++;
    *out_state = &alive;
    return TN_OK;
}

static void deinit(const tn_callback *cb, tn_device device, void *state) {
    (void)cb;
    (void)device;
    --*(int *)state;
}

static void adjust(tn_plugin *plugin, tn_op_desc *op, tn_kernel *kernel) {
    (void)op;
    (void)kernel;
    plugin->device_init = init;
    plugin->device_deinit = deinit;
}
