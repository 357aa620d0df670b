/* Axes in another order, or reversed. */
#include "shape.h"

#include "dims.h"

static tn_code permuted_meta(const tn_meta_context *m, const int32_t *order) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    for (int32_t i = 0; i < self->ndim; i++)
        shape[i] = self->shape[order[i]];
    return tn_meta_contiguous(m, 0, self->dtype, self->ndim, shape);
}

static tn_code permute_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t dims[TN_LOWER_MAX_RANK];
    int32_t order[TN_LOWER_MAX_RANK];
    uint32_t n, seen = 0;
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 1, dims, TN_LOWER_MAX_RANK, &n));
    TN_REQUIRE(m->cb, (int32_t)n == self->ndim, "%u dims for %d axes", (unsigned)n,
               (int)self->ndim);
    for (uint32_t i = 0; i < n; i++) {
        TN_CHECK(tn_normalize_axis(m->cb, dims[i], self->ndim, &order[i]));
        TN_REQUIRE(m->cb, !(seen >> order[i] & 1u), "axis %d is named twice", (int)order[i]);
        seen |= 1u << order[i];
    }
    return permuted_meta(m, order);
}

static tn_code permute_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    const int32_t rank = tn_lower_rank(l, x);
    int64_t order[TN_LOWER_MAX_RANK];
    for (int32_t i = 0; i < rank; i++) {
        order[i] = tn_lower_int(l, l->args[1].v.list[i]);
        if (order[i] < 0) order[i] += rank;
    }
    l->results[0] = tn_lower_permute(l, x, order);
    return TN_OK;
}

static tn_code exchanged_meta(const tn_meta_context *m, int32_t a, int32_t b) {
    int32_t order[TN_LOWER_MAX_RANK];
    for (int32_t i = 0; i < TN_LOWER_MAX_RANK; i++)
        order[i] = i == a ? b : i == b ? a : i;
    return permuted_meta(m, order);
}

static void exchanged(const tn_lower_context *l, int32_t a, int32_t b) {
    const tn_value x = tn_lower_arg(l, 0);
    int64_t order[TN_LOWER_MAX_RANK];
    for (int32_t i = 0; i < TN_LOWER_MAX_RANK; i++)
        order[i] = i == a ? b : i == b ? a : i;
    l->results[0] = a == b ? x : tn_lower_permute(l, x, order);
}

static tn_code transpose_meta(const tn_meta_context *m) {
    const int32_t rank = m->args[0].v.tensor->ndim;
    int32_t a, b;
    TN_CHECK(tn_normalize_axis(m->cb, m->args[1].v.i, rank, &a));
    TN_CHECK(tn_normalize_axis(m->cb, m->args[2].v.i, rank, &b));
    return exchanged_meta(m, a, b);
}

static tn_code transpose_lower(const tn_lower_context *l) {
    const int32_t rank = tn_lower_rank(l, tn_lower_arg(l, 0));
    int32_t a, b;
    TN_CHECK(tn_lower_axis(l, 1, rank, &a));
    TN_CHECK(tn_lower_axis(l, 2, rank, &b));
    exchanged(l, a, b);
    return TN_OK;
}

static tn_code t_meta(const tn_meta_context *m) {
    const int32_t rank = m->args[0].v.tensor->ndim;
    TN_REQUIRE(m->cb, rank <= 2, "self has %d axes: tn::transpose says which two", (int)rank);
    return rank == 2 ? exchanged_meta(m, 0, 1) : exchanged_meta(m, 0, 0);
}

static tn_code t_lower(const tn_lower_context *l) {
    exchanged(l, 0, tn_lower_rank(l, tn_lower_arg(l, 0)) == 2 ? 1 : 0);
    return TN_OK;
}

static tn_code flip_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    tn_axes axes;
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes)); /* for its checks */
    return tn_meta_like(m, 0, self);
}

static tn_code flip_lower(const tn_lower_context *l) {
    const tn_value x = tn_lower_arg(l, 0);
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, tn_lower_rank(l, x), &axes));
    l->results[0] = l->args[1].count == 0 ? x : tn_lower_flip(l, x, axes.axis, axes.n);
    return TN_OK;
}

TN_DEFINE_OPS(TN_PERMUTE_OPS)
