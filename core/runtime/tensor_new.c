#include "runtime/tensor_new.h"

#include <string.h>

#include "ir/tensor.h"

/* The tensor, its extents and its strides in one block. */
static size_t block_bytes(int32_t ndim) {
    return sizeof(tn_tensor) + 2 * (size_t)ndim * sizeof(int64_t);
}

static tn_status check(tn_dtype dtype, int32_t ndim, const int64_t *shape, uint64_t *out_bytes) {
    uint64_t bytes = tn_dtype_bytes(dtype);
    if (bytes == 0) {
        return tn_status_make(TN_INVALID,
                              "a tensor of dtype code %u, %u bits, %u lanes has no "
                              "storage here",
                              dtype.code, dtype.bits, dtype.lanes);
    }
    if (ndim < 0 || ndim > TN_MAX_RANK) {
        return tn_status_make(TN_INVALID, "rank %d is not between 0 and %d", ndim, TN_MAX_RANK);
    }
    for (int32_t i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            return tn_status_make(TN_INVALID, "axis %d: extent %lld is negative", i,
                                  (long long)shape[i]);
        }
        if (__builtin_mul_overflow(bytes, (uint64_t)shape[i], &bytes) || bytes > INT64_MAX) {
            return tn_status_make(TN_INVALID, "the tensor's bytes do not fit in 63 bits");
        }
    }
    *out_bytes = bytes;
    return NULL;
}

tn_status tn_tensor_new(tn_runtime *rt, tn_dtype dtype, int32_t ndim, const int64_t *shape,
                        bool zeroed, tn_tensor **out_tensor) {
    uint64_t bytes;
    TN_TRY(check(dtype, ndim, shape, &bytes));
    tn_tensor *t = tn_alloc_zero(rt->allocator, block_bytes(ndim));
    if (t == NULL) return tn_status_no_memory();
    t->device = (tn_device){TN_DEVICE_CPU, 0};
    t->ndim = ndim;
    t->dtype = dtype;
    t->shape = (int64_t *)(void *)(t + 1);
    t->strides = t->shape + ndim;
    if (ndim > 0) memcpy(t->shape, shape, (size_t)ndim * sizeof *shape);
    tn_shape_strides(t->shape, ndim, t->strides);
    if (bytes > 0) {
        t->data = tn_cpu_memory_alloc(rt->memory, bytes);
        if (t->data == NULL) {
            tn_free(rt->allocator, t, block_bytes(ndim));
            return tn_status_no_memory();
        }
        if (zeroed) memset(t->data, 0, bytes);
    }
    *out_tensor = t;
    return NULL;
}

void tn_tensor_delete(tn_runtime *rt, tn_tensor *tensor) {
    if (tensor == NULL) return;
    uint64_t bytes = (uint64_t)tn_tensor_numel(tensor) * tn_dtype_bytes(tensor->dtype);
    if (tensor->data != NULL) tn_cpu_memory_free(rt->memory, tensor->data, bytes);
    tn_free(rt->allocator, tensor, block_bytes(tensor->ndim));
}
