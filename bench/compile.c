/* From text to first result: cold, from the disk cache, and planning alone; a call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static const char mlp[] =
    "graph @mlp(%x: f32[48,64], %w: f32[64,96], %b: f32[96], %r: f32[48,96]) {\n"
    "  %m = tn::matmul(%x, %w)\n  %a = tn::add(%m, %b)\n  %s = acme::swish(%a)\n"
    "  %y = tn::add(%s, %r)\n  return %y\n}\n";

/* A context and a first result, with kernels in this cache folder. */
static double first_result(const char *cache, const char *acme, tn_plan_stats *stats) {
    const tn_context_options options = {.struct_size = sizeof options, .cache_dir = cache};
    tn_context *context;
    tn_graph *graph;
    tn_executable *e;
    tn_plan *plan;
    tn_arg inputs[4], output;
    bench_check("context", tn_context_create(&options, &context));
    bench_check("plugin", tn_plugin_load(context, acme, NULL));
    double start = bench_now();
    bench_check("parse", tn_graph_parse(context, mlp, strlen(mlp), "mlp", &graph));
    for (uint32_t i = 0; i < 4; i++) {
        tn_tensor *t = bench_tensor(context, tn_graph_input_spec(graph, i), i + 1);
        inputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = t};
    }
    output = (tn_arg){.tag = TN_TAG_TENSOR,
                      .v.tensor = bench_tensor(context, inputs[3].v.tensor, 9)};
    bench_check("compile", tn_compile(graph, NULL, &e));
    bench_check("run", tn_executable_run(e, NULL, inputs, 4, &output, 1));
    double seconds = bench_now() - start;
    bench_check("plan", tn_executable_plan(e, inputs, 4, &plan));
    bench_check("stats", tn_plan_get_stats(plan, stats));
    tn_plan_release(plan);
    for (uint32_t i = 0; i < 4; i++)
        tn_tensor_free(context, inputs[i].v.tensor);
    tn_tensor_free(context, output.v.tensor);
    tn_executable_release(e);
    tn_graph_release(graph);
    tn_context_release(context);
    return seconds;
}

/* Planning of a long chain with a warm object: what a new shape costs, a node. */
static double plan_per_node(const char *cache, uint32_t *out_nodes) {
    enum { CHAIN = 200 };
    const tn_context_options options = {.struct_size = sizeof options, .cache_dir = cache};
    static char text[CHAIN * 64];
    size_t n = (size_t)snprintf(text, sizeof text, "graph @chain(%%v0: f32[B,64]) {\n");
    for (int i = 1; i <= CHAIN; i++) {
        const char *op = i % 4 == 0 ? "softmax" : i % 4 == 2 ? "exp" : "tanh";
        n += (size_t)snprintf(text + n, sizeof text - n, "  %%v%d = tn::%s(%%v%d%s)\n", i, op,
                              i - 1, i % 4 == 0 ? ", 1" : "");
    }
    snprintf(text + n, sizeof text - n, "  return %%v%d\n}\n", CHAIN);
    tn_context *context;
    tn_graph *graph;
    tn_executable *e;
    double best = 1e9;
    bench_check("context", tn_context_create(&options, &context));
    bench_check("parse", tn_graph_parse(context, text, strlen(text), "chain", &graph));
    bench_check("compile", tn_compile(graph, NULL, &e));
    for (int64_t rows = 2; rows < 34; rows++) {
        int64_t shape[2] = {rows, 64}, strides[2] = {64, 1};
        tn_tensor t = {.device = {TN_DEVICE_CPU, 0},
                       .ndim = 2,
                       .dtype = {TN_TYPE_FLOAT, 32, 1},
                       .shape = shape,
                       .strides = strides};
        tn_arg input = {.tag = TN_TAG_TENSOR, .v.tensor = &t};
        tn_plan *plan;
        tn_plan_stats stats = {.struct_size = sizeof stats};
        bench_check("plan", tn_executable_plan(e, &input, 1, &plan));
        bench_check("stats", tn_plan_get_stats(plan, &stats));
        if (rows > 4 && stats.plan_seconds < best) best = stats.plan_seconds;
        tn_plan_release(plan);
    }
    tn_executable_release(e);
    tn_graph_release(graph);
    tn_context_release(context);
    *out_nodes = CHAIN;
    return best / CHAIN;
}

/* One call of a small op into a tensor that is there: what Tenon adds to the work. */
static double call_seconds(const char *cache) {
    enum { CALLS = 20000 };
    const tn_context_options options = {.struct_size = sizeof options, .cache_dir = cache};
    float values[3][16] = {{0}};
    int64_t shape = 16, stride = 1;
    tn_tensor tensors[3];
    tn_arg args[3];
    tn_context *context;
    const tn_op *op;
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        tensors[i] = (tn_tensor){.data = values[i],
                                 .device = {TN_DEVICE_CPU, 0},
                                 .ndim = 1,
                                 .dtype = {TN_TYPE_FLOAT, 32, 1},
                                 .shape = &shape,
                                 .strides = &stride};
        args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &tensors[i]};
    }
    bench_check("context", tn_context_create(&options, &context));
    bench_check("op", tn_op_lookup(context, "tn::add", &op));
    for (int round = 0; round < 9; round++) {
        double start = bench_now();
        for (int i = 0; i < CALLS; i++)
            bench_check("call", tn_call_op(context, op, NULL, args, 2, &args[2], 1));
        double seconds = (bench_now() - start) / CALLS;
        if (round > 0 && seconds < best) best = seconds;
    }
    tn_op_release(context, op);
    tn_context_release(context);
    return best;
}

void bench_compile(const char *acme, cJSON *rows) {
    char folder[] = "/tmp/tenon-bench-XXXXXX", command[128];
    uint32_t nodes;
    tn_plan_stats stats = {.struct_size = sizeof stats};
    if (mkdtemp(folder) == NULL) {
        perror("bench: mkdtemp");
        exit(1);
    }
    double cold = first_result(folder, acme, &stats);
    double cached = 1e9;
    for (int i = 0; i < 5; i++) {
        double t = first_result(folder, acme, &stats);
        if (t < cached) cached = t;
    }
    bench_report(rows,
                 &(bench_row){"first result, cold", 1e3 * cold, cold / 0.3, 1, false, "of 300 ms"});
    bench_report(rows, &(bench_row){"first result, from the cache", 1e3 * cached, cached / 0.01, 1,
                                    false, "of 10 ms"});
    double node = plan_per_node(folder, &nodes);
    bench_report(rows,
                 &(bench_row){"planning, a node", 1e3 * node, node / 5e-6, 1, false, "of 5 us"});
    double call = call_seconds(folder);
    bench_report(rows,
                 &(bench_row){"call of an op", 1e3 * call, call / 1.5e-7, 1, false, "of 150 ns"});
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) fprintf(stderr, "bench: %s is left\n", folder);
}
