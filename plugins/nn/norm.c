/* Normalizations. Statistics and the affine part are computed wide, and rounded once. */
#include "nn.h"

#include "axes.h"
#include "wide.h"

static tn_code check_input(const tn_callback *cb, const tn_tensor *input) {
    TN_REQUIRE(cb, tn_is_float(input->dtype), "input is %s; it must be a float",
               tn_dtype_name(input->dtype));
    return TN_OK;
}

/* normalized_shape, argument 1, is the end of input's shape. */
static tn_code check_normalized(const tn_meta_context *m, const tn_tensor *input) {
    int64_t shape[TN_LOWER_MAX_RANK];
    uint32_t n;
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 1, shape, TN_LOWER_MAX_RANK, &n));
    TN_REQUIRE(m->cb, n >= 1 && (int32_t)n <= input->ndim,
               "normalized_shape has %u extents, but input has %d axes", (unsigned)n,
               (int)input->ndim);
    for (uint32_t i = 0; i < n; i++) {
        const int32_t axis = input->ndim - (int32_t)n + (int32_t)i;
        TN_REQUIRE(m->cb, shape[i] == input->shape[axis],
                   "normalized_shape ends in extents unlike input's: %lld, but axis %d of input "
                   "has %lld",
                   (long long)shape[i], (int)axis, (long long)input->shape[axis]);
    }
    return TN_OK;
}

/* Argument `index`, weight or bias, is None or has exactly this shape. */
static tn_code check_affine(const tn_meta_context *m, uint32_t index, const char *name,
                            uint32_t rank, const int64_t *shape) {
    const tn_tensor *t;
    TN_CHECK(tn_get_tensor_or_null(m->cb, m->args, m->n_args, index, &t));
    if (!t) return TN_OK;
    TN_REQUIRE(m->cb, tn_is_float(t->dtype), "%s is %s; it must be a float", name,
               tn_dtype_name(t->dtype));
    TN_REQUIRE(m->cb, t->ndim == (int32_t)rank, "%s has %d axes; %u were expected", name,
               (int)t->ndim, (unsigned)rank);
    for (uint32_t i = 0; i < rank; i++) {
        TN_REQUIRE(m->cb, t->shape[i] == shape[i], "axis %u of %s is %lld; %lld was expected",
                   (unsigned)i, name, (long long)t->shape[i], (long long)shape[i]);
    }
    return TN_OK;
}

static tn_code layer_norm_meta(const tn_meta_context *m) {
    const tn_tensor *input = m->args[0].v.tensor;
    const uint32_t n = m->args[1].count;
    TN_CHECK(check_input(m->cb, input));
    TN_CHECK(check_normalized(m, input));
    const int64_t *inner = input->shape + (input->ndim - (int32_t)n);
    TN_CHECK(check_affine(m, 2, "weight", n, inner));
    TN_CHECK(check_affine(m, 3, "bias", n, inner));
    return tn_meta_like(m, 0, input);
}

static tn_code rms_norm_meta(const tn_meta_context *m) {
    const tn_tensor *input = m->args[0].v.tensor;
    const uint32_t n = m->args[1].count;
    TN_CHECK(check_input(m->cb, input));
    TN_CHECK(check_normalized(m, input));
    TN_CHECK(check_affine(m, 2, "weight", n, input->shape + (input->ndim - (int32_t)n)));
    return tn_meta_like(m, 0, input);
}

static tn_code group_norm_meta(const tn_meta_context *m) {
    const tn_tensor *input = m->args[0].v.tensor;
    const int64_t groups = m->args[1].v.i;
    TN_CHECK(check_input(m->cb, input));
    TN_REQUIRE(m->cb, input->ndim >= 2, "input has %d axes; at least 2 are needed",
               (int)input->ndim);
    TN_REQUIRE(m->cb, groups > 0 && input->shape[1] % groups == 0,
               "axis 1 of input, %lld, is not num_groups, %lld, times an integer",
               (long long)input->shape[1], (long long)groups);
    TN_CHECK(check_affine(m, 2, "weight", 1, &input->shape[1]));
    TN_CHECK(check_affine(m, 3, "bias", 1, &input->shape[1]));
    return tn_meta_like(m, 0, input);
}

/* ---------------------------------------------------------------- lowering */

/* Argument `index` as wide as y and spread over it, its axes put at axes[]; invalid when
 * it is None. */
static tn_value affine(const tn_lower_context *l, uint32_t index, tn_value y, const int64_t *axes) {
    tn_dim shape[TN_LOWER_MAX_RANK];
    const int32_t rank = tn_lower_shape(l, y, shape);
    const tn_value v = tn_lower_cast(l, tn_lower_arg(l, index), tn_lower_dtype(l, y));
    return tn_lower_broadcast(l, v, shape, (uint32_t)rank, axes);
}

/* y * weight + bias, either left out when it is None. */
static tn_value scaled(const tn_lower_context *l, tn_value y, uint32_t weight, uint32_t bias,
                       const int64_t *axes) {
    if (!tn_lower_is_none(l, weight)) y = tn_lower_mul(l, y, affine(l, weight, y, axes));
    if (bias != 0 && !tn_lower_is_none(l, bias)) y = tn_lower_add(l, y, affine(l, bias, y, axes));
    return y;
}

/* (x - mean) / sqrt(var + eps) over the axes. */
static tn_value standardized(const tn_lower_context *l, tn_value x, const tn_axes *axes,
                             tn_arg eps) {
    tn_value mean, var;
    tn_lower_mean_var(l, x, axes->axis, axes->n, 0, &mean, &var);
    const tn_value sum = tn_lower_add(l, var, tn_lower_scalar_like(l, var, eps));
    const tn_value factor = tn_lower_rsqrt(l, sum);
    const tn_value centred = tn_lower_sub(l, x, tn_lower_spread(l, mean, x, axes->axis, axes->n));
    return tn_lower_mul(l, centred, tn_lower_spread(l, factor, x, axes->axis, axes->n));
}

/* The last n axes. */
static void last_axes(tn_axes *axes, int32_t rank, uint32_t n) {
    tn_axes_from_mask(axes, tn_axes_every(rank) & ~tn_axes_every(rank - (int32_t)n));
}

static tn_code layer_norm_lower(const tn_lower_context *l) {
    const tn_value input = tn_lower_arg(l, 0), x = tn_widen(l, input);
    tn_axes axes;
    last_axes(&axes, tn_lower_rank(l, x), l->args[1].count);
    const tn_value y = standardized(l, x, &axes, l->args[4]);
    l->results[0] = tn_lower_cast(l, scaled(l, y, 2, 3, axes.axis), tn_lower_dtype(l, input));
    return TN_OK;
}

/* The distance from 1 to the next number. */
static double epsilon(tn_dtype t) {
    if (t.code == TN_TYPE_BFLOAT) return 0x1p-7;
    if (t.code == TN_TYPE_F8_E4M3FN) return 0x1p-3;
    if (t.code == TN_TYPE_F8_E5M2) return 0x1p-2;
    return t.bits == 16 ? 0x1p-10 : t.bits == 32 ? 0x1p-23 : 0x1p-52;
}

static tn_code rms_norm_lower(const tn_lower_context *l) {
    const tn_value input = tn_lower_arg(l, 0), x = tn_widen(l, input);
    const tn_dtype dtype = tn_lower_dtype(l, input);
    const tn_arg eps = tn_lower_is_none(l, 3) ? tn_arg_float(epsilon(dtype)) : l->args[3];
    tn_axes axes;
    last_axes(&axes, tn_lower_rank(l, x), l->args[1].count);
    const tn_value sum = tn_lower_reduce_axes(l, TN_PRIM_SUM, tn_lower_mul(l, x, x), &axes);
    const tn_value n = tn_lower_scalar_like(l, sum, tn_arg_dim(tn_lower_count(l, x, &axes)));
    const tn_value mean = tn_lower_div(l, sum, n);
    const tn_value factor = tn_lower_rsqrt(
        l, tn_lower_add(l, mean, tn_lower_scalar_like(l, mean, eps)));
    const tn_value y = tn_lower_mul(l, x, tn_lower_spread(l, factor, x, axes.axis, axes.n));
    l->results[0] = tn_lower_cast(l, scaled(l, y, 2, 0, axes.axis), dtype);
    return TN_OK;
}

/* As [batch, group, channel of the group, ...], normalized over all but the first two. */
static tn_code group_norm_lower(const tn_lower_context *l) {
    const tn_value input = tn_lower_arg(l, 0), x = tn_widen(l, input);
    const int64_t channel = 1;
    tn_dim shape[TN_LOWER_MAX_RANK], split[TN_LOWER_MAX_RANK + 1];
    const int32_t rank = tn_lower_shape(l, x, shape);
    const tn_dim groups = l->api->dim_arg(l->b, l->args[1]);
    tn_axes axes;
    TN_DECLINE_UNLESS(l->cb, rank < TN_LOWER_MAX_RANK, "input has %d axes, at most %d are taken",
                      (int)rank, TN_LOWER_MAX_RANK - 1);
    split[0] = shape[0];
    split[1] = groups;
    split[2] = l->api->dim_op(l->b, TN_DIM_FLOORDIV, shape[1], groups);
    for (int32_t i = 2; i < rank; i++)
        split[i + 1] = shape[i];
    last_axes(&axes, rank + 1, (uint32_t)rank - 1);
    tn_value y = tn_lower_reshape(l, x, split, (uint32_t)rank + 1);
    y = standardized(l, y, &axes, l->args[4]);
    y = tn_lower_reshape(l, y, shape, (uint32_t)rank);
    l->results[0] = tn_lower_cast(l, scaled(l, y, 2, 3, &channel), tn_lower_dtype(l, input));
    return TN_OK;
}

TN_DEFINE_OPS(TN_NORM_OPS)
