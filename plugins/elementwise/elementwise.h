/* The ops of this plugin, one list a file. Each entry of TN_UNARY, TN_BINARY and TN_COMPARE is
 *
 *     X(OP, id, name, doc, rule, traits, value)
 *
 * where value says in primitives what op `name` gives for operands x and, of two, y. Binary
 * ones take a number in place of y as their overload Scalar. Names, schemas and meaning are
 * PyTorch's, but the overload of tensors alone has no name: tn::add, tn::add.Scalar. */
#ifndef TN_ELEMENTWISE_H
#define TN_ELEMENTWISE_H

#include "define.h"

/* clang-format off */
#define TN_UNARY(X, OP)                                                                                \
X(OP, neg, "neg", "-x. Integers wrap.", keep, 0, tn_lower_neg(l, x))                                   \
X(OP, abs, "abs", "Magnitude. The smallest integer stays.", keep_any, 0, kept(l, TN_PRIM_ABS, x))      \
X(OP, sign, "sign", "-1, 0 or 1; NaN stays.", keep_any, 0, kept(l, TN_PRIM_SIGN, x))                   \
X(OP, positive, "positive", "x itself.", keep, 0, x)                                                   \
X(OP, floor, "floor", "Largest integer not above.", keep, 0, tn_lower_floor(l, x))                     \
X(OP, ceil, "ceil", "Smallest integer not below.", keep, 0, tn_lower_ceil(l, x))                       \
X(OP, round, "round", "To the nearest integer, ties to even.", keep, 0, tn_lower_round(l, x))          \
X(OP, trunc, "trunc", "To the integer toward zero.", keep, 0, tn_lower_trunc(l, x))                    \
X(OP, frac, "frac", "x - trunc(x).", keep_float, 0, tn_lower_sub(l, x, tn_lower_trunc(l, x)))          \
X(OP, sqrt, "sqrt", "Square root.", to_float, 0, tn_lower_sqrt(l, x))                                  \
X(OP, rsqrt, "rsqrt", "1 / sqrt(x).", to_float, 0, tn_lower_rsqrt(l, x))                               \
X(OP, reciprocal, "reciprocal", "1 / x.", to_float, 0, reciprocal(l, x))                               \
X(OP, square, "square", "x * x.", square, 0, tn_lower_mul(l, x, x))                                    \
X(OP, exp, "exp", "e^x.", to_float, 0, tn_lower_exp(l, x))                                             \
X(OP, exp2, "exp2", "2^x.", to_float, 0, tn_lower_exp2(l, x))                                          \
X(OP, expm1, "expm1", "e^x - 1, exact near 0.", to_float, 0, tn_lower_expm1(l, x))                     \
X(OP, log, "log", "Natural logarithm.", to_float, 0, tn_lower_log(l, x))                               \
X(OP, log2, "log2", "Logarithm, base 2.", to_float, 0, tn_lower_log2(l, x))                            \
X(OP, log10, "log10", "Logarithm, base 10.", to_float, 0, tn_lower_log10(l, x))                        \
X(OP, log1p, "log1p", "log(1 + x), exact near 0.", to_float, 0, tn_lower_log1p(l, x))                  \
X(OP, sin, "sin", "Sine of radians.", to_float, 0, tn_lower_sin(l, x))                                 \
X(OP, cos, "cos", "Cosine of radians.", to_float, 0, tn_lower_cos(l, x))                               \
X(OP, tan, "tan", "Tangent of radians.", to_float, 0, tn_lower_tan(l, x))                              \
X(OP, asin, "asin", "Inverse sine.", to_float, 0, tn_lower_asin(l, x))                                 \
X(OP, acos, "acos", "Inverse cosine.", to_float, 0, tn_lower_acos(l, x))                               \
X(OP, atan, "atan", "Inverse tangent.", to_float, 0, tn_lower_atan(l, x))                              \
X(OP, sinh, "sinh", "Hyperbolic sine.", to_float, 0, tn_lower_sinh(l, x))                              \
X(OP, cosh, "cosh", "Hyperbolic cosine.", to_float, 0, tn_lower_cosh(l, x))                            \
X(OP, tanh, "tanh", "Hyperbolic tangent.", to_float, 0, tn_lower_tanh(l, x))                           \
X(OP, asinh, "asinh", "Inverse hyperbolic sine.", to_float, 0, tn_lower_asinh(l, x))                   \
X(OP, acosh, "acosh", "Inverse hyperbolic cosine.", to_float, 0, tn_lower_acosh(l, x))                 \
X(OP, atanh, "atanh", "Inverse hyperbolic tangent.", to_float, 0, tn_lower_atanh(l, x))                \
X(OP, erf, "erf", "Error function.", to_float, 0, tn_lower_erf(l, x))                                  \
X(OP, erfc, "erfc", "1 - erf(x).", to_float, 0, tn_lower_erfc(l, x))                                   \
X(OP, sigmoid, "sigmoid", "1 / (1 + e^-x).", to_float, 0, tn_wide_sigmoid(l, x))                       \
X(OP, isnan, "isnan", "Whether NaN.", test, 0, tested(l, TN_PRIM_ISNAN, x, 0))                         \
X(OP, isinf, "isinf", "Whether infinite.", test, 0, tested(l, TN_PRIM_ISINF, x, 0))                    \
X(OP, isfinite, "isfinite", "Whether neither NaN nor infinite.", test, 0, tested(l, TN_PRIM_ISFINITE, x, 1)) \
X(OP, logical_not, "logical_not", "Whether zero.", logic, 0, tn_lower_not(l, x))                       \
X(OP, bitwise_not, "bitwise_not", "The other bits; of a bool, not.", bits, 0, tn_lower_not(l, x))

#define TN_BINARY(X, OP)                                                                               \
X(OP, mul, "mul", "Product; of bools, and.", any2, TN_TRAIT_COMMUTATIVE, product(l, x, y))             \
X(OP, div, "div", "True quotient: of integers an f32.", to_float2, 0, tn_lower_div(l, x, y))           \
X(OP, floor_divide, "floor_divide", "Quotient rounded down; integers by zero give -1.", keep2, 0, tn__quotient_floor(l, x, y)) \
X(OP, remainder, "remainder", "Remainder with the sign of y; integers by zero give x.", keep2, 0, tn_lower_mod(l, x, y)) \
X(OP, fmod, "fmod", "Remainder with the sign of x; integers by zero give x.", keep2, 0, tn_lower_rem(l, x, y)) \
X(OP, maximum, "maximum", "The larger; NaN if either is.", any2, TN_TRAIT_COMMUTATIVE, tn_lower_max(l, x, y)) \
X(OP, minimum, "minimum", "The smaller; NaN if either is.", any2, TN_TRAIT_COMMUTATIVE, tn_lower_min(l, x, y)) \
X(OP, atan2, "atan2", "Angle of (y, x).", to_float2, 0, tn_lower_atan2(l, x, y))                       \
X(OP, copysign, "copysign", "Magnitude of x, sign of y.", to_float2, 0, tn_lower_copysign(l, x, y))    \
X(OP, bitwise_and, "bitwise_and", "Bits in both; of bools, and.", bits2, TN_TRAIT_COMMUTATIVE, tn_lower_and(l, x, y)) \
X(OP, bitwise_or, "bitwise_or", "Bits in either; of bools, or.", bits2, TN_TRAIT_COMMUTATIVE, tn_lower_or(l, x, y)) \
X(OP, bitwise_xor, "bitwise_xor", "Bits in one of the two.", bits2, TN_TRAIT_COMMUTATIVE, tn_lower_xor(l, x, y)) \
X(OP, bitwise_left_shift, "bitwise_left_shift", "x * 2^y in bits; 0 where y is no bit's place.", shift2, 0, tn_lower_shl(l, x, y)) \
X(OP, bitwise_right_shift, "bitwise_right_shift", "x / 2^y rounded down, in bits; the sign beyond.", shift2, 0, tn_lower_shr(l, x, y))

#define TN_COMPARE(X, OP)                                                                              \
X(OP, eq, "eq", "Equal.", compare2, TN_TRAIT_COMMUTATIVE, tn_lower_eq(l, x, y))                        \
X(OP, ne, "ne", "Not equal; true with NaN.", compare2, TN_TRAIT_COMMUTATIVE, tn_lower_ne(l, x, y))     \
X(OP, lt, "lt", "Less.", compare2, 0, tn_lower_lt(l, x, y))                                            \
X(OP, le, "le", "Less or equal.", compare2, 0, tn_lower_le(l, x, y))                                   \
X(OP, gt, "gt", "Greater.", compare2, 0, tn_lower_gt(l, x, y))                                         \
X(OP, ge, "ge", "Greater or equal.", compare2, 0, tn_lower_ge(l, x, y))                                \
X(OP, logical_and, "logical_and", "Whether neither is zero.", logic2, TN_TRAIT_COMMUTATIVE, tn_lower_and(l, x, y)) \
X(OP, logical_or, "logical_or", "Whether one is not zero.", logic2, TN_TRAIT_COMMUTATIVE, tn_lower_or(l, x, y)) \
X(OP, logical_xor, "logical_xor", "Whether exactly one is not zero.", logic2, TN_TRAIT_COMMUTATIVE, tn_lower_xor(l, x, y))

#define TN_ADD_OPS(OP)                                                                             \
OP(add, "tn::add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",                         \
   "self + alpha * other; of bools, or.", add_meta, add_lower, TN_POINTWISE)                       \
OP(add_scalar, "tn::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",              \
   "self + alpha * other.", add_meta, add_lower, TN_POINTWISE)                                     \
OP(sub, "tn::sub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",                         \
   "self - alpha * other.", sub_meta, sub_lower, TN_POINTWISE)                                     \
OP(sub_scalar, "tn::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",              \
   "self - alpha * other.", sub_meta, sub_lower, TN_POINTWISE)                                     \
OP(rsub, "tn::rsub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",                       \
   "other - alpha * self.", sub_meta, rsub_lower, TN_POINTWISE)                                    \
OP(rsub_scalar, "tn::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",            \
   "other - alpha * self.", sub_meta, rsub_lower, TN_POINTWISE)                                    \
OP(addcmul, "tn::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", \
   "self + value * tensor1 * tensor2.", addcmul_meta, addcmul_lower, TN_POINTWISE)                 \
OP(addcdiv, "tn::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", \
   "self + value * tensor1 / tensor2, of floats.", addcdiv_meta, addcdiv_lower, TN_POINTWISE)

#define TN_POWER_OPS(OP)                                                                           \
OP(pow, "tn::pow(Tensor self, Tensor exponent) -> Tensor",                                         \
   "self ^ exponent; of integers, modulo 2^bits.", pow_meta, pow_lower, TN_POINTWISE)              \
OP(pow_tensor_scalar, "tn::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",             \
   "self ^ exponent; exponents such as 2 and 0.5 are products and roots.",                         \
   pow_meta, pow_number_lower, TN_POINTWISE)                                                       \
OP(pow_scalar, "tn::pow.Scalar(Scalar self, Tensor exponent) -> Tensor",                           \
   "self ^ exponent.", pow_meta, pow_lower, TN_POINTWISE)                                          \
OP(div_mode, "tn::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",    \
   "Quotient: None true, \"floor\" rounded down, \"trunc\" toward zero.",                          \
   div_mode_meta, div_mode_lower, TN_POINTWISE)                                                    \
OP(div_scalar_mode, "tn::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", \
   "Quotient: None true, \"floor\" rounded down, \"trunc\" toward zero.",                          \
   div_mode_meta, div_mode_lower, TN_POINTWISE)

#define TN_CHOOSE_OPS(OP)                                                                          \
OP(where, "tn::where(Tensor condition, Tensor self, Tensor other) -> Tensor",                      \
   "self where condition, a bool, else other.", where_meta, where_lower, TN_POINTWISE)             \
OP(where_scalar_self, "tn::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", \
   "self where condition, else other.", where_meta, where_lower, TN_POINTWISE)                     \
OP(where_scalar_other, "tn::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", \
   "self where condition, else other.", where_meta, where_lower, TN_POINTWISE)                     \
OP(where_scalar, "tn::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",        \
   "self where condition, else other.", where_meta, where_lower, TN_POINTWISE)                     \
OP(masked_fill, "tn::masked_fill(Tensor self, Tensor mask, Tensor value) -> Tensor",               \
   "value, 0-d, where mask, else self; of self's dtype.", masked_fill_meta, masked_fill_lower, TN_POINTWISE) \
OP(masked_fill_scalar, "tn::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", \
   "value where mask, else self; of self's dtype.", masked_fill_meta, masked_fill_lower, TN_POINTWISE) \
OP(clamp, "tn::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",                  \
   "At least min, then at most max; NaN in any gives NaN.", clamp_meta, clamp_lower, TN_POINTWISE) \
OP(clamp_tensor, "tn::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",    \
   "At least min, then at most max; NaN in any gives NaN.", clamp_meta, clamp_lower, TN_POINTWISE) \
OP(clamp_min, "tn::clamp_min(Tensor self, Scalar min) -> Tensor",                                  \
   "At least min.", clamp_one_meta, clamp_min_lower, TN_POINTWISE)                                 \
OP(clamp_min_tensor, "tn::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",                    \
   "At least min.", clamp_one_meta, clamp_min_lower, TN_POINTWISE)                                 \
OP(clamp_max, "tn::clamp_max(Tensor self, Scalar max) -> Tensor",                                  \
   "At most max.", clamp_one_meta, clamp_max_lower, TN_POINTWISE)                                  \
OP(clamp_max_tensor, "tn::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",                    \
   "At most max.", clamp_one_meta, clamp_max_lower, TN_POINTWISE)

#define TN_CONVERT_OPS(OP)                                                                         \
OP(to, "tn::to(Tensor self, ScalarType dtype) -> Tensor",                                          \
   "Converted; floats to integers toward zero and saturating.", to_meta, to_lower, TN_POINTWISE)   \
OP(cast, "tn::cast(Tensor self, ScalarType dtype) -> Tensor",                                      \
   "Another name of to.", to_meta, to_lower, TN_POINTWISE)                                         \
OP(clone, "tn::clone(Tensor self) -> Tensor", "self.", clone_meta, clone_lower, TN_POINTWISE)      \
OP(full_like, "tn::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None) -> Tensor", \
   "A number everywhere.", full_like_meta, full_like_lower, TN_POINTWISE)                          \
OP(zeros_like, "tn::zeros_like(Tensor self, *, ScalarType? dtype=None) -> Tensor",                 \
   "0 everywhere.", zeros_like_meta, zeros_like_lower, TN_POINTWISE)                               \
OP(ones_like, "tn::ones_like(Tensor self, *, ScalarType? dtype=None) -> Tensor",                   \
   "1 everywhere.", zeros_like_meta, ones_like_lower, TN_POINTWISE)

/* The first three lists in the form of define.h. */
#define TN_UNARY_OP(OP, id, name, doc, rule, traits, value)                                          \
OP(id, "tn::" name "(Tensor self) -> Tensor", doc, rule##_meta, id##_lower, TN_POINTWISE | (traits))
#define TN_BINARY_OP(OP, id, name, doc, rule, traits, value)                                        \
OP(id, "tn::" name "(Tensor self, Tensor other) -> Tensor", doc, rule##_meta, id##_lower,          \
   TN_POINTWISE | (traits))                                                                        \
OP(id##_scalar, "tn::" name ".Scalar(Tensor self, Scalar other) -> Tensor", doc, rule##_meta,      \
   id##_lower, TN_POINTWISE)
#define TN_UNARY_OPS(OP) TN_UNARY(TN_UNARY_OP, OP)
#define TN_BINARY_OPS(OP) TN_BINARY(TN_BINARY_OP, OP)
#define TN_COMPARE_OPS(OP) TN_COMPARE(TN_BINARY_OP, OP)
/* clang-format on */

#endif
