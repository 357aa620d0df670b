#include "gemv.h"

#include "sgemm.h"

/* Elements of the matrix that are worth the partial results, and rows of a part. */
#define LEAST_ELEMENTS (1 << 18)
#define LEAST_ROWS 64

int tn__gemv_takes(const tn_gemm_shape *shape, tn_dtype dtype, uint32_t threads, tn_gemv *out) {
    if (dtype.code != TN_TYPE_FLOAT || dtype.bits != 32 || shape->m != 1) return 0;
    if (shape->a.column != 1 || shape->b.column != 1 || shape->b.row < shape->n) return 0;
    if (threads < 2 || shape->k < (int64_t)threads * LEAST_ROWS) return 0;
    if (shape->n < 16 || shape->n > INT64_MAX / shape->k || shape->k * shape->n < LEAST_ELEMENTS)
        return 0;
    *out = (tn_gemv){.shape = shape, .parts = threads, .each = (shape->k + threads - 1) / threads};
    return 1;
}

uint64_t tn__gemv_workspace(const tn_gemv *v) {
    return (uint64_t)(v->shape->batches * (v->parts - 1) * v->shape->n) * sizeof(float);
}

static float *result_of(const tn_gemv *v, int64_t batch, int64_t part) {
    const int64_t n = v->shape->n;
    return part == 0 ? v->c + batch * n : v->partial + (batch * (v->parts - 1) + part - 1) * n;
}

static tn_code multiply(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const tn_gemv *v = arg;
    const tn_gemm_shape *s = v->shape;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        const int64_t batch = i / v->parts, part = i % v->parts, first = part * v->each;
        const int64_t rows = s->k - first < v->each ? s->k - first : v->each;
        const tn_sgemm_operand a = {v->a + tn__gemm_offset(s, &s->a, batch) + first, s->k, 1};
        const tn_sgemm_operand b = {v->b + tn__gemm_offset(s, &s->b, batch) + first * s->b.row,
                                    s->b.row, 1};
        if (tn__sgemm(1, s->n, rows > 0 ? rows : 0, &a, &b, result_of(v, batch, part), s->n))
            return TN_NO_MEMORY;
    }
    return TN_OK;
}

/* In the order of the parts, so that the same threads give the same bits. */
static void add_parts(const tn_gemv *v) {
    for (int64_t batch = 0; batch < v->shape->batches; batch++) {
        float *c = result_of(v, batch, 0);
        for (int64_t part = 1; part < v->parts; part++) {
            const float *more = result_of(v, batch, part);
            for (int64_t j = 0; j < v->shape->n; j++)
                c[j] += more[j];
        }
    }
}

tn_code tn__gemv_run(const tn_run_context *ctx, tn_gemv *v) {
    const int64_t items = v->shape->batches * v->parts;
    const tn_code code = ctx->parallel_for(ctx, items, 1, multiply, v);
    if (code != TN_OK) return code;
    add_parts(v);
    return TN_OK;
}
