#include <string.h>

#include "ir/internal.h"

int64_t tn_type_numel(const tn_type *type) {
    int64_t n = 1;
    bool fits = true, zero = false;
    for (int32_t i = 0; i < type->rank; i++) {
        int64_t extent = type->shape[i];
        if (tn_is_sym(extent)) return -1;
        zero = zero || extent == 0;
        fits = fits && !__builtin_mul_overflow(n, extent, &n);
    }
    return zero ? 0 : fits ? n : -1;
}

bool tn_type_is_contiguous(const tn_type *type) {
    if (!type->strides) return true;
    int64_t expected = 1;
    for (int32_t i = 0; i < type->rank; i++)
        if (type->shape[i] == 0) return true;
    for (int32_t i = type->rank - 1; i >= 0; i--) {
        if (type->shape[i] == 1) continue;
        if (type->strides[i] != expected) return false;
        /* What is not known cannot be proved to be contiguous. */
        if (tn_is_sym(type->shape[i])) return i == 0;
        if (__builtin_mul_overflow(expected, type->shape[i], &expected)) return false;
    }
    return true;
}

void tn_shape_strides(const int64_t *shape, int32_t rank, int64_t *out_strides) {
    int64_t stride = 1;
    for (int32_t i = rank - 1; i >= 0; i--) {
        out_strides[i] = stride;
        if (shape[i] > 1) stride *= shape[i];
    }
}

size_t tn__dtype_size(tn_dtype dtype) {
    size_t bits = (size_t)dtype.bits * dtype.lanes;
    return bits < 8 ? 1 : (bits + 7) / 8;
}

/* max - min of the element offsets that strides reach. */
static bool stride_span(const tn_type *type, int64_t *out_span) {
    int64_t span = 1;
    for (int32_t i = 0; i < type->rank; i++) {
        int64_t extent = type->shape[i], stride = type->strides[i], reach;
        if (extent <= 1) continue;
        if (stride == INT64_MIN) return false;
        if (stride < 0) stride = -stride;
        if (__builtin_mul_overflow(extent - 1, stride, &reach) ||
            __builtin_add_overflow(span, reach, &span))
            return false;
    }
    *out_span = span;
    return true;
}

tn_status tn__type_check(const tn_type *type) {
    if (type->rank < 0 || type->rank > TN_MAX_RANK)
        return tn_status_make(TN_INVALID, "rank %d is out of range: at most %d axes are possible",
                              (int)type->rank, TN_MAX_RANK);
    int64_t n = (int64_t)tn__dtype_size(type->dtype);
    for (int32_t i = 0; i < type->rank; i++)
        if (type->shape[i] > 1 && __builtin_mul_overflow(n, type->shape[i], &n)) {
            char text[TN__TYPE_TEXT];
            return tn_status_make(TN_INVALID, "%s is too large: its bytes do not fit 63 bits",
                                  tn__type_text(NULL, type, text));
        }
    if (!type->strides) return NULL;
    int64_t span, size = (int64_t)tn__dtype_size(type->dtype);
    if (!stride_span(type, &span) || __builtin_mul_overflow(span, size, &span))
        return tn_status_make(TN_INVALID,
                              "the strides are too large: the bytes they span do not fit 63 bits");
    return NULL;
}

bool tn__type_copy(tn_arena *arena, const tn_type *from, tn_type *out) {
    *out = *from;
    if (!from->known) {
        out->shape = out->strides = NULL;
        return true;
    }
    size_t bytes = (size_t)from->rank * sizeof *from->shape;
    out->shape = tn_arena_copy(arena, from->shape, bytes);
    if (!out->shape) return false;
    if (!from->strides) return true;
    out->strides = tn_arena_copy(arena, from->strides, bytes);
    return out->strides != NULL;
}

bool tn__type_equal(const tn_type *a, const tn_type *b) {
    if (a->known != b->known) return false;
    if (!a->known) return true;
    if (a->dtype.code != b->dtype.code || a->dtype.bits != b->dtype.bits ||
        a->dtype.lanes != b->dtype.lanes || a->rank != b->rank)
        return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i]) return false;
    return true;
}
