/* Tensors from numbers alone. */
#include "shape.h"

#include <math.h>

#include "dims.h"
#include "promotion.h"

static tn_code sized_meta(const tn_meta_context *m, tn_dtype dtype) {
    int64_t shape[TN_LOWER_MAX_RANK];
    uint32_t n;
    TN_CHECK(tn_get_ints(m->cb, m->args, m->n_args, 0, shape, TN_LOWER_MAX_RANK, &n));
    for (uint32_t i = 0; i < n; i++)
        TN_REQUIRE(m->cb, shape[i] >= 0, "size %u is %lld", (unsigned)i, (long long)shape[i]);
    return tn_meta_contiguous(m, 0, dtype, (int32_t)n, shape);
}

static tn_value filled(const tn_lower_context *l, tn_dtype dtype, tn_arg value) {
    const tn_arg *list = &l->args[0];
    tn_dim shape[TN_LOWER_MAX_RANK];
    for (uint32_t i = 0; i < list->count; i++)
        shape[i] = tn_size_of(l, list->v.list[i]);
    const tn_value one = tn_lower_constant(l, dtype, value);
    return tn_lower_broadcast_to(l, one, shape, (int32_t)list->count);
}

static tn_dtype number_dtype(uint32_t tag) {
    if (tag == TN_TAG_BOOL) return tn_dtype_of_BOOL();
    return tag == TN_TAG_INT || tag == TN_TAG_DIM ? tn_dtype_of_I64() : tn_dtype_of_F32();
}

static tn_code full_meta(const tn_meta_context *m) {
    tn_dtype dtype;
    TN_CHECK(tn_get_dtype_or(m->cb, m->args, m->n_args, 2, number_dtype(m->args[1].tag), &dtype));
    return sized_meta(m, dtype);
}

static tn_code full_lower(const tn_lower_context *l) {
    const tn_arg *value = &l->args[1];
    tn_dtype dtype = number_dtype(value->tag);
    if (value->tag == TN_TAG_NUMBER) {
        tn_promotion p = {0};
        tn_promotion_number(&p, tn_lower_dtype(l, value->v.value));
        (void)tn_promotion_result(&p, &dtype);
    }
    if (!tn_lower_is_none(l, 2)) dtype = l->args[2].v.dtype;
    l->results[0] = filled(l, dtype, *value);
    return TN_OK;
}

static tn_code zeros_meta(const tn_meta_context *m) {
    tn_dtype dtype;
    TN_CHECK(tn_get_dtype_or(m->cb, m->args, m->n_args, 1, tn_dtype_of_F32(), &dtype));
    return sized_meta(m, dtype);
}

static tn_code constant_lower(const tn_lower_context *l, int64_t value) {
    const tn_dtype dtype = tn_lower_is_none(l, 1) ? tn_dtype_of_F32() : l->args[1].v.dtype;
    l->results[0] = filled(l, dtype, tn_arg_int(value));
    return TN_OK;
}

static tn_code zeros_lower(const tn_lower_context *l) {
    return constant_lower(l, 0);
}

static tn_code ones_lower(const tn_lower_context *l) {
    return constant_lower(l, 1);
}

/* ------------------------------------------------------------------- arange */

typedef struct range {
    int is_float;
    double start, end, step;
    int64_t count;
} range;

/* How many steps from start stay before end; not above 2^53, where doubles count in ones. */
static tn_code count_steps(const tn_callback *cb, range *r) {
    TN_REQUIRE(cb, r->step != 0 && isfinite(r->step), "step is %g", r->step);
    TN_REQUIRE(cb, isfinite(r->start) && isfinite(r->end), "start %g and end %g must be finite",
               r->start, r->end);
    const double steps = ceil((r->end - r->start) / r->step);
    TN_REQUIRE(cb, steps >= 0, "from %g to %g there are no steps of %g", r->start, r->end, r->step);
    TN_REQUIRE(cb, steps <= 0x1p53, "%g steps are too many", steps);
    r->count = (int64_t)steps;
    return TN_OK;
}

static tn_code arange_meta(const tn_meta_context *m) {
    const int has_start = m->n_args == 4;
    const tn_arg *end = &m->args[has_start ? 1 : 0];
    range r = {0, 0, 0, 1, 0};
    tn_dtype dtype;
    for (uint32_t i = 0; i + 1 < m->n_args; i++)
        r.is_float |= m->args[i].tag == TN_TAG_FLOAT;
    r.end = end->tag == TN_TAG_FLOAT ? end->v.f : (double)end->v.i;
    if (has_start) {
        TN_CHECK(tn_get_float(m->cb, m->args, m->n_args, 0, &r.start));
        TN_CHECK(tn_get_float(m->cb, m->args, m->n_args, 2, &r.step));
    }
    TN_CHECK(count_steps(m->cb, &r));
    TN_CHECK(tn_get_dtype_or(m->cb, m->args, m->n_args, m->n_args - 1,
                             r.is_float ? tn_dtype_of_F32() : tn_dtype_of_I64(), &dtype));
    TN_REQUIRE(m->cb, tn_kind(dtype) > 0, "dtype is %s; it must be of numbers",
               tn_dtype_name(dtype));
    return tn_meta_contiguous(m, 0, dtype, 1, &r.count);
}

/* start + i * step, computed in i64 or f64 and converted once. */
static tn_code arange_lower(const tn_lower_context *l) {
    const int has_start = l->n_args == 4;
    const tn_arg zero = tn_arg_int(0), one = tn_arg_int(1);
    const tn_arg start = has_start ? l->args[0] : zero, step = has_start ? l->args[2] : one;
    const tn_arg end = l->args[has_start ? 1 : 0];
    range r = {0, l->api->number_value(l->b, start), l->api->number_value(l->b, end),
               l->api->number_value(l->b, step), 0};
    TN_CHECK(count_steps(l->cb, &r));
    for (uint32_t i = 0; i + 1 < l->n_args; i++)
        r.is_float |= l->args[i].tag == TN_TAG_FLOAT || l->args[i].tag == TN_TAG_NUMBER;
    const tn_dtype wide = r.is_float ? tn_dtype_of_F64() : tn_dtype_of_I64();
    const tn_dtype own = r.is_float ? tn_dtype_of_F32() : wide;
    const tn_dim count = tn_size(l, r.count);
    tn_value y = tn_lower_iota(l, &count, 1, 0, wide);
    y = tn_lower_mul(l, y, tn_lower_scalar_like(l, y, step));
    y = tn_lower_add(l, tn_lower_scalar_like(l, y, start), y);
    const uint32_t last = l->n_args - 1;
    l->results[0] = tn_lower_cast(l, y, tn_lower_is_none(l, last) ? own : l->args[last].v.dtype);
    return TN_OK;
}

TN_DEFINE_OPS(TN_MAKE_OPS)
