#include "gemm.h"

#include "gemm_shape.h"
#include "gemm_tiled.h"
#include "gemv.h"
#include "plain.h"
#include "promotion.h"
#include "sgemm.h"
#include "widen.h"

/* Multiplications that are worth another thread. */
#define LEAST_WORK 65536

typedef struct product {
    tn_gemm_shape shape;
    tn_dtype dtype;
    const char *a, *b;
    char *c;
    /* What is copied to f32 first, and where; c too when it is not f32. */
    int pack_a, pack_b;
    tn_gemm_matrix packed_a, packed_b; /* as sgemm sees them, packed or not */
    float *wide_a, *wide_b, *wide_c;
    int64_t size_a, size_b; /* elements of the packed ones */
    /* The result is cut into slices of each batch: by rows or by columns. */
    int64_t slices, slice_rows, slice_columns;
} product;

static int is_f32(tn_dtype t) {
    return t.code == TN_TYPE_FLOAT && t.bits == 32;
}

/* Floats up to f32. */
static int by_sgemm(tn_dtype t) {
    return tn_is_float(t) && t.bits <= 32;
}

static uint64_t aligned(uint64_t bytes) {
    return (bytes + 63) & ~(uint64_t)63;
}

/* What has to be packed, and how large the copies are. */
static void plan_packing(product *p) {
    const tn_gemm_shape *s = &p->shape;
    const int narrow = !is_f32(p->dtype);
    p->packed_a = s->a;
    p->packed_b = s->b;
    if (!by_sgemm(p->dtype)) return;
    p->pack_a = narrow || !tn__sgemm_takes(s->m, s->k, s->a.row, s->a.column);
    p->pack_b = narrow || !tn__sgemm_takes(s->k, s->n, s->b.row, s->b.column);
    if (p->pack_a) p->size_a = tn__gemm_pack(s, &s->a, s->m, s->k, &p->packed_a);
    if (p->pack_b) p->size_b = tn__gemm_pack(s, &s->b, s->k, s->n, &p->packed_b);
}

static void describe(product *p, const tn_tensor *a, const tn_tensor *b) {
    memset(p, 0, sizeof *p);
    p->dtype = a->dtype;
    tn__gemm_shape_make(&p->shape, a, b);
    tn__gemm_shape_join(&p->shape);
    plan_packing(p);
}

static int has_wide_result(const product *p) {
    return by_sgemm(p->dtype) && !is_f32(p->dtype);
}

/* Of a fixed size when the same bits are wanted whatever the threads. */
static uint32_t slicing_threads(const tn_run_context *ctx) {
    return ctx->flags & TN_RUN_DETERMINISTIC ? 4u : ctx->threads;
}

tn_code tn__gemm_workspace(const tn_run_context *ctx, const tn_problem *problem, void *state,
                           tn_workspace *out) {
    product p;
    (void)state;
    if (tn__gemm_tiled_takes(ctx, problem->args)) {
        out->bytes = tn__gemm_tiled_workspace(ctx, problem->args);
        return TN_OK;
    }
    describe(&p, problem->args[0].v.tensor, problem->args[1].v.tensor);
    tn_gemv row;
    if (tn__gemv_takes(&p.shape, p.dtype, slicing_threads(ctx), &row)) {
        out->bytes = tn__gemv_workspace(&row);
        return TN_OK;
    }
    const int64_t elements = p.shape.batches * p.shape.m * p.shape.n;
    out->bytes = aligned((uint64_t)p.size_a * sizeof(float)) +
                 aligned((uint64_t)p.size_b * sizeof(float));
    if (has_wide_result(&p)) out->bytes += aligned((uint64_t)elements * sizeof(float));
    return TN_OK;
}

/* ------------------------------------------------------------------ packing */

typedef struct packing {
    const product *p;
    const tn_gemm_matrix *from, *to;
    const char *data;
    float *out;
    int64_t rows, columns;
} packing;

/* Whether an earlier batch is the same matrix. */
static int is_repeated(const tn_gemm_shape *s, const tn_gemm_matrix *matrix, int64_t batch) {
    for (int32_t i = s->n_batch - 1; i >= 0; i--) {
        if (matrix->batch[i] == 0 && batch % s->batch[i] != 0) return 1;
        batch /= s->batch[i];
    }
    return 0;
}

/* Rows [begin, end) of all batches, those of a broadcast batch once. */
static tn_code pack_rows(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const packing *k = arg;
    (void)worker;
    for (int64_t r = begin; r < end; r++) {
        const int64_t batch = r / k->rows, row = r % k->rows;
        const int64_t to = tn__gemm_offset(&k->p->shape, k->to, batch) + row * k->to->row;
        const int64_t from = tn__gemm_offset(&k->p->shape, k->from, batch) + row * k->from->row;
        if (!is_repeated(&k->p->shape, k->from, batch)) {
            tn__widen(k->p->dtype, k->data, from, k->from->column, k->columns, k->out + to);
        }
    }
    return TN_OK;
}

static tn_code pack(const tn_run_context *ctx, const packing *k) {
    const int64_t rows = k->p->shape.batches * k->rows;
    const int64_t grain = 1 + LEAST_WORK / (k->columns + 1);
    return ctx->parallel_for(ctx, rows, grain, pack_rows, (void *)(uintptr_t)k);
}

static tn_code pack_operands(const tn_run_context *ctx, product *p) {
    const tn_gemm_shape *s = &p->shape;
    const packing a = {p, &s->a, &p->packed_a, p->a, p->wide_a, s->m, s->k};
    const packing b = {p, &s->b, &p->packed_b, p->b, p->wide_b, s->k, s->n};
    if (p->pack_a) TN_CHECK(pack(ctx, &a));
    if (p->pack_b) TN_CHECK(pack(ctx, &b));
    return TN_OK;
}

/* ------------------------------------------------------------------- slices */

typedef struct slice {
    int64_t batch, row, column, rows, columns;
} slice;

static slice slice_of(const product *p, int64_t index) {
    slice s = {.batch = index / p->slices};
    const int64_t i = index % p->slices;
    s.row = p->slice_rows < p->shape.m ? i * p->slice_rows : 0;
    s.column = p->slice_columns < p->shape.n ? i * p->slice_columns : 0;
    s.rows = p->shape.m - s.row < p->slice_rows ? p->shape.m - s.row : p->slice_rows;
    s.columns = p->shape.n - s.column < p->slice_columns ? p->shape.n - s.column : p->slice_columns;
    return s;
}

static int sgemm_slice(const product *p, const slice *s) {
    const tn_gemm_shape *shape = &p->shape;
    const float *a = p->pack_a ? p->wide_a : (const float *)(const void *)p->a;
    const float *b = p->pack_b ? p->wide_b : (const float *)(const void *)p->b;
    float *c = p->wide_c ? p->wide_c : (float *)(void *)p->c;
    const tn_sgemm_operand x = {a + tn__gemm_offset(shape, &p->packed_a, s->batch) +
                                    s->row * p->packed_a.row,
                                p->packed_a.row, p->packed_a.column};
    const tn_sgemm_operand y = {b + tn__gemm_offset(shape, &p->packed_b, s->batch) +
                                    s->column * p->packed_b.column,
                                p->packed_b.row, p->packed_b.column};
    const int64_t first = (s->batch * shape->m + s->row) * shape->n + s->column;
    if (tn__sgemm(s->rows, s->columns, shape->k, &x, &y, c + first, shape->n)) return 1;
    for (int64_t i = 0; p->wide_c && i < s->rows; i++) {
        const int64_t at = first + i * shape->n;
        tn__narrow(p->dtype, c + at, s->columns, p->c, at);
    }
    return 0;
}

static void plain_slice(const product *p, const slice *s) {
    const tn_gemm_shape *shape = &p->shape;
    const int64_t size = p->dtype.bits / 8;
    const tn_plain_product plain = {
        .m = s->rows,
        .n = s->columns,
        .k = shape->k,
        .a = p->a + (tn__gemm_offset(shape, &shape->a, s->batch) + s->row * shape->a.row) * size,
        .b = p->b +
             (tn__gemm_offset(shape, &shape->b, s->batch) + s->column * shape->b.column) * size,
        .c = p->c + ((s->batch * shape->m + s->row) * shape->n + s->column) * size,
        .a_row = shape->a.row,
        .a_column = shape->a.column,
        .b_row = shape->b.row,
        .b_column = shape->b.column,
        .c_row = shape->n};
    tn__plain_gemm(&plain, p->dtype);
}

/* Bodies have no error sink; the caller says it. */
static tn_code run_slices(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const product *p = arg;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        const slice s = slice_of(p, i);
        if (s.rows <= 0 || s.columns <= 0) continue;
        if (!by_sgemm(p->dtype))
            plain_slice(p, &s);
        else if (sgemm_slice(p, &s))
            return TN_NO_MEMORY;
    }
    return TN_OK;
}

static int64_t ceil_div(int64_t x, int64_t y) {
    return (x + y - 1) / y;
}

/* As many slices as threads can use, along the longer side, so that the shorter operand is
 * what every slice reads again. */
static void plan_slices(product *p, uint32_t threads) {
    const tn_gemm_shape *s = &p->shape;
    const double work = (double)s->m * (double)s->n * (double)s->k;
    int64_t wanted = s->batches >= threads ? 1 : ceil_div(threads, s->batches);
    if (work < LEAST_WORK * (double)wanted) wanted = (int64_t)(work / LEAST_WORK) + 1;
    p->slice_rows = s->m;
    p->slice_columns = s->n;
    if (s->n >= s->m)
        p->slice_columns = ceil_div(ceil_div(s->n, wanted), 16) * 16;
    else
        p->slice_rows = ceil_div(ceil_div(s->m, wanted), 16) * 16;
    p->slices = s->n >= s->m ? ceil_div(s->n, p->slice_columns) : ceil_div(s->m, p->slice_rows);
}

static void assign_workspace(product *p, const tn_run_context *ctx) {
    char *at = ctx->workspace;
    p->wide_a = (float *)(void *)at;
    if (p->pack_a) at += aligned((uint64_t)p->size_a * sizeof(float));
    p->wide_b = (float *)(void *)at;
    if (p->pack_b) at += aligned((uint64_t)p->size_b * sizeof(float));
    p->wide_c = has_wide_result(p) ? (float *)(void *)at : NULL;
}

static tn_code checked(const tn_run_context *ctx, tn_code code) {
    if (code == TN_NO_MEMORY) return tn_fail(ctx->cb, code, "oneDNN's sgemm has no memory");
    return code;
}

static tn_code run_row(const tn_run_context *ctx, const product *p, tn_gemv *row) {
    row->a = (const float *)(const void *)p->a;
    row->b = (const float *)(const void *)p->b;
    row->c = (float *)(void *)p->c;
    row->partial = ctx->workspace;
    return checked(ctx, tn__gemv_run(ctx, row));
}

tn_code tn__gemm_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    product p;
    (void)state;
    describe(&p, call->args[0].v.tensor, call->args[1].v.tensor);
    if (p.shape.batches == 0 || p.shape.m == 0 || p.shape.n == 0) return TN_OK;
    if (tn__gemm_tiled_takes(ctx, call->args)) return tn__gemm_tiled_run(ctx, call);
    p.a = tn_data(call->args[0].v.tensor);
    p.b = tn_data(call->args[1].v.tensor);
    p.c = tn_data(call->results[0].v.tensor);
    tn_gemv row;
    if (tn__gemv_takes(&p.shape, p.dtype, slicing_threads(ctx), &row))
        return run_row(ctx, &p, &row);
    assign_workspace(&p, ctx);
    plan_slices(&p, slicing_threads(ctx));
    if (p.shape.k > 0) TN_CHECK(pack_operands(ctx, &p));
    const double work = (double)p.slice_rows * (double)p.slice_columns * (double)p.shape.k;
    const int64_t grain = work >= LEAST_WORK ? 1 : 1 + (int64_t)(LEAST_WORK / (work + 1));
    return checked(ctx, ctx->parallel_for(ctx, p.shape.batches * p.slices, grain, run_slices, &p));
}
