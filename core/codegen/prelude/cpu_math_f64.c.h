/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the dialect on vectors of f64. Part of the prelude: see
 * cpu_core.c.h. Bounds in cpu_bounds.h; polynomials in cpu_poly.c.h.
 *
 * Every lane is computed the same way whatever the others hold, so that a value
 * has one result wherever in a vector it stands. */
//@ pairs_f64: ops_f64
/* s + *e is x + y exactly; no order is asked of them. */
TN_INLINE vf64 tn_two_sum_f64(vf64 x, vf64 y, vf64 *e) {
    vf64 s = x + y, t = s - x;
    *e = (x - (s - t)) + (y - t);
    return s;
}
/* p + *e is x * y exactly, unless the product or 2^27 times an operand overflows. */
TN_INLINE vf64 tn_two_product_f64(vf64 x, vf64 y, vf64 *e) {
    vf64 p = x * y;
#if TN_HAS_FMA
    *e = tn_ma_f64(x, y, -p);
#else
    vf64 cx = x * 0x1.000002p27, cy = y * 0x1.000002p27;
    vf64 xh = cx - (cx - x), yh = cy - (cy - y), xl = x - xh, yl = y - yh;
    *e = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
#endif
    return p;
}
/* 2^n for n in [-1022, 1023]. */
TN_INLINE vf64 tn_power_of_two_f64(vi64 n) {
    return (vf64)((n + 1023) << 52);
}
/* x * 2^n for n in [-2046, 2046], rounded once: subnormal results come out right. */
TN_INLINE vf64 tn_scale_f64(vf64 x, vi64 n) {
    vi64 half = (vi64)((vu64)(n + 4096) >> 1) - 2048;
    return x * tn_power_of_two_f64(half) * tn_power_of_two_f64(n - half);
}
TN_INLINE vf64 tn_clear_low_f64(vf64 x) {
    return (vf64)((vi64)x & ~0xffffffffll);
}

//@ expcore_f64: pairs_f64 poly_exp_f64
/* e^(x + tail) * 2^k for a tail below the last place of x, or near it. */
TN_INLINE vf64 tn_exp_scaled_f64(vf64 x, vf64 tail, tn_i64 k) {
    const vf64 shift = tn_lit_f64(0x1.8p52), most = tn_lit_f64(711), least = tn_lit_f64(-747);
    x = tn_sel_f64(tn_gt_f64(x, most), most, tn_sel_f64(tn_lt_f64(x, least), least, x));
    vf64 z = x * 0x1.71547652b82fep+0 + shift, n = z - shift;
    vf64 r = ((x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33) + tail;
    vf64 p = tn_ma_f64(r * r, tn_poly_exp_f64(r), r) + 1;
    return tn_scale_f64(p, (vi64)z - (vi64)shift + k);
}
//@ exp_f64: expcore_f64
TN_CALL vf64 tn_exp_f64(vf64 x) {
    return tn_exp_scaled_f64(x, tn_lit_f64(0), 0);
}
//@ exp2_f64: pairs_f64 poly_exp2_f64
TN_CALL vf64 tn_exp2_f64(vf64 x) {
    const vf64 shift = tn_lit_f64(0x1.8p52), most = tn_lit_f64(1025), least = tn_lit_f64(-1077);
    x = tn_sel_f64(tn_gt_f64(x, most), most, tn_sel_f64(tn_lt_f64(x, least), least, x));
    vf64 z = x + shift, r = x - (z - shift);
    return tn_scale_f64(tn_ma_f64(r, tn_poly_exp2_f64(r), tn_lit_f64(1)), (vi64)z - (vi64)shift);
}
//@ expm1_f64: pairs_f64 poly_exp_f64
/* (1 - 2^-n + e^r - 1) * 2^n, the sum kept in two parts. */
TN_CALL vf64 tn_expm1_f64(vf64 x) {
    const vf64 shift = tn_lit_f64(0x1.8p52), most = tn_lit_f64(711), least = tn_lit_f64(-40);
    vf64 y = tn_sel_f64(tn_gt_f64(x, most), most, tn_sel_f64(tn_lt_f64(x, least), least, x));
    vf64 z = y * 0x1.71547652b82fep+0 + shift, n = z - shift;
    vf64 hi = y - n * 0x1.62e42feep-1, lo = n * 0x1.a39ef35793c76p-33;
    vf64 r = hi - lo, tail = (hi - r) - lo;
    vi64 k = (vi64)z - (vi64)shift;
    vmask large = tn_gt_f64(n, tn_lit_f64(60));
    vi64 down = (vi64)tn_sel_f64(large, tn_lit_f64(0), (vf64)-k);
    vf64 u = tn_keep_f64(tn_mnot(large), tn_power_of_two_f64(down)), t = 1 - u;
    vf64 e, s = tn_two_sum_f64(t, r, &e);
    e += (1 - t) - u;
    vf64 p = s + (tn_ma_f64(r * r, tn_poly_exp_f64(r), tail) + e);
    return tn_copysign_f64(tn_scale_f64(p, k), x);
}
//@ logcore_f64: pairs_f64 poly_log_f64
/* x = 2^k * (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1), for positive finite x. */
TN_INLINE vf64 tn_split_f64(vf64 x, vf64 *k) {
    vmask small = tn_lt_f64(x, tn_lit_f64(0x1p-1022));
    x = x * tn_sel_f64(small, tn_lit_f64(0x1p54), tn_lit_f64(1));
    const tn_i64 root_half = 0x3fe6a09e667f3bcdll;
    vu64 e = ((vu64)((vi64)x - root_half) + (1ull << 62)) >> 52;
    const vf64 shift = tn_lit_f64(0x1.8p52);
    *k = ((vf64)((vi64)shift + (vi64)e) - shift) - tn_sel_f64(small, tn_lit_f64(1024 + 54), tn_lit_f64(1024));
    return (vf64)((vi64)x - (((vi64)e - 1024) << 52)) - 1;
}
/* log(1 + f) is f - h + s * (h + r), where s = f / (2 + f), h = f^2 / 2. */
TN_INLINE vf64 tn_log_terms_f64(vf64 f, vf64 *h) {
    vf64 s = f / (f + 2), z = s * s;
    *h = 0.5 * f * f;
    return s * (*h + z * tn_poly_log_f64(z));
}
/* log(x) + c, for a small c. */
TN_INLINE vf64 tn_log_plus_f64(vf64 x, vf64 c) {
    vf64 k, h, f = tn_split_f64(x, &k), t = tn_log_terms_f64(f, &h);
    return k * 0x1.62e42feep-1 - ((h - (t + (k * 0x1.a39ef35793c76p-33 + c))) - f);
}
/* What every logarithm is outside the positive finite numbers. */
TN_INLINE vf64 tn_log_ends_f64(vf64 x, vf64 r) {
    const vf64 inf = tn_lit_f64(__builtin_inf()), zero = tn_lit_f64(0);
    r = tn_sel_f64(tn_eq_f64(x, inf), x, r);
    r = tn_sel_f64(tn_eq_f64(x, zero), -inf, r);
    return tn_sel_f64(tn_ge_f64(x, zero), r, tn_lit_f64(__builtin_nan("")));
}
//@ log_f64: logcore_f64
TN_CALL vf64 tn_log_f64(vf64 x) {
    return tn_log_ends_f64(x, tn_log_plus_f64(x, tn_lit_f64(0)));
}
//@ log2_f64: logcore_f64
/* The part of log(1 + f) that matters, times a constant of few bits, is exact. */
TN_CALL vf64 tn_log2_f64(vf64 x) {
    vf64 k, h, f = tn_split_f64(x, &k), t = tn_log_terms_f64(f, &h);
    vf64 hi = tn_clear_low_f64(f - h), lo = ((f - hi) - h) + t;
    vf64 a = hi * 0x1.71547652p+0, b = (lo + hi) * 0x1.705fc2eefa2p-33 + lo * 0x1.71547652p+0;
    vf64 w = k + a;
    return tn_log_ends_f64(x, (((k - w) + a) + b) + w);
}
//@ log10_f64: logcore_f64
TN_CALL vf64 tn_log10_f64(vf64 x) {
    vf64 k, h, f = tn_split_f64(x, &k), t = tn_log_terms_f64(f, &h);
    vf64 hi = tn_clear_low_f64(f - h), lo = ((f - hi) - h) + t;
    vf64 a = hi * 0x1.bcb7b152p-2, b = (lo + hi) * 0x1.b9438ca9aadd5p-36 + lo * 0x1.bcb7b152p-2;
    vf64 y = k * 0x1.34413509f6p-2, w = y + a;
    return tn_log_ends_f64(x, ((((y - w) + a) + b) + k * 0x1.9fef311f12b36p-42) + w);
}
//@ log1p_f64: logcore_f64
/* log(u) for the rounded u = 1 + x, and what the rounding lost. */
TN_CALL vf64 tn_log1p_f64(vf64 x) {
    const vf64 one = tn_lit_f64(1);
    vf64 u = one + x;
    vf64 c = tn_sel_f64(tn_gt_f64(x, one), one - (u - x), x - (u - one));
    c = tn_keep_f64(tn_lt_f64(x, tn_lit_f64(0x1p60)), c / u);
    vf64 r = tn_log_ends_f64(u, tn_log_plus_f64(u, c));
    return tn_sel_f64(tn_eq_f64(x, tn_lit_f64(0)), x, r);
}
//@ pow_f64: expcore_f64 logcore_f64 poly_logdd_f64
/* log|x| in two parts, good to about 2^-65 of it. */
TN_INLINE vf64 tn_log_pair_f64(vf64 x, vf64 *tail) {
    vf64 k, f = tn_split_f64(x, &k);
    vf64 d = f + 2, dl = f - (d - 2), e;
    vf64 s = f / d, p = tn_two_product_f64(s, d, &e);
    vf64 sl = (((f - p) - e) - s * dl) / d;
    vf64 zl, z = tn_two_product_f64(s, s, &zl);
    zl += 2 * s * sl;
    vf64 tl, t = tn_two_sum_f64(tn_lit_f64(0x1.5555555555555p-1), z * tn_poly_logdd_f64(z), &tl);
    tl += 0x1.5555555555555p-55;
    vf64 ul, u = tn_two_product_f64(z, t, &ul);
    ul += z * tl + zl * t;
    vf64 vl, v = tn_two_product_f64(s, u, &vl);
    vl += s * ul + sl * u;
    vf64 ml, m = tn_two_sum_f64(2 * s, v, &ml);
    ml += 2 * sl + vl;
    vf64 rl, r = tn_two_sum_f64(k * 0x1.62e42feep-1, m, &rl);
    rl += ml + k * 0x1.a39ef35793c76p-33;
    vf64 sum = r + rl;
    *tail = (r - sum) + rl;
    return sum;
}
TN_CALL vf64 tn_pow_f64(vf64 x, vf64 y) {
    const vf64 zero = tn_lit_f64(0), one = tn_lit_f64(1), inf = tn_lit_f64(__builtin_inf());
    vf64 ax = tn_fabs_f64(x), ay = tn_fabs_f64(y), tail, e;
    /* From 2^70 on every base but 1 overflows or underflows, and the product has room. */
    const vf64 most = tn_lit_f64(0x1p70);
    vf64 power = tn_copysign_f64(tn_sel_f64(tn_gt_f64(ay, most), most, ay), y);
    vf64 log = tn_log_pair_f64(ax, &tail), p = tn_two_product_f64(power, log, &e);
    e = tn_keep_f64(tn_lt_f64(tn_fabs_f64(p), tn_lit_f64(1000)), e + power * tail);
    vf64 r = tn_exp_scaled_f64(p, e, 0);
    vmask up = tn_gt_f64(y, zero);
    r = tn_sel_f64(tn_eq_f64(ax, zero), tn_sel_f64(up, zero, inf), r);
    r = tn_sel_f64(tn_eq_f64(ax, inf), tn_sel_f64(up, inf, zero), r);
    vmask grows = tn_mnot(tn_mxor(tn_gt_f64(ax, one), up));
    vf64 end = tn_sel_f64(tn_eq_f64(ax, one), one, tn_keep_f64(grows, inf));
    r = tn_sel_f64(tn_eq_f64(ay, inf), end, r);
    /* A negative base: odd powers keep its sign, powers that are no integers are NaN. */
    vf64 half = y * 0.5;
    vmask whole = tn_eq_f64(tn_trunc_f64(y), y);
    vmask odd = tn_mand(whole, tn_ne_f64(tn_trunc_f64(half), half));
    r = tn_sel_f64(odd, tn_copysign_f64(r, x), r);
    vmask bad = tn_mand(tn_mand(tn_lt_f64(x, zero), tn_lt_f64(ax, inf)), tn_mnot(whole));
    r = tn_sel_f64(bad, tn_lit_f64(__builtin_nan("")), r);
    r = tn_sel_f64(tn_mor(tn_isnan_f64(x), tn_isnan_f64(y)), x + y, r);
    return tn_sel_f64(tn_mor(tn_eq_f64(x, one), tn_eq_f64(y, zero)), one, r);
}
//@ turns_f64: pairs_f64 convert64 two_over_pi
/* x less the nearest multiple q of pi/2, as *hi + *lo, for |x| from 2^20 on: the
 * bits of 2/pi that matter to it, times its 53 bits, as integers. */
static __attribute__((noinline, unused)) int tn_turns_large(double x, double *hi, double *lo) {
    union {
        double f;
        tn_u64 u;
    } bits = {x};
    tn_u64 m = (bits.u & 0xfffffffffffffull) | (1ull << 52);
    int e = (int)(bits.u >> 52 & 2047) - 1075; /* |x| = m * 2^e */
    /* Bits of 2/pi before this one give multiples of 4 quarter turns. */
    int start = e > 2 ? e - 2 : 0, word = start / 64, shift = start % 64;
    tn_u64 w[3];
    for (int i = 0; i < 3; i++) {
        w[i] = tn_two_over_pi[word + i] << shift;
        if (shift) w[i] |= tn_two_over_pi[word + i + 1] >> (64 - shift);
    }
    unsigned __int128 p0 = (unsigned __int128)m * w[2];
    unsigned __int128 p1 = (unsigned __int128)m * w[1] + (tn_u64)(p0 >> 64);
    unsigned __int128 p2 = (unsigned __int128)m * w[0] + (tn_u64)(p1 >> 64);
    /* Moved so that the top two bits are the quarters: what is above them is whole turns. */
    int up = 62 + e - start;
    unsigned __int128 fixed = p2 << up | (up < 64 ? (tn_u64)p1 >> (64 - up) : (tn_u64)p1);
    int quarter = (int)(fixed >> 126);
    fixed <<= 2;
    int negative = (int)(fixed >> 127); /* nearer to the next quarter */
    if (negative) {
        fixed = -fixed;
        quarter++;
    }
    tn_u64 top = (tn_u64)(fixed >> 64), rest = (tn_u64)fixed;
    int zeros = top ? __builtin_clzll(top) : 64 + (rest ? __builtin_clzll(rest) : 63);
    fixed <<= zeros;
    double a = (double)(tn_i64)(fixed >> 75), b = (double)(tn_i64)((fixed >> 22) & 0x1fffffffffffffull);
    union {
        tn_u64 u;
        double f;
    } unit = {(tn_u64)(1023 - 53 - zeros) << 52};
    a *= unit.f;
    b *= unit.f * 0x1p-53;
    /* (a + b) * pi/2 */
    const double c = 0x1.921fb54442d18p+0, cl = 0x1.1a62633145c07p-54;
    double ah = (double)(float)a, al = a - ah, ch = 0x1.921fb4p+0, ct = c - ch;
    double p = a * c, err = ((ah * ch - p) + ah * ct + al * ch) + al * ct;
    err += a * cl + b * c;
    double sum = p + err, tail = (p - sum) + err;
    int flip = negative != (int)(bits.u >> 63);
    *hi = flip ? -sum : sum;
    *lo = flip ? -tail : tail;
    return (bits.u >> 63 ? -quarter : quarter) & 3;
}
TN_INLINE vf64 tn_turns_f64(vf64 x, vf64 *tail, vi64 *quarter) {
    const vf64 shift = tn_lit_f64(0x1.8p52);
    vf64 a = tn_fabs_f64(x);
    vmask large = tn_mand(tn_ge_f64(a, tn_lit_f64(0x1p20)), tn_lt_f64(a, tn_lit_f64(__builtin_inf())));
    vf64 y = tn_keep_f64(tn_mnot(large), x);
    vf64 z = y * 0x1.45f306dc9c883p-1 + shift, n = z - shift;
    *quarter = (vi64)z;
    vf64 e, g, r = tn_two_sum_f64(y - n * 0x1.921fb544p+0, n * -0x1.0b4611a6p-34, &e);
    r = tn_two_sum_f64(r, n * -0x1.3198a2ep-69, &g);
    e += g - n * 0x1.b839a252049c1p-104;
    vf64 sum = r + e;
    *tail = (r - sum) + e;
    r = sum;
    if (__builtin_expect(tn_mask_any(large), 0)) {
        for (int j = 0; j < TN_W; j++) {
            if (!large[j]) continue;
            double hi, lo;
            (*quarter)[j] = tn_turns_large(x[j], &hi, &lo);
            r[j] = hi;
            (*tail)[j] = lo;
        }
    }
    return r;
}
//@ sincos_f64: turns_f64 poly_sin_f64 poly_cos_f64
/* Of r + tail, |r| up to pi/4. */
TN_INLINE vf64 tn_sin_near_f64(vf64 r, vf64 tail) {
    vf64 z = r * r, v = r * z;
    return r + (v * tn_poly_sin_f64(z) + (tail - 0.5 * z * tail));
}
TN_INLINE vf64 tn_cos_near_f64(vf64 r, vf64 tail) {
    vf64 z = r * r, h = 0.5 * z, w = 1 - h;
    return w + (((1 - w) - h) + (z * z * tn_poly_cos_f64(z) - r * tail));
}
TN_INLINE vmask tn_odd_quarter(vi64 quarter) {
    return TN_NARROW(-(quarter & 1), hi32, vi32);
}
//@ sin_f64: sincos_f64
TN_CALL vf64 tn_sin_f64(vf64 x) {
    vi64 q;
    vf64 tail, r = tn_turns_f64(x, &tail, &q);
    vf64 y = tn_sel_f64(tn_odd_quarter(q), tn_cos_near_f64(r, tail), tn_sin_near_f64(r, tail));
    y = (vf64)((vi64)y ^ ((q & 2) << 62));
    return tn_sel_f64(tn_eq_f64(x, tn_lit_f64(0)), x, y);
}
//@ cos_f64: sincos_f64
TN_CALL vf64 tn_cos_f64(vf64 x) {
    vi64 q;
    vf64 tail, r = tn_turns_f64(x, &tail, &q);
    vf64 y = tn_sel_f64(tn_odd_quarter(q), tn_sin_near_f64(r, tail), tn_cos_near_f64(r, tail));
    return (vf64)((vi64)y ^ (((q + 1) & 2) << 62));
}
//@ tan_f64: sincos_f64
TN_CALL vf64 tn_tan_f64(vf64 x) {
    vi64 q;
    vf64 tail, r = tn_turns_f64(x, &tail, &q);
    vf64 s = tn_sin_near_f64(r, tail), c = tn_cos_near_f64(r, tail);
    vmask odd = tn_odd_quarter(q);
    vf64 y = tn_sel_f64(odd, -c, s) / tn_sel_f64(odd, s, c);
    return tn_sel_f64(tn_eq_f64(x, tn_lit_f64(0)), x, y);
}
//@ arc_f64: pairs_f64 poly_asin_f64
/* For |x| above 1/2: asin(x) is pi/2 - 2 asin(s), s = sqrt((1 - x) / 2), here as
 * s + *tail with few bits in the first part; the value is asin(s) - s. */
TN_INLINE vf64 tn_arc_root_f64(vf64 ax, vf64 *root, vf64 *tail) {
    vf64 z = (1 - ax) * 0.5, s = tn_sqrt_f64(z), h = tn_clear_low_f64(s);
    *tail = tn_keep_f64(tn_ne_f64(z, tn_lit_f64(0)), (z - h * h) / (s + h));
    *root = h;
    return s * z * tn_poly_asin_f64(z);
}
//@ asin_f64: arc_f64
TN_CALL vf64 tn_asin_f64(vf64 x) {
    vf64 ax = tn_fabs_f64(x), z = ax * ax, s, c;
    vf64 small = ax + ax * z * tn_poly_asin_f64(z);
    vf64 r = tn_arc_root_f64(ax, &s, &c);
    vf64 p = 2 * r - (0x1.1a62633145c07p-54 - 2 * c), q = 0x1.921fb54442d18p-1 - 2 * s;
    vf64 large = 0x1.921fb54442d18p-1 - (p - q);
    return tn_copysign_f64(tn_sel_f64(tn_le_f64(ax, tn_lit_f64(0.5)), small, large), x);
}
//@ acos_f64: arc_f64
TN_CALL vf64 tn_acos_f64(vf64 x) {
    const vf64 zero = tn_lit_f64(0);
    vf64 ax = tn_fabs_f64(x), z = x * x, s, c;
    vf64 small = 0x1.921fb54442d18p+0 - (x - (0x1.1a62633145c07p-54 - x * z * tn_poly_asin_f64(z)));
    vf64 r = tn_arc_root_f64(ax, &s, &c);
    vf64 right = 2 * (s + (r + c));
    vf64 left = 0x1.921fb54442d18p+1 - 2 * (s + (r + c - 0x1.1a62633145c07p-54));
    vf64 large = tn_sel_f64(tn_lt_f64(x, zero), left, right);
    return tn_sel_f64(tn_le_f64(ax, tn_lit_f64(0.5)), small, large);
}
//@ atancore_f64: ops_f64 poly_atan_f64
/* Of a magnitude: pi/4 or pi/2 plus the arc tangent of what is below 0.4143. */
TN_INLINE vf64 tn_atan_of_f64(vf64 t) {
    const vf64 zero = tn_lit_f64(0), one = tn_lit_f64(1);
    vmask mid = tn_gt_f64(t, tn_lit_f64(0x1.a827999fcef32p-2));
    vmask high = tn_gt_f64(t, tn_lit_f64(0x1.3504f333f9de6p+1));
    vf64 top = tn_sel_f64(high, -one, tn_sel_f64(mid, t - one, t));
    vf64 bottom = tn_sel_f64(high, t, tn_sel_f64(mid, t + one, one));
    vf64 base = tn_sel_f64(high, tn_lit_f64(0x1.921fb54442d18p+0), tn_keep_f64(mid, tn_lit_f64(0x1.921fb54442d18p-1)));
    vf64 tail = tn_sel_f64(high, tn_lit_f64(0x1.1a62633145c07p-54), tn_sel_f64(mid, tn_lit_f64(0x1.1a62633145c07p-55), zero));
    vf64 a = top / bottom, z = a * a;
    return base + (a + (a * z * tn_poly_atan_f64(z) + tail));
}
//@ atan_f64: atancore_f64
TN_CALL vf64 tn_atan_f64(vf64 x) {
    return tn_copysign_f64(tn_atan_of_f64(tn_fabs_f64(x)), x);
}
//@ atan2_f64: atancore_f64
TN_CALL vf64 tn_atan2_f64(vf64 y, vf64 x) {
    const vf64 zero = tn_lit_f64(0), inf = tn_lit_f64(__builtin_inf());
    vf64 ax = tn_fabs_f64(x), ay = tn_fabs_f64(y), q = ay / ax;
    q = tn_keep_f64(tn_ne_f64(ay, zero), q);
    q = tn_sel_f64(tn_mand(tn_eq_f64(ax, inf), tn_eq_f64(ay, inf)), tn_lit_f64(1), q);
    vf64 r = tn_atan_of_f64(q);
    vmask left = tn_lt_f64(tn_copysign_f64(tn_lit_f64(1), x), zero);
    r = tn_sel_f64(left, 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53), r);
    r = tn_copysign_f64(r, y);
    return tn_sel_f64(tn_mor(tn_isnan_f64(x), tn_isnan_f64(y)), x + y, r);
}
//@ sinh_f64: expm1_f64 expcore_f64
TN_CALL vf64 tn_sinh_f64(vf64 x) {
    vf64 ax = tn_fabs_f64(x), t = tn_expm1_f64(ax);
    vf64 small = 0.5 * (t + t / (t + 1)), large = tn_exp_scaled_f64(ax, tn_lit_f64(0), -1);
    return tn_copysign_f64(tn_sel_f64(tn_gt_f64(ax, tn_lit_f64(22)), large, small), x);
}
//@ cosh_f64: expcore_f64
TN_CALL vf64 tn_cosh_f64(vf64 x) {
    vf64 half = tn_exp_scaled_f64(tn_fabs_f64(x), tn_lit_f64(0), -1);
    return half + 0.25 / half;
}
//@ tanh_f64: expm1_f64
TN_CALL vf64 tn_tanh_f64(vf64 x) {
    const vf64 most = tn_lit_f64(22);
    vf64 ax = tn_fabs_f64(x);
    ax = tn_sel_f64(tn_gt_f64(ax, most), most, ax);
    vf64 t = tn_expm1_f64(2 * ax), d = t + 2, lost = t - (d - 2);
    vf64 q = t / d, large = 1 - 2 / d;
    vf64 small = q - q * lost * (0.5 - 0.1875 * t); /* about q * lost / d, for t below e - 1 */
    return tn_copysign_f64(tn_sel_f64(tn_lt_f64(ax, tn_lit_f64(0.5)), small, large), x);
}
//@ asinh_f64: log1p_f64
TN_CALL vf64 tn_asinh_f64(vf64 x) {
    vf64 ax = tn_fabs_f64(x), square = ax * ax;
    vmask large = tn_gt_f64(ax, tn_lit_f64(0x1p60));
    vf64 arg = tn_sel_f64(large, ax, ax + square / (1 + tn_sqrt_f64(square + 1)));
    vf64 r = tn_log1p_f64(arg) + tn_keep_f64(large, tn_lit_f64(0x1.62e42fefa39efp-1));
    return tn_copysign_f64(r, x);
}
//@ acosh_f64: log1p_f64
TN_CALL vf64 tn_acosh_f64(vf64 x) {
    vf64 t = x - 1;
    vmask large = tn_gt_f64(x, tn_lit_f64(0x1p60));
    vf64 arg = tn_sel_f64(large, x, t + tn_sqrt_f64(2 * t + t * t));
    vf64 r = tn_log1p_f64(arg) + tn_keep_f64(large, tn_lit_f64(0x1.62e42fefa39efp-1));
    return tn_sel_f64(tn_ge_f64(x, tn_lit_f64(1)), r, tn_lit_f64(__builtin_nan("")));
}
//@ atanh_f64: log1p_f64
TN_CALL vf64 tn_atanh_f64(vf64 x) {
    vf64 ax = tn_fabs_f64(x), twice = ax + ax;
    vf64 r = 0.5 * tn_log1p_f64(twice + twice * ax / (1 - ax));
    r = tn_sel_f64(tn_gt_f64(ax, tn_lit_f64(1)), tn_lit_f64(__builtin_nan("")), r);
    return tn_copysign_f64(r, x);
}
//@ erfcore_f64: expcore_f64 poly_erf_f64 poly_erfcx_f64
/* For |x| below 1. */
TN_INLINE vf64 tn_erf_near_f64(vf64 x) {
    return x + x * tn_poly_erf_f64(x * x);
}
/* erfc(a) for a from 1/2 on, through erfc(a) * e^(a^2). */
TN_INLINE vf64 tn_erfc_far_f64(vf64 a) {
    const vf64 most = tn_lit_f64(28);
    a = tn_sel_f64(tn_gt_f64(a, most), most, a);
    vf64 tail, square = tn_two_product_f64(a, a, &tail);
    vf64 e = tn_exp_scaled_f64(-square, -tail, 0);
    return e * (tn_poly_erfcx_f64((a - 2) / (a + 2)) / (2 * a + 1));
}
//@ erf_f64: erfcore_f64
TN_CALL vf64 tn_erf_f64(vf64 x) {
    vf64 ax = tn_fabs_f64(x);
    vf64 r = tn_sel_f64(tn_lt_f64(ax, tn_lit_f64(1)), tn_erf_near_f64(ax), 1 - tn_erfc_far_f64(ax));
    return tn_copysign_f64(r, x);
}
//@ erfc_f64: erfcore_f64
TN_CALL vf64 tn_erfc_f64(vf64 x) {
    vf64 ax = tn_fabs_f64(x), far = tn_erfc_far_f64(ax);
    far = tn_sel_f64(tn_lt_f64(x, tn_lit_f64(0)), 2 - far, far);
    return tn_sel_f64(tn_lt_f64(ax, tn_lit_f64(0.5)), 1 - tn_erf_near_f64(x), far);
}
//@ fmod_f64: ops_f64
/* Exact, in integers: the dividend's bits, eleven at a time, modulo the divisor's. */
static __attribute__((noinline, const, unused)) double tn_fmod_one(double x, double y) {
    union {
        double f;
        tn_u64 u;
    } a = {x}, b = {y}, r;
    const tn_u64 sign = a.u & (1ull << 63), inf = 0x7ffull << 52, fraction = (1ull << 52) - 1;
    a.u &= ~(1ull << 63);
    b.u &= ~(1ull << 63);
    if (a.u >= inf || b.u > inf || b.u == 0) return (x * y) / (x * y);
    if (a.u < b.u) return x;
    int ea = (int)(a.u >> 52), eb = (int)(b.u >> 52);
    tn_u64 ma = (a.u & fraction) | (ea ? 1ull << 52 : 0), mb = (b.u & fraction) | (eb ? 1ull << 52 : 0);
    ea += !ea;
    eb += !eb;
    int left = ea - eb;
    ma %= mb;
    while (left > 0 && ma) {
        int step = left < 11 ? left : 11;
        ma = (ma << step) % mb;
        left -= step;
    }
    if (!ma) {
        r.u = sign;
        return r.f;
    }
    int up = __builtin_clzll(ma) - 11; /* to bit 52, as far as the exponent allows */
    if (up > eb - 1) up = eb - 1;
    ma <<= up;
    r.u = sign | (ma >> 52 ? (ma & fraction) | (tn_u64)(eb - up) << 52 : ma);
    return r.f;
}
TN_CALL vf64 tn_fmod_f64(vf64 x, vf64 y) {
    for (int j = 0; j < TN_W; j++) x[j] = tn_fmod_one(x[j], y[j]);
    return x;
}
//@ fma_f64: ops_f64
#if TN_HAS_FMA
TN_INLINE vf64 tn_fma_f64(vf64 x, vf64 y, vf64 z) {
    return tn_ma_f64(x, y, z);
}
#else
/* x * y + z of one lane, rounded once, where there is no instruction for it. Both
 * terms as integers on one scale: the product's 106 bits at most, and what lies
 * below the window as a sticky bit. */
static __attribute__((noinline, const, unused)) double tn_fma_one(double x, double y, double z) {
    union {
        double f;
        tn_u64 u;
    } a = {x}, b = {y}, c = {z}, r;
    const tn_u64 fraction = (1ull << 52) - 1;
    int ea = (int)(a.u >> 52 & 2047), eb = (int)(b.u >> 52 & 2047), ec = (int)(c.u >> 52 & 2047);
    if (ea == 2047 || eb == 2047) return x * y + z;
    if (ec == 2047) return z + z; /* the product is finite, whatever it rounds to */
    if (x == 0 || y == 0) return x * y + z;
    tn_u64 ma = (a.u & fraction) | (ea ? 1ull << 52 : 0), mb = (b.u & fraction) | (eb ? 1ull << 52 : 0);
    tn_u64 mc = (c.u & fraction) | (ec ? 1ull << 52 : 0);
    int e = ea + !ea + eb + !eb - 2150; /* of the product's last bit */
    int f = ec + !ec - 1075;
    unsigned __int128 p = (unsigned __int128)ma * mb, q = mc;
    int ps = (int)((a.u ^ b.u) >> 63), qs = (int)(c.u >> 63);
    if (!mc) {
        q = 0;
        f = e;
    }
    /* Both to the top of 126 bits, then the smaller one down. */
    int up = 0;
    while (!(p >> 125)) p <<= 1, up++;
    e -= up;
    if (q) {
        up = 0;
        while (!(q >> 125)) q <<= 1, up++;
        f -= up;
    } else {
        f = e;
    }
    int apart = e - f;
    unsigned __int128 *small = apart >= 0 ? &q : &p;
    int shift = apart >= 0 ? apart : -apart;
    if (shift > 126)
        *small = *small != 0;
    else if (shift)
        *small = *small >> shift | ((*small << (128 - shift)) != 0);
    if (apart < 0) e = f;
    unsigned __int128 sum;
    int s = ps;
    if (ps == qs) {
        sum = p + q;
    } else if (p >= q) {
        sum = p - q;
    } else {
        sum = q - p;
        s = qs;
    }
    if (!sum) return 0.0;
    /* To 53 bits, or fewer where the result is subnormal. */
    int top = 127;
    while (!(sum >> top)) top--;
    int drop = top - 52;
    if (e + drop < -1074) drop = -1074 - e;
    if (drop > 0) {
        if (drop > 127) return s ? -0.0 : 0.0;
        unsigned __int128 lost = sum & ((((unsigned __int128)1) << drop) - 1), half = ((unsigned __int128)1) << (drop - 1);
        sum >>= drop;
        if (lost > half || (lost == half && (sum & 1))) sum++;
        e += drop;
    } else {
        sum <<= -drop;
        e += drop;
    }
    if (sum >> 53) sum >>= 1, e++;
    if (e > 971) return s ? -__builtin_inf() : __builtin_inf();
    r.u = (tn_u64)s << 63 | (sum >> 52 ? ((tn_u64)sum & fraction) | (tn_u64)(e + 1075) << 52 : (tn_u64)sum);
    return r.f;
}
TN_CALL vf64 tn_fma_f64(vf64 x, vf64 y, vf64 z) {
    for (int j = 0; j < TN_W; j++) x[j] = tn_fma_one(x[j], y[j], z[j]);
    return x;
}
#endif
