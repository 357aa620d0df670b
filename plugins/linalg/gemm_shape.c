#include "gemm_shape.h"

/* Axis i of the batch, aligned at the last, of a tensor with at least two axes. */
static void batch_axis(const tn_tensor *t, int32_t n_batch, int32_t i, int64_t *extent,
                       int64_t *stride) {
    const int32_t own = i - (n_batch - (t->ndim - 2));
    *extent = own < 0 ? 1 : t->shape[own];
    *stride = own < 0 || *extent == 1 ? 0 : t->strides[own];
}

/* All of b is used for every batch, and a's batches continue its rows: one tall matrix. */
void tn__gemm_shape_join(tn_gemm_shape *s) {
    if (s->batches == 0) return;
    int64_t rows = s->m, stride = s->a.row;
    for (int32_t i = s->n_batch - 1; i >= 0; i--) {
        if (s->b.batch[i] != 0) return;
        if (s->batch[i] == 1) continue;
        if (rows == 1)
            stride = s->a.batch[i];
        else if (s->a.batch[i] != rows * stride)
            return;
        rows *= s->batch[i];
    }
    s->m = rows;
    s->a.row = stride;
    s->n_batch = 0;
    s->batches = 1;
}

void tn__gemm_shape_make(tn_gemm_shape *s, const tn_tensor *a, const tn_tensor *b) {
    const int32_t na = a->ndim > 2 ? a->ndim - 2 : 0, nb = b->ndim > 2 ? b->ndim - 2 : 0;
    memset(s, 0, sizeof *s);
    s->m = a->ndim == 1 ? 1 : a->shape[a->ndim - 2];
    s->k = a->shape[a->ndim - 1];
    s->n = b->ndim == 1 ? 1 : b->shape[b->ndim - 1];
    s->a.row = a->ndim == 1 ? 0 : a->strides[a->ndim - 2];
    s->a.column = a->strides[a->ndim - 1];
    s->b.row = b->strides[b->ndim == 1 ? 0 : b->ndim - 2];
    s->b.column = b->ndim == 1 ? 0 : b->strides[b->ndim - 1];
    s->n_batch = na > nb ? na : nb;
    s->batches = 1;
    for (int32_t i = 0; i < s->n_batch; i++) {
        int64_t of_a = 1, of_b = 1;
        if (a->ndim >= 2) batch_axis(a, s->n_batch, i, &of_a, &s->a.batch[i]);
        if (b->ndim >= 2) batch_axis(b, s->n_batch, i, &of_b, &s->b.batch[i]);
        s->batch[i] = of_a == 1 ? of_b : of_a;
        s->batches *= s->batch[i];
    }
}

int64_t tn__gemm_offset(const tn_gemm_shape *s, const tn_gemm_matrix *matrix, int64_t index) {
    int64_t offset = 0;
    for (int32_t i = s->n_batch - 1; i >= 0; i--) {
        offset += index % s->batch[i] * matrix->batch[i];
        index /= s->batch[i];
    }
    return offset;
}

int64_t tn__gemm_batch_of(const tn_gemm_shape *s, const tn_gemm_matrix *matrix, int64_t index) {
    int64_t number = 0, place = 1;
    for (int32_t i = s->n_batch - 1; i >= 0; i--) {
        if (matrix->batch[i] != 0) {
            number += index % s->batch[i] * place;
            place *= s->batch[i];
        }
        index /= s->batch[i];
    }
    return number;
}

int64_t tn__gemm_pack(const tn_gemm_shape *s, const tn_gemm_matrix *matrix, int64_t rows,
                      int64_t columns, tn_gemm_matrix *out) {
    int64_t elements = rows * columns;
    memset(out, 0, sizeof *out);
    out->row = columns;
    out->column = 1;
    for (int32_t i = s->n_batch - 1; i >= 0; i--) {
        if (matrix->batch[i] == 0) continue;
        out->batch[i] = elements;
        elements *= s->batch[i];
    }
    return elements;
}
