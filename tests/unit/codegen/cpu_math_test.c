/* The functions of the prelude against libm in a wider type: the largest error
 * over many samples stays within the stated bound, and the edges are right. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_math_kernels.h"

enum { BLOCK = 4096 };

typedef struct target {
    const char *name;
    const tn_math_set *set;
    int supported;
} target;

enum { NATIVE, V3, V2, BASE };

static target target_of(int level) {
    __builtin_cpu_init();
    switch (level) {
#if defined(__x86_64__)
    case V3:
        return (target){"x86-64-v3", &tn_math_v3,
                        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                            __builtin_cpu_supports("bmi2")};
    case V2: return (target){"x86-64-v2", &tn_math_v2, __builtin_cpu_supports("sse4.2") != 0};
    case BASE: return (target){"x86-64", &tn_math_base, 1};
#endif
    default: return (target){"native", &tn_math_native, 1};
    }
}

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* ---------------------------------------------------------------- oracles */

typedef long double wide;
#define WIDE_1(name)                                                                               \
    static wide wide_##name(wide x, wide y) {                                                      \
        (void)y;                                                                                   \
        return name##l(x);                                                                         \
    }                                                                                              \
    static double twice_##name(double x, double y) {                                               \
        (void)y;                                                                                   \
        return name(x);                                                                            \
    }
#define WIDE_2(name)                                                                               \
    static wide wide_##name(wide x, wide y) {                                                      \
        return name##l(x, y);                                                                      \
    }                                                                                              \
    static double twice_##name(double x, double y) {                                               \
        return name(x, y);                                                                         \
    }
#define ORACLE(ID, name, arity, f32_bound, f64_bound) WIDE_##arity(name)
TN_MATH_FUNCTIONS(ORACLE)
static wide (*const wides[])(wide, wide) = {
#define ORACLE_ENTRY(ID, name, arity, f32_bound, f64_bound) wide_##name,
    TN_MATH_FUNCTIONS(ORACLE_ENTRY)};
static double (*const twices[])(double, double) = {
#define TWICE_ENTRY(ID, name, arity, f32_bound, f64_bound) twice_##name,
    TN_MATH_FUNCTIONS(TWICE_ENTRY)};

/* In last places of want: of a type with `bits` of fraction and least exponent. */
static double ulps(wide got, wide want, int bits, int least, wide most) {
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isnan(got)) return INFINITY;
    if (want == 0 || got == 0) {
        if (signbit(want) != signbit(got)) return INFINITY;
    }
    if (isinf(got) || fabsl(want) > most) {
        /* Both beyond the last finite number, or within its rounding. */
        if (isinf(got) && fabsl(want) > most && signbit(got) == signbit(want)) return 0;
        wide clamped = fabsl(want) > most ? copysignl(most, want) : want;
        wide finite = isinf(got) ? copysignl(ldexpl(1, ilogbl(most) + 1), got) : got;
        if (isinf(want)) return isinf(got) ? 0 : INFINITY;
        return (double)(fabsl(finite - clamped) / ldexpl(1, ilogbl(most) - bits));
    }
    int e = want == 0 ? least : ilogbl(want);
    if (e < least) e = least;
    return (double)(fabsl(got - want) / ldexpl(1, e - bits));
}

/* --------------------------------------------------------------- accuracy */

typedef struct worst {
    double error, x, y, got, want;
} worst;

static void note(worst *w, double error, double x, double y, double got, double want) {
    if (error > w->error) *w = (worst){error, x, y, got, want};
}

/* Every kind of operand: all bit patterns, and where functions are busy. */
static double sample(uint64_t *state, int kind, int f32) {
    uint64_t r = next(state);
    double unit = (double)(r >> 11) * 0x1p-53;
    switch (kind) {
    case 0: {
        if (f32) {
            uint32_t bits = (uint32_t)r;
            float f;
            memcpy(&f, &bits, sizeof f);
            return f;
        }
        double d;
        memcpy(&d, &r, sizeof d);
        return d;
    }
    case 1: return (unit - 0.5) * 4;
    case 2: return (unit - 0.5) * 40;
    case 3: return (unit - 0.5) * (f32 ? 220 : 1600);
    case 4: return 1 + (unit - 0.5) * ldexp(1, -(int)(r & 31));
    case 5: return ldexp(unit - 0.5, (int)(r & 63) - 20);
    default: return (unit - 0.5) * 4e6;
    }
}

static void measure_f32(const tn_math_kernel *k, int index, long n, worst *w) {
    static float x[BLOCK], y[BLOCK], out[BLOCK];
    uint64_t state = 42;
    for (long done = 0; done < n; done += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            x[i] = (float)sample(&state, (int)(next(&state) % 7), 1);
            y[i] = k->arity == 2 ? (float)sample(&state, (int)(next(&state) % 7), 1) : 0;
        }
        k->f32(x, y, out, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            double want = twices[index](x[i], y[i]);
            note(w, ulps(out[i], want, 23, -126, 0x1.fffffep127), x[i], y[i], out[i], want);
        }
    }
}

static void measure_f64(const tn_math_kernel *k, int index, long n, worst *w) {
    static double x[BLOCK], y[BLOCK], out[BLOCK];
    uint64_t state = 43;
    for (long done = 0; done < n; done += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            x[i] = sample(&state, (int)(next(&state) % 7), 0);
            y[i] = k->arity == 2 ? sample(&state, (int)(next(&state) % 7), 0) : 0;
        }
        k->f64(x, y, out, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            wide want = wides[index](x[i], y[i]);
            note(w, ulps(out[i], want, 52, -1022, 0x1.fffffffffffffp1023L), x[i], y[i], out[i],
                 (double)want);
        }
    }
}

/* TN_MATH_SAMPLES sets how many; the default takes a few seconds. */
static long samples(long usual) {
    const char *text = getenv("TN_MATH_SAMPLES");
    return text ? strtol(text, NULL, 10) : usual;
}

static void check_target(const target *t) {
    const tn_math_kernel *list = t->set->list;
    int bad = 0;
    for (int i = 0; i < t->set->count; i++) {
        worst f32 = {.error = -1}, f64 = {.error = -1};
        measure_f32(&list[i], i, samples(1 << 18), &f32);
        measure_f64(&list[i], i, samples(1 << 16), &f64);
        int wrong = f32.error > list[i].f32_bound || f64.error > list[i].f64_bound;
        bad += wrong;
        printf("%-10s %-6s f32 %6.3f (%.2f) at %.9g, %.9g  f64 %6.3f (%.2f) at %.17g, %.17g%s\n",
               t->name, list[i].name, f32.error, list[i].f32_bound, f32.x, f32.y, f64.error,
               list[i].f64_bound, f64.x, f64.y, wrong ? "  TOO FAR" : "");
        if (f32.error > list[i].f32_bound)
            printf("    f32 got %.9g (%a) want %.17g\n", f32.got, f32.got, f32.want);
        if (f64.error > list[i].f64_bound)
            printf("    f64 got %.17g (%a) want %.17g (%a)\n", f64.got, f64.got, f64.want,
                   f64.want);
    }
    cr_assert_eq(bad, 0, "%d functions of %s are beyond their bounds", bad, t->name);
}

/* ------------------------------------------------------------------- edges */

static const double edges[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               2,
                               -2,
                               3,
                               -3,
                               0.75,
                               1.5,
                               2.5,
                               -2.5,
                               3.5,
                               10,
                               -10,
                               100,
                               -100,
                               128,
                               -126,
                               -149,
                               -150,
                               -1074,
                               -1075,
                               1023,
                               1024,
                               88.7,
                               89,
                               -87.4,
                               -103.9,
                               -104,
                               709.7,
                               709.8,
                               -708.5,
                               -745.1,
                               -745.2,
                               26.5,
                               27.3,
                               9.9,
                               22,
                               -22,
                               1e10,
                               -1e10,
                               1048576,
                               2e6,
                               268435456,
                               1e22,
                               -1e22,
                               1e30,
                               3.4e38,
                               -3.4e38,
                               1e300,
                               -1e300,
                               1.7e308,
                               1e-30,
                               1e-38,
                               -1e-40,
                               1.4e-45,
                               1e-300,
                               1e-310,
                               -5e-324,
                               0x1.fffffep-1,
                               0x1.000002p+0,
                               0x1.fffffffffffffp-1,
                               0x1.0000000000001p+0,
                               0x1.921fb6p+0,
                               0x1.921fb54442d18p+0,
                               0x1.921fb54442d18p+1,
                               -0x1.921fb54442d18p+0,
                               6381956970095103.0 * 0x1p797,
                               9007199254740992.0,
                               9007199254740993.0,
                               16777215,
                               16777217,
                               8388607.5,
                               4503599627370495.5,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               0x1p-126,
                               0x1p-1022,
                               0x1p127,
                               0x1p1023,
                               0.0078125,
                               1024.0000001};
enum { EDGES = sizeof edges / sizeof *edges };

/* All edges, or all pairs of them, in whole vectors. */
static int edge_operands(int arity, double *x, double *y) {
    int n = 0;
    for (int i = 0; i < EDGES; i++) {
        for (int j = 0; j < (arity == 2 ? EDGES : 1); j++) {
            x[n] = edges[i];
            y[n++] = edges[j];
        }
    }
    for (; n % 16; n++)
        x[n] = y[n] = 1;
    return n;
}

static void check_edges(const target *t) {
    static double x[EDGES * EDGES + 16], y[EDGES * EDGES + 16], out[EDGES * EDGES + 16];
    static float xf[EDGES * EDGES + 16], yf[EDGES * EDGES + 16], outf[EDGES * EDGES + 16];
    for (int k = 0; k < t->set->count; k++) {
        const tn_math_kernel *kernel = &t->set->list[k];
        int n = edge_operands(kernel->arity, x, y);
        for (int i = 0; i < n; i++) {
            xf[i] = (float)x[i];
            yf[i] = (float)y[i];
        }
        kernel->f64(x, y, out, n);
        kernel->f32(xf, yf, outf, n);
        for (int i = 0; i < n; i++) {
            wide want = wides[k](x[i], y[i]);
            double off = ulps(out[i], want, 52, -1022, 0x1.fffffffffffffp1023L);
            cr_assert(off <= kernel->f64_bound, "%s: %s_f64(%a, %a) is %a, want %a (%g ulp)",
                      t->name, kernel->name, x[i], y[i], out[i], (double)want, off);
            double wantf = twices[k](xf[i], yf[i]);
            off = ulps(outf[i], wantf, 23, -126, 0x1.fffffep127);
            cr_assert(off <= kernel->f32_bound, "%s: %s_f32(%a, %a) is %a, want %a (%g ulp)",
                      t->name, kernel->name, xf[i], yf[i], outf[i], wantf, off);
        }
    }
}

/* ----------------------------------------------------------- lanes, exactness */

/* A value has one result whatever stands beside it and in whichever lane. */
static void check_lanes(const target *t) {
    enum { MOST = 16 };
    static double x[BLOCK + MOST], y[BLOCK + MOST], out[BLOCK], moved[BLOCK];
    static float xf[BLOCK + MOST], yf[BLOCK + MOST], outf[BLOCK], movedf[BLOCK];
    uint64_t state = 5;
    for (int i = 0; i < BLOCK + MOST; i++) {
        x[i] = next(&state) % 3 ? sample(&state, (int)(next(&state) % 7), 0)
                                : edges[next(&state) % EDGES];
        y[i] = sample(&state, (int)(next(&state) % 7), 0);
        xf[i] = (float)x[i];
        yf[i] = (float)y[i];
    }
    for (int k = 0; k < t->set->count; k++) {
        const tn_math_kernel *kernel = &t->set->list[k];
        kernel->f64(x, y, out, BLOCK);
        kernel->f32(xf, yf, outf, BLOCK);
        for (int by = 1; by < t->set->lanes; by++) {
            kernel->f64(x + by, y + by, moved, BLOCK);
            kernel->f32(xf + by, yf + by, movedf, BLOCK);
            int same = BLOCK - by;
            cr_assert_eq(memcmp(out + by, moved, (size_t)same * sizeof *out), 0, "%s: %s_f64 by %d",
                         t->name, kernel->name, by);
            cr_assert_eq(memcmp(outf + by, movedf, (size_t)same * sizeof *outf), 0,
                         "%s: %s_f32 by %d", t->name, kernel->name, by);
        }
    }
}

static const tn_math_kernel *kernel_of(const target *t, const char *name) {
    for (int i = 0; i < t->set->count; i++)
        if (strcmp(t->set->list[i].name, name) == 0) return &t->set->list[i];
    cr_assert_fail("no kernel %s", name);
    return NULL;
}

static void check_exact_powers(const target *t) {
    const tn_math_kernel *log2_kernel = kernel_of(t, "log2"), *exp2_kernel = kernel_of(t, "exp2");
    double x[16] = {0}, out[16];
    float xf[16] = {0}, outf[16];
    for (int e = -1074; e < 1024; e++) {
        double p = ldexp(1, e);
        x[0] = p, x[1] = nextafter(p, INFINITY), x[2] = nextafter(p, 0);
        log2_kernel->f64(x, x, out, 16);
        cr_assert_eq(out[0], e, "%s: log2 of 2^%d is %a", t->name, e, out[0]);
        cr_assert(e < -1022 || (out[1] >= e && out[2] <= e), "%s: beside 2^%d", t->name, e);
        x[0] = e;
        exp2_kernel->f64(x, x, out, 16);
        cr_assert_eq(out[0], p, "%s: exp2(%d) is %a", t->name, e, out[0]);
        if (e < -149 || e > 127) continue;
        float pf = (float)p;
        xf[0] = pf, xf[1] = nextafterf(pf, INFINITY), xf[2] = nextafterf(pf, 0);
        log2_kernel->f32(xf, xf, outf, 16);
        cr_assert_eq(outf[0], e, "%s: log2 of 2^%d is %a", t->name, e, outf[0]);
        cr_assert(e < -126 || (outf[1] >= e && outf[2] <= e), "%s: beside 2^%d", t->name, e);
        xf[0] = (float)e;
        exp2_kernel->f32(xf, xf, outf, 16);
        cr_assert_eq(outf[0], pf, "%s: exp2(%d) is %a", t->name, e, outf[0]);
    }
    /* NUM-31: the next float after 8 is above 3. */
    xf[0] = 8, xf[1] = 0x1.000002p+3f;
    log2_kernel->f32(xf, xf, outf, 16);
    cr_assert(outf[0] == 3 && outf[1] > 3, "%s: %a", t->name, outf[1]);
}

static void check_fma(const target *t) {
    static double x[BLOCK], y[BLOCK], z[BLOCK], out[BLOCK];
    static float xf[BLOCK], yf[BLOCK], zf[BLOCK], outf[BLOCK];
    uint64_t state = 11;
    for (int round = 0; round < 16; round++) {
        for (int i = 0; i < BLOCK; i++) {
            x[i] = sample(&state, (int)(next(&state) % 7), 0);
            y[i] = next(&state) % 4 ? sample(&state, (int)(next(&state) % 7), 0)
                                    : edges[next(&state) % EDGES];
            /* Where the sum cancels, nearly cancels, or is far from the product. */
            double p = x[i] * y[i];
            switch (next(&state) % 4) {
            case 0: z[i] = -p; break;
            case 1: z[i] = -p * (1 + ldexp((double)(next(&state) % 64), -54)); break;
            case 2: z[i] = ldexp(p, (int)(next(&state) % 240) - 120); break;
            default: z[i] = edges[next(&state) % EDGES];
            }
            xf[i] = (float)sample(&state, (int)(next(&state) % 7), 1);
            yf[i] = (float)y[i];
            float pf = xf[i] * yf[i];
            zf[i] = next(&state) % 2 ? -pf : ldexpf(pf, (int)(next(&state) % 120) - 60);
        }
        t->set->fma_f64(x, y, z, out, BLOCK);
        t->set->fma_f32(xf, yf, zf, outf, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            double want = fma(x[i], y[i], z[i]);
            cr_assert((isnan(want) && isnan(out[i])) || memcmp(&want, &out[i], sizeof want) == 0,
                      "%s: fma(%a, %a, %a) is %a, want %a", t->name, x[i], y[i], z[i], out[i],
                      want);
            float wantf = fmaf(xf[i], yf[i], zf[i]);
            cr_assert((isnan(wantf) && isnan(outf[i])) ||
                          memcmp(&wantf, &outf[i], sizeof wantf) == 0,
                      "%s: fmaf(%a, %a, %a) is %a, want %a", t->name, xf[i], yf[i], zf[i], outf[i],
                      wantf);
        }
    }
}

/* --------------------------------------------------------------------- tests */

#define ON(LEVEL, where)                                                                           \
    Test(cpu_math, within_bounds_##where) {                                                        \
        target t = target_of(LEVEL);                                                               \
        if (!t.supported) cr_skip_test("this processor is older than %s", t.name);                 \
        check_target(&t);                                                                          \
    }                                                                                              \
    Test(cpu_math, edges_##where) {                                                                \
        target t = target_of(LEVEL);                                                               \
        if (!t.supported) cr_skip_test("this processor is older than %s", t.name);                 \
        check_edges(&t);                                                                           \
    }                                                                                              \
    Test(cpu_math, lanes_and_exact_values_##where) {                                               \
        target t = target_of(LEVEL);                                                               \
        if (!t.supported) cr_skip_test("this processor is older than %s", t.name);                 \
        check_lanes(&t);                                                                           \
        check_exact_powers(&t);                                                                    \
        check_fma(&t);                                                                             \
    }
ON(NATIVE, on_this_machine)
#if defined(__x86_64__)
ON(V3, on_avx2)
ON(V2, without_fma)
ON(BASE, on_sse2)
#endif
