#include "quotient.h"

#include "wide.h"

/* As Python does it: (x - fmod(x, y)) / y is an integer but for rounding, so the nearest one
 * is meant; where the remainder's sign is not y's, one less. */
static tn_value floats(const tn_lower_context *l, tn_value x, tn_value y) {
    const tn_value zero = tn_lower_float_like(l, x, 0.0), one = tn_lower_float_like(l, x, 1.0);
    const tn_value half = tn_lower_float_like(l, x, 0.5);
    const tn_value r = tn_lower_rem(l, x, y);
    const tn_value near = tn_lower_div(l, tn_lower_sub(l, x, r), y);
    const tn_value other_sign = tn_lower_ne(l, tn_lower_lt(l, y, zero), tn_lower_lt(l, r, zero));
    const tn_value less = tn_lower_and(l, tn_lower_ne(l, r, zero), other_sign);
    const tn_value q = tn_lower_select(l, less, tn_lower_sub(l, near, one), near);
    const tn_value low = tn_lower_floor(l, q);
    const tn_value up = tn_lower_gt(l, tn_lower_sub(l, q, low), half);
    const tn_value whole = tn_lower_select(l, up, tn_lower_add(l, low, one), low);
    const tn_value exact = tn_lower_div(l, x, y);
    const tn_value nothing = tn_lower_eq(l, q, zero);
    const tn_value signed_zero = tn_lower_copysign(l, zero, exact);
    const tn_value quotient = tn_lower_select(l, nothing, signed_zero, whole);
    return tn_lower_select(l, tn_lower_eq(l, y, zero), exact, quotient);
}

tn_value tn__quotient_floor(const tn_lower_context *l, tn_value x, tn_value y) {
    const tn_dtype dtype = tn_lower_dtype(l, x);
    if (!tn_is_float(dtype)) return tn_lower_floordiv(l, x, y);
    return tn_lower_cast(l, floats(l, tn_widen(l, x), tn_widen(l, y)), dtype);
}
