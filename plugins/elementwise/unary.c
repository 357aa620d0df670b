/* Ops of one operand. */
#include "elementwise.h"
#include "wide.h"

#include "operands.h"

#define RULE(name, ...)                                                                            \
    static const tn_rule name = {__VA_ARGS__};                                                     \
    static tn_code name##_meta(const tn_meta_context *m) {                                         \
        return tn_rule_meta(m, &name);                                                             \
    }

RULE(keep, 1, TN_RESULT_COMMON, TN_TAKES_NUMBER, "; of a bool there is tn::logical_not")
RULE(keep_any, 1, TN_RESULT_COMMON, TN_TAKES_ALL, NULL)
RULE(keep_float, 1, TN_RESULT_COMMON, TN_TAKES_FLOAT, NULL)
RULE(to_float, 1, TN_RESULT_FLOAT, TN_TAKES_ALL, NULL)
RULE(square, 1, TN_RESULT_COMMON, TN_TAKES_NUMBER, NULL)
RULE(test, 1, TN_RESULT_BOOL, TN_TAKES_ALL, NULL)
RULE(logic, 1, TN_RESULT_LOGIC, TN_TAKES_ALL, NULL)
RULE(bits, 1, TN_RESULT_COMMON, TN_TAKES_BOOL | TN_TAKES_INT, NULL)

/* A primitive that changes no bool. */
static tn_value kept(const tn_lower_context *l, uint32_t prim, tn_value x) {
    if (tn_is_bool(tn_lower_dtype(l, x))) return x;
    return tn_lower_emit(l, prim, &x, 1, NULL, 0);
}

/* A question about floats, to which every other number answers `otherwise`. */
static tn_value tested(const tn_lower_context *l, uint32_t prim, tn_value x, int otherwise) {
    if (tn_is_float(tn_lower_dtype(l, x))) return tn_lower_emit(l, prim, &x, 1, NULL, 0);
    const tn_value like = tn_lower_cast(l, x, tn_dtype_of_BOOL());
    return tn_lower_scalar_like(l, like, tn_arg_bool(otherwise));
}

static tn_value reciprocal(const tn_lower_context *l, tn_value x) {
    return tn_lower_div(l, tn_lower_float_like(l, x, 1.0), x);
}

#define LOWER(OP, id, name, doc, rule, traits, value)                                              \
    static tn_code id##_lower(const tn_lower_context *l) {                                         \
        tn_value xs[TN_MOST_OPERANDS];                                                             \
        tn_rule_operands(l, &rule, xs);                                                            \
        const tn_value x = xs[0];                                                                  \
        l->results[0] = value;                                                                     \
        return TN_OK;                                                                              \
    }
TN_UNARY(LOWER, )

TN_DEFINE_OPS(TN_UNARY_OPS)
