/* A call of matmul as batches of [m, k] by [k, n] with strides in elements. */
#ifndef TN_LINALG_GEMM_SHAPE_H
#define TN_LINALG_GEMM_SHAPE_H

#include "tenon/util.h"

#define TN_GEMM_MOST_BATCH 16

typedef struct tn_gemm_matrix {
    int64_t row, column; /* strides */
    int64_t batch[TN_GEMM_MOST_BATCH];
} tn_gemm_matrix;

typedef struct tn_gemm_shape {
    int64_t m, n, k;
    int32_t n_batch;
    int64_t batch[TN_GEMM_MOST_BATCH];
    int64_t batches;     /* their product */
    tn_gemm_matrix a, b; /* the result is row-major, batches after one another */
} tn_gemm_shape;

void tn__gemm_shape_make(tn_gemm_shape *shape, const tn_tensor *a, const tn_tensor *b);
/* Batches that are the rows of one larger matrix become rows. */
void tn__gemm_shape_join(tn_gemm_shape *shape);
/* Where batch number `index` of a matrix begins. */
int64_t tn__gemm_offset(const tn_gemm_shape *shape, const tn_gemm_matrix *matrix, int64_t index);
/* Its number among the batches that this matrix has of its own, of which none has stride 0. */
int64_t tn__gemm_batch_of(const tn_gemm_shape *shape, const tn_gemm_matrix *matrix, int64_t index);
/* The same matrices packed: row-major, one for each distinct batch. Returns elements. */
int64_t tn__gemm_pack(const tn_gemm_shape *shape, const tn_gemm_matrix *matrix, int64_t rows,
                      int64_t columns, tn_gemm_matrix *out);

#endif
