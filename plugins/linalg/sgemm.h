/* One f32 matrix product on the calling thread alone. */
#ifndef TN_LINALG_SGEMM_H
#define TN_LINALG_SGEMM_H

#include <stdint.h>

typedef struct tn_sgemm_operand {
    const float *data;
    int64_t row, column; /* strides; tn__sgemm_takes said yes */
} tn_sgemm_operand;

/* Has oneDNN use one thread for what the calling one runs next, and undoes that: given what the
 * first returned. */
int tn__one_thread(void);
void tn__more_threads(int threads);
/* Whether rows x columns with these strides is a matrix or transpose with rows apart. */
int tn__sgemm_takes(int64_t rows, int64_t columns, int64_t row, int64_t column);
/* c, row-major with rows ldc apart, becomes a[m,k] @ b[k,n]; or that is added to it. 0 on
 * success. */
int tn__sgemm(int64_t m, int64_t n, int64_t k, const tn_sgemm_operand *a, const tn_sgemm_operand *b,
              float *c, int64_t ldc);
int tn__sgemm_add(int64_t m, int64_t n, int64_t k, const tn_sgemm_operand *a,
                  const tn_sgemm_operand *b, float *c, int64_t ldc);

#endif
