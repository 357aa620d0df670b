/* Types of movement primitives. */
#include <inttypes.h>
#include <string.h>

#include "ir/prim_infer.h"

static tn_status check_extents(const tn__infer *in, const char *name, const int64_t *extents,
                               int32_t n) {
    for (int32_t i = 0; i < n; i++)
        if (extents[i] < 0)
            return tn__infer_fail(in, "attribute %s[%d]: expected 0 or more, found %" PRId64, name,
                                  (int)i, extents[i]);
    return NULL;
}

static tn_status infer_broadcast(tn__infer *in) {
    const tn_type *x = &in->operands[0];
    int64_t shape[TN_MAX_RANK], axes[TN_MAX_RANK];
    int32_t rank;
    TN_TRY(tn__infer_ints(in, "shape", -1, shape, &rank));
    TN_TRY(check_extents(in, "shape", shape, rank));
    TN_TRY(tn__infer_ints(in, "axes", x->rank, axes, NULL));
    for (int32_t i = 0; i < x->rank; i++) {
        int64_t least = i ? axes[i - 1] + 1 : 0;
        if (axes[i] < least || axes[i] >= rank)
            return tn__infer_fail(in,
                                  "attribute axes[%d]: expected an axis in [%" PRId64
                                  ", %d), increasing, found %" PRId64,
                                  (int)i, least, (int)rank, axes[i]);
        if (x->shape[i] != 1 && x->shape[i] != shape[axes[i]])
            return tn__infer_fail(in,
                                  "attribute shape[%" PRId64 "]: expected %" PRId64
                                  ", the extent of x's axis %d, found %" PRId64
                                  " (only an extent of 1 is repeated)",
                                  axes[i], x->shape[i], (int)i, shape[axes[i]]);
    }
    return tn__infer_result(in, x->dt, shape, rank);
}

static tn_status infer_permute(tn__infer *in) {
    const tn_type *x = &in->operands[0];
    int64_t perm[TN_MAX_RANK], shape[TN_MAX_RANK];
    bool set[TN_MAX_RANK];
    TN_TRY(tn__infer_ints(in, "perm", x->rank, perm, NULL));
    TN_TRY(tn__infer_axes(in, "perm", x->rank, set));
    for (int32_t i = 0; i < x->rank; i++)
        shape[i] = x->shape[perm[i]];
    return tn__infer_result(in, x->dt, shape, x->rank);
}

static tn_status infer_reshape(tn__infer *in) {
    const tn_type *x = &in->operands[0];
    int64_t shape[TN_MAX_RANK];
    int32_t rank;
    TN_TRY(tn__infer_ints(in, "shape", -1, shape, &rank));
    TN_TRY(check_extents(in, "shape", shape, rank));
    tn_type result = {.known = true, .rank = rank, .shape = shape};
    int64_t n = tn_type_numel(x);
    if (tn_type_numel(&result) != n)
        return tn__infer_fail(
            in, "attribute shape: expected %" PRId64 " elements, as x has, found %" PRId64, n,
            tn_type_numel(&result));
    return tn__infer_result(in, x->dt, shape, rank);
}

/* Every read start + k*step, k < size, within [0, extent). Of nothing, start is
 * where Python's normalized slices may stand, so that no map overflows. */
static bool slice_fits(int64_t extent, int64_t start, int64_t size, int64_t step) {
    if (size == 0) return start >= -1 && start <= extent;
    if (start < 0 || start >= extent) return false;
    int64_t last;
    return !__builtin_mul_overflow(size - 1, step, &last) &&
           !__builtin_add_overflow(start, last, &last) && last >= 0 && last < extent;
}

static tn_status infer_slice(tn__infer *in) {
    const tn_type *x = &in->operands[0];
    int64_t start[TN_MAX_RANK], size[TN_MAX_RANK], step[TN_MAX_RANK];
    TN_TRY(tn__infer_ints(in, "start", x->rank, start, NULL));
    TN_TRY(tn__infer_ints(in, "size", x->rank, size, NULL));
    TN_TRY(tn__infer_ints(in, "step", x->rank, step, NULL));
    TN_TRY(check_extents(in, "size", size, x->rank));
    for (int32_t i = 0; i < x->rank; i++) {
        if (step[i] == 0)
            return tn__infer_fail(in, "attribute step[%d]: expected a step other than 0", (int)i);
        if (!slice_fits(x->shape[i], start[i], size[i], step[i]))
            return tn__infer_fail(in,
                                  "axis %d: %" PRId64 " elements from %" PRId64 " by %" PRId64
                                  " do not lie within [0, %" PRId64 ")",
                                  (int)i, size[i], start[i], step[i], x->shape[i]);
    }
    return tn__infer_result(in, x->dt, size, x->rank);
}

static tn_status infer_flip(tn__infer *in) {
    const tn_type *x = &in->operands[0];
    bool set[TN_MAX_RANK];
    TN_TRY(tn__infer_axes(in, "axes", x->rank, set));
    return tn__infer_result(in, x->dt, x->shape, x->rank);
}

static tn_status infer_window(tn__infer *in) {
    const tn_type *x = &in->operands[0];
    int32_t axis;
    int64_t size, step, dilation, span;
    TN_TRY(tn__infer_axis(in, "axis", &axis));
    TN_TRY(tn__infer_int(in, "size", &size));
    TN_TRY(tn__infer_int(in, "step", &step));
    TN_TRY(tn__infer_int(in, "dilation", &dilation));
    if (size < 1 || step < 1 || dilation < 1)
        return tn__infer_fail(in,
                              "size, step and dilation: expected 1 or more, found %" PRId64
                              ", %" PRId64 " and %" PRId64,
                              size, step, dilation);
    int64_t shape[TN_MAX_RANK + 1], extent = x->shape[axis], count = 0;
    /* A window too long to count fits nowhere either. */
    if (!__builtin_mul_overflow(size - 1, dilation, &span) && span < extent)
        count = (extent - 1 - span) / step + 1;
    memcpy(shape, x->shape, (size_t)x->rank * sizeof *shape);
    shape[axis] = count;
    shape[x->rank] = size;
    return tn__infer_result(in, x->dt, shape, x->rank + 1);
}

tn_status tn__infer_view(tn__infer *in) {
    switch (in->info->id) {
    case TN_PRIM_BROADCAST: return infer_broadcast(in);
    case TN_PRIM_PERMUTE: return infer_permute(in);
    case TN_PRIM_RESHAPE: return infer_reshape(in);
    case TN_PRIM_SLICE: return infer_slice(in);
    case TN_PRIM_FLIP: return infer_flip(in);
    case TN_PRIM_WINDOW: return infer_window(in);
    default: return tn__infer_fail(in, "no type rule");
    }
}

static tn_status infer_pad(tn__infer *in) {
    const tn_type *x = &in->operands[0], *value = &in->operands[1];
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], shape[TN_MAX_RANK];
    char text[TN__TYPE_TEXT];
    TN_TRY(tn__infer_same_dtype(in, 0, 1));
    if (value->rank != 0)
        return tn__infer_fail(in, "operand value: expected a 0-d tensor, found %s",
                              tn__type_text(NULL, value, text));
    TN_TRY(tn__infer_ints(in, "low", x->rank, low, NULL));
    TN_TRY(tn__infer_ints(in, "high", x->rank, high, NULL));
    TN_TRY(check_extents(in, "low", low, x->rank));
    TN_TRY(check_extents(in, "high", high, x->rank));
    for (int32_t i = 0; i < x->rank; i++)
        if (__builtin_add_overflow(x->shape[i], low[i], &shape[i]) ||
            __builtin_add_overflow(shape[i], high[i], &shape[i]))
            return tn__infer_fail(in, "axis %d: the padded extent does not fit 63 bits", (int)i);
    return tn__infer_result(in, x->dt, shape, x->rank);
}

static tn_status infer_concat(tn__infer *in) {
    const tn_type *first = &in->operands[0];
    int32_t axis;
    int64_t shape[TN_MAX_RANK];
    TN_TRY(tn__infer_axis(in, "axis", &axis));
    memcpy(shape, first->shape, (size_t)first->rank * sizeof *shape);
    for (uint32_t i = 1; i < in->n_operands; i++) {
        const tn_type *x = &in->operands[i];
        TN_TRY(tn__infer_same_dtype(in, 0, i));
        bool fits = x->rank == first->rank;
        for (int32_t k = 0; fits && k < x->rank; k++)
            fits = k == axis || x->shape[k] == first->shape[k];
        if (!fits) {
            char a[TN__TYPE_TEXT], b[TN__TYPE_TEXT];
            return tn__infer_fail(
                in,
                "operand xs[%" PRIu32 "]: expected the shape of xs[0], %s, except "
                "along axis %d, found %s",
                i, tn__type_text(NULL, first, a), (int)axis, tn__type_text(NULL, x, b));
        }
        if (__builtin_add_overflow(shape[axis], x->shape[axis], &shape[axis]))
            return tn__infer_fail(in, "the extent of axis %d does not fit 63 bits", (int)axis);
    }
    return tn__infer_result(in, first->dt, shape, first->rank);
}

static tn_status infer_take(tn__infer *in) {
    const tn_type *x = &in->operands[0], *index = &in->operands[1];
    int64_t shape[2 * TN_MAX_RANK];
    int32_t axis, rank = 0;
    TN_TRY(tn__infer_axis(in, "axis", &axis));
    if (index->dt != TN_DT_I32 && index->dt != TN_DT_I64)
        return tn__infer_fail(in, "operand index: expected i32 or i64, found %s",
                              tn_dt_text(index->dt));
    for (int32_t i = 0; i < axis; i++)
        shape[rank++] = x->shape[i];
    for (int32_t i = 0; i < index->rank; i++)
        shape[rank++] = index->shape[i];
    for (int32_t i = axis + 1; i < x->rank; i++)
        shape[rank++] = x->shape[i];
    return tn__infer_result(in, x->dt, shape, rank);
}

tn_status tn__infer_gather(tn__infer *in) {
    switch (in->info->id) {
    case TN_PRIM_PAD: return infer_pad(in);
    case TN_PRIM_CONCAT: return infer_concat(in);
    case TN_PRIM_TAKE: return infer_take(in);
    default: return tn__infer_fail(in, "no type rule");
    }
}
