/* The prelude compiled for one target (TN_TARGET names it, the build gives the
 * flags), with each function applied to arrays of a whole number of vectors. */
#include "codegen/prelude/cpu_all.inc"

#include "cpu_math_kernels.h"

#define NAME_(target) tn_math_##target
#define NAME(target) NAME_(target)

#define ONE(name, T)                                                                               \
    static void run_##name##_##T(const void *x, const void *y, void *out, long n) {                \
        (void)y;                                                                                   \
        for (long i = 0; i < n; i += TN_W)                                                         \
            tn_store_##T((tn_##T *)out + i, tn_##name##_##T(tn_load_##T((const tn_##T *)x + i)));  \
    }
#define TWO(name, T)                                                                               \
    static void run_##name##_##T(const void *x, const void *y, void *out, long n) {                \
        for (long i = 0; i < n; i += TN_W)                                                         \
            tn_store_##T((tn_##T *)out + i, tn_##name##_##T(tn_load_##T((const tn_##T *)x + i),    \
                                                            tn_load_##T((const tn_##T *)y + i)));  \
    }
#define KERNEL_1 ONE
#define KERNEL_2 TWO
#define DEFINE(ID, name, arity, f32_bound, f64_bound)                                              \
    KERNEL_##arity(name, f32) KERNEL_##arity(name, f64)
TN_MATH_FUNCTIONS(DEFINE)

static const tn_math_kernel list[] = {
#define ENTRY(ID, name, arity, f32_bound, f64_bound)                                               \
    {#name, arity, f32_bound, f64_bound, run_##name##_f32, run_##name##_f64},
    TN_MATH_FUNCTIONS(ENTRY)};

#define THREE(T)                                                                                   \
    static void run_fma_##T(const void *x, const void *y, const void *z, void *out, long n) {      \
        for (long i = 0; i < n; i += TN_W)                                                         \
            tn_store_##T((tn_##T *)out + i, tn_fma_##T(tn_load_##T((const tn_##T *)x + i),         \
                                                       tn_load_##T((const tn_##T *)y + i),         \
                                                       tn_load_##T((const tn_##T *)z + i)));       \
    }
THREE(f32)
THREE(f64)

const tn_math_set NAME(TN_TARGET) = {list, sizeof list / sizeof *list, TN_W, run_fma_f32,
                                     run_fma_f64};
