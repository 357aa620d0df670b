/* The functions of the prelude against libm in a wider type: the largest error
 * over many samples stays within the stated bound, and the edges are right. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpu_math_kernels.h"

enum { BLOCK = 4096 };

typedef struct target {
    const char *name;
    const tn_math_kernel *(*list)(int *count, int *lanes);
    int supported;
} target;

static int targets(target out[4]) {
    __builtin_cpu_init();
    out[0] = (target){"native", tn_math_kernels_native, 1};
#if defined(__x86_64__)
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
    out[1] = (target){"x86-64-v3", tn_math_kernels_v3, v3};
    out[2] = (target){"x86-64-v2", tn_math_kernels_v2, __builtin_cpu_supports("sse4.2")};
    out[3] = (target){"x86-64", tn_math_kernels_base, 1};
    return 4;
#else
    return 1;
#endif
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
    int count, lanes;
    const tn_math_kernel *list = t->list(&count, &lanes);
    int bad = 0;
    for (int i = 0; i < count; i++) {
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

Test(cpu_math, within_bounds_on_this_machine) {
    target t[4];
    targets(t);
    check_target(&t[0]);
}
#if defined(__x86_64__)
Test(cpu_math, within_bounds_on_avx2) {
    target t[4];
    targets(t);
    if (!t[1].supported) cr_skip_test("no AVX2 here");
    check_target(&t[1]);
}
Test(cpu_math, within_bounds_without_fma) {
    target t[4];
    targets(t);
    if (!t[2].supported) cr_skip_test("no SSE4.2 here");
    check_target(&t[2]);
}
Test(cpu_math, within_bounds_on_sse2) {
    target t[4];
    targets(t);
    check_target(&t[3]);
}
#endif
