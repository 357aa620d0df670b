#include <string.h>

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

const char *tn_dtype_text(tn_dtype dtype) {
    tn_dt dt = tn_dt_from_dtype(dtype);
    return dt == TN_DT_NONE ? "?" : tn_dt_text(dt);
}

tn_status tn_dtype_parse(const char *text, tn_dtype *out_dtype) {
    tn_dt dt = tn_dt_parse(text, strlen(text));
    if (dt != TN_DT_NONE) {
        *out_dtype = tn_dt_to_dtype(dt);
        return NULL;
    }
    return tn_status_make(TN_INVALID,
                          "\"%s\" is no dtype: expected one of bool, u8, u16, u32, "
                          "u64, i8, i16, i32, i64, f16, bf16, f32, f64, f8e4m3fn, "
                          "f8e5m2",
                          text);
}

size_t tn_dtype_bytes(tn_dtype dtype) {
    return ((size_t)dtype.bits * dtype.lanes + 7) / 8;
}
