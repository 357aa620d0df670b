#include "plain.h"

/* Of b, BLOCK_K x BLOCK_N elements stay in the nearest cache while rows of a pass. */
enum { BLOCK_K = 64, BLOCK_N = 256 };

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* Unsigned T also stands for the signed type of its width: the low bits of a product and a
 * sum are the same. Narrow ones are computed in u32 and cut off. */
#define DEFINE(name, T, WIDE)                                                                      \
    static void name##_block(const tn_plain_product *p, int64_t k0, int64_t k1, int64_t n0,        \
                             int64_t n1) {                                                         \
        const T *a = p->a, *b = p->b;                                                              \
        for (int64_t i = 0; i < p->m; i++) {                                                       \
            T *c = (T *)p->c + i * p->c_row;                                                       \
            for (int64_t k = k0; k < k1; k++) {                                                    \
                const WIDE x = (WIDE)a[i * p->a_row + k * p->a_column];                            \
                const T *row = b + k * p->b_row;                                                   \
                if (p->b_column == 1) {                                                            \
                    for (int64_t j = n0; j < n1; j++)                                              \
                        c[j] = (T)((WIDE)c[j] + x * (WIDE)row[j]);                                 \
                } else {                                                                           \
                    for (int64_t j = n0; j < n1; j++)                                              \
                        c[j] = (T)((WIDE)c[j] + x * (WIDE)row[j * p->b_column]);                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name(const tn_plain_product *p) {                                                  \
        for (int64_t i = 0; i < p->m; i++) {                                                       \
            T *c = (T *)p->c + i * p->c_row;                                                       \
            for (int64_t j = 0; j < p->n; j++)                                                     \
                c[j] = 0;                                                                          \
        }                                                                                          \
        for (int64_t n0 = 0; n0 < p->n; n0 += BLOCK_N) {                                           \
            for (int64_t k0 = 0; k0 < p->k; k0 += BLOCK_K) {                                       \
                name##_block(p, k0, least(k0 + BLOCK_K, p->k), n0, least(n0 + BLOCK_N, p->n));     \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE(gemm_f64, double, double)
DEFINE(gemm_u8, uint8_t, uint32_t)
DEFINE(gemm_u16, uint16_t, uint32_t)
DEFINE(gemm_u32, uint32_t, uint32_t)
DEFINE(gemm_u64, uint64_t, uint64_t)

void tn__plain_gemm(const tn_plain_product *p, tn_dtype dtype) {
    if (dtype.code == TN_TYPE_FLOAT) {
        gemm_f64(p);
        return;
    }
    switch (dtype.bits) {
    case 8: gemm_u8(p); break;
    case 16: gemm_u16(p); break;
    case 32: gemm_u32(p); break;
    default: gemm_u64(p); break;
    }
}
