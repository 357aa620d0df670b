/* SPDX-License-Identifier: Apache-2.0
 *
 * The start of every C file that Tenon generates for the CPU: vectors, masks and
 * the dialect of tenon/opset.h on them. No header is included: parsing one costs
 * more than compiling a kernel. GCC vector extensions alone, and the few
 * instructions that they cannot say; gcc 12 and clang 14, any x86-64, and any
 * other machine through the portable branches.
 *
 * A vector of every dtype has the same TN_W lanes, so that lane i of one value
 * goes with lane i of another whatever their dtypes, and a cast is lane-wise:
 *
 *   vf32 vf64 vi8 vu8 vi16 vu16 vi32 vu32 vi64 vu64   what arithmetic runs in
 *   vmask                                             a truth value a lane: 0 or -1 in an i32
 *
 * f16, bf16, f8e4m3fn and f8e5m2 live in memory alone (as vu16 and vu8); their
 * values are vf32. bool is 0 or 1 in a byte in memory; its value is a vmask.
 * TN_W is what one register holds of f32: 16 with AVX-512, 8 with AVX2, else 4.
 * Vectors of 8-byte elements then take two registers; gcc compares such pairs
 * element by element, so that is done in halves here.
 *
 * Names: tn_<function>_<dtype>, where dtype is one of f32 f64 i8 .. u64 bool, and
 * for what reads and writes memory also f16 bf16 f8e4m3fn f8e5m2. An identifier
 * of the dialect, as in SEL(GT(a, b), a, b), is tn_sel_f32(tn_gt_f32(a, b), a, b);
 * those that combine masks (MAND MOR MXOR MNOT) have no dtype.
 *
 * The lines that start with "//@" cut the text into sections: a name, then the
 * sections it needs. tn_cpu_prelude_append (codegen/cpu_prelude.h) emits those
 * that a kernel uses, in this order, and finds them by name: tn_exp_f32 is in
 * exp_f32, tn_load_part_f16 in mem_f16, tn_i32_to_u8 in i32_to_any, tn_iota_i64
 * in iota, tn_mand in core, and any other tn_..._f64 in ops_f64. The whole compiles
 * as one file too, and that is how the tests compile it. Flags that it counts on:
 * -ffp-contract=off -fno-math-errno -fwrapv.
 */
//@ core:
#define TN_INLINE static inline __attribute__((always_inline, unused))
/* Too large to repeat at each use; a pure function of its operands. */
#define TN_CALL static __attribute__((noinline, const, unused))

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TN_REGISTER 64
#elif defined(__AVX2__)
#define TN_REGISTER 32
#else
#define TN_REGISTER 16
#endif
#ifndef TN_W
#define TN_W (TN_REGISTER / 4)
#endif
#if TN_W * 4 > TN_REGISTER
#error "TN_W is more f32 lanes than a vector register of this target has"
#endif
#define TN_SPLIT64 (TN_W * 8 > TN_REGISTER)

typedef signed char tn_i8;
typedef unsigned char tn_u8;
typedef short tn_i16;
typedef unsigned short tn_u16;
typedef int tn_i32;
typedef unsigned tn_u32;
typedef long long tn_i64;
typedef unsigned long long tn_u64;
typedef float tn_f32;
typedef double tn_f64;
/* As they lie in memory. */
typedef tn_u8 tn_bool;
typedef tn_u16 tn_f16;
typedef tn_u16 tn_bf16;
typedef tn_u8 tn_f8e4m3fn;
typedef tn_u8 tn_f8e5m2;

typedef tn_i8 vi8 __attribute__((vector_size(TN_W)));
typedef tn_u8 vu8 __attribute__((vector_size(TN_W)));
typedef tn_i16 vi16 __attribute__((vector_size(TN_W * 2)));
typedef tn_u16 vu16 __attribute__((vector_size(TN_W * 2)));
typedef tn_i32 vi32 __attribute__((vector_size(TN_W * 4)));
typedef tn_u32 vu32 __attribute__((vector_size(TN_W * 4)));
typedef tn_f32 vf32 __attribute__((vector_size(TN_W * 4)));
typedef tn_i64 vi64 __attribute__((vector_size(TN_W * 8)));
typedef tn_u64 vu64 __attribute__((vector_size(TN_W * 8)));
typedef tn_f64 vf64 __attribute__((vector_size(TN_W * 8)));
typedef vi32 vmask;

/* Half the lanes of the 8-byte types, and of what they convert to. */
typedef tn_i32 hi32 __attribute__((vector_size(TN_W * 2)));
typedef tn_f32 hf32 __attribute__((vector_size(TN_W * 2)));
typedef tn_i64 hi64 __attribute__((vector_size(TN_W * 4)));
typedef tn_u64 hu64 __attribute__((vector_size(TN_W * 4)));
typedef tn_f64 hf64 __attribute__((vector_size(TN_W * 4)));

#if TN_W == 16
#define TN_LANES(M) M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7), M(8), M(9), M(10), M(11), M(12), M(13), M(14), M(15)
#define TN_EACH(M) M(0); M(1); M(2); M(3); M(4); M(5); M(6); M(7); M(8); M(9); M(10); M(11); M(12); M(13); M(14); M(15);
#define TN_IOTA 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define TN_LOW 0, 1, 2, 3, 4, 5, 6, 7
#define TN_HIGH 8, 9, 10, 11, 12, 13, 14, 15
#define TN_REVERSED 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define TN_LOW_REVERSED 7, 6, 5, 4, 3, 2, 1, 0
#define TN_XOR8 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7
#define TN_XOR4 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11
#define TN_XOR2 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
#define TN_XOR1 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14
#elif TN_W == 8
#define TN_LANES(M) M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7)
#define TN_EACH(M) M(0); M(1); M(2); M(3); M(4); M(5); M(6); M(7);
#define TN_IOTA 0, 1, 2, 3, 4, 5, 6, 7
#define TN_LOW 0, 1, 2, 3
#define TN_HIGH 4, 5, 6, 7
#define TN_REVERSED 7, 6, 5, 4, 3, 2, 1, 0
#define TN_LOW_REVERSED 3, 2, 1, 0
#define TN_XOR4 4, 5, 6, 7, 0, 1, 2, 3
#define TN_XOR2 2, 3, 0, 1, 6, 7, 4, 5
#define TN_XOR1 1, 0, 3, 2, 5, 4, 7, 6
#elif TN_W == 4
#define TN_LANES(M) M(0), M(1), M(2), M(3)
#define TN_EACH(M) M(0); M(1); M(2); M(3);
#define TN_IOTA 0, 1, 2, 3
#define TN_LOW 0, 1
#define TN_HIGH 2, 3
#define TN_REVERSED 3, 2, 1, 0
#define TN_LOW_REVERSED 1, 0
#define TN_XOR2 2, 3, 0, 1
#define TN_XOR1 1, 0, 3, 2
#else
#error "TN_W is 4, 8 or 16: the f32 lanes of one vector register"
#endif
#define TN_LO(v) __builtin_shufflevector(v, v, TN_LOW)
#define TN_HI(v) __builtin_shufflevector(v, v, TN_HIGH)
#define TN_JOIN(lo, hi) __builtin_shufflevector(lo, hi, TN_IOTA)
#define TN_TO(v, type) __builtin_convertvector(v, type)

TN_INLINE vmask tn_mand(vmask x, vmask y) {
    return x & y;
}
TN_INLINE vmask tn_mor(vmask x, vmask y) {
    return x | y;
}
TN_INLINE vmask tn_mxor(vmask x, vmask y) {
    return x ^ y;
}
TN_INLINE vmask tn_mnot(vmask x) {
    return ~x;
}
/* Whether a lane is set. */
TN_INLINE int tn_mask_any(vmask m) {
#if TN_REGISTER == 64 && TN_W == 16
    return __builtin_ia32_cvtd2mask512(m) != 0;
#else
    tn_i32 any = 0;
#define TN_LANE(j) any |= m[j]
    TN_EACH(TN_LANE)
#undef TN_LANE
    return any != 0;
#endif
}
TN_INLINE int tn_mask_all(vmask m) {
    return !tn_mask_any(~m);
}
TN_INLINE tn_i64 tn_min(tn_i64 a, tn_i64 b) {
    return a < b ? a : b;
}
TN_INLINE tn_i64 tn_max(tn_i64 a, tn_i64 b) {
    return a > b ? a : b;
}
/* The first n lanes; lanes lo <= lane < hi. */
TN_INLINE vmask tn_mask_first(tn_i64 n) {
    return (vmask)((vi32){TN_IOTA} < (tn_i32)tn_min(n, TN_W));
}
TN_INLINE vmask tn_mask_range(tn_i64 lo, tn_i64 hi) {
    return tn_mask_first(tn_max(hi, 0)) & ~tn_mask_first(tn_max(lo, 0));
}
/* Lanes in another order: TN_EXCHANGE(v, TN_XOR1) swaps neighbours. */
#define TN_EXCHANGE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
/* v becomes, in every lane, op over all lanes of v in one fixed order: lane l with
 * lane l + W/2, then with l + W/4, and so on. op is a commutative function. */
#if TN_W == 16
#define TN_FOLD(op, v)                                                                             \
    ((v) = op(v, TN_EXCHANGE(v, TN_XOR8)), (v) = op(v, TN_EXCHANGE(v, TN_XOR4)),                   \
     (v) = op(v, TN_EXCHANGE(v, TN_XOR2)), (v) = op(v, TN_EXCHANGE(v, TN_XOR1)))
#elif TN_W == 8
#define TN_FOLD(op, v)                                                                             \
    ((v) = op(v, TN_EXCHANGE(v, TN_XOR4)), (v) = op(v, TN_EXCHANGE(v, TN_XOR2)),                   \
     (v) = op(v, TN_EXCHANGE(v, TN_XOR1)))
#else
#define TN_FOLD(op, v)                                                                             \
    ((v) = op(v, TN_EXCHANGE(v, TN_XOR2)), (v) = op(v, TN_EXCHANGE(v, TN_XOR1)))
#endif

/* Operations that are the same text for every dtype T, of vector V, element E. */
#define TN_DEFINE_COMMON(T, V, E)                                                                  \
    TN_INLINE V tn_splat_##T(E x) {                                                                \
        V v = {0};                                                                                 \
        return x - v;                                                                              \
    }                                                                                              \
    TN_INLINE V tn_lit_##T(E x) {                                                                  \
        return tn_splat_##T(x);                                                                    \
    }                                                                                              \
    TN_INLINE E tn_get_##T(V v, int lane) {                                                        \
        return v[lane];                                                                            \
    }                                                                                              \
    TN_INLINE V tn_first_##T(V v) {                                                                \
        return tn_splat_##T(v[0]);                                                                 \
    }

#define TN_DEFINE_COMPARE_NARROW(T, V, name, op)                                                   \
    TN_INLINE vmask tn_##name##_##T(V x, V y) {                                                    \
        return TN_TO(x op y, vmask);                                                               \
    }
#define TN_DEFINE_COMPARE_32(T, V, name, op)                                                       \
    TN_INLINE vmask tn_##name##_##T(V x, V y) {                                                    \
        return (vmask)(x op y);                                                                    \
    }
#if TN_SPLIT64
#define TN_DEFINE_COMPARE_64(T, V, name, op)                                                       \
    TN_INLINE vmask tn_##name##_##T(V x, V y) {                                                    \
        hi64 lo = (hi64)(TN_LO(x) op TN_LO(y)), hi = (hi64)(TN_HI(x) op TN_HI(y));                 \
        return TN_JOIN(TN_TO(lo, hi32), TN_TO(hi, hi32));                                          \
    }
#else
#define TN_DEFINE_COMPARE_64(T, V, name, op)                                                       \
    TN_INLINE vmask tn_##name##_##T(V x, V y) {                                                    \
        return TN_TO((vi64)(x op y), vmask);                                                       \
    }
#endif
#define TN_DEFINE_COMPARES(T, V, HOW)                                                              \
    HOW(T, V, lt, <)                                                                               \
    HOW(T, V, le, <=)                                                                              \
    HOW(T, V, gt, >)                                                                               \
    HOW(T, V, ge, >=)                                                                              \
    HOW(T, V, eq, ==)                                                                              \
    HOW(T, V, ne, !=)

/* I: an integer vector as wide as V. */
#define TN_DEFINE_BITS(T, V, I)                                                                    \
    TN_INLINE V tn_sel_##T(vmask m, V x, V y) {                                                    \
        I k = TN_TO(m, I);                                                                         \
        return (V)(((I)x & k) | ((I)y & ~k));                                                      \
    }                                                                                              \
    /* x where m, else zero bits */                                                                \
    TN_INLINE V tn_keep_##T(vmask m, V x) {                                                        \
        return (V)((I)x & TN_TO(m, I));                                                            \
    }                                                                                              \
    TN_INLINE V tn_band_##T(V x, V y) {                                                            \
        return (V)((I)x & (I)y);                                                                   \
    }                                                                                              \
    TN_INLINE V tn_bor_##T(V x, V y) {                                                             \
        return (V)((I)x | (I)y);                                                                   \
    }                                                                                              \
    TN_INLINE V tn_bxor_##T(V x, V y) {                                                            \
        return (V)((I)x ^ (I)y);                                                                   \
    }                                                                                              \
    TN_INLINE V tn_bnot_##T(V x) {                                                                 \
        return (V)(~(I)x);                                                                         \
    }

//@ ints: core
/* U is V's unsigned vector, BITS its element's. gcc divides vectors element by
 * element; the divisor is made harmless first. */
#define TN_DEFINE_INT(T, V, E, U, BITS)                                                            \
    TN_INLINE V tn_shl_##T(V x, V n) {                                                             \
        U u = (U)n, in = (U)(u < BITS);                                                            \
        return (V)(((U)x << (u & (BITS - 1))) & in);                                               \
    }                                                                                              \
    TN_INLINE U tn_popcount_##T(U u) {                                                             \
        const U ones = (U){0} - 1;                                                                 \
        u -= (u >> 1) & (ones / 3);                                                                \
        u = (u & (ones / 5)) + ((u >> 2) & (ones / 5));                                            \
        u = (u + (u >> 4)) & (ones / 17);                                                          \
        if (BITS > 8) u += u >> (BITS > 8 ? 8 : 0);                                                \
        if (BITS > 16) u += u >> (BITS > 16 ? 16 : 0);                                             \
        if (BITS > 32) u += u >> (BITS > 32 ? 32 : 0);                                             \
        return u & (2 * BITS - 1);                                                                 \
    }                                                                                              \
    TN_INLINE V tn_popcnt_##T(V x) {                                                               \
        return (V)tn_popcount_##T((U)x);                                                           \
    }                                                                                              \
    TN_INLINE V tn_clz_##T(V x) {                                                                  \
        U u = (U)x;                                                                                \
        u |= u >> 1;                                                                               \
        u |= u >> 2;                                                                               \
        u |= u >> 4;                                                                               \
        if (BITS > 8) u |= u >> (BITS > 8 ? 8 : 0);                                                \
        if (BITS > 16) u |= u >> (BITS > 16 ? 16 : 0);                                             \
        if (BITS > 32) u |= u >> (BITS > 32 ? 32 : 0);                                             \
        return (V)tn_popcount_##T(~u);                                                             \
    }                                                                                              \
    TN_INLINE vmask tn_isnan_##T(V x) {                                                            \
        (void)x;                                                                                   \
        return (vmask){0};                                                                         \
    }                                                                                              \
    TN_INLINE V tn_rem_safe_##T(V x, V y) {                                                        \
        V r = {0};                                                                                 \
        for (int j = 0; j < TN_W; j++) r[j] = (E)(x[j] % y[j]);                                    \
        return r;                                                                                  \
    }                                                                                              \
    TN_INLINE V tn_div_safe_##T(V x, V y) {                                                        \
        V r = {0};                                                                                 \
        for (int j = 0; j < TN_W; j++) r[j] = (E)(x[j] / y[j]);                                    \
        return r;                                                                                  \
    }
#define TN_DEFINE_SIGNED(T, V, E, U, BITS)                                                         \
    TN_INLINE V tn_shr_##T(V x, V n) {                                                             \
        vmask in = tn_mand(tn_ge_##T(n, tn_lit_##T(0)), tn_lt_##T(n, tn_lit_##T(BITS)));           \
        return x >> tn_sel_##T(in, n, tn_lit_##T(BITS - 1));                                       \
    }                                                                                              \
    TN_INLINE V tn_iabs_##T(V x) {                                                                 \
        V sign = x >> (BITS - 1);                                                                  \
        return (x ^ sign) - sign;                                                                  \
    }                                                                                              \
    TN_INLINE vmask tn_overflows_##T(V x, V y) {                                                   \
        const V least = tn_lit_##T((E)(1ull << (BITS - 1)));                                       \
        return tn_mand(tn_eq_##T(x, least), tn_eq_##T(y, tn_lit_##T(-1)));                         \
    }
#define TN_DEFINE_UNSIGNED(T, V, E, U, BITS)                                                       \
    TN_INLINE V tn_shr_##T(V x, V n) {                                                             \
        return (x >> (n & (BITS - 1))) & (V)(n < BITS);                                            \
    }                                                                                              \
    TN_INLINE V tn_iabs_##T(V x) {                                                                 \
        return x;                                                                                  \
    }                                                                                              \
    TN_INLINE vmask tn_overflows_##T(V x, V y) {                                                   \
        (void)x, (void)y;                                                                          \
        return (vmask){0};                                                                         \
    }
#define TN_DEFINE_DIVISION(T, V)                                                                   \
    TN_CALL V tn_idiv_##T(V x, V y) {                                                              \
        vmask zero = tn_eq_##T(y, tn_lit_##T(0));                                                  \
        vmask bad = tn_mor(zero, tn_overflows_##T(x, y));                                          \
        V q = tn_div_safe_##T(x, tn_sel_##T(bad, tn_lit_##T(1), y));                               \
        return q | tn_keep_##T(zero, ~tn_lit_##T(0));                                              \
    }                                                                                              \
    TN_CALL V tn_irem_##T(V x, V y) {                                                              \
        vmask zero = tn_eq_##T(y, tn_lit_##T(0));                                                  \
        vmask bad = tn_mor(zero, tn_overflows_##T(x, y));                                          \
        V r = tn_rem_safe_##T(x, tn_sel_##T(bad, tn_lit_##T(1), y));                               \
        return tn_sel_##T(zero, x, r);                                                             \
    }
#define TN_DEFINE_INTEGER(T, V, E, I, U, BITS, SIGN, HOW)                                          \
    TN_DEFINE_COMMON(T, V, E)                                                                      \
    TN_DEFINE_COMPARES(T, V, HOW)                                                                  \
    TN_DEFINE_BITS(T, V, I)                                                                        \
    TN_DEFINE_INT(T, V, E, U, BITS)                                                                \
    SIGN(T, V, E, U, BITS)                                                                         \
    TN_DEFINE_DIVISION(T, V)

//@ ops_i8: ints
TN_DEFINE_INTEGER(i8, vi8, tn_i8, vi8, vu8, 8, TN_DEFINE_SIGNED, TN_DEFINE_COMPARE_NARROW)
//@ ops_u8: ints
TN_DEFINE_INTEGER(u8, vu8, tn_u8, vi8, vu8, 8, TN_DEFINE_UNSIGNED, TN_DEFINE_COMPARE_NARROW)
//@ ops_i16: ints
TN_DEFINE_INTEGER(i16, vi16, tn_i16, vi16, vu16, 16, TN_DEFINE_SIGNED, TN_DEFINE_COMPARE_NARROW)
//@ ops_u16: ints
TN_DEFINE_INTEGER(u16, vu16, tn_u16, vi16, vu16, 16, TN_DEFINE_UNSIGNED, TN_DEFINE_COMPARE_NARROW)
//@ ops_i32: ints
TN_DEFINE_INTEGER(i32, vi32, tn_i32, vi32, vu32, 32, TN_DEFINE_SIGNED, TN_DEFINE_COMPARE_32)
//@ ops_u32: ints
TN_DEFINE_INTEGER(u32, vu32, tn_u32, vi32, vu32, 32, TN_DEFINE_UNSIGNED, TN_DEFINE_COMPARE_32)
//@ ops_i64: ints
TN_DEFINE_INTEGER(i64, vi64, tn_i64, vi64, vu64, 64, TN_DEFINE_SIGNED, TN_DEFINE_COMPARE_64)
//@ ops_u64: ints
TN_DEFINE_INTEGER(u64, vu64, tn_u64, vi64, vu64, 64, TN_DEFINE_UNSIGNED, TN_DEFINE_COMPARE_64)

//@ ops_bool: core
TN_INLINE vmask tn_splat_bool(int x) {
    return (vmask){0} - (x != 0);
}
TN_INLINE vmask tn_lit_bool(int x) {
    return tn_splat_bool(x);
}
TN_INLINE int tn_get_bool(vmask v, int lane) {
    return v[lane] != 0;
}
TN_INLINE vmask tn_first_bool(vmask v) {
    return (vmask){0} + v[0];
}
TN_INLINE vmask tn_sel_bool(vmask m, vmask x, vmask y) {
    return (m & x) | (~m & y);
}
TN_INLINE vmask tn_keep_bool(vmask m, vmask x) {
    return m & x;
}
TN_INLINE vmask tn_band_bool(vmask x, vmask y) {
    return x & y;
}
TN_INLINE vmask tn_bor_bool(vmask x, vmask y) {
    return x | y;
}
TN_INLINE vmask tn_bxor_bool(vmask x, vmask y) {
    return x ^ y;
}
TN_INLINE vmask tn_bnot_bool(vmask x) {
    return ~x;
}
TN_INLINE vmask tn_lt_bool(vmask x, vmask y) {
    return ~x & y;
}
TN_INLINE vmask tn_le_bool(vmask x, vmask y) {
    return ~x | y;
}
TN_INLINE vmask tn_gt_bool(vmask x, vmask y) {
    return x & ~y;
}
TN_INLINE vmask tn_ge_bool(vmask x, vmask y) {
    return x | ~y;
}
TN_INLINE vmask tn_eq_bool(vmask x, vmask y) {
    return ~(x ^ y);
}
TN_INLINE vmask tn_ne_bool(vmask x, vmask y) {
    return x ^ y;
}
TN_INLINE vmask tn_isnan_bool(vmask x) {
    (void)x;
    return (vmask){0};
}

//@ floats: core
/* SIGN: the sign bit as an element of I. */
#define TN_DEFINE_FLOAT(T, V, I, SIGN)                                                             \
    TN_INLINE vmask tn_isnan_##T(V x) {                                                            \
        return tn_ne_##T(x, x);                                                                    \
    }                                                                                              \
    TN_INLINE V tn_fabs_##T(V x) {                                                                 \
        return (V)((I)x & ~SIGN);                                                                  \
    }                                                                                              \
    TN_INLINE V tn_copysign_##T(V x, V y) {                                                        \
        return (V)(((I)x & ~SIGN) | ((I)y & SIGN));                                                \
    }                                                                                              \
    TN_INLINE V tn_sign_from_##T(V x, V y) { /* x with its sign flipped where y's is set */        \
        return (V)((I)x ^ ((I)y & SIGN));                                                          \
    }
/* Multiply, then add: rounded once where the machine can, for the polynomials
 * that are accurate either way. */
#if defined(__FMA__) || defined(__AVX512F__)
#define TN_HAS_FMA 1
#else
#define TN_HAS_FMA 0
#endif

//@ ops_f32: floats
TN_DEFINE_COMMON(f32, vf32, tn_f32)
TN_DEFINE_COMPARES(f32, vf32, TN_DEFINE_COMPARE_32)
TN_DEFINE_BITS(f32, vf32, vi32)
TN_DEFINE_FLOAT(f32, vf32, vi32, (tn_i32)(1u << 31))

#if TN_REGISTER == 64 && TN_W == 16
#define TN_ROUND_f32(x, mode)                                                                      \
    ((vf32)__builtin_ia32_rndscaleps_mask(x, mode, (vf32){0}, (tn_u16)-1, 4))
#ifdef __clang__
#define TN_SQRT_f32(x) ((vf32)__builtin_ia32_sqrtps512(x, 4))
#else
#define TN_SQRT_f32(x) ((vf32)__builtin_ia32_sqrtps512_mask(x, (vf32){0}, (tn_u16)-1, 4))
#endif
#define TN_FMA_f32(x, y, z) ((vf32)__builtin_ia32_vfmaddps512_mask(x, y, z, (tn_u16)-1, 4))
#elif TN_REGISTER >= 32 && TN_W == 8
#define TN_ROUND_f32(x, mode) ((vf32)__builtin_ia32_roundps256(x, mode))
#define TN_SQRT_f32(x) ((vf32)__builtin_ia32_sqrtps256(x))
#if TN_HAS_FMA
#define TN_FMA_f32(x, y, z) ((vf32)__builtin_ia32_vfmaddps256(x, y, z))
#endif
#elif defined(__SSE2__) && TN_W == 4
#if defined(__SSE4_1__)
#define TN_ROUND_f32(x, mode) ((vf32)__builtin_ia32_roundps(x, mode))
#endif
#define TN_SQRT_f32(x) ((vf32)__builtin_ia32_sqrtps(x))
#if TN_HAS_FMA
#define TN_FMA_f32(x, y, z) ((vf32)__builtin_ia32_vfmaddps(x, y, z))
#endif
#endif

TN_INLINE vf32 tn_sqrt_f32(vf32 x) {
#ifdef TN_SQRT_f32
    return TN_SQRT_f32(x);
#else
    for (int j = 0; j < TN_W; j++) x[j] = __builtin_sqrtf(x[j]);
    return x;
#endif
}
#ifdef TN_ROUND_f32
TN_INLINE vf32 tn_rint_f32(vf32 x) {
    return TN_ROUND_f32(x, 8);
}
TN_INLINE vf32 tn_floor_f32(vf32 x) {
    return TN_ROUND_f32(x, 9);
}
TN_INLINE vf32 tn_ceil_f32(vf32 x) {
    return TN_ROUND_f32(x, 10);
}
TN_INLINE vf32 tn_trunc_f32(vf32 x) {
    return TN_ROUND_f32(x, 11);
}
#else
/* Adding 2^23 leaves no fraction; from there on every float is an integer. */
TN_INLINE vf32 tn_rint_f32(vf32 x) {
    vf32 a = tn_fabs_f32(x), whole = (a + 0x1p23f) - 0x1p23f;
    return tn_copysign_f32(tn_sel_f32(tn_lt_f32(a, tn_lit_f32(0x1p23f)), whole, x), x);
}
TN_INLINE vf32 tn_floor_f32(vf32 x) {
    vf32 r = tn_rint_f32(x);
    return tn_copysign_f32(r - tn_keep_f32(tn_gt_f32(r, x), tn_lit_f32(1)), x);
}
TN_INLINE vf32 tn_ceil_f32(vf32 x) {
    vf32 r = tn_rint_f32(x);
    return tn_copysign_f32(r + tn_keep_f32(tn_lt_f32(r, x), tn_lit_f32(1)), x);
}
TN_INLINE vf32 tn_trunc_f32(vf32 x) {
    vf32 a = tn_fabs_f32(x), r = tn_rint_f32(a);
    return tn_copysign_f32(r - tn_keep_f32(tn_gt_f32(r, a), tn_lit_f32(1)), x);
}
#endif
TN_INLINE vf32 tn_ma_f32(vf32 x, vf32 y, vf32 z) {
#if TN_HAS_FMA
    return TN_FMA_f32(x, y, z);
#else
    return x * y + z;
#endif
}

//@ ops_f64: floats
TN_DEFINE_COMMON(f64, vf64, tn_f64)
TN_DEFINE_COMPARES(f64, vf64, TN_DEFINE_COMPARE_64)
TN_DEFINE_BITS(f64, vf64, vi64)
TN_DEFINE_FLOAT(f64, vf64, vi64, (tn_i64)(1ull << 63))

/* On one register; TN_W lanes take one or two. */
#if TN_SPLIT64
typedef hf64 rf64;
#define TN_REGISTERS1_f64(f, x) TN_JOIN(f(TN_LO(x)), f(TN_HI(x)))
#define TN_REGISTERS3_f64(f, x, y, z)                                                              \
    TN_JOIN(f(TN_LO(x), TN_LO(y), TN_LO(z)), f(TN_HI(x), TN_HI(y), TN_HI(z)))
#define TN_REGISTER_LANES_f64 (TN_W / 2)
#else
typedef vf64 rf64;
#define TN_REGISTERS1_f64(f, x) f(x)
#define TN_REGISTERS3_f64(f, x, y, z) f(x, y, z)
#define TN_REGISTER_LANES_f64 TN_W
#endif

#if TN_REGISTER == 64 && TN_REGISTER_LANES_f64 * 8 == 64
#define TN_ROUND_f64(x, mode) ((rf64)__builtin_ia32_rndscalepd_mask(x, mode, (rf64){0}, (tn_u8)-1, 4))
#ifdef __clang__
#define TN_SQRT_f64(x) ((rf64)__builtin_ia32_sqrtpd512(x, 4))
#else
#define TN_SQRT_f64(x) ((rf64)__builtin_ia32_sqrtpd512_mask(x, (rf64){0}, (tn_u8)-1, 4))
#endif
#define TN_FMA_f64(x, y, z) ((rf64)__builtin_ia32_vfmaddpd512_mask(x, y, z, (tn_u8)-1, 4))
#elif TN_REGISTER >= 32 && TN_REGISTER_LANES_f64 * 8 == 32
#define TN_ROUND_f64(x, mode) ((rf64)__builtin_ia32_roundpd256(x, mode))
#define TN_SQRT_f64(x) ((rf64)__builtin_ia32_sqrtpd256(x))
#if TN_HAS_FMA
#define TN_FMA_f64(x, y, z) ((rf64)__builtin_ia32_vfmaddpd256(x, y, z))
#endif
#elif defined(__SSE2__) && TN_REGISTER_LANES_f64 * 8 == 16
#if defined(__SSE4_1__)
#define TN_ROUND_f64(x, mode) ((rf64)__builtin_ia32_roundpd(x, mode))
#endif
#define TN_SQRT_f64(x) ((rf64)__builtin_ia32_sqrtpd(x))
#if TN_HAS_FMA
#define TN_FMA_f64(x, y, z) ((rf64)__builtin_ia32_vfmaddpd(x, y, z))
#endif
#endif

TN_INLINE vf64 tn_sqrt_f64(vf64 x) {
#ifdef TN_SQRT_f64
    return TN_REGISTERS1_f64(TN_SQRT_f64, x);
#else
    for (int j = 0; j < TN_W; j++) x[j] = __builtin_sqrt(x[j]);
    return x;
#endif
}
#ifdef TN_ROUND_f64
#define TN_RINT_f64(x) TN_ROUND_f64(x, 8)
#define TN_FLOOR_f64(x) TN_ROUND_f64(x, 9)
#define TN_CEIL_f64(x) TN_ROUND_f64(x, 10)
#define TN_TRUNC_f64(x) TN_ROUND_f64(x, 11)
TN_INLINE vf64 tn_rint_f64(vf64 x) {
    return TN_REGISTERS1_f64(TN_RINT_f64, x);
}
TN_INLINE vf64 tn_floor_f64(vf64 x) {
    return TN_REGISTERS1_f64(TN_FLOOR_f64, x);
}
TN_INLINE vf64 tn_ceil_f64(vf64 x) {
    return TN_REGISTERS1_f64(TN_CEIL_f64, x);
}
TN_INLINE vf64 tn_trunc_f64(vf64 x) {
    return TN_REGISTERS1_f64(TN_TRUNC_f64, x);
}
#else
TN_INLINE vf64 tn_rint_f64(vf64 x) {
    vf64 a = tn_fabs_f64(x), whole = (a + 0x1p52) - 0x1p52;
    return tn_copysign_f64(tn_sel_f64(tn_lt_f64(a, tn_lit_f64(0x1p52)), whole, x), x);
}
TN_INLINE vf64 tn_floor_f64(vf64 x) {
    vf64 r = tn_rint_f64(x);
    return tn_copysign_f64(r - tn_keep_f64(tn_gt_f64(r, x), tn_lit_f64(1)), x);
}
TN_INLINE vf64 tn_ceil_f64(vf64 x) {
    vf64 r = tn_rint_f64(x);
    return tn_copysign_f64(r + tn_keep_f64(tn_lt_f64(r, x), tn_lit_f64(1)), x);
}
TN_INLINE vf64 tn_trunc_f64(vf64 x) {
    vf64 a = tn_fabs_f64(x), r = tn_rint_f64(a);
    return tn_copysign_f64(r - tn_keep_f64(tn_gt_f64(r, a), tn_lit_f64(1)), x);
}
#endif
TN_INLINE vf64 tn_ma_f64(vf64 x, vf64 y, vf64 z) {
#if TN_HAS_FMA
    return TN_REGISTERS3_f64(TN_FMA_f64, x, y, z);
#else
    return x * y + z;
#endif
}
