#include "ir/tensor.h"

#include <string.h>

#include "ir/graph.h"

static size_t element_bytes(const tn_tensor *t) {
    return ((size_t)t->dtype.bits * t->dtype.lanes + 7) / 8;
}

uint32_t tn_dtype_alignment(tn_dtype dtype) {
    uint32_t bytes = dtype.bits / (dtype.code == TN_TYPE_COMPLEX ? 16u : 8u);
    return bytes == 0 ? 1 : bytes & (0u - bytes);
}

char *tn_tensor_first(const tn_tensor *t) {
    return t->data == NULL ? NULL : (char *)t->data + t->byte_offset;
}

int64_t tn_tensor_numel(const tn_tensor *t) {
    int64_t n = 1;
    for (int32_t i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

bool tn_tensor_is_contiguous(const tn_tensor *t) {
    if (t->strides == NULL) return true;
    const tn_type type = {.rank = t->ndim, .shape = t->shape, .strides = t->strides};
    return tn_type_is_contiguous(&type);
}

void tn_tensor_span(const tn_tensor *t, char **out_first, uint64_t *out_bytes) {
    int64_t low = 0, high = 0;
    size_t size = element_bytes(t);
    *out_first = tn_tensor_first(t);
    *out_bytes = 0;
    for (int32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0) return;
        int64_t reach = (t->shape[i] - 1) * t->strides[i];
        if (reach < 0) low += reach;
        if (reach > 0) high += reach;
    }
    *out_bytes = (uint64_t)(high - low + 1) * size;
    if (*out_first != NULL) *out_first += low * (int64_t)size;
}

/* Visits the elements in row-major order. */
static void walk(const tn_tensor *t, char *packed, bool to_packed) {
    int64_t coords[TN_MAX_RANK] = {0};
    int64_t n = tn_tensor_numel(t);
    size_t size = element_bytes(t);
    char *base = tn_tensor_first(t);
    for (int64_t k = 0; k < n; k++) {
        int64_t offset = 0;
        for (int32_t i = 0; i < t->ndim; i++)
            offset += coords[i] * t->strides[i];
        char *strided = base + offset * (int64_t)size, *dense = packed + k * (int64_t)size;
        memcpy(to_packed ? dense : strided, to_packed ? strided : dense, size);
        for (int32_t i = t->ndim; i-- > 0;) {
            if (++coords[i] < t->shape[i]) break;
            coords[i] = 0;
        }
    }
}

void tn_tensor_gather(const tn_tensor *from, void *to) {
    walk(from, to, true);
}

void tn_tensor_scatter(const tn_tensor *to, const void *from) {
    char *packed; /* only read: walk's direction says so */
    memcpy(&packed, &from, sizeof packed);
    walk(to, packed, false);
}
