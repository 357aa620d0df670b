/* Parts of a tensor, and frames around one. */
#include "shape.h"

#include "dims.h"

tn_value tn__cut(const tn_lower_context *l, tn_value x, int32_t axis, tn_dim begin, tn_dim size,
                 int64_t step) {
    tn_dim starts[TN_LOWER_MAX_RANK], sizes[TN_LOWER_MAX_RANK];
    int64_t steps[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, sizes);
    for (int32_t i = 0; i < rank; i++) {
        starts[i] = tn_size(l, 0);
        steps[i] = 1;
    }
    starts[axis] = begin;
    sizes[axis] = size;
    steps[axis] = step;
    return tn_lower_slice(l, x, starts, sizes, steps);
}

static tn_code with_extent(const tn_meta_context *m, int32_t axis, int64_t extent) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    memcpy(shape, self->shape, (size_t)self->ndim * sizeof *shape);
    shape[axis] = extent;
    return tn_meta_contiguous(m, 0, self->dtype, self->ndim, shape);
}

/* The axis that argument 1 names. */
static tn_code meta_axis(const tn_meta_context *m, int32_t *out) {
    const tn_tensor *self = m->args[0].v.tensor;
    TN_REQUIRE(m->cb, self->ndim > 0, "self has no axis to take a part of");
    return tn_normalize_axis(m->cb, m->args[1].v.i, self->ndim, out);
}

/* -------------------------------------------------------------------- slice */

static int64_t between(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Where a bound of a slice over n places stands, by Python's rule. */
static int64_t bound(const tn_arg *arg, int64_t n, int64_t step, int64_t otherwise) {
    if (arg->tag == TN_TAG_NONE) return otherwise;
    const int64_t at = arg->v.i < 0 ? arg->v.i + n : arg->v.i;
    return step > 0 ? between(at, 0, n) : between(at, -1, n - 1);
}

static tn_code slice_meta(const tn_meta_context *m) {
    const int64_t step = m->args[4].v.i;
    int32_t axis;
    TN_CHECK(meta_axis(m, &axis));
    TN_REQUIRE(m->cb, step != 0 && step != INT64_MIN, "step is %lld", (long long)step);
    const int64_t n = m->args[0].v.tensor->shape[axis];
    const int64_t start = bound(&m->args[2], n, step, step > 0 ? 0 : n - 1);
    const int64_t end = bound(&m->args[3], n, step, step > 0 ? n : -1);
    const int64_t gap = step > 0 ? end - start : start - end, stride = step > 0 ? step : -step;
    return with_extent(m, axis, gap > 0 ? (gap - 1) / stride + 1 : 0);
}

/* The same as bound, of sizes. */
static tn_dim lower_bound(const tn_lower_context *l, uint32_t index, tn_dim n, int64_t step,
                          tn_dim otherwise) {
    const tn_arg *arg = &l->args[index];
    if (arg->tag == TN_TAG_NONE) return otherwise;
    tn_dim at = tn_size_of(l, *arg);
    const tn_dim last = tn_size_sub(l, n, tn_size(l, 1));
    if (arg->tag == TN_TAG_INT && arg->v.i < 0) at = tn_size_add(l, at, n);
    at = l->api->dim_op(l->b, TN_DIM_MAX, at, tn_size(l, step > 0 ? 0 : -1));
    return l->api->dim_op(l->b, TN_DIM_MIN, at, step > 0 ? n : last);
}

static tn_code slice_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const int64_t step = tn_lower_int(l, l->args[4]);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, x), &axis));
    const tn_dim n = tn_lower_dim(l, x, axis), zero = tn_size(l, 0);
    const tn_dim last = tn_size_sub(l, n, tn_size(l, 1));
    const tn_dim start = lower_bound(l, 2, n, step, step > 0 ? zero : last);
    const tn_dim end = lower_bound(l, 3, n, step, step > 0 ? n : tn_size(l, -1));
    tn_dim size = tn_size_sub(l, end, start);
    size = l->api->dim_op(l->b, TN_DIM_CEILDIV, size, tn_size(l, step));
    size = l->api->dim_op(l->b, TN_DIM_MAX, size, zero);
    l->results[0] = tn__cut(l, x, axis, start, size, step);
    return TN_OK;
}

/* ----------------------------------------------------------- narrow, select */

static tn_code narrow_meta(const tn_meta_context *m) {
    const int64_t start = m->args[2].v.i, length = m->args[3].v.i;
    int32_t axis;
    TN_CHECK(meta_axis(m, &axis));
    const int64_t n = m->args[0].v.tensor->shape[axis];
    const int64_t from = start < 0 ? start + n : start;
    TN_REQUIRE(m->cb, from >= 0 && from <= n && length >= 0 && length <= n - from,
               "start %lld and length %lld leave axis %d, which has extent %lld", (long long)start,
               (long long)length, (int)axis, (long long)n);
    return with_extent(m, axis, length);
}

/* A place counted from the end when it is a negative number. */
static tn_dim place(const tn_lower_context *l, uint32_t index, tn_dim n) {
    const tn_arg *arg = &l->args[index];
    const tn_dim at = tn_size_of(l, *arg);
    return arg->tag == TN_TAG_INT && arg->v.i < 0 ? tn_size_add(l, at, n) : at;
}

static tn_code narrow_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, x), &axis));
    const tn_dim start = place(l, 2, tn_lower_dim(l, x, axis));
    l->results[0] = tn__cut(l, x, axis, start, tn_size_of(l, l->args[3]), 1);
    return TN_OK;
}

static tn_code select_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t axis, n = 0;
    TN_CHECK(meta_axis(m, &axis));
    const int64_t index = m->args[2].v.i, extent = self->shape[axis];
    TN_REQUIRE(m->cb, index >= -extent && index < extent,
               "index %lld is outside axis %d, which has extent %lld", (long long)index, (int)axis,
               (long long)extent);
    for (int32_t i = 0; i < self->ndim; i++)
        if (i != axis) shape[n++] = self->shape[i];
    return tn_meta_contiguous(m, 0, self->dtype, n, shape);
}

static tn_code select_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    int32_t axis;
    TN_CHECK(tn_lower_axis(l, 1, tn_lower_rank(l, x), &axis));
    const tn_dim at = place(l, 2, tn_lower_dim(l, x, axis));
    l->results[0] = tn__drop_axis(l, tn__cut(l, x, axis, at, tn_size(l, 1), 1), axis);
    return TN_OK;
}

/* ---------------------------------------------------------------------- pad */

static tn_code pad_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t pad[2 * TN_LOWER_MAX_RANK], shape[TN_LOWER_MAX_RANK];
    uint32_t n;
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 1, pad, 2 * TN_LOWER_MAX_RANK, &n));
    TN_REQUIRE(m->cb, n % 2 == 0 && (int32_t)n / 2 <= self->ndim,
               "pad has %u numbers; two for each of %d axes at most are taken", (unsigned)n,
               (int)self->ndim);
    memcpy(shape, self->shape, (size_t)self->ndim * sizeof *shape);
    for (uint32_t i = 0; i < n / 2; i++) {
        int64_t *extent = &shape[self->ndim - 1 - (int32_t)i];
        const int64_t own = *extent;
        TN_REQUIRE(m->cb,
                   !__builtin_add_overflow(own, pad[2 * i], extent) &&
                       !__builtin_add_overflow(*extent, pad[2 * i + 1], extent) && *extent >= 0 &&
                       own + (pad[2 * i] < 0 ? pad[2 * i] : 0) +
                               (pad[2 * i + 1] < 0 ? pad[2 * i + 1] : 0) >=
                           0,
                   "axis %d of extent %lld cannot be padded by %lld and %lld",
                   (int)(self->ndim - 1 - (int32_t)i), (long long)own, (long long)pad[2 * i],
                   (long long)pad[2 * i + 1]);
    }
    return tn_meta_contiguous(m, 0, self->dtype, self->ndim, shape);
}

/* What is below zero cuts off, then what is above frames. */
static tn_code pad_lower(const tn_lower_context *l) {
    tn_value x = tn_lower_arg(l, 0);
    const tn_arg *list = &l->args[1];
    const int32_t rank = tn_lower_rank(l, x);
    tn_dim low[TN_LOWER_MAX_RANK], high[TN_LOWER_MAX_RANK];
    for (int32_t i = 0; i < rank; i++)
        low[i] = high[i] = tn_size(l, 0);
    for (uint32_t i = 0; i < list->count / 2; i++) {
        const int32_t axis = rank - 1 - (int32_t)i;
        const int64_t before = tn_lower_int(l, list->v.list[2 * i]);
        const int64_t after = tn_lower_int(l, list->v.list[2 * i + 1]);
        const int64_t cut_before = before < 0 ? -before : 0, cut_after = after < 0 ? -after : 0;
        if (cut_before || cut_after) {
            const tn_dim size = tn_size_sub(l, tn_lower_dim(l, x, axis),
                                            tn_size(l, cut_before + cut_after));
            x = tn__cut(l, x, axis, tn_size(l, cut_before), size, 1);
        }
        low[axis] = tn_size(l, before > 0 ? before : 0);
        high[axis] = tn_size(l, after > 0 ? after : 0);
    }
    const tn_value value = tn_lower_constant(l, tn_lower_dtype(l, x), l->args[2]);
    l->results[0] = tn_lower_pad(l, x, value, low, high);
    return TN_OK;
}

/* ---------------------------------------------------------------- triangles */

static tn_code tril_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    TN_REQUIRE(m->cb, self->ndim >= 2, "self has %d axes; at least 2 are needed", (int)self->ndim);
    return tn_meta_like(m, 0, self);
}

static tn_code triangle(const tn_lower_context *l, int lower) {
    const tn_value x = tn_lower_arg(l, 0);
    const tn_dtype i64 = tn_dtype_of_I64();
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, x, shape);
    const tn_value row = tn_lower_iota(l, shape, (uint32_t)rank, rank - 2, i64);
    const tn_value column = tn_lower_iota(l, shape, (uint32_t)rank, rank - 1, i64);
    const tn_value edge = tn_lower_add(l, row, tn_lower_scalar_like(l, row, l->args[1]));
    const tn_value kept = lower ? tn_lower_le(l, column, edge) : tn_lower_ge(l, column, edge);
    const tn_value zero = tn_lower_scalar_like(l, x, tn_arg_int(0));
    l->results[0] = tn_lower_select(l, kept, x, zero);
    return TN_OK;
}

static tn_code tril_lower(const tn_lower_context *l) {
    return triangle(l, 1);
}

static tn_code triu_lower(const tn_lower_context *l) {
    return triangle(l, 0);
}

TN_DEFINE_OPS(TN_SLICE_OPS)
