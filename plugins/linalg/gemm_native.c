#include "gemm_native.h"

#include <dnnl.h>

#include "gemm_estimate.h"
#include "sgemm.h"
#include "tenon/opset.h"
#include "tenon/util.h"
#include "widen.h"

#define MOST_STEPS 8
/* Elements that are worth another thread. */
#define LEAST_WORK 65536
/* Measured: the product with work built in takes 1.34 to 2 times as long as the op's own kernel
 * and a generated pass over the result. By product, and by byte of the result read and written. */
#define BUILT_IN 1.3
#define RESULT_SECONDS (1 / 12e9)

/* One step: x becomes x op tensor, factor * x + term, or tanh x. */
typedef struct step {
    uint32_t prim;
    int argument; /* of a tensor; -1: none */
    double factor, term;
} step;

/* As oneDNN reads it: where it is, or copied to the workspace first. */
typedef struct matrix {
    int argument;
    int64_t rows, columns, row, column; /* row 0: the same for all rows */
    int copied;
    uint64_t place; /* of the copy */
} matrix;

typedef struct call {
    int64_t m, n, k;
    int64_t rows; /* of a slice; the last may have fewer */
    step steps[MOST_STEPS];
    int n_steps;
    matrix a, b, extra[MOST_STEPS]; /* extra: of the step of that number */
    uint64_t workspace;
    dnnl_engine_t engine;
    dnnl_primitive_t whole, rest; /* of a slice, and of the last one if it is smaller */
} call;

/* ------------------------------------------------------------------- legality */

/* The step that a value of the chain is, made of the value before it. */
static int read_step(const tn_problem *p, const tn_chain *chain, uint32_t at, uint32_t before,
                     step *out) {
    const tn_chain_value *v = chain->values[at];
    *out = (step){v->prim, -1, 1, 0};
    if (v->prim == TN_PRIM_TANH) return v->in[0] == before;
    if (v->n_in != 2 || (v->prim != TN_PRIM_ADD && v->prim != TN_PRIM_MUL)) return 0;
    if (v->in[0] != before && v->in[1] != before) return 0;
    const tn_chain_value *other = chain->values[v->in[0] == before ? v->in[1] : v->in[0]];
    if (other->kind == TN_CHAIN_NUMBER) {
        *(v->prim == TN_PRIM_ADD ? &out->term : &out->factor) = other->number;
        return 1;
    }
    if (other->kind != TN_CHAIN_OPERAND) return 0;
    out->argument = (int)other->argument;
    return p->args[other->argument].v.tensor->ndim == 2;
}

static tn_code read_chain(const tn_run_context *ctx, const tn_problem *p, const tn_chain *chain,
                          call *c) {
    uint32_t before = 0;
    c->n_steps = 0;
    for (uint32_t i = 1; i < chain->n_values; i++) {
        if (chain->values[i]->kind != TN_CHAIN_PRIM) continue;
        TN_DECLINE_UNLESS(ctx->cb, c->n_steps < MOST_STEPS, "at most %d steps are", MOST_STEPS);
        TN_DECLINE_UNLESS(ctx->cb, read_step(p, chain, i, before, &c->steps[c->n_steps]),
                          "sums and products with a number, a row or a matrix, and tanh are; step "
                          "%d is none",
                          c->n_steps + 1);
        c->n_steps++;
        before = i;
    }
    TN_DECLINE_UNLESS(ctx->cb, c->n_steps > 0, "there is nothing to build in");
    return TN_OK;
}

static int is_f32(const tn_tensor *t) {
    return t->dtype.code == TN_TYPE_FLOAT && t->dtype.bits == 32 && t->dtype.lanes == 1;
}

static tn_code accept(const tn_run_context *ctx, const tn_problem *p, const tn_chain *chain) {
    const tn_tensor *a = p->args[0].v.tensor, *b = p->args[1].v.tensor;
    call c;
    TN_DECLINE_UNLESS(ctx->cb, a->ndim == 2 && b->ndim == 2, "it is for two matrices");
    for (uint32_t i = 0; i < p->n_args; i++)
        TN_DECLINE_UNLESS(ctx->cb, is_f32(p->args[i].v.tensor), "it is for f32 alone");
    TN_DECLINE_UNLESS(ctx->cb, is_f32(p->results[0].v.tensor), "it is for f32 alone");
    TN_DECLINE_UNLESS(ctx->cb, a->shape[1] > 0, "there is nothing to sum");
    return read_chain(ctx, p, chain, &c);
}

static tn_code estimate(const tn_run_context *ctx, const tn_problem *p, const tn_chain *chain,
                        tn_estimate *out) {
    (void)chain;
    out->kernel_seconds = tn__gemm_estimate_kernel(p->args[0].v.tensor, p->args[1].v.tensor,
                                                   ctx->threads);
    out->seconds = BUILT_IN * out->kernel_seconds + 2e-6 +
                   8.0 * (double)tn_numel(p->results[0].v.tensor) * RESULT_SECONDS / ctx->threads;
    return TN_OK;
}

/* ------------------------------------------------------------------ primitives */

static int init_matrix(dnnl_memory_desc_t *d, int64_t rows, int64_t columns, int64_t row,
                       int64_t column) {
    const dnnl_dims_t dims = {rows, columns}, strides = {row, column};
    return dnnl_memory_desc_init_by_strides(d, 2, dims, dnnl_f32, strides) == dnnl_success;
}

static int append(dnnl_post_ops_t ops, const call *c, int i, int64_t rows) {
    const step *s = &c->steps[i];
    dnnl_memory_desc_t d;
    if (s->prim == TN_PRIM_TANH)
        return dnnl_post_ops_append_eltwise(ops, 1.0f, dnnl_eltwise_tanh, 0, 0) == dnnl_success;
    if (s->argument < 0)
        return dnnl_post_ops_append_eltwise(ops, 1.0f, dnnl_eltwise_linear, (float)s->factor,
                                            (float)s->term) == dnnl_success;
    const int64_t row = c->extra[i].row;
    return init_matrix(&d, row ? rows : 1, c->n, row ? row : c->n, 1) &&
           dnnl_post_ops_append_binary(
               ops, s->prim == TN_PRIM_ADD ? dnnl_binary_add : dnnl_binary_mul, &d) == dnnl_success;
}

static int make(const call *c, int64_t rows, dnnl_primitive_t *out) {
    dnnl_memory_desc_t a, b, y;
    dnnl_matmul_desc_t d;
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_post_ops_t ops = NULL;
    dnnl_primitive_desc_t description = NULL;
    int fine = init_matrix(&a, rows, c->k, c->a.row, c->a.column) &&
               init_matrix(&b, c->k, c->n, c->b.row, c->b.column) &&
               init_matrix(&y, rows, c->n, c->n, 1) &&
               dnnl_matmul_desc_init(&d, &a, &b, NULL, &y) == dnnl_success &&
               dnnl_primitive_attr_create(&attributes) == dnnl_success &&
               dnnl_post_ops_create(&ops) == dnnl_success;
    for (int i = 0; fine && i < c->n_steps; i++)
        fine = append(ops, c, i, rows);
    fine = fine && dnnl_primitive_attr_set_post_ops(attributes, ops) == dnnl_success &&
           dnnl_primitive_desc_create(&description, &d, attributes, c->engine, NULL) ==
               dnnl_success &&
           dnnl_primitive_create(out, description) == dnnl_success;
    if (description) dnnl_primitive_desc_destroy(description);
    if (ops) dnnl_post_ops_destroy(ops);
    if (attributes) dnnl_primitive_attr_destroy(attributes);
    return fine;
}

static void copy_if(call *c, int needed, matrix *m) {
    if (!needed) return;
    m->copied = 1;
    m->place = c->workspace;
    m->row = m->columns;
    m->column = 1;
    c->workspace += ((uint64_t)(m->rows * m->columns) * sizeof(float) + 63) & ~(uint64_t)63;
}

/* Strides along an axis of one element say nothing; these suit every layout. */
static void place_factor(call *c, const tn_problem *p, int argument, matrix *m) {
    const tn_tensor *t = p->args[argument].v.tensor;
    *m = (matrix){argument, t->shape[0], t->shape[1], t->strides[0], t->strides[1], 0, 0};
    if (m->columns == 1) m->column = 1;
    if (m->rows == 1) m->row = m->column == 1 ? m->columns : 1;
    copy_if(c, !tn__sgemm_takes(m->rows, m->columns, m->row, m->column), m);
}

static void place_extra(call *c, const tn_problem *p, int argument, matrix *m) {
    const tn_tensor *t = p->args[argument].v.tensor;
    *m = (matrix){argument, t->shape[0], t->shape[1], t->strides[0], t->strides[1], 0, 0};
    if (m->columns == 1) m->column = 1;
    if (m->rows == 1) m->row = 0;
    if (m->row == 0) m->rows = 1;
    copy_if(c, m->column != 1 || (m->row != 0 && m->row < m->columns), m);
    if (m->rows == 1) m->row = 0;
}

static void release(const tn_run_context *ctx, void *state) {
    call *c = state;
    if (c->whole) dnnl_primitive_destroy(c->whole);
    if (c->rest) dnnl_primitive_destroy(c->rest);
    if (c->engine) dnnl_engine_destroy(c->engine);
    ctx->deallocate(ctx, c, sizeof *c);
}

static tn_code prepare(const tn_run_context *ctx, const tn_problem *p, const tn_chain *chain,
                       void **out_state) {
    const tn_tensor *a = p->args[0].v.tensor, *b = p->args[1].v.tensor;
    call *c = ctx->allocate(ctx, sizeof *c, 64);
    if (c == NULL) return ctx->cb->fail(ctx->cb, TN_NO_MEMORY, "no memory");
    memset(c, 0, sizeof *c);
    c->m = a->shape[0];
    c->k = a->shape[1];
    c->n = b->shape[1];
    tn_code code = read_chain(ctx, p, chain, c);
    place_factor(c, p, 0, &c->a);
    place_factor(c, p, 1, &c->b);
    for (int i = 0; i < c->n_steps; i++)
        if (c->steps[i].argument >= 0) place_extra(c, p, c->steps[i].argument, &c->extra[i]);
    c->rows = (c->m + ctx->threads - 1) / ctx->threads;
    if (code == TN_OK && (dnnl_engine_create(&c->engine, dnnl_cpu, 0) != dnnl_success ||
                          !make(c, c->rows, &c->whole) ||
                          (c->m % c->rows != 0 && !make(c, c->m % c->rows, &c->rest))))
        code = ctx->cb->fail(ctx->cb, TN_UNSUPPORTED,
                             "oneDNN has no product of these layouts with this work built in");
    if (code != TN_OK)
        release(ctx, c);
    else
        *out_state = c;
    return code;
}

/* ------------------------------------------------------------------------ run */

typedef struct job {
    const call *c;
    const tn_call *arguments;
    char *workspace;
} job;

static float *data_of(const job *w, const matrix *m) {
    if (m->copied) return (float *)(void *)(w->workspace + m->place);
    return tn_data(w->arguments->args[m->argument].v.tensor);
}

/* Of `rows` rows. */
static int add_memory(const call *c, dnnl_exec_arg_t *to, int argument, int64_t rows,
                      int64_t columns, int64_t row, int64_t column, float *data) {
    dnnl_memory_desc_t d;
    to->arg = argument;
    to->memory = NULL;
    return init_matrix(&d, rows, columns, row, column) &&
           dnnl_memory_create(&to->memory, &d, c->engine, data) == dnnl_success;
}

static int run_rows(const job *w, int64_t from, int64_t rows) {
    const call *c = w->c;
    float *y = tn_data(w->arguments->results[0].v.tensor);
    dnnl_exec_arg_t to[3 + MOST_STEPS];
    dnnl_stream_t stream = NULL;
    int n = 0;
    int fine = dnnl_stream_create(&stream, c->engine, dnnl_stream_default_flags) == dnnl_success;
    fine = fine && add_memory(c, &to[n++], DNNL_ARG_SRC, rows, c->k, c->a.row, c->a.column,
                              data_of(w, &c->a) + from * c->a.row);
    fine = fine && add_memory(c, &to[n++], DNNL_ARG_WEIGHTS, c->k, c->n, c->b.row, c->b.column,
                              data_of(w, &c->b));
    fine = fine && add_memory(c, &to[n++], DNNL_ARG_DST, rows, c->n, c->n, 1, y + from * c->n);
    for (int i = 0; fine && i < c->n_steps; i++) {
        const matrix *m = &c->extra[i];
        if (c->steps[i].argument < 0) continue;
        fine = add_memory(c, &to[n++], DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1,
                          m->row ? rows : 1, c->n, m->row ? m->row : c->n, 1,
                          data_of(w, m) + from * m->row);
    }
    fine = fine && dnnl_primitive_execute(rows == c->rows ? c->whole : c->rest, stream, n, to) ==
                       dnnl_success;
    fine = fine && dnnl_stream_wait(stream) == dnnl_success;
    for (int i = 0; i < n; i++)
        if (to[i].memory) dnnl_memory_destroy(to[i].memory);
    if (stream) dnnl_stream_destroy(stream);
    return fine;
}

static tn_code run_slices(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const job *w = arg;
    const int threads = tn__one_thread();
    int fine = 1;
    (void)worker;
    for (int64_t i = begin; i < end && fine; i++) {
        const int64_t from = i * w->c->rows, left = w->c->m - from;
        if (left > 0) fine = run_rows(w, from, left < w->c->rows ? left : w->c->rows);
    }
    tn__more_threads(threads);
    return fine ? TN_OK : TN_NO_MEMORY;
}

typedef struct copying {
    const matrix *m;
    const tn_tensor *from;
    float *to;
} copying;

static tn_code copy_rows(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const copying *w = arg;
    const int64_t n = w->m->columns, *steps = w->from->strides;
    (void)worker;
    for (int64_t row = begin; row < end; row++)
        tn__widen(w->from->dtype, tn_data(w->from), row * steps[0], steps[1], n, w->to + row * n);
    return TN_OK;
}

static tn_code copy(const tn_run_context *ctx, const job *w, const matrix *m) {
    copying c = {m, w->arguments->args[m->argument].v.tensor, data_of(w, m)};
    if (!m->copied) return TN_OK;
    return ctx->parallel_for(ctx, m->rows, 1 + LEAST_WORK / (m->columns + 1), copy_rows, &c);
}

static tn_code workspace(const tn_run_context *ctx, const tn_problem *problem, void *state,
                         tn_workspace *out) {
    (void)ctx, (void)problem;
    out->bytes = ((const call *)state)->workspace;
    return TN_OK;
}

static tn_code run(const tn_run_context *ctx, void *state, const tn_call *arguments) {
    const call *c = state;
    const job w = {c, arguments, ctx->workspace};
    TN_CHECK(copy(ctx, &w, &c->a));
    TN_CHECK(copy(ctx, &w, &c->b));
    for (int i = 0; i < c->n_steps; i++)
        if (c->steps[i].argument >= 0) TN_CHECK(copy(ctx, &w, &c->extra[i]));
    const tn_code code = ctx->parallel_for(ctx, (c->m + c->rows - 1) / c->rows, 1, run_slices,
                                           (void *)(uintptr_t)&w);
    if (code == TN_NO_MEMORY) return tn_fail(ctx->cb, code, "oneDNN's matmul has no memory");
    return code;
}

const tn_native tn__gemm_native = {
    TN_SIZED(tn_native),    .accept = accept, .estimate = estimate, .prepare = prepare,
    .workspace = workspace, .run = run,       .release = release};
