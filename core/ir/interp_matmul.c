/* Batched matrix product: one row of the result at a time, accumulated in double
 * (integers modulo 2^64, which is right modulo any narrower width). */
#include "base/allocator.h"
#include "ir/interp_exec.h"

/* Matrices as numbers: all of b, one row of a, one row of the result. */
typedef struct scratch {
    tn_scalar *b, *row_a, *row;
    size_t n_b, n_a, n_row;
} scratch;

static void scratch_deinit(const tn_allocator *allocator, scratch *s) {
    tn_free(allocator, s->b, s->n_b * sizeof *s->b);
    tn_free(allocator, s->row_a, s->n_a * sizeof *s->row_a);
    tn_free(allocator, s->row, s->n_row * sizeof *s->row);
}

static tn_status scratch_init(const tn_allocator *allocator, int64_t n, int64_t k, scratch *s) {
    *s = (scratch){.n_b = (size_t)(k * n) + 1, .n_a = (size_t)k + 1, .n_row = (size_t)n + 1};
    s->b = tn_alloc_array(allocator, s->n_b, sizeof *s->b);
    s->row_a = tn_alloc_array(allocator, s->n_a, sizeof *s->row_a);
    s->row = tn_alloc_array(allocator, s->n_row, sizeof *s->row);
    if (s->b != NULL && s->row_a != NULL && s->row != NULL) return NULL;
    scratch_deinit(allocator, s);
    return tn_status_no_memory();
}

static void load_row(const tn__strided *x, const char *at, int64_t stride, int64_t count,
                     tn_scalar *out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = tn__load(x, at + i * stride);
}

/* row[j] = sum over p of row_a[p] * b[p, j], each sum in the order of p. */
static void multiply_row(bool is_float, const scratch *s, int64_t n, int64_t k) {
    for (int64_t j = 0; j < n; j++)
        s->row[j] = is_float ? (tn_scalar){.f = 0.0} : (tn_scalar){.u = 0};
    for (int64_t p = 0; p < k; p++) {
        const tn_scalar a = s->row_a[p], *b = s->b + p * n;
        if (is_float) {
            for (int64_t j = 0; j < n; j++)
                s->row[j].f += a.f * b[j].f;
        } else {
            for (int64_t j = 0; j < n; j++)
                s->row[j].u += a.u * b[j].u;
        }
    }
}

static void multiply(const tn__exec *e, const scratch *s, const char *a_at, const char *b_at,
                     char *out_at) {
    const tn__strided *a = &e->in[0], *b = &e->in[1], *out = &e->out[0];
    const int32_t row = out->rank - 2, column = out->rank - 1;
    const int64_t m = out->shape[row], n = out->shape[column], k = a->shape[column];
    for (int64_t p = 0; p < k; p++)
        load_row(b, b_at + p * b->stride[row], b->stride[column], n, s->b + p * n);
    for (int64_t i = 0; i < m; i++) {
        load_row(a, a_at + i * a->stride[row], a->stride[column], k, s->row_a);
        multiply_row(tn_dt_is_float(out->dt), s, n, k);
        char *to = out_at + i * out->stride[row];
        for (int64_t j = 0; j < n; j++)
            tn__store(out, to + j * out->stride[column], s->row[j], e->strict);
    }
}

tn_status tn__exec_matmul(const tn__exec *e) {
    const tn__strided *a = &e->in[0], *b = &e->in[1], *out = &e->out[0];
    const int32_t row = out->rank - 2, column = out->rank - 1;
    if (tn__is_empty(out)) return NULL;
    scratch s;
    TN_TRY(scratch_init(e->allocator, out->shape[column], a->shape[column], &s));
    tn__walk batch;
    tn__walk_init(&batch, row, out->shape);
    tn__walk_add(&batch, a);
    tn__walk_add(&batch, b);
    tn__walk_add(&batch, out);
    for (bool more = batch.more; more; more = tn__walk_next(&batch))
        multiply(e, &s, batch.at[0], batch.at[1], batch.at[2]);
    scratch_deinit(e->allocator, &s);
    return NULL;
}
