/* Ops of two operands, the second a tensor or a number. */
#include "elementwise.h"

#include "operands.h"
#include "quotient.h"

#define RULE(name, ...)                                                                            \
    static const tn_rule name = {__VA_ARGS__};                                                     \
    static tn_code name##_meta(const tn_meta_context *m) {                                         \
        return tn_rule_meta(m, &name);                                                             \
    }

RULE(any2, 2, TN_RESULT_COMMON, TN_TAKES_ALL, NULL)
RULE(keep2, 2, TN_RESULT_COMMON, TN_TAKES_NUMBER, NULL)
RULE(to_float2, 2, TN_RESULT_FLOAT, TN_TAKES_ALL, NULL)
RULE(bits2, 2, TN_RESULT_COMMON, TN_TAKES_BOOL | TN_TAKES_INT, NULL)
RULE(shift2, 2, TN_RESULT_COMMON, TN_TAKES_INT, NULL)
RULE(compare2, 2, TN_RESULT_BOOL, TN_TAKES_ALL, NULL)
RULE(logic2, 2, TN_RESULT_LOGIC, TN_TAKES_ALL, NULL)

static tn_value product(const tn_lower_context *l, tn_value x, tn_value y) {
    return tn_is_bool(tn_lower_dtype(l, x)) ? tn_lower_and(l, x, y) : tn_lower_mul(l, x, y);
}

#define LOWER(OP, id, name, doc, rule, traits, value)                                              \
    static tn_code id##_lower(const tn_lower_context *l) {                                         \
        tn_value xs[TN_MOST_OPERANDS];                                                             \
        tn_rule_operands(l, &rule, xs);                                                            \
        const tn_value x = xs[0], y = xs[1];                                                       \
        l->results[0] = value;                                                                     \
        return TN_OK;                                                                              \
    }
TN_BINARY(LOWER, )
TN_COMPARE(LOWER, )

TN_DEFINE_OPS(TN_BINARY_OPS)
TN_DEFINE_OPS(TN_COMPARE_OPS)
