#include "ir/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ir/internal.h"
#include "ir/interp_access.h"

tn_tolerance tn_tolerance_for(tn_dt dt) {
    switch (dt) {
    case TN_DT_F64: return (tn_tolerance){.rel = 1e-12, .norm = 1e-13, .ulp = 4};
    case TN_DT_F32: return (tn_tolerance){.rel = 1e-5, .norm = 4e-6, .ulp = 4};
    case TN_DT_F16: return (tn_tolerance){.rel = 2e-3, .norm = 1e-3, .ulp = 2};
    case TN_DT_BF16: return (tn_tolerance){.rel = 1.6e-2, .norm = 8e-3, .ulp = 2};
    case TN_DT_F8E4M3FN:
    case TN_DT_F8E5M2: return (tn_tolerance){.ulp = 1};
    default: return (tn_tolerance){.abs = 0};
    }
}

/* The bits of a float as an integer in the order of the values; both zeros are 0. */
static int64_t float_rank(tn_dt dt, const char *at) {
    const size_t size = tn_dt_size(dt);
    uint64_t bits = 0;
    memcpy(&bits, at, size); /* the low bytes of a little-endian word */
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    const int64_t magnitude = (int64_t)(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

static uint64_t distance(int64_t a, int64_t b) {
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* |a - b| of two integers of dt. */
static uint64_t int_distance(tn_dt dt, tn_scalar a, tn_scalar b) {
    if (tn_dt_is_signed(dt)) return distance(a.i, b.i);
    return a.u > b.u ? a.u - b.u : b.u - a.u;
}

static double largest_finite(const tn__strided *x) {
    double largest = 0.0;
    tn__walk walk;
    tn__walk_init(&walk, x->rank, x->shape);
    tn__walk_add(&walk, x);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        const double magnitude = fabs(tn__load(x, walk.at[0]).f);
        if (isfinite(magnitude) && magnitude > largest) largest = magnitude;
    }
    return largest;
}

/* Whether one pair is close. out_apart: ulp, of integers the difference. */
static bool float_close(tn_comparison *c, const tn_tolerance *t, double slack, const char *at_a,
                        const char *at_b, uint64_t *out_apart) {
    const double a = tn_scalar_load(c->dt, at_a).f, b = tn_scalar_load(c->dt, at_b).f;
    *out_apart = 0;
    if (isnan(a) || isnan(b)) {
        if (isnan(a) && isnan(b)) return true;
        *out_apart = UINT64_MAX;
        c->n_nan++;
        return false;
    }
    const uint64_t ulp = distance(float_rank(c->dt, at_a), float_rank(c->dt, at_b));
    *out_apart = ulp;
    if (ulp > c->max_ulp) c->max_ulp = ulp;
    if (ulp == 0) return !t->zero_signs || a != 0.0 || signbit(a) == signbit(b);
    bool within = false;
    if (isfinite(a) && isfinite(b)) {
        const double apart = fabs(b - a);
        if (apart > c->max_abs) c->max_abs = apart;
        if (a != 0.0 && apart / fabs(a) > c->max_rel) c->max_rel = apart / fabs(a);
        within = apart <= slack + t->rel * fabs(a);
    }
    return within || ulp <= t->ulp;
}

static bool int_close(tn_comparison *c, const tn_tolerance *t, tn_scalar a, tn_scalar b,
                      uint64_t *out_apart) {
    const uint64_t apart = int_distance(c->dt, a, b);
    const uint64_t magnitude = int_distance(c->dt, a, (tn_scalar){.u = 0});
    *out_apart = apart;
    if ((double)apart > c->max_abs) c->max_abs = (double)apart;
    if (magnitude != 0 && (double)apart / (double)magnitude > c->max_rel)
        c->max_rel = (double)apart / (double)magnitude;
    return (double)apart <= t->abs;
}

static void compare_all(const tn__strided *expected, const tn__strided *found,
                        const tn_tolerance *t, tn_comparison *c) {
    const bool is_float = tn_dt_is_float(c->dt);
    const double norm = is_float && t->norm > 0.0 ? t->norm * largest_finite(expected) : 0.0;
    uint64_t worst = 0;
    tn__walk walk;
    tn__walk_init(&walk, expected->rank, expected->shape);
    tn__walk_add(&walk, expected);
    tn__walk_add(&walk, found);
    for (bool more = walk.more; more; more = tn__walk_next(&walk), c->n++) {
        const tn_scalar a = tn__load(expected, walk.at[0]), b = tn__load(found, walk.at[1]);
        uint64_t apart;
        const bool close = is_float
                               ? float_close(c, t, t->abs + norm, walk.at[0], walk.at[1], &apart)
                               : int_close(c, t, a, b, &apart);
        if (apart > worst) {
            worst = apart;
            c->worst = c->n;
            c->worst_expected = a;
            c->worst_found = b;
        }
        if (close) continue;
        if (c->n_far++ > 0) continue;
        c->first_far = c->n;
        c->first_expected = a;
        c->first_found = b;
    }
    c->close = c->n_far == 0;
}

static tn_type tensor_type(const tn_tensor *t) {
    return (tn_type){.known = true,
                     .dt = tn_dt_from_dtype(t->dtype),
                     .dtype = t->dtype,
                     .rank = t->ndim,
                     .shape = t->shape};
}

tn_status tn_compare(const tn_tensor *expected, const tn_tensor *found,
                     const tn_tolerance *tolerance, tn_comparison *out) {
    const tn_type a = tensor_type(expected), b = tensor_type(found);
    char text_a[TN__TYPE_TEXT], text_b[TN__TYPE_TEXT];
    *out = (tn_comparison){.first_far = -1, .worst = -1, .dt = a.dt};
    if (!tn__type_equal(&a, &b))
        return tn_status_make(TN_INVALID, "nothing to compare: expected %s, found %s",
                              tn__type_text(NULL, &a, text_a), tn__type_text(NULL, &b, text_b));
    if (out->dt == TN_DT_NONE || a.rank > TN_MAX_RANK)
        return tn_status_make(TN_INVALID, "%s cannot be compared: expected a dtype of opset %d",
                              tn__type_text(NULL, &a, text_a), TN_OPSET_VERSION);
    tn__strided x, y;
    tn__strided_init(&x, expected, out->dt);
    tn__strided_init(&y, found, out->dt);
    compare_all(&x, &y, tolerance, out);
    return NULL;
}

static void print_at(const char *which, int64_t index, const int64_t *shape, int32_t rank,
                     tn_strbuf *out) {
    int64_t at[TN_MAX_RANK];
    for (int32_t i = rank - 1; i >= 0; i--) {
        at[i] = index % shape[i];
        index /= shape[i];
    }
    tn_strbuf_printf(out, "%s at [", which);
    for (int32_t i = 0; i < rank; i++)
        tn_strbuf_printf(out, i == 0 ? "%" PRId64 : ",%" PRId64, at[i]);
    tn_strbuf_char(out, ']');
}

static void print_scalar(tn_dt dt, tn_scalar value, tn_strbuf *out) {
    if (tn_dt_is_float(dt))
        tn_strbuf_double(out, value.f);
    else if (dt == TN_DT_BOOL)
        tn_strbuf_text(out, value.u != 0 ? "true" : "false");
    else if (tn_dt_is_signed(dt))
        tn_strbuf_printf(out, "%" PRId64, value.i);
    else
        tn_strbuf_printf(out, "%" PRIu64, value.u);
}

static void print_pair(const tn_comparison *c, tn_scalar expected, tn_scalar found,
                       tn_strbuf *out) {
    tn_strbuf_text(out, ", expected ");
    print_scalar(c->dt, expected, out);
    tn_strbuf_text(out, ", found ");
    print_scalar(c->dt, found, out);
}

static void print_extremes(const tn_comparison *c, tn_strbuf *out) {
    tn_strbuf_text(out, "at most ");
    tn_strbuf_double(out, c->max_abs);
    tn_strbuf_text(out, " apart, ");
    tn_strbuf_double(out, c->max_rel);
    tn_strbuf_text(out, " relative");
    if (tn_dt_is_float(c->dt)) tn_strbuf_printf(out, ", %" PRIu64 " ulp", c->max_ulp);
}

void tn_comparison_print(const tn_comparison *c, const int64_t *shape, int32_t rank,
                         tn_strbuf *out) {
    if (c->close) {
        tn_strbuf_printf(out, "%" PRId64 " elements are %s", c->n,
                         c->worst < 0 ? "equal" : "close: ");
        if (c->worst >= 0) print_extremes(c, out);
        return;
    }
    tn_strbuf_printf(out, "%" PRId64 " of %" PRId64 " elements differ: ", c->n_far, c->n);
    print_at("first", c->first_far, shape, rank, out);
    print_pair(c, c->first_expected, c->first_found, out);
    if (c->worst >= 0 && c->worst != c->first_far) {
        print_at("; worst", c->worst, shape, rank, out);
        print_pair(c, c->worst_expected, c->worst_found, out);
    }
    tn_strbuf_text(out, "; ");
    print_extremes(c, out);
    if (c->n_nan > 0) tn_strbuf_printf(out, "; %" PRId64 " NaN on one side only", c->n_nan);
}
