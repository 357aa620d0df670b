/* Functions made of several primitives. On floats narrower than f32 they compute in f32 and
 * round once, whatever the precision of the run: an op rounds where PyTorch's rounds. */
#ifndef TN_PLUGINS_WIDE_H
#define TN_PLUGINS_WIDE_H

#include "promotion.h"

static inline tn_value tn_widen(const tn_lower_context *l, tn_value x) {
    return tn_lower_cast(l, x, tn_wide(tn_lower_dtype(l, x)));
}

static inline tn_value tn_wide_sigmoid(const tn_lower_context *l, tn_value x) {
    const tn_value y = tn_lower_sigmoid(l, tn_widen(l, x));
    return tn_lower_cast(l, y, tn_lower_dtype(l, x));
}

#endif
