/* One row times a row-major f32 matrix: reading the matrix is all the time it takes.
 *
 * The sums are shared out, not the columns, so that every thread reads whole rows: memory
 * gives 1x4096x4096 in 0.89 ms so, and in 0.99 ms in halves of rows (2 threads; 1.13 in
 * quarters). The price is a partial result for each part but one, added up at the end. */
#ifndef TN_LINALG_GEMV_H
#define TN_LINALG_GEMV_H

#include "gemm_shape.h"

typedef struct tn_gemv {
    const tn_gemm_shape *shape;
    int64_t parts, each; /* of k */
    const float *a, *b;
    float *c;
    float *partial; /* workspace: batches x (parts - 1) x n */
} tn_gemv;

/* Whether it is such a product, and large enough; `threads` share it. Fills the first three. */
int tn__gemv_takes(const tn_gemm_shape *shape, tn_dtype dtype, uint32_t threads, tn_gemv *out);
uint64_t tn__gemv_workspace(const tn_gemv *v);
tn_code tn__gemv_run(const tn_run_context *ctx, tn_gemv *v);

#endif
