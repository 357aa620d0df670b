/* SPDX-License-Identifier: Apache-2.0
 *
 * tenon/opset.h: the primitives of opset 1, as one list.
 *
 * A primitive is what lowerings are made of. The set is closed and versioned:
 * none ever changes meaning, and a new one is a new opset. Every backend, the
 * constant folder and the reference interpreter are generated from this list.
 * (Opset 1 itself stays open for additions until the first release.)
 *
 * Rules that hold for all of them:
 *  - No implicit promotion and no implicit broadcast: operands of an
 *    elementwise primitive have the same shape, and the same dtype except
 *    where its schema says otherwise.
 *  - Integers wrap modulo 2^bits after every operation.
 *  - f16, bf16 and the f8 types compute in f32 and accumulate in f32; f32 and
 *    f64 compute in their own type, rounding after each operator and function of
 *    the body. Contraction of a*b+c into one rounding happens in fma alone.
 *  - Sums of floats (sum, mean_var, matmul) are made in the type that computes, in
 *    any order: a partial sum beyond its greatest number is infinite, though the
 *    terms that are left might bring it back.
 *  - Comparisons with NaN are false, except ne.
 *  - All index arithmetic is 64-bit wherever an extent or offset may need it.
 *
 * An elementwise primitive is defined by its body: an expression in the
 * operands a, b, c of one element, in the dialect below, once for floats, once
 * for integers, once for bool. TN_NO_BODY where it is not defined. The dialect
 * is C operators on numbers, decimal literals through LIT(x), and:
 *
 *   masks      LT LE GT GE EQ NE(x, y)  ISNAN(x)  MAND MOR MXOR(m, m)  MNOT(m)
 *   choice     SEL(mask, x, y)
 *   bits       BAND BOR BXOR(x, y)  BNOT(x)  (of floats: of
 *              their bits; BNOT of a bool exchanges 0 and 1)
 *   integers   IDIV(x, y) IREM(x, y): toward zero; y == 0 gives -1 (all bits
 *              set) and x; the smallest integer by -1 gives itself and 0
 *              SHL SHR(x, n): n outside [0, bits) gives 0, or the sign
 *              POPCNT CLZ(x)  IABS(x): wraps
 *   floats     FABS FLOOR CEIL TRUNC RINT(x)  COPYSIGN(x, y)  FMA(x, y, z)
 *              SQRT EXP EXP2 EXPM1 LOG LOG2 LOG10 LOG1P SIN COS TAN ASIN ACOS
 *              ATAN SINH COSH TANH ASINH ACOSH ATANH ERF ERFC(x)
 *              ATAN2 POW FMOD(x, y)
 *
 * Each implementation of a dialect function is accurate to the bound that
 * core/codegen/cpu_bounds.h states, and right for NaN, infinities and zeros of
 * both signs.
 */
#ifndef TENON_OPSET_H
#define TENON_OPSET_H

#include "tenon/plugin.h"

#define TN_OPSET_VERSION 1

/* Elementwise: X(ID, number, name, arity, result, float, int, bool, doc).
 * result is SAME (the operands' dtype) or BOOL. */
/* clang-format off */
#define TN_PRIM_ELEMENTWISE(X)                                                                     \
X(ADD,    1, "add", 2, SAME, a + b, a + b, TN_NO_BODY, "Sum.")                                     \
X(SUB,    2, "sub", 2, SAME, a - b, a - b, TN_NO_BODY, "Difference.")                              \
X(MUL,    3, "mul", 2, SAME, a * b, a * b, TN_NO_BODY, "Product.")                                 \
X(DIV,    4, "div", 2, SAME, a / b, TN_NO_BODY, TN_NO_BODY,                                        \
  "Quotient, correctly rounded. Integers have floordiv, ceildiv and truncdiv.")                    \
X(FLOORDIV, 5, "floordiv", 2, SAME, TN_NO_BODY,                                                    \
  IDIV(a, b) - SEL(MAND(NE(b, LIT(0)), MAND(NE(IREM(a, b), LIT(0)), MXOR(LT(IREM(a, b), LIT(0)), LT(b, LIT(0))))), LIT(1), LIT(0)), \
  TN_NO_BODY, "Quotient rounded toward minus infinity; by zero: all ones.")                        \
X(CEILDIV, 6, "ceildiv", 2, SAME, TN_NO_BODY,                                                      \
  IDIV(a, b) + SEL(MAND(NE(b, LIT(0)), MAND(NE(IREM(a, b), LIT(0)), MNOT(MXOR(LT(IREM(a, b), LIT(0)), LT(b, LIT(0)))))), LIT(1), LIT(0)), \
  TN_NO_BODY, "Quotient rounded toward plus infinity; by zero: all ones.")                         \
X(TRUNCDIV, 7, "truncdiv", 2, SAME, TN_NO_BODY, IDIV(a, b), TN_NO_BODY,                            \
  "Quotient rounded toward zero; by zero: all ones.")                                              \
X(MOD,    8, "mod", 2, SAME,                                                                       \
  SEL(MAND(NE(FMOD(a, b), LIT(0)), MXOR(LT(FMOD(a, b), LIT(0)), LT(b, LIT(0)))), FMOD(a, b) + b,   \
      SEL(EQ(FMOD(a, b), LIT(0)), COPYSIGN(FMOD(a, b), b), FMOD(a, b))),                           \
  SEL(MAND(NE(b, LIT(0)), MAND(NE(IREM(a, b), LIT(0)), MXOR(LT(IREM(a, b), LIT(0)), LT(b, LIT(0))))), IREM(a, b) + b, IREM(a, b)), \
  TN_NO_BODY, "Remainder with the divisor's sign, a zero too. Integers by zero give the dividend.") \
X(REM,    9, "rem", 2, SAME, FMOD(a, b), IREM(a, b), TN_NO_BODY,                                   \
  "Remainder with the dividend's sign, exact. Integers by zero give the dividend.")                \
X(NEG,   10, "neg", 1, SAME, -a, -a, TN_NO_BODY, "Negation; integers wrap.")                       \
X(ABS,   11, "abs", 1, SAME, FABS(a), IABS(a), TN_NO_BODY,                                         \
  "Magnitude; the smallest integer stays.")                                                        \
X(SIGN,  12, "sign", 1, SAME, SEL(GT(a, LIT(0)), LIT(1), SEL(LT(a, LIT(0)), LIT(-1), a)),          \
  SEL(GT(a, LIT(0)), LIT(1), SEL(LT(a, LIT(0)), LIT(-1), LIT(0))), TN_NO_BODY,                     \
  "-1, 0 or 1; NaN and zeros of either sign give themselves.")                                     \
X(MAX,   13, "max", 2, SAME,                                                                       \
  SEL(MOR(GT(a, b), ISNAN(a)), a, SEL(MOR(LT(a, b), ISNAN(b)), b, BAND(a, b))),                    \
  SEL(GT(a, b), a, b), BOR(a, b), "IEEE 754-2019 maximum: NaN if either is, +0 above -0.")         \
X(MIN,   14, "min", 2, SAME,                                                                       \
  SEL(MOR(LT(a, b), ISNAN(a)), a, SEL(MOR(GT(a, b), ISNAN(b)), b, BOR(a, b))),                     \
  SEL(LT(a, b), a, b), BAND(a, b), "IEEE 754-2019 minimum: NaN if either is, -0 below +0.")        \
X(CLAMP, 15, "clamp", 3, SAME,                                                                     \
  SEL(MOR(ISNAN(a), MOR(ISNAN(b), ISNAN(c))), a + b + c, SEL(GT(SEL(LT(a, b), b, a), c), c, SEL(LT(a, b), b, a))), \
  SEL(GT(SEL(LT(a, b), b, a), c), c, SEL(LT(a, b), b, a)), TN_NO_BODY,                             \
  "At least b, then at most c: c wins where b > c. NaN in any operand gives NaN; a stays where equal, zeros of either sign too.") \
X(FMA,   16, "fma", 3, SAME, FMA(a, b, c), a * b + c, TN_NO_BODY, "a*b + c, rounded once.")        \
X(COPYSIGN, 17, "copysign", 2, SAME, COPYSIGN(a, b), TN_NO_BODY, TN_NO_BODY,                       \
  "a with the sign of b.")                                                                         \
X(FLOOR, 20, "floor", 1, SAME, FLOOR(a), a, TN_NO_BODY, "Largest integer not above.")              \
X(CEIL,  21, "ceil", 1, SAME, CEIL(a), a, TN_NO_BODY, "Smallest integer not below.")               \
X(TRUNC, 22, "trunc", 1, SAME, TRUNC(a), a, TN_NO_BODY, "Toward zero.")                            \
X(ROUND, 23, "round", 1, SAME, RINT(a), a, TN_NO_BODY, "To nearest, ties to even.")                \
X(SQRT,  30, "sqrt", 1, SAME, SQRT(a), TN_NO_BODY, TN_NO_BODY, "Square root, correctly rounded.")  \
X(RSQRT, 31, "rsqrt", 1, SAME, LIT(1) / SQRT(a), TN_NO_BODY, TN_NO_BODY,                           \
  "1 / sqrt(a), two roundings.")                                                                   \
X(EXP,   32, "exp", 1, SAME, EXP(a), TN_NO_BODY, TN_NO_BODY, "e^a.")                               \
X(EXP2,  33, "exp2", 1, SAME, EXP2(a), TN_NO_BODY, TN_NO_BODY, "2^a, exact at integers.")          \
X(EXPM1, 34, "expm1", 1, SAME, EXPM1(a), TN_NO_BODY, TN_NO_BODY, "e^a - 1.")                       \
X(LOG,   35, "log", 1, SAME, LOG(a), TN_NO_BODY, TN_NO_BODY, "Natural logarithm.")                 \
X(LOG2,  36, "log2", 1, SAME, LOG2(a), TN_NO_BODY, TN_NO_BODY, "Base 2, exact at powers of two.")  \
X(LOG10, 37, "log10", 1, SAME, LOG10(a), TN_NO_BODY, TN_NO_BODY, "Base 10.")                       \
X(LOG1P, 38, "log1p", 1, SAME, LOG1P(a), TN_NO_BODY, TN_NO_BODY, "log(1 + a).")                    \
X(POW,   39, "pow", 2, SAME, POW(a, b), TN_NO_BODY, TN_NO_BODY, "a^b, special cases as C's pow.")  \
X(SIN,   40, "sin", 1, SAME, SIN(a), TN_NO_BODY, TN_NO_BODY, "Sine of radians.")                   \
X(COS,   41, "cos", 1, SAME, COS(a), TN_NO_BODY, TN_NO_BODY, "Cosine of radians.")                 \
X(TAN,   42, "tan", 1, SAME, TAN(a), TN_NO_BODY, TN_NO_BODY, "Tangent of radians.")                \
X(ASIN,  43, "asin", 1, SAME, ASIN(a), TN_NO_BODY, TN_NO_BODY, "Inverse sine.")                    \
X(ACOS,  44, "acos", 1, SAME, ACOS(a), TN_NO_BODY, TN_NO_BODY, "Inverse cosine.")                  \
X(ATAN,  45, "atan", 1, SAME, ATAN(a), TN_NO_BODY, TN_NO_BODY, "Inverse tangent.")                 \
X(ATAN2, 46, "atan2", 2, SAME, ATAN2(a, b), TN_NO_BODY, TN_NO_BODY,                                \
  "Angle of (b, a), as C's atan2.")                                                                \
X(SINH,  47, "sinh", 1, SAME, SINH(a), TN_NO_BODY, TN_NO_BODY, "Hyperbolic sine.")                 \
X(COSH,  48, "cosh", 1, SAME, COSH(a), TN_NO_BODY, TN_NO_BODY, "Hyperbolic cosine.")               \
X(TANH,  49, "tanh", 1, SAME, TANH(a), TN_NO_BODY, TN_NO_BODY, "Hyperbolic tangent.")              \
X(ASINH, 50, "asinh", 1, SAME, ASINH(a), TN_NO_BODY, TN_NO_BODY, "Inverse hyperbolic sine.")       \
X(ACOSH, 51, "acosh", 1, SAME, ACOSH(a), TN_NO_BODY, TN_NO_BODY, "Inverse hyperbolic cosine.")     \
X(ATANH, 52, "atanh", 1, SAME, ATANH(a), TN_NO_BODY, TN_NO_BODY, "Inverse hyperbolic tangent.")    \
X(ERF,   53, "erf", 1, SAME, ERF(a), TN_NO_BODY, TN_NO_BODY, "Error function.")                    \
X(ERFC,  54, "erfc", 1, SAME, ERFC(a), TN_NO_BODY, TN_NO_BODY, "1 - erf(a).")                      \
X(EQ,    60, "eq", 2, BOOL, EQ(a, b), EQ(a, b), EQ(a, b), "Equal.")                                \
X(NE,    61, "ne", 2, BOOL, NE(a, b), NE(a, b), NE(a, b), "Not equal; true with NaN.")             \
X(LT,    62, "lt", 2, BOOL, LT(a, b), LT(a, b), LT(a, b), "Less.")                                 \
X(LE,    63, "le", 2, BOOL, LE(a, b), LE(a, b), LE(a, b), "Less or equal.")                        \
X(GT,    64, "gt", 2, BOOL, GT(a, b), GT(a, b), GT(a, b), "Greater.")                              \
X(GE,    65, "ge", 2, BOOL, GE(a, b), GE(a, b), GE(a, b), "Greater or equal.")                     \
X(ISNAN, 66, "isnan", 1, BOOL, ISNAN(a), NE(a, a), TN_NO_BODY, "Whether NaN.")                     \
X(ISINF, 67, "isinf", 1, BOOL, MAND(NE(a, LIT(0)), EQ(a + a, a)), NE(a, a), TN_NO_BODY,            \
  "Whether infinite.")                                                                             \
X(ISFINITE, 68, "isfinite", 1, BOOL, EQ(a - a, LIT(0)), EQ(a, a), TN_NO_BODY,                      \
  "Whether neither NaN nor infinite.")                                                             \
X(AND,   70, "and", 2, SAME, TN_NO_BODY, BAND(a, b), BAND(a, b), "Bits, or logic of bools.")       \
X(OR,    71, "or", 2, SAME, TN_NO_BODY, BOR(a, b), BOR(a, b), "Bits, or logic of bools.")          \
X(XOR,   72, "xor", 2, SAME, TN_NO_BODY, BXOR(a, b), BXOR(a, b), "Bits, or logic of bools.")       \
X(NOT,   73, "not", 1, SAME, TN_NO_BODY, BNOT(a), BNOT(a), "Bits, or logic of bools.")             \
X(SHL,   74, "shl", 2, SAME, TN_NO_BODY, SHL(a, b), TN_NO_BODY,                                    \
  "Left; a count outside [0, bits) gives 0.")                                                      \
X(SHR,   75, "shr", 2, SAME, TN_NO_BODY, SHR(a, b), TN_NO_BODY,                                    \
  "Right, arithmetic if signed; a count outside gives 0 or the sign.")                             \
X(POPCOUNT, 76, "popcount", 1, SAME, TN_NO_BODY, POPCNT(a), TN_NO_BODY, "Number of one bits.")     \
X(CLZ,   77, "clz", 1, SAME, TN_NO_BODY, CLZ(a), TN_NO_BODY, "Leading zero bits; of 0, all.")

/* The others: X(ID, number, name, class, arity, dtypes, schema without namespace,
 * doc). class is TN_PRIM_CLASS_... of core/ir/prim.h; arity counts Tensor
 * operands (0 with concat's list); dtypes is what the data operands, or the
 * result of a source, may be: ANY, NUMBER (not bool), FLOAT or BOOL. Axes are
 * 0-based and non-negative: negative axes are for ops to resolve. */
#define TN_PRIM_STRUCTURAL(X)                                                                      \
X(SELECT, 100, "select", ELEMENTWISE, 3, ANY, "(Tensor cond, Tensor a, Tensor b) -> Tensor",       \
  "a where cond (bool) is true, else b. The branch not taken leaves no trace.")                    \
X(CAST,  101, "cast", ELEMENTWISE, 1, ANY, "(Tensor a, *, ScalarType dtype) -> Tensor",            \
  "Conversion. To float: to nearest even; overflow gives infinity (f8e4m3fn: NaN). Float to "      \
  "integer: toward zero, saturating, NaN gives 0. Integer to integer: wraps. To bool: not zero.")  \
X(BITCAST, 102, "bitcast", ELEMENTWISE, 1, ANY, "(Tensor a, *, ScalarType dtype) -> Tensor",       \
  "The same bits; same width. To bool from bool alone: no other bits are a bool.")                 \
X(CONSTANT, 110, "constant", SOURCE, 0, ANY, "(*, Scalar value, ScalarType dtype) -> Tensor",      \
  "A 0-d literal, converted as by cast.")                                                          \
X(SIZE,  111, "size", SOURCE, 0, ANY, "(*, int value, ScalarType dtype) -> Tensor",                \
  "A 0-d number derived from sizes: like constant, but a parameter of the kernel, never a literal.") \
X(IOTA,  112, "iota", SOURCE, 0, NUMBER, "(*, int[] shape, int axis, ScalarType dtype) -> Tensor", \
  "The i64 coordinate along axis, converted as by cast.")                                          \
X(BROADCAST, 120, "broadcast", VIEW, 1, ANY, "(Tensor x, *, int[] shape, int[] axes) -> Tensor",   \
  "x's axis i becomes axis axes[i] (increasing); its extent is shape's there, or 1 and repeated.") \
X(PERMUTE, 121, "permute", VIEW, 1, ANY, "(Tensor x, *, int[] perm) -> Tensor",                    \
  "Result axis i is x's axis perm[i].")                                                            \
X(RESHAPE, 122, "reshape", VIEW, 1, ANY, "(Tensor x, *, int[] shape) -> Tensor",                   \
  "The same elements in row-major order; same count.")                                             \
X(SLICE, 123, "slice", VIEW, 1, ANY,                                                               \
  "(Tensor x, *, int[] start, int[] size, int[] step) -> Tensor",                                  \
  "Result coordinate k reads start + k*step; step may be negative, not 0; all reads in bounds "    \
  "(of size 0: start within [-1, extent]).")                                                       \
X(PAD,   124, "pad", GATHER, 2, ANY,                                                               \
  "(Tensor x, Tensor value, *, int[] low, int[] high) -> Tensor",                                  \
  "value (0-d) around x; low, high >= 0.")                                                         \
X(CONCAT, 125, "concat", GATHER, 0, ANY, "(Tensor[] xs, *, int axis) -> Tensor",                   \
  "One after another along axis.")                                                                 \
X(FLIP,  126, "flip", VIEW, 1, ANY, "(Tensor x, *, int[] axes) -> Tensor", "Reversed along axes.") \
X(WINDOW, 127, "window", VIEW, 1, ANY,                                                             \
  "(Tensor x, *, int axis, int size, int step, int dilation) -> Tensor",                           \
  "axis becomes the number of windows, max(0, floordiv(extent - dilation*(size-1) - 1, step) + 1), and a last axis of extent size runs inside each.") \
X(TAKE,  128, "take", GATHER, 2, ANY, "(Tensor x, Tensor index, *, int axis) -> Tensor",           \
  "axis is replaced by index's axes; an index (i32, i64) outside [0, extent) gives 0.")            \
X(SUM,   140, "sum", REDUCE, 1, NUMBER, "(Tensor x, *, int[] axes) -> Tensor",                     \
  "Sum over axes, which vanish; 0 over nothing.")                                                  \
X(PROD,  141, "prod", REDUCE, 1, NUMBER, "(Tensor x, *, int[] axes) -> Tensor",                    \
  "Product; 1 over nothing.")                                                                      \
X(REDUCE_MAX, 142, "reduce_max", REDUCE, 1, ANY, "(Tensor x, *, int[] axes) -> Tensor",            \
  "max; over nothing -infinity (f8e4m3fn: its least finite), the smallest integer, or false.")     \
X(REDUCE_MIN, 143, "reduce_min", REDUCE, 1, ANY, "(Tensor x, *, int[] axes) -> Tensor",            \
  "min; over nothing +infinity (f8e4m3fn: its greatest finite), the largest integer, or true.")    \
X(ANY,   144, "any", REDUCE, 1, BOOL, "(Tensor x, *, int[] axes) -> Tensor",                       \
  "or, of bools; false over nothing.")                                                             \
X(ALL,   145, "all", REDUCE, 1, BOOL, "(Tensor x, *, int[] axes) -> Tensor",                       \
  "and, of bools; true over nothing.")                                                             \
X(ARGMAX, 146, "argmax", REDUCE, 1, ANY, "(Tensor x, *, int axis) -> Tensor",                      \
  "i64 coordinate of the first largest; NaN is largest; over nothing an error.")                   \
X(ARGMIN, 147, "argmin", REDUCE, 1, ANY, "(Tensor x, *, int axis) -> Tensor",                      \
  "i64 coordinate of the first smallest; NaN is smallest; over nothing an error.")                 \
X(MEAN_VAR, 148, "mean_var", REDUCE, 1, FLOAT,                                                     \
  "(Tensor x, *, int[] axes, int correction) -> (Tensor mean, Tensor var)",                        \
  "Stable (pairwise or Welford), floats only; var divides by max(0, n - correction), correction >= 0. " \
  "Where the sum of x overflows the type that computes, mean is infinite and var is not finite; where "  \
  "that of the squared distances does, var is infinite.")                                             \
X(MATMUL, 160, "matmul", CONTRACT, 2, NUMBER, "(Tensor a, Tensor b) -> Tensor",                    \
  "[..., m, k] by [..., k, n]; equal batch axes; sub-f32 floats and f32 accumulate in f32, f64 in f64, " \
  "integers wrap.")
/* clang-format on */

enum {
    TN_PRIM_NONE = 0,
#define TN_PRIM_ENUM_E(id, number, name, arity, result, f, i, b, doc)          \
    TN_PRIM_##id = number,
#define TN_PRIM_ENUM_S(id, number, name, klass, arity, dtypes, schema, doc)    \
    TN_PRIM_##id = number,
    TN_PRIM_ELEMENTWISE(TN_PRIM_ENUM_E) TN_PRIM_STRUCTURAL(TN_PRIM_ENUM_S)
#undef TN_PRIM_ENUM_E
#undef TN_PRIM_ENUM_S
        TN_PRIM_NUMBER_END = 1024
};

#endif
