/* Largest and smallest, where they are, any and all. */
#include "reduce.h"

#include "axes.h"
#include "promotion.h"

static tn_code reduced(const tn_meta_context *m, uint32_t index, const tn_axes *axes, int keepdim,
                       tn_dtype dtype) {
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t ndim;
    tn_reduced_shape(m->args[0].v.tensor, axes, keepdim, &ndim, shape);
    return tn_meta_contiguous(m, index, dtype, ndim, shape);
}

/* There is no largest of nothing. */
static tn_code check_extents(const tn_meta_context *m, const tn_axes *axes) {
    const tn_tensor *self = m->args[0].v.tensor;
    for (uint32_t i = 0; i < axes->n; i++) {
        TN_REQUIRE(m->cb, self->shape[axes->axis[i]] != 0,
                   "axis %d has extent 0, and nothing has no largest or smallest",
                   (int)axes->axis[i]);
    }
    return TN_OK;
}

static tn_code amax_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    tn_axes axes;
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes));
    TN_CHECK(check_extents(m, &axes));
    return reduced(m, 0, &axes, m->args[2].v.i != 0, self->dtype);
}

static tn_code max_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    tn_axes axes;
    tn_axes_from_mask(&axes, tn_axes_every(self->ndim));
    TN_CHECK(check_extents(m, &axes));
    return reduced(m, 0, &axes, 0, self->dtype);
}

static tn_code max_dim_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    tn_axes axes;
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes));
    TN_CHECK(check_extents(m, &axes));
    TN_CHECK(reduced(m, 0, &axes, m->args[2].v.i != 0, self->dtype));
    return reduced(m, 1, &axes, m->args[2].v.i != 0, tn_dtype_of_I64());
}

static tn_code argmax_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    tn_axes axes;
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes));
    TN_CHECK(check_extents(m, &axes));
    return reduced(m, 0, &axes, m->args[2].v.i != 0, tn_dtype_of_I64());
}

static tn_code any_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    const int is_u8 = tn_same_dtype(self->dtype, tn_dtype_of_U8());
    tn_axes axes;
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes));
    return reduced(m, 0, &axes, m->args[2].v.i != 0, is_u8 ? self->dtype : tn_dtype_of_BOOL());
}

static tn_code extreme(const tn_lower_context *l, uint32_t prim, int has_dim) {
    const tn_value x = tn_lower_arg(l, 0);
    const int32_t rank = tn_lower_rank(l, x);
    tn_axes axes;
    tn_axes_from_mask(&axes, tn_axes_every(rank));
    if (has_dim) TN_CHECK(tn_lower_axes(l, 1, rank, &axes));
    const tn_value y = tn_lower_reduce_axes(l, prim, x, &axes);
    l->results[0] = tn_lower_keepdim(l, y, x, &axes, has_dim && tn_lower_flag(l, 2));
    return TN_OK;
}

static tn_code amax_lower(const tn_lower_context *l) {
    return extreme(l, TN_PRIM_REDUCE_MAX, 1);
}

static tn_code amin_lower(const tn_lower_context *l) {
    return extreme(l, TN_PRIM_REDUCE_MIN, 1);
}

static tn_code max_lower(const tn_lower_context *l) {
    return extreme(l, TN_PRIM_REDUCE_MAX, 0);
}

static tn_code min_lower(const tn_lower_context *l) {
    return extreme(l, TN_PRIM_REDUCE_MIN, 0);
}

/* All of x along one axis. */
static tn_value flat(const tn_lower_context *l, tn_value x) {
    tn_axes axes;
    tn_axes_from_mask(&axes, tn_axes_every(tn_lower_rank(l, x)));
    const tn_dim n = tn_lower_count(l, x, &axes);
    return tn_lower_reshape(l, x, &n, 1);
}

/* Where along argument 1, an axis or None, the extreme is. */
static tn_code place(const tn_lower_context *l, uint32_t prim, tn_value *out) {
    const tn_value x = tn_lower_arg(l, 0);
    const int32_t rank = tn_lower_rank(l, x);
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, rank, &axes));
    const int all = rank == 0 || tn_lower_is_none(l, 1);
    const tn_value y = all ? tn_lower_arg_reduce(l, prim, flat(l, x), 0)
                           : tn_lower_arg_reduce(l, prim, x, (int32_t)axes.axis[0]);
    *out = tn_lower_keepdim(l, y, x, &axes, tn_lower_flag(l, 2));
    return TN_OK;
}

static tn_code argmax_lower(const tn_lower_context *l) {
    return place(l, TN_PRIM_ARGMAX, &l->results[0]);
}

static tn_code argmin_lower(const tn_lower_context *l) {
    return place(l, TN_PRIM_ARGMIN, &l->results[0]);
}

static tn_code max_dim_lower(const tn_lower_context *l) {
    TN_CHECK(extreme(l, TN_PRIM_REDUCE_MAX, 1));
    return place(l, TN_PRIM_ARGMAX, &l->results[1]);
}

static tn_code min_dim_lower(const tn_lower_context *l) {
    TN_CHECK(extreme(l, TN_PRIM_REDUCE_MIN, 1));
    return place(l, TN_PRIM_ARGMIN, &l->results[1]);
}

static tn_code question(const tn_lower_context *l, uint32_t prim) {
    const tn_value x = tn_lower_arg(l, 0);
    const tn_dtype dtype = tn_lower_dtype(l, x);
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, tn_lower_rank(l, x), &axes));
    tn_value y = tn_lower_reduce_axes(l, prim, tn_lower_cast(l, x, tn_dtype_of_BOOL()), &axes);
    if (tn_same_dtype(dtype, tn_dtype_of_U8())) y = tn_lower_cast(l, y, dtype);
    l->results[0] = tn_lower_keepdim(l, y, x, &axes, tn_lower_flag(l, 2));
    return TN_OK;
}

static tn_code any_lower(const tn_lower_context *l) {
    return question(l, TN_PRIM_ANY);
}

static tn_code all_lower(const tn_lower_context *l) {
    return question(l, TN_PRIM_ALL);
}

TN_DEFINE_OPS(TN_EXTREME_OPS)
