#include "host/host.h"
#include "runtime/tensor_new.h"

tn_status tn_tensor_create(tn_context *context, tn_device device, tn_dtype dtype, int32_t ndim,
                           const int64_t *shape, tn_tensor **out_tensor) {
    *out_tensor = NULL;
    if (device.type != TN_DEVICE_CPU) {
        return tn_status_make(TN_UNSUPPORTED,
                              "tensors of device %d:%d: only host memory (1:0) is "
                              "built into this library",
                              device.type, device.id);
    }
    return tn_tensor_new(&context->rt, dtype, ndim, shape, true, out_tensor);
}

void tn_tensor_free(tn_context *context, tn_tensor *tensor) {
    tn_tensor_delete(&context->rt, tensor);
}
