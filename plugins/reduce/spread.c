/* Variance and standard deviation. */
#include "reduce.h"

#include "axes.h"
#include "promotion.h"

static tn_code result_meta(const tn_meta_context *m, uint32_t n_results) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t ndim;
    tn_axes axes;
    TN_REQUIRE(m->cb, tn_is_float(self->dtype), "it takes floats, not %s",
               tn_dtype_name(self->dtype));
    TN_CHECK(tn_meta_axes(m, 1, self->ndim, &axes));
    tn_reduced_shape(self, &axes, m->args[3].v.i != 0, &ndim, shape);
    for (uint32_t i = 0; i < n_results; i++)
        TN_CHECK(tn_meta_contiguous(m, i, self->dtype, ndim, shape));
    return TN_OK;
}

static tn_code var_meta(const tn_meta_context *m) {
    return result_meta(m, 1);
}

static tn_code var_mean_meta(const tn_meta_context *m) {
    return result_meta(m, 2);
}

/* The square of a spread that an f32 holds may be beyond f32: standard deviations are
 * computed in f64. */
static tn_code spread(const tn_lower_context *l, int root, int with_mean) {
    const tn_value self = tn_lower_arg(l, 0);
    const tn_dtype dtype = tn_lower_dtype(l, self);
    const int keepdim = tn_lower_flag(l, 3);
    tn_axes axes;
    TN_CHECK(tn_lower_axes(l, 1, tn_lower_rank(l, self), &axes));
    const tn_value x = tn_lower_cast(l, self, root ? tn_dtype_of_F64() : tn_wide(dtype));
    tn_value mean, var;
    tn_lower_mean_var(l, x, axes.axis, axes.n, tn_lower_int(l, l->args[2]), &mean, &var);
    if (root) var = tn_lower_sqrt(l, var);
    l->results[0] = tn_lower_keepdim(l, tn_lower_cast(l, var, dtype), x, &axes, keepdim);
    if (!with_mean) return TN_OK;
    l->results[1] = tn_lower_keepdim(l, tn_lower_cast(l, mean, dtype), x, &axes, keepdim);
    return TN_OK;
}

static tn_code var_lower(const tn_lower_context *l) {
    return spread(l, 0, 0);
}

static tn_code std_lower(const tn_lower_context *l) {
    return spread(l, 1, 0);
}

static tn_code var_mean_lower(const tn_lower_context *l) {
    return spread(l, 0, 1);
}

static tn_code std_mean_lower(const tn_lower_context *l) {
    return spread(l, 1, 1);
}

TN_DEFINE_OPS(TN_SPREAD_OPS)
