/* What the files of this plugin share. Each op is a file: its meta function, its lowering,
 * its kernel, and its description; acme.c makes a plugin of them. */
#ifndef ACME_H
#define ACME_H

#include "tenon/lower.h"
#include "tenon/note.h"

/* Written once, for the description and for the note. */
#define ACME_SWISH "acme::swish(Tensor x, float beta=1.0) -> Tensor"
#define ACME_BILINEAR_GATE "acme::bilinear_gate(Tensor x, Tensor gate, float scale=1.0) -> Tensor"
#define ACME_MEDIAN_FILTER "acme::median_filter(Tensor x, int radius=1) -> Tensor"

extern const tn_op_desc acme_swish, acme_bilinear_gate, acme_median_filter;

/* Defines `name`: the inline function `name##_any` compiled once for each kind of vector
 * that processors have, and chosen among when called. */
#if defined(__x86_64__) && defined(__GNUC__)
#define ACME_INLINE static inline __attribute__((always_inline))
#define ACME_FOR_EACH_CPU(name, parameters, arguments)                                             \
    static void name##_base parameters {                                                           \
        name##_any arguments;                                                                      \
    }                                                                                              \
    __attribute__((target("avx2,fma"))) static void name##_avx2 parameters {                       \
        name##_any arguments;                                                                      \
    }                                                                                              \
    __attribute__((target("avx512f,avx2,fma"))) static void name##_avx512 parameters {             \
        name##_any arguments;                                                                      \
    }                                                                                              \
    static void name parameters {                                                                  \
        if (__builtin_cpu_supports("avx512f")) {                                                   \
            name##_avx512 arguments;                                                               \
        } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {              \
            name##_avx2 arguments;                                                                 \
        } else {                                                                                   \
            name##_base arguments;                                                                 \
        }                                                                                          \
    }
#else
#define ACME_INLINE static inline
#define ACME_FOR_EACH_CPU(name, parameters, arguments)                                             \
    static void name parameters {                                                                  \
        name##_any arguments;                                                                      \
    }
#endif

/* Elements that are worth handing to another thread. */
#define ACME_GRAIN 16384

#endif
