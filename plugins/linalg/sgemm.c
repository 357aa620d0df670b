#include "sgemm.h"

#include <dnnl.h>
#include <string.h>

/* From libgomp, which oneDNN is built with; clang has no omp.h. They set what the calling
 * thread uses, and nobody else's. */
extern void omp_set_num_threads(int n);
extern int omp_get_max_threads(void);

int tn__sgemm_takes(int64_t rows, int64_t columns, int64_t row, int64_t column) {
    const int plain = (columns <= 1 || column == 1) && (rows <= 1 || row >= columns);
    const int turned = (rows <= 1 || row == 1) && (columns <= 1 || column >= rows);
    return plain || turned;
}

/* The letter and leading dimension of a matrix of this many columns. */
static char describe(int64_t rows, int64_t columns, const tn_sgemm_operand *x, int64_t *ld) {
    if ((columns <= 1 || x->column == 1) && (rows <= 1 || x->row >= columns)) {
        *ld = rows <= 1 || x->row < columns ? columns : x->row;
        if (*ld < 1) *ld = 1;
        return 'N';
    }
    *ld = columns <= 1 || x->column < rows ? rows : x->column;
    if (*ld < 1) *ld = 1;
    return 'T';
}

int tn__one_thread(void) {
    const int threads = omp_get_max_threads();
    if (threads != 1) omp_set_num_threads(1);
    return threads;
}

void tn__more_threads(int threads) {
    if (threads != 1) omp_set_num_threads(threads);
}

static int sgemm(int64_t m, int64_t n, int64_t k, const tn_sgemm_operand *a,
                 const tn_sgemm_operand *b, float beta, float *c, int64_t ldc) {
    int64_t lda, ldb;
    const char ta = describe(m, k, a, &lda), tb = describe(k, n, b, &ldb);
    const int threads = tn__one_thread();
    const dnnl_status_t status = dnnl_sgemm(ta, tb, m, n, k, 1.0f, a->data, lda, b->data, ldb, beta,
                                            c, ldc);
    tn__more_threads(threads);
    return status != dnnl_success;
}

int tn__sgemm(int64_t m, int64_t n, int64_t k, const tn_sgemm_operand *a, const tn_sgemm_operand *b,
              float *c, int64_t ldc) {
    if (m == 0 || n == 0) return 0;
    if (k > 0) return sgemm(m, n, k, a, b, 0.0f, c, ldc);
    for (int64_t i = 0; i < m; i++)
        memset(c + i * ldc, 0, (size_t)n * sizeof *c);
    return 0;
}

int tn__sgemm_add(int64_t m, int64_t n, int64_t k, const tn_sgemm_operand *a,
                  const tn_sgemm_operand *b, float *c, int64_t ldc) {
    return m == 0 || n == 0 || k == 0 ? 0 : sgemm(m, n, k, a, b, 1.0f, c, ldc);
}
