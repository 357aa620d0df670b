/* where, masked_fill and clamp. */
#include "elementwise.h"

#include "operands.h"

static tn_code check_condition(const tn_meta_context *m, uint32_t index, const char *name) {
    const tn_dtype dtype = m->args[index].v.tensor->dtype;
    TN_REQUIRE(m->cb, tn_is_bool(dtype), "%s is %s; it must be bool (tn::ne.Scalar(x, 0))", name,
               tn_dtype_name(dtype));
    return TN_OK;
}

static tn_code where_meta(const tn_meta_context *m) {
    int64_t shape[TN_LOWER_MAX_RANK];
    tn_dtype dtype;
    int32_t ndim;
    TN_CHECK(check_condition(m, 0, "condition"));
    TN_CHECK(tn_meta_common(m, 1, 2, &dtype));
    TN_CHECK(tn_meta_broadcast(m, 0, 3, &ndim, shape));
    return tn_meta_contiguous(m, 0, dtype, ndim, shape);
}

static tn_code where_lower(const tn_lower_context *l) {
    const tn_dtype dtype = tn_lower_common(l, 1, 2);
    tn_value v[3] = {tn_lower_arg(l, 0), tn_lower_operand(l, 1, dtype),
                     tn_lower_operand(l, 2, dtype)};
    tn_lower_broadcast_together(l, v, 3);
    l->results[0] = tn_lower_select(l, v[0], v[1], v[2]);
    return TN_OK;
}

static tn_code masked_fill_meta(const tn_meta_context *m) {
    const tn_tensor *self = m->args[0].v.tensor;
    int64_t shape[TN_LOWER_MAX_RANK];
    int32_t ndim;
    TN_CHECK(check_condition(m, 1, "mask"));
    if (m->args[2].tag == TN_TAG_TENSOR) {
        TN_REQUIRE(m->cb, m->args[2].v.tensor->ndim == 0, "value has %d axes; it must be 0-d",
                   (int)m->args[2].v.tensor->ndim);
    }
    TN_CHECK(tn_meta_broadcast(m, 0, 2, &ndim, shape));
    return tn_meta_contiguous(m, 0, self->dtype, ndim, shape);
}

static tn_code masked_fill_lower(const tn_lower_context *l) {
    const tn_value self = tn_lower_arg(l, 0);
    tn_value v[3] = {tn_lower_arg(l, 1), tn_lower_operand(l, 2, tn_lower_dtype(l, self)), self};
    tn_lower_broadcast_together(l, v, 3);
    l->results[0] = tn_lower_select(l, v[0], v[1], v[2]);
    return TN_OK;
}

/* ------------------------------------------------------------------- clamp */

static const tn_rule clamp_rule = {3, TN_RESULT_COMMON, TN_TAKES_NUMBER, NULL};
static const tn_rule clamp_one_rule = {2, TN_RESULT_COMMON, TN_TAKES_NUMBER, NULL};

static tn_code clamp_meta(const tn_meta_context *m) {
    TN_REQUIRE(m->cb, m->args[1].tag != TN_TAG_NONE || m->args[2].tag != TN_TAG_NONE,
               "min and max are both None: give at least one");
    return tn_rule_meta(m, &clamp_rule);
}

static tn_code clamp_one_meta(const tn_meta_context *m) {
    return tn_rule_meta(m, &clamp_one_rule);
}

/* self and one bound, at their common dtype and shape. */
static tn_code bounded(const tn_lower_context *l, uint32_t bound, uint32_t prim) {
    const tn_dtype dtype = tn_lower_common(l, 0, l->n_args);
    tn_value v[2] = {tn_lower_operand(l, 0, dtype), tn_lower_operand(l, bound, dtype)};
    tn_lower_broadcast_together(l, v, 2);
    l->results[0] = tn_lower_emit(l, prim, v, 2, NULL, 0);
    return TN_OK;
}

static tn_code clamp_min_lower(const tn_lower_context *l) {
    return bounded(l, 1, TN_PRIM_MAX);
}

static tn_code clamp_max_lower(const tn_lower_context *l) {
    return bounded(l, 1, TN_PRIM_MIN);
}

static tn_code clamp_lower(const tn_lower_context *l) {
    if (tn_lower_is_none(l, 2)) return bounded(l, 1, TN_PRIM_MAX);
    if (tn_lower_is_none(l, 1)) return bounded(l, 2, TN_PRIM_MIN);
    tn_value v[TN_MOST_OPERANDS];
    tn_lower_operands(l, 0, 3, tn_lower_common(l, 0, 3), v);
    l->results[0] = tn_lower_clamp(l, v[0], v[1], v[2]);
    return TN_OK;
}

TN_DEFINE_OPS(TN_CHOOSE_OPS)
