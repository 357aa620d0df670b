/* tn::matmul against oneDNN called on the same slices with the same threads, and what
 * an epilogue adds to it. */
#include <dnnl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* From libgomp, which oneDNN brings. */
void omp_set_num_threads(int n);

typedef struct problem {
    int64_t m, k, n;
    tn_tensor *a, *b, *c, *bias, *residual;
    tn_executable *plain, *epilogue;
    tn_arg inputs[4], output;
} problem;

static void run_dnnl(void *arg) {
    problem *p = arg;
    dnnl_sgemm('N', 'N', p->m, p->n, p->k, 1.0f, p->a->data, p->k, p->b->data, p->n, 0.0f,
               p->c->data, p->n);
}

static void run_plain(void *arg) {
    problem *p = arg;
    bench_check("matmul", tn_executable_run(p->plain, NULL, p->inputs, 2, &p->output, 1));
}

static void run_epilogue(void *arg) {
    problem *p = arg;
    bench_check("epilogue", tn_executable_run(p->epilogue, NULL, p->inputs, 4, &p->output, 1));
}

static tn_executable *compile(tn_context *context, const char *text) {
    tn_graph *graph;
    tn_executable *e;
    bench_check("parse", tn_graph_parse(context, text, strlen(text), "matmul", &graph));
    bench_check("compile", tn_compile(graph, NULL, &e));
    tn_graph_release(graph);
    return e;
}

static tn_tensor *matrix(tn_context *context, int64_t rows, int64_t columns, uint64_t seed) {
    int64_t shape[2] = {rows, columns};
    const tn_tensor spec = {.device = {TN_DEVICE_CPU, 0},
                            .ndim = rows == 0 ? 1 : 2,
                            .dtype = {TN_TYPE_FLOAT, 32, 1},
                            .shape = rows == 0 ? shape + 1 : shape};
    return bench_tensor(context, &spec, seed);
}

static void open_problem(tn_context *context, problem *p) {
    static const char plain[] = "graph @mm(%a: f32[M,K], %b: f32[K,N]) {\n"
                                "  %c = tn::matmul(%a, %b)\n  return %c\n}\n";
    static const char epilogue[] =
        "graph @mme(%a: f32[M,K], %b: f32[K,N], %bias: f32[N], %r: f32[M,N]) {\n"
        "  %c = tn::matmul(%a, %b)\n  %d = tn::add(%c, %bias)\n  %e = acme::swish(%d)\n"
        "  %f = tn::add(%e, %r)\n  return %f\n}\n";
    p->a = matrix(context, p->m, p->k, 1);
    p->b = matrix(context, p->k, p->n, 2);
    p->bias = matrix(context, 0, p->n, 3);
    p->residual = matrix(context, p->m, p->n, 4);
    p->c = matrix(context, p->m, p->n, 5);
    tn_tensor *tensors[4] = {p->a, p->b, p->bias, p->residual};
    for (int i = 0; i < 4; i++)
        p->inputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = tensors[i]};
    p->output = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = p->c};
    p->plain = compile(context, plain);
    p->epilogue = compile(context, epilogue);
}

static void close_problem(tn_context *context, problem *p) {
    tn_tensor *tensors[5] = {p->a, p->b, p->bias, p->residual, p->c};
    for (int i = 0; i < 5; i++)
        tn_tensor_free(context, tensors[i]);
    tn_executable_release(p->plain);
    tn_executable_release(p->epilogue);
}

/* Rounds in which all three run for a while one after another. A ratio is the median of the
 * rounds' ratios: what memory gives drifts by a third within seconds, and a ratio of medians
 * of whole runs compared one moment's with another's. Not by turns of single calls: oneDNN's
 * threads spin for a while after each. */
enum { ROUNDS = 15 };
#define ROUND_SECONDS 0.1

typedef struct rounds {
    double dnnl[ROUNDS], plain[ROUNDS], epilogue[ROUNDS], plain_ratio[ROUNDS],
        epilogue_ratio[ROUNDS];
} rounds;

static void measure(problem *p, rounds *out) {
    for (int i = 0; i < ROUNDS; i++) {
        out->dnnl[i] = bench_measure(run_dnnl, p, ROUND_SECONDS, 3).median;
        out->plain[i] = bench_measure(run_plain, p, ROUND_SECONDS, 3).median;
        out->epilogue[i] = bench_measure(run_epilogue, p, ROUND_SECONDS, 3).median;
        out->plain_ratio[i] = out->plain[i] / out->dnnl[i];
        out->epilogue_ratio[i] = out->epilogue[i] / out->plain[i];
    }
}

static void report(cJSON *rows, const problem *p, rounds *r, bool first, bool last) {
    char name[64];
    const double plain = bench_median(r->plain_ratio, ROUNDS),
                 epilogue = bench_median(r->epilogue_ratio, ROUNDS);
    snprintf(name, sizeof name, "c_matmul %lldx%lldx%lld", (long long)p->m, (long long)p->k,
             (long long)p->n);
    bench_report(rows, &(bench_row){name, 1e3 * bench_median(r->plain, ROUNDS), plain,
                                    last ? 0 : 1.05, false, "x oneDNN"});
    snprintf(name, sizeof name, "c_matmul+epilogue %lldx%lldx%lld", (long long)p->m,
             (long long)p->k, (long long)p->n);
    bench_report(rows, &(bench_row){name, 1e3 * bench_median(r->epilogue, ROUNDS), epilogue,
                                    first ? 1.10 : 0, false, "x plain"});
}

void bench_matmul(tn_context *context, cJSON *rows) {
    static const int64_t sizes[][3] = {{1024, 4096, 1024}, {1, 4096, 4096}, {64, 1024, 4096}};
    const size_t n = sizeof sizes / sizeof sizes[0];
    omp_set_num_threads(2);
    for (size_t i = 0; i < n; i++) {
        problem p = {.m = sizes[i][0], .k = sizes[i][1], .n = sizes[i][2]};
        rounds r;
        open_problem(context, &p);
        measure(&p, &r);
        report(rows, &p, &r, i == 0, i == n - 1);
        close_problem(context, &p);
    }
}
