/* Sums, products, means. */
#include "reduce.h"

#include "axes.h"
#include "wide.h"

static tn_code result_meta(const tn_meta_context *m, tn_dtype dtype) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t ndim;
    tn_axes axes;
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes));
    tn_reduced_shape(self, &axes, m->args[2].v.i != 0, &ndim, shape);
    return tn_meta_contiguous(m, 0, dtype, ndim, shape);
}

static tn_dtype sum_dtype(tn_dtype self) {
    return tn_is_float(self) ? self : tn_dtype_of_I64();
}

static tn_code sum_meta(const tn_meta_context *m) {
    const tn_dtype own = sum_dtype(m->args[0].v.tensor->dtype);
    tn_dtype dtype;
    TN_CHECK(tn_get_dtype_or(m->cb, m->args, m->n_args, 3, own, &dtype));
    TN_REQUIRE(m->cb, !tn_is_bool(dtype), "dtype is bool; tn::any and tn::all reduce to bools");
    return result_meta(m, dtype);
}

static tn_code mean_meta(const tn_meta_context *m) {
    tn_dtype dtype;
    TN_CHECK(tn_get_dtype_or(m->cb, m->args, m->n_args, 3, m->args[0].v.tensor->dtype, &dtype));
    TN_REQUIRE(m->cb, tn_is_float(dtype), "the mean of %s is no %s: state a float as dtype",
               tn_dtype_name(dtype), tn_dtype_name(dtype));
    return result_meta(m, dtype);
}

static tn_code logsumexp_meta(const tn_meta_context *m) {
    const tn_dtype dtype = m->args[0].v.tensor->dtype;
    return result_meta(m, tn_is_float(dtype) ? dtype : tn_dtype_of_F32());
}

static tn_code fold(const tn_lower_context *l, uint32_t prim) {
    tn_value x = tn_lower_arg(l, 0);
    const tn_dtype own = sum_dtype(tn_lower_dtype(l, x));
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, tn_lower_rank(l, x), &axes));
    x = tn_lower_cast(l, x, tn_lower_is_none(l, 3) ? own : l->args[3].v.dtype);
    const tn_value y = tn_lower_reduce_axes(l, prim, x, &axes);
    l->results[0] = tn_lower_keepdim(l, y, x, &axes, tn_lower_flag(l, 2));
    return TN_OK;
}

static tn_code sum_lower(const tn_lower_context *l) {
    return fold(l, TN_PRIM_SUM);
}

static tn_code prod_lower(const tn_lower_context *l) {
    return fold(l, TN_PRIM_PROD);
}

static tn_code mean_lower(const tn_lower_context *l) {
    tn_value x = tn_lower_arg(l, 0);
    const tn_dtype dtype = tn_lower_is_none(l, 3) ? tn_lower_dtype(l, x) : l->args[3].v.dtype;
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, tn_lower_rank(l, x), &axes));
    x = tn_widen(l, tn_lower_cast(l, x, dtype));
    const tn_value sum = tn_lower_reduce_axes(l, TN_PRIM_SUM, x, &axes);
    const tn_value n = tn_lower_scalar_like(l, sum, tn_arg_dim(tn_lower_count(l, x, &axes)));
    const tn_value mean = tn_lower_cast(l, tn_lower_div(l, sum, n), dtype);
    l->results[0] = tn_lower_keepdim(l, mean, x, &axes, tn_lower_flag(l, 2));
    return TN_OK;
}

/* The largest is taken out of the sum, unless it is infinite: then there is nothing to gain,
 * and inf - inf to avoid. */
static tn_code logsumexp_lower(const tn_lower_context *l) {
    tn_value x = tn_lower_arg(l, 0);
    const tn_dtype own = tn_lower_dtype(l, x), dtype = tn_is_float(own) ? own : tn_dtype_of_F32();
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, tn_lower_rank(l, x), &axes));
    x = tn_widen(l, tn_lower_cast(l, x, dtype));
    const tn_value most = tn_lower_reduce_axes(l, TN_PRIM_REDUCE_MAX, x, &axes);
    const tn_value zero = tn_lower_float_like(l, most, 0.0);
    const tn_value shift = tn_lower_select(l, tn_lower_isinf(l, most), zero, most);
    const tn_value spread = tn_lower_spread(l, shift, x, axes.axis, axes.n);
    const tn_value e = tn_lower_exp(l, tn_lower_sub(l, x, spread));
    const tn_value sum = tn_lower_reduce_axes(l, TN_PRIM_SUM, e, &axes);
    const tn_value y = tn_lower_cast(l, tn_lower_add(l, tn_lower_log(l, sum), shift), dtype);
    l->results[0] = tn_lower_keepdim(l, y, x, &axes, tn_lower_flag(l, 2));
    return TN_OK;
}

TN_DEFINE_OPS(TN_SUM_OPS)
