/* SPDX-License-Identifier: Apache-2.0
 *
 * Between dtypes: casts as the primitive cast defines them, and the forms that
 * small floats have in memory. Part of the prelude: see cpu_core.c.h.
 *
 * tn_dec_T takes bits to a value, exactly; tn_enc_T takes a value to bits, rounded
 * to nearest even; tn_round_T does both. NaN stays NaN and becomes quiet. */
//@ convert64: core
/* Between 4-byte and 8-byte elements, a register at a time. */
#if TN_SPLIT64
#define TN_WIDEN(x, H, V) TN_JOIN(TN_TO(TN_LO(x), H), TN_TO(TN_HI(x), H))
#else
#define TN_WIDEN(x, H, V) TN_TO(x, V)
#endif
#define TN_NARROW(x, H, V) TN_WIDEN(x, H, V)
TN_INLINE vf64 tn_f32_to_f64(vf32 x) {
    return TN_WIDEN(x, hf64, vf64);
}
TN_INLINE vf32 tn_f64_to_f32(vf64 x) {
    return TN_NARROW(x, hf32, vf32);
}

//@ small_floats: ops_f32 ops_u32
TN_INLINE vu32 tn_pick_u32(vmask m, vu32 x, vu32 y) {
    return tn_sel_u32(m, x, y);
}
/* Bits of a float with E exponent bits of bias B and M bits of fraction, from
 * those of an f32: normal numbers by rounding the fraction in place, subnormal
 * ones by an addition whose last place is theirs. `over` is the first magnitude
 * that does not round to a finite number, `special` what it becomes. */
#define TN_DEFINE_ENCODE(T, BIAS, M, OVER, SPECIAL, NAN_BITS, SIGN_SHIFT)                          \
    TN_INLINE vu32 tn_bits_##T(vf32 x) {                                                           \
        vu32 u = (vu32)x, a = u & 0x7fffffffu;                                                     \
        vu32 odd = (a >> (23 - M)) & 1;                                                            \
        vu32 normal = (a + ((1u << (22 - M)) - 1) + odd - ((127u - BIAS) << 23)) >> (23 - M);      \
        const vf32 step = tn_lit_f32(__builtin_ldexpf(1, 24 - BIAS - M));                          \
        vu32 subnormal = (vu32)((vf32)a + step) - (vu32)step;                                      \
        vu32 r = tn_pick_u32(tn_lt_u32(a, tn_lit_u32((128u - BIAS) << 23)), subnormal, normal);    \
        r = tn_pick_u32(tn_ge_u32(a, tn_lit_u32(OVER)), tn_lit_u32(SPECIAL), r);                   \
        r = tn_pick_u32(tn_gt_u32(a, tn_lit_u32(0x7f800000u)), (NAN_BITS), r);                     \
        return r | ((u & 0x80000000u) >> SIGN_SHIFT);                                              \
    }
/* u: the magnitude's bits, already moved to where an f32 has its fraction. */
TN_INLINE vf32 tn_rebias(vu32 u, vu32 sign, tn_u32 bias) {
    vu32 normal = u + ((127 - bias) << 23);
    vf32 least = (vf32)(tn_lit_u32((128 - bias) << 23));
    vf32 subnormal = (vf32)(u + ((128 - bias) << 23)) - least;
    vu32 r = tn_pick_u32(tn_lt_u32(u, tn_lit_u32(1u << 23)), (vu32)subnormal, normal);
    return (vf32)(r | sign);
}

//@ bits_f16: small_floats
#if TN_W == 16 && TN_REGISTER == 64
#define TN_F16_DEC(h) ((vf32)__builtin_ia32_vcvtph2ps512_mask((vi16)(h), (vf32){0}, (tn_u16)-1, 4))
#define TN_F16_ENC(x) ((vu16)__builtin_ia32_vcvtps2ph512_mask(x, 0, (vi16){0}, (tn_u16)-1))
#elif TN_W == 8 && defined(__F16C__)
#define TN_F16_DEC(h) ((vf32)__builtin_ia32_vcvtph2ps256((vi16)(h)))
#define TN_F16_ENC(x) ((vu16)__builtin_ia32_vcvtps2ph256(x, 0))
#endif
#ifdef TN_F16_DEC
TN_INLINE vf32 tn_dec_f16(vu16 h) {
    return TN_F16_DEC(h);
}
TN_INLINE vu16 tn_enc_f16(vf32 x) {
    return TN_F16_ENC(x);
}
#else
TN_DEFINE_ENCODE(f16, 15, 10, 0x477ff000u, 0x7c00, ((a >> 13) & 0x3ff) | 0x7e00, 16)
TN_INLINE vu16 tn_enc_f16(vf32 x) {
    return TN_TO(tn_bits_f16(x), vu16);
}
TN_INLINE vf32 tn_dec_f16(vu16 h) {
    vu32 u = TN_TO(h, vu32), sign = (u & 0x8000) << 16, a = (u & 0x7fff) << 13;
    vf32 r = tn_rebias(a, sign, 15);
    vmask special = tn_ge_u32(a, tn_lit_u32(31u << 23));
    vu32 quiet = (vu32)tn_gt_u32(a, tn_lit_u32(31u << 23)) & 0x400000;
    return (vf32)tn_pick_u32(special, a | 0x7f800000u | sign | quiet, (vu32)r);
}
#endif

//@ bits_bf16: ops_f32 ops_u32
TN_INLINE vf32 tn_dec_bf16(vu16 h) {
    return (vf32)(TN_TO(h, vu32) << 16);
}
TN_INLINE vu16 tn_enc_bf16(vf32 x) {
    vu32 u = (vu32)x, rounded = u + 0x7fff + ((u >> 16) & 1);
    return TN_TO(tn_sel_u32(tn_isnan_f32(x), u | 0x400000, rounded) >> 16, vu16);
}

//@ bits_f8e4m3fn: small_floats
/* No infinity: what is above 448 by more than half a step is NaN. */
TN_DEFINE_ENCODE(f8e4m3fn, 7, 3, 0x43e80001u, 0x7f, tn_lit_u32(0x7f), 24)
TN_INLINE vu8 tn_enc_f8e4m3fn(vf32 x) {
    return TN_TO(tn_bits_f8e4m3fn(x), vu8);
}
TN_INLINE vf32 tn_dec_f8e4m3fn(vu8 h) {
    vu32 u = TN_TO(h, vu32), sign = (u & 0x80) << 24, a = (u & 0x7f) << 20;
    vf32 r = tn_rebias(a, sign, 7);
    return (vf32)((vu32)r | ((vu32)tn_eq_u32(a, tn_lit_u32(0x7f << 20)) & 0x7fc00000u));
}

//@ bits_f8e5m2: small_floats
TN_DEFINE_ENCODE(f8e5m2, 15, 2, 0x47700000u, 0x7c, ((a >> 21) & 3) | 0x7e, 24)
TN_INLINE vu8 tn_enc_f8e5m2(vf32 x) {
    return TN_TO(tn_bits_f8e5m2(x), vu8);
}
TN_INLINE vf32 tn_dec_f8e5m2(vu8 h) {
    vu32 u = TN_TO(h, vu32), sign = (u & 0x80) << 24, a = (u & 0x7f) << 21;
    vf32 r = tn_rebias(a, sign, 15);
    vmask special = tn_ge_u32(a, tn_lit_u32(31u << 23));
    vu32 quiet = (vu32)tn_gt_u32(a, tn_lit_u32(31u << 23)) & 0x400000;
    return (vf32)tn_pick_u32(special, a | 0x7f800000u | sign | quiet, (vu32)r);
}

//@ round_f16: bits_f16
TN_INLINE vf32 tn_round_f16(vf32 x) {
    return tn_dec_f16(tn_enc_f16(x));
}
//@ round_bf16: bits_bf16
TN_INLINE vf32 tn_round_bf16(vf32 x) {
    vu32 u = (vu32)x, rounded = (u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000u;
    return (vf32)tn_sel_u32(tn_isnan_f32(x), u | 0x400000, rounded);
}
//@ round_f8e4m3fn: bits_f8e4m3fn
TN_INLINE vf32 tn_round_f8e4m3fn(vf32 x) {
    return tn_dec_f8e4m3fn(tn_enc_f8e4m3fn(x));
}
//@ round_f8e5m2: bits_f8e5m2
TN_INLINE vf32 tn_round_f8e5m2(vf32 x) {
    return tn_dec_f8e5m2(tn_enc_f8e5m2(x));
}

//@ odd: convert64 ops_f32 ops_f64 ops_i64
/* To f32, rounded to odd where inexact: rounding the result to a float of fewer
 * bits then gives what rounding the f64 once would. */
TN_INLINE vf32 tn_f64_to_f32_odd(vf64 x) {
    vf32 r = tn_f64_to_f32(x);
    vf64 back = tn_f32_to_f64(r);
    vmask away = tn_gt_f64(tn_fabs_f64(back), tn_fabs_f64(x));
    vmask inexact = tn_mand(tn_ne_f64(back, x), tn_eq_f64(x, x));
    return (vf32)(((vi32)r + away) | (inexact & 1));
}
/* A 64-bit integer that f64 holds exactly and that rounds to any f32 or smaller
 * float as x does: bits too low to matter become one sticky bit. */
#define TN_STICKY(x) (((x) & ~0xfffll) | (((((x) & 0xfffll) + 0xfffll) >> 1) & 0x800ll))
TN_INLINE vi64 tn_sticky_i64(vi64 x) {
    vi64 limit = (vi64){0} + (1ll << 52);
    vmask large = tn_mor(tn_ge_i64(x, limit), tn_le_i64(x, -limit));
    return tn_sel_i64(large, TN_STICKY(x), x);
}
//@ sticky_u64: odd ops_u64
TN_INLINE vu64 tn_sticky_u64(vu64 x) {
    return tn_sel_u64(tn_ge_u64(x, tn_lit_u64(1ull << 52)), (vu64)TN_STICKY(x), x);
}

//@ ints_from_f64: ops_f64 convert64 ops_i64 ops_u64
#define TN_DEFINE_FROM_F64(T, V, MIN, MAX)                                                         \
    TN_INLINE V tn_f64_to_##T(vf64 x) {                                                            \
        const vf64 least = tn_lit_f64(MIN), most = tn_lit_f64(MAX);                                \
        x = tn_keep_f64(tn_eq_f64(x, x), x);                                                       \
        x = tn_sel_f64(tn_lt_f64(x, least), least, x);                                             \
        x = tn_sel_f64(tn_gt_f64(x, most), most, x);                                               \
        return TN_TO(TN_NARROW(x, hi32, vi32), V);                                                 \
    }
TN_DEFINE_FROM_F64(i8, vi8, -0x1p7, 0x1p7 - 1)
TN_DEFINE_FROM_F64(u8, vu8, 0, 0x1p8 - 1)
TN_DEFINE_FROM_F64(i16, vi16, -0x1p15, 0x1p15 - 1)
TN_DEFINE_FROM_F64(u16, vu16, 0, 0x1p16 - 1)
TN_DEFINE_FROM_F64(i32, vi32, -0x1p31, 0x1p31 - 1)
TN_INLINE vu32 tn_f64_to_u32(vf64 x) {
    const vf64 zero = tn_lit_f64(0), most = tn_lit_f64(0x1p32 - 1);
    x = tn_keep_f64(tn_gt_f64(x, zero), x);
    x = tn_trunc_f64(tn_sel_f64(tn_gt_f64(x, most), most, x)) - 0x1p31;
    return (vu32)TN_NARROW(x, hi32, vi32) ^ 0x80000000u;
}
TN_INLINE vi64 tn_f64_to_i64(vf64 x) {
    const vf64 end = tn_lit_f64(0x1p63);
    vmask high = tn_ge_f64(x, end), low = tn_le_f64(x, -end);
    vmask in = tn_mand(tn_lt_f64(x, end), tn_gt_f64(x, -end));
    vi64 r = TN_WIDEN(tn_keep_f64(in, x), hi64, vi64);
    return r | tn_keep_i64(high, tn_lit_i64(0x7fffffffffffffffll)) |
           tn_keep_i64(low, tn_lit_i64(-0x7fffffffffffffffll - 1));
}
TN_INLINE vu64 tn_f64_to_u64(vf64 x) {
    const vf64 half = tn_lit_f64(0x1p63), end = tn_lit_f64(0x1p64);
    vmask high = tn_ge_f64(x, end), upper = tn_ge_f64(x, half);
    vmask in = tn_mand(tn_lt_f64(x, end), tn_gt_f64(x, tn_lit_f64(0)));
    vi64 r = TN_WIDEN(tn_keep_f64(in, x - tn_keep_f64(upper, half)), hi64, vi64);
    return ((vu64)r ^ tn_keep_u64(tn_mand(upper, in), tn_lit_u64(1ull << 63))) |
           tn_keep_u64(high, ~tn_lit_u64(0));
}
TN_INLINE vmask tn_f64_to_bool(vf64 x) {
    return tn_ne_f64(x, tn_lit_f64(0));
}
//@ f64_to_any: ints_from_f64 odd
//@ f32_to_any: ops_f32 convert64 ops_i64 ops_u64 ints_from_f64
/* Saturating; NaN gives 0. */
#define TN_DEFINE_FROM_F32(T, V, MIN, MAX)                                                         \
    TN_INLINE V tn_f32_to_##T(vf32 x) {                                                            \
        const vf32 least = tn_lit_f32(MIN), most = tn_lit_f32(MAX);                                \
        x = tn_keep_f32(tn_eq_f32(x, x), x);                                                       \
        x = tn_sel_f32(tn_lt_f32(x, least), least, x);                                             \
        x = tn_sel_f32(tn_gt_f32(x, most), most, x);                                               \
        return TN_TO(TN_TO(x, vi32), V);                                                           \
    }
TN_DEFINE_FROM_F32(i8, vi8, -0x1p7f, 0x1p7f - 1)
TN_DEFINE_FROM_F32(u8, vu8, 0, 0x1p8f - 1)
TN_DEFINE_FROM_F32(i16, vi16, -0x1p15f, 0x1p15f - 1)
TN_DEFINE_FROM_F32(u16, vu16, 0, 0x1p16f - 1)
TN_INLINE vi32 tn_f32_to_i32(vf32 x) {
    const vf32 end = tn_lit_f32(0x1p31f);
    vmask high = tn_ge_f32(x, end), low = tn_le_f32(x, -end);
    vmask in = tn_mand(tn_lt_f32(x, end), tn_gt_f32(x, -end));
    vi32 r = TN_TO(tn_keep_f32(in, x), vi32);
    return r | (high & 0x7fffffff) | (low & (-0x7fffffff - 1));
}
TN_INLINE vu32 tn_f32_to_u32(vf32 x) {
    const vf32 half = tn_lit_f32(0x1p31f), end = tn_lit_f32(0x1p32f);
    vmask high = tn_ge_f32(x, end), upper = tn_ge_f32(x, half);
    vmask in = tn_mand(tn_lt_f32(x, end), tn_gt_f32(x, tn_lit_f32(0)));
    vi32 r = TN_TO(tn_keep_f32(in, x - tn_keep_f32(upper, half)), vi32);
    return ((vu32)r ^ ((vu32)(upper & in) << 31)) | (vu32)high;
}
TN_INLINE vi64 tn_f32_to_i64(vf32 x) {
    return tn_f64_to_i64(tn_f32_to_f64(x));
}
TN_INLINE vu64 tn_f32_to_u64(vf32 x) {
    return tn_f64_to_u64(tn_f32_to_f64(x));
}
TN_INLINE vmask tn_f32_to_bool(vf32 x) {
    return tn_ne_f32(x, tn_lit_f32(0));
}
//@ casts: odd
/* Integers wrap. tn_..._to_f32_odd goes to an f32 from which a smaller float is
 * rounded as if from the integer. */
#define TN_CAST(A, V, B, R, how)                                                                   \
    TN_INLINE R tn_##A##_to_##B(V x) {                                                             \
        return how;                                                                                \
    }
#define TN_CAST_BOOL(A, V) TN_CAST(A, V, bool, vmask, tn_ne_##A(x, tn_lit_##A(0)))
#define TN_CASTS_TO_NARROW(A, V, x32)                                                              \
    TN_CAST(A, V, i8, vi8, TN_TO(x32, vi8))                                                        \
    TN_CAST(A, V, u8, vu8, TN_TO(x32, vu8))                                                        \
    TN_CAST(A, V, i16, vi16, TN_TO(x32, vi16))                                                     \
    TN_CAST(A, V, u16, vu16, TN_TO(x32, vu16))                                                     \
    TN_CAST_BOOL(A, V)
#define TN_CASTS_SMALL(A, V)                                                                       \
    TN_CASTS_TO_NARROW(A, V, x)                                                                    \
    TN_CAST(A, V, i32, vi32, TN_TO(x, vi32))                                                       \
    TN_CAST(A, V, u32, vu32, TN_TO(x, vu32))                                                       \
    TN_CAST(A, V, i64, vi64, TN_WIDEN(TN_TO(x, vi32), hi64, vi64))                                 \
    TN_CAST(A, V, u64, vu64, (vu64)TN_WIDEN(TN_TO(x, vi32), hi64, vi64))                           \
    TN_CAST(A, V, f32, vf32, TN_TO(TN_TO(x, vi32), vf32))                                          \
    TN_CAST(A, V, f32_odd, vf32, TN_TO(TN_TO(x, vi32), vf32))                                      \
    TN_CAST(A, V, f64, vf64, TN_WIDEN(TN_TO(x, vi32), hf64, vf64))
#define TN_CASTS_32(A, V, H64, V64)                                                                \
    TN_CASTS_TO_NARROW(A, V, x)                                                                    \
    TN_CAST(A, V, i32, vi32, (vi32)x)                                                              \
    TN_CAST(A, V, u32, vu32, (vu32)x)                                                              \
    TN_CAST(A, V, i64, vi64, (vi64)TN_WIDEN(x, H64, V64))                                          \
    TN_CAST(A, V, u64, vu64, (vu64)TN_WIDEN(x, H64, V64))                                          \
    TN_CAST(A, V, f32, vf32, TN_TO(x, vf32))                                                       \
    TN_CAST(A, V, f64, vf64, TN_WIDEN(x, hf64, vf64))                                              \
    TN_CAST(A, V, f32_odd, vf32, tn_f64_to_f32_odd(TN_WIDEN(x, hf64, vf64)))
#define TN_CASTS_64(A, V)                                                                          \
    TN_CASTS_TO_NARROW(A, V, TN_NARROW(x, hi32, vi32))                                             \
    TN_CAST(A, V, i32, vi32, TN_NARROW(x, hi32, vi32))                                             \
    TN_CAST(A, V, u32, vu32, (vu32)TN_NARROW(x, hi32, vi32))                                       \
    TN_CAST(A, V, i64, vi64, (vi64)x)                                                              \
    TN_CAST(A, V, u64, vu64, (vu64)x)                                                              \
    TN_CAST(A, V, f32, vf32, TN_NARROW(x, hf32, vf32))                                             \
    TN_CAST(A, V, f64, vf64, TN_WIDEN(x, hf64, vf64))                                              \
    TN_CAST(A, V, f32_odd, vf32, tn_f64_to_f32_odd(TN_WIDEN(tn_sticky_##A(x), hf64, vf64)))
//@ i8_to_any: casts ops_i8
TN_CASTS_SMALL(i8, vi8)
//@ u8_to_any: casts ops_u8
TN_CASTS_SMALL(u8, vu8)
//@ i16_to_any: casts ops_i16
TN_CASTS_SMALL(i16, vi16)
//@ u16_to_any: casts ops_u16
TN_CASTS_SMALL(u16, vu16)
//@ i32_to_any: casts ops_i32
TN_CASTS_32(i32, vi32, hi64, vi64)
//@ u32_to_any: casts ops_u32
TN_CASTS_32(u32, vu32, hu64, vu64)
//@ i64_to_any: casts ops_i64
TN_CASTS_64(i64, vi64)
//@ u64_to_any: casts ops_u64 sticky_u64
TN_CASTS_64(u64, vu64)
//@ bool_to_any: casts
TN_CAST(bool, vmask, i8, vi8, -TN_TO(x, vi8))
TN_CAST(bool, vmask, u8, vu8, TN_TO(-x, vu8))
TN_CAST(bool, vmask, i16, vi16, -TN_TO(x, vi16))
TN_CAST(bool, vmask, u16, vu16, TN_TO(-x, vu16))
TN_CAST(bool, vmask, i32, vi32, -x)
TN_CAST(bool, vmask, u32, vu32, (vu32)-x)
TN_CAST(bool, vmask, i64, vi64, -TN_TO(x, vi64))
TN_CAST(bool, vmask, u64, vu64, (vu64)-TN_TO(x, vi64))
TN_CAST(bool, vmask, f32, vf32, (vf32)(x & 0x3f800000))
TN_CAST(bool, vmask, f64, vf64, (vf64)(TN_TO(x, vi64) & 0x3ff0000000000000ll))
TN_CAST(bool, vmask, bool, vmask, x)
