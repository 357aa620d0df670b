#include "gemm_native.h"

#include <dnnl.h>

#include "gemm_estimate.h"
#include "sgemm.h"
#include "tenon/opset.h"
#include "tenon/util.h"

#define MOST_STEPS 8
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

typedef struct call {
    int64_t m, n, k;
    int64_t rows; /* of a slice; the last may have fewer */
    step steps[MOST_STEPS];
    int n_steps;
    tn_sgemm_operand a, b; /* strides */
    int64_t extra_rows[MOST_STEPS];
    dnnl_engine_t engine;
    dnnl_primitive_t whole, rest; /* of a slice, and of the last one if it is smaller */
} call;

/* ------------------------------------------------------------------- legality */

static int64_t stride_of(const tn_tensor *t, int32_t axis) {
    return t->shape[axis] == 1 ? 0 : t->strides[axis];
}

/* A tensor that is the same for all rows, or a matrix with rows after one another. */
static int is_readable(const tn_tensor *t) {
    const int64_t column = stride_of(t, 1), row = stride_of(t, 0);
    return t->ndim == 2 && (column == 1 || t->shape[1] == 1) && (row == 0 || row >= t->shape[1]);
}

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
    return is_readable(p->args[other->argument].v.tensor);
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
    const int64_t row = c->extra_rows[i];
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
    c->a = (tn_sgemm_operand){NULL, a->strides[0], a->strides[1]};
    c->b = (tn_sgemm_operand){NULL, b->strides[0], b->strides[1]};
    tn_code code = read_chain(ctx, p, chain, c);
    for (int i = 0; i < c->n_steps; i++)
        if (c->steps[i].argument >= 0)
            c->extra_rows[i] = stride_of(p->args[c->steps[i].argument].v.tensor, 0);
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
} job;

static int add_memory(const call *c, dnnl_exec_arg_t *to, int argument, int64_t rows,
                      int64_t columns, int64_t row, int64_t column, const tn_tensor *t,
                      int64_t first) {
    dnnl_memory_desc_t d;
    to->arg = argument;
    to->memory = NULL;
    return init_matrix(&d, rows, columns, row, column) &&
           dnnl_memory_create(&to->memory, &d, c->engine, (float *)tn_data(t) + first) ==
               dnnl_success;
}

static int run_rows(const job *w, int64_t from, int64_t rows) {
    const call *c = w->c;
    const tn_arg *args = w->arguments->args;
    dnnl_exec_arg_t to[3 + MOST_STEPS];
    dnnl_stream_t stream = NULL;
    int n = 0;
    int fine = dnnl_stream_create(&stream, c->engine, dnnl_stream_default_flags) == dnnl_success;
    fine = fine && add_memory(c, &to[n++], DNNL_ARG_SRC, rows, c->k, c->a.row, c->a.column,
                              args[0].v.tensor, from * c->a.row);
    fine = fine && add_memory(c, &to[n++], DNNL_ARG_WEIGHTS, c->k, c->n, c->b.row, c->b.column,
                              args[1].v.tensor, 0);
    fine = fine && add_memory(c, &to[n++], DNNL_ARG_DST, rows, c->n, c->n, 1,
                              w->arguments->results[0].v.tensor, from * c->n);
    for (int i = 0; fine && i < c->n_steps; i++) {
        const int64_t row = c->extra_rows[i];
        if (c->steps[i].argument < 0) continue;
        fine = add_memory(c, &to[n++], DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1,
                          row ? rows : 1, c->n, row ? row : c->n, 1,
                          args[c->steps[i].argument].v.tensor, from * row);
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

static tn_code run(const tn_run_context *ctx, void *state, const tn_call *arguments) {
    const call *c = state;
    const job w = {c, arguments};
    const tn_code code = ctx->parallel_for(ctx, (c->m + c->rows - 1) / c->rows, 1, run_slices,
                                           (void *)(uintptr_t)&w);
    if (code == TN_NO_MEMORY) return tn_fail(ctx->cb, code, "oneDNN's matmul has no memory");
    return code;
}

const tn_native tn__gemm_native = {TN_SIZED(tn_native), .accept = accept, .estimate = estimate,
                                   .prepare = prepare,  .run = run,       .release = release};
