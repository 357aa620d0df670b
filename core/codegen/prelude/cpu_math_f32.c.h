/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the dialect on vectors of f32. Part of the prelude: see
 * cpu_core.c.h. Bounds in cpu_bounds.h; polynomials in cpu_poly.c.h.
 *
 * What fused kernels use often is computed in f32 and inline; the rest goes
 * through f64, which is slower and nearly correctly rounded. */
//@ scale_f32: ops_f32
TN_INLINE vf32 tn_power_of_two_f32(vi32 n) {
    return (vf32)((n + 127) << 23);
}
/* x * 2^n for n in [-252, 254], rounded once: subnormal results come out right. */
TN_INLINE vf32 tn_scale_f32(vf32 x, vi32 n) {
    vi32 half = n >> 1;
    return x * tn_power_of_two_f32(half) * tn_power_of_two_f32(n - half);
}
//@ exp_f32: scale_f32 poly_exp_f32
TN_INLINE vf32 tn_exp_f32(vf32 x) {
    const vf32 shift = tn_lit_f32(0x1.8p23f), most = tn_lit_f32(90), least = tn_lit_f32(-105);
    x = tn_sel_f32(tn_gt_f32(x, most), most, tn_sel_f32(tn_lt_f32(x, least), least, x));
    vf32 z = tn_ma_f32(x, tn_lit_f32(0x1.715476p+0f), shift), n = z - shift;
    vf32 r = tn_ma_f32(n, tn_lit_f32(-0x1.62e4p-1f), x);
    r = tn_ma_f32(n, tn_lit_f32(-0x1.7f7d1cp-20f), r);
    /* 1 + r in two parts: rounding r^2 q + r before adding 1 costs a quarter ulp. */
    vf32 s = r + 1, e = r - (s - 1);
    vf32 p = s + tn_ma_f32(r * r, tn_poly_exp_f32(r), e);
    return tn_scale_f32(p, (vi32)z - (vi32)shift);
}
//@ exp2_f32: scale_f32 poly_exp2_f32
TN_INLINE vf32 tn_exp2_f32(vf32 x) {
    const vf32 shift = tn_lit_f32(0x1.8p23f), most = tn_lit_f32(130), least = tn_lit_f32(-152);
    x = tn_sel_f32(tn_gt_f32(x, most), most, tn_sel_f32(tn_lt_f32(x, least), least, x));
    vf32 z = x + shift, r = x - (z - shift);
    vf32 p = tn_ma_f32(r, tn_poly_exp2_f32(r), tn_lit_f32(1));
    return tn_scale_f32(p, (vi32)z - (vi32)shift);
}
//@ expm1_f32: scale_f32 poly_exp_f32 ops_i32
/* (1 - 2^-n + e^r - 1) * 2^n, the sum kept in two parts. */
TN_INLINE vf32 tn_expm1_f32(vf32 x) {
    const vf32 shift = tn_lit_f32(0x1.8p23f), most = tn_lit_f32(90), least = tn_lit_f32(-20);
    vf32 y = tn_sel_f32(tn_gt_f32(x, most), most, tn_sel_f32(tn_lt_f32(x, least), least, x));
    vf32 z = tn_ma_f32(y, tn_lit_f32(0x1.715476p+0f), shift), n = z - shift;
    vf32 hi = tn_ma_f32(n, tn_lit_f32(-0x1.62e4p-1f), y), lo = n * 0x1.7f7d1cp-20f;
    vf32 r = hi - lo, tail = (hi - r) - lo;
    vi32 k = (vi32)z - (vi32)shift;
    vf32 u = tn_keep_f32(tn_lt_i32(k, tn_lit_i32(64)), tn_power_of_two_f32(-k));
    vf32 t = 1 - u, s = t + r, back = s - t, e = (t - (s - back)) + (r - back);
    e += (1 - t) - u;
    vf32 p = s + (tn_ma_f32(r * r, tn_poly_exp_f32(r), tail) + e);
    return tn_copysign_f32(tn_scale_f32(p, k), x);
}
//@ logcore_f32: ops_f32 poly_log_f32
/* x = 2^k * (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1), for positive finite x. */
TN_INLINE vf32 tn_split_f32(vf32 x, vf32 *k) {
    vmask small = tn_lt_f32(x, tn_lit_f32(0x1p-126f));
    x = tn_sel_f32(small, x * 0x1p24f, x);
    const tn_i32 root_half = 0x3f3504f3;
    vi32 e = ((vi32)x - root_half) >> 23;
    *k = TN_TO(e, vf32) - tn_keep_f32(small, tn_lit_f32(24));
    return (vf32)((vi32)x - (e << 23)) - 1;
}
TN_INLINE vf32 tn_log_ends_f32(vf32 x, vf32 r) {
    const vf32 inf = tn_lit_f32(__builtin_inff()), zero = tn_lit_f32(0);
    r = tn_sel_f32(tn_lt_f32(x, inf), r, x);
    r = tn_sel_f32(tn_eq_f32(x, zero), -inf, r);
    return tn_sel_f32(tn_lt_f32(x, zero), tn_lit_f32(__builtin_nanf("")), r);
}
/* log(x) + c, for a small c. */
TN_INLINE vf32 tn_log_plus_f32(vf32 x, vf32 c) {
    vf32 k, f = tn_split_f32(x, &k), z = f * f;
    vf32 t = tn_ma_f32(k, tn_lit_f32(0x1.7f7d1cp-20f), c);
    t = tn_ma_f32(f * z, tn_poly_log_f32(f), t);
    t = tn_ma_f32(z, tn_lit_f32(-0.5f), t);
    /* k * log(2) has room for its product; the sum is kept in two parts. */
    vf32 a = k * 0x1.62e4p-1f, s = a + f, back = s - a;
    vf32 e = (a - (s - back)) + (f - back);
    return s + (e + t);
}
//@ log_f32: logcore_f32
TN_INLINE vf32 tn_log_f32(vf32 x) {
    return tn_log_ends_f32(x, tn_log_plus_f32(x, tn_lit_f32(0)));
}
//@ log2_f32: logcore_f32
/* log2(e) is 1 and the rest, so that the part that matters is not rounded. */
TN_INLINE vf32 tn_log2_f32(vf32 x) {
    vf32 k, f = tn_split_f32(x, &k), z = f * f;
    vf32 t = tn_ma_f32(z, tn_lit_f32(-0.5f), f * z * tn_poly_log_f32(f));
    vf32 u = f + t, v = (f - u) + t; /* log(1 + f) */
    const vf32 c = tn_lit_f32(0x1.c551dap-2f);
    v = tn_ma_f32(v, c, v);
    v = tn_ma_f32(u, c, v);
    vf32 s = k + u, back = s - k, e = (k - (s - back)) + (u - back);
    return tn_log_ends_f32(x, s + (e + v));
}
//@ log1p_f32: logcore_f32
TN_INLINE vf32 tn_log1p_f32(vf32 x) {
    const vf32 one = tn_lit_f32(1);
    vf32 u = one + x;
    vf32 c = tn_sel_f32(tn_gt_f32(x, one), one - (u - x), x - (u - one));
    c = tn_keep_f32(tn_lt_f32(x, tn_lit_f32(0x1p30f)), c / u);
    vf32 r = tn_log_ends_f32(u, tn_log_plus_f32(u, c));
    return tn_sel_f32(tn_eq_f32(x, tn_lit_f32(0)), x, r);
}
//@ tanh_f32: exp_f32 poly_tanh_f32
TN_INLINE vf32 tn_tanh_f32(vf32 x) {
    vf32 ax = tn_fabs_f32(x), z = ax * ax;
    vf32 near = tn_ma_f32(ax * z, tn_poly_tanh_f32(z), ax);
    vf32 far = 1 - 2 / (tn_exp_f32(2 * ax) + 1);
    return tn_copysign_f32(tn_sel_f32(tn_lt_f32(ax, tn_lit_f32(0.6f)), near, far), x);
}
//@ erf_f32: exp_f32 poly_erf_f32 poly_logerfc_f32
/* Near 0 a polynomial; else 1 - e^p, p near the logarithm of erfc. */
TN_INLINE vf32 tn_erf_f32(vf32 x) {
    const vf32 most = tn_lit_f32(4);
    vf32 ax = tn_fabs_f32(x);
    vf32 near = tn_ma_f32(ax, tn_poly_erf_f32(ax * ax), ax);
    vf32 a = tn_sel_f32(tn_gt_f32(ax, most), most, ax);
    vf32 far = 1 - tn_exp_f32(tn_poly_logerfc_f32(a));
    return tn_copysign_f32(tn_sel_f32(tn_lt_f32(ax, tn_lit_f32(0.96875f)), near, far), x);
}
//@ sincos_f32: ops_f32 turns_f64 poly_sin_f32 poly_cos_f32
/* x less q quarter turns, reduced in f64: exact there up to 2^28, and beyond as
 * for f64. */
TN_INLINE vf32 tn_turns_f32(vf32 x, vi32 *quarter) {
    const vf64 shift = tn_lit_f64(0x1.8p52);
    vf32 ax = tn_fabs_f32(x);
    vmask large = tn_mand(tn_ge_f32(ax, tn_lit_f32(0x1p28f)), tn_lt_f32(ax, tn_lit_f32(__builtin_inff())));
    vf64 y = tn_f32_to_f64(tn_keep_f32(tn_mnot(large), x));
    vf64 z = tn_ma_f64(y, tn_lit_f64(0x1.45f306dc9c883p-1), shift), n = z - shift;
    vf64 r = tn_ma_f64(n, tn_lit_f64(-0x1.921fb5p+0), y);
    r = tn_ma_f64(n, tn_lit_f64(-0x1.110b46p-26), r);
    r = tn_ma_f64(n, tn_lit_f64(-0x1.1a62633145c07p-54), r);
    *quarter = TN_NARROW((vi64)z, hi32, vi32);
    vf32 near = tn_f64_to_f32(r);
    if (__builtin_expect(tn_mask_any(large), 0)) {
        for (int j = 0; j < TN_W; j++) {
            if (!large[j]) continue;
            double hi, lo;
            (*quarter)[j] = tn_turns_large(x[j], &hi, &lo);
            near[j] = (float)hi;
        }
    }
    return near;
}
TN_INLINE vf32 tn_sin_near_f32(vf32 r) {
    vf32 z = r * r;
    return tn_ma_f32(r * z, tn_poly_sin_f32(z), r);
}
TN_INLINE vf32 tn_cos_near_f32(vf32 r) {
    vf32 z = r * r, h = 0.5f * z, w = 1 - h;
    return w + (((1 - w) - h) + z * z * tn_poly_cos_f32(z));
}
//@ sin_f32: sincos_f32
TN_CALL vf32 tn_sin_f32(vf32 x) {
    vi32 q;
    vf32 r = tn_turns_f32(x, &q);
    vf32 y = tn_sel_f32(-(q & 1), tn_cos_near_f32(r), tn_sin_near_f32(r));
    y = (vf32)((vi32)y ^ ((q & 2) << 30));
    return tn_sel_f32(tn_eq_f32(x, tn_lit_f32(0)), x, y);
}
//@ cos_f32: sincos_f32
TN_CALL vf32 tn_cos_f32(vf32 x) {
    vi32 q;
    vf32 r = tn_turns_f32(x, &q);
    vf32 y = tn_sel_f32(-(q & 1), tn_sin_near_f32(r), tn_cos_near_f32(r));
    return (vf32)((vi32)y ^ (((q + 1) & 2) << 30));
}
//@ through_f64: ops_f32 ops_f64 convert64
#define TN_THROUGH_f64(name)                                                                       \
    TN_CALL vf32 tn_##name##_f32(vf32 x) {                                                         \
        return tn_f64_to_f32(tn_##name##_f64(tn_f32_to_f64(x)));                                   \
    }
#define TN_THROUGH2_f64(name)                                                                      \
    TN_CALL vf32 tn_##name##_f32(vf32 x, vf32 y) {                                                 \
        return tn_f64_to_f32(tn_##name##_f64(tn_f32_to_f64(x), tn_f32_to_f64(y)));                 \
    }
//@ log10_f32: through_f64 log10_f64
TN_THROUGH_f64(log10)
//@ tan_f32: through_f64 tan_f64
TN_THROUGH_f64(tan)
//@ asin_f32: through_f64 asin_f64
TN_THROUGH_f64(asin)
//@ acos_f32: through_f64 acos_f64
TN_THROUGH_f64(acos)
//@ atan_f32: through_f64 atan_f64
TN_THROUGH_f64(atan)
//@ atan2_f32: through_f64 atan2_f64
TN_THROUGH2_f64(atan2)
//@ pow_f32: through_f64 pow_f64
TN_THROUGH2_f64(pow)
//@ sinh_f32: through_f64 sinh_f64
TN_THROUGH_f64(sinh)
//@ cosh_f32: through_f64 cosh_f64
TN_THROUGH_f64(cosh)
//@ asinh_f32: through_f64 asinh_f64
TN_THROUGH_f64(asinh)
//@ acosh_f32: through_f64 acosh_f64
TN_THROUGH_f64(acosh)
//@ atanh_f32: through_f64 atanh_f64
TN_THROUGH_f64(atanh)
//@ erfc_f32: through_f64 erfc_f64
TN_THROUGH_f64(erfc)
//@ fmod_f32: through_f64 fmod_f64
/* Exact: an f64 holds every f32, and the remainder has no more bits than they. */
TN_THROUGH2_f64(fmod)
//@ fma_f32: ops_f32 pairs_f64 convert64
#if TN_HAS_FMA
TN_INLINE vf32 tn_fma_f32(vf32 x, vf32 y, vf32 z) {
    return tn_ma_f32(x, y, z);
}
#else
/* The product is exact in f64; the sum is rounded to odd there, and then once. */
TN_INLINE vf32 tn_fma_f32(vf32 x, vf32 y, vf32 z) {
    vf64 e, s = tn_two_sum_f64(tn_f32_to_f64(x) * tn_f32_to_f64(y), tn_f32_to_f64(z), &e);
    const vf64 zero = tn_lit_f64(0);
    vi64 up = TN_WIDEN(tn_mnot(tn_mxor(tn_gt_f64(e, zero), tn_gt_f64(s, zero))), hi64, vi64);
    vi64 even = ((vi64)s & 1) - 1, inexact = TN_WIDEN(tn_mand(tn_ne_f64(e, zero), tn_eq_f64(e, e)), hi64, vi64);
    vi64 step = ((up & 2) - 1) & even & inexact; /* away from zero, or toward it */
    return tn_f64_to_f32((vf64)((vi64)s + step));
}
#endif
