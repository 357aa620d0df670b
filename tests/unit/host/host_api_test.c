/* The public interface as an application uses it: the whole road with every
 * allocation refused in turn, misuse, and many threads on one executable. */
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "tenon/tenon.h"

#define ACME TN_BINARY_DIR "/test-plugins/acme.so"

static const char text[] = "graph @g(%x: f32[N,6], %b: f32[6]) {\n"
                           "  %s = acme::swish(%x, beta=1.5)\n"
                           "  %f = acme::median_filter(%s, radius=1)\n"
                           "  %v = prim::broadcast(%b, shape=[N, 6], axes=[1])\n"
                           "  %y = prim::add(%f, %v)\n"
                           "  %r = prim::sum(%y, axes=[1])\n"
                           "  return %y, %r\n"
                           "}\n";

typedef struct data {
    float x[64], b[6], y[64], r[8];
    int64_t x_shape[2], x_strides[2], b_shape[1], b_strides[1], r_shape[1];
    tn_tensor tensors[4];
    tn_arg inputs[2], outputs[2];
} data;

static tn_tensor describe(float *values, int32_t ndim, int64_t *shape, int64_t *strides) {
    return (tn_tensor){.data = values,
                       .device = {TN_DEVICE_CPU, 0},
                       .ndim = ndim,
                       .dtype = {TN_TYPE_FLOAT, 32, 1},
                       .shape = shape,
                       .strides = strides};
}

static void fill(data *d, int64_t rows) {
    for (int i = 0; i < 64; i++)
        d->x[i] = (float)i * 0.25f - 4;
    for (int i = 0; i < 6; i++)
        d->b[i] = (float)i;
    d->x_shape[0] = d->r_shape[0] = rows;
    d->x_shape[1] = d->x_strides[0] = d->b_shape[0] = 6;
    d->x_strides[1] = d->b_strides[0] = 1;
    d->tensors[0] = describe(d->x, 2, d->x_shape, d->x_strides);
    d->tensors[1] = describe(d->b, 1, d->b_shape, d->b_strides);
    d->tensors[2] = describe(d->y, 2, d->x_shape, d->x_strides);
    d->tensors[3] = describe(d->r, 1, d->r_shape, d->b_strides);
    for (int i = 0; i < 2; i++) {
        d->inputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &d->tensors[i]};
        d->outputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &d->tensors[2 + i]};
    }
}

static bool swallow(void *self, const char *piece, size_t length) {
    *(size_t *)self += piece != NULL ? length : 0;
    return true;
}

static bool count_op(void *self, const tn_op_info *op) {
    *(size_t *)self += op->name[0] != 0;
    return true;
}

static tn_status use_graph(tn_graph *graph, const tn_compile_options *options) {
    tn_executable *e = NULL;
    tn_plan *plan = NULL;
    data d;
    size_t length = 0;
    fill(&d, 3);
    tn_status status = tn_compile(graph, options, &e);
    if (status == NULL) status = tn_executable_plan(e, d.inputs, 2, &plan);
    if (status == NULL) status = tn_executable_run(e, NULL, d.inputs, 2, d.outputs, 2);
    for (int32_t format = 0; status == NULL && options == NULL && format < 3; format++) {
        status = tn_plan_explain(plan, format, swallow, &length);
    }
    tn_plan_release(plan);
    tn_executable_release(e);
    return status;
}

static tn_status use_op(tn_context *context) {
    const tn_op *op = NULL;
    tn_arg out = {.tag = TN_TAG_NONE};
    data d;
    fill(&d, 3);
    tn_status status = tn_op_lookup(context, "acme::swish", &op);
    if (status == NULL) status = tn_call_op(context, op, NULL, d.inputs, 1, &out, 1);
    tn_results_free(context, &out, 1);
    tn_op_release(context, op);
    return status;
}

static tn_status use_context(tn_context *context) {
    tn_graph *graph = NULL;
    tn_plugin_info *info = NULL;
    size_t n = 0;
    const tn_compile_options reference = {.struct_size = sizeof reference,
                                          .target = TN_TARGET_REFERENCE};
    const tn_compile_options checked = {.struct_size = sizeof checked,
                                        .flags = TN_COMPILE_CHECKED | TN_COMPILE_POISON};
    tn_status status = tn_plugin_inspect(context, ACME, &info);
    if (info != NULL) tn_plugin_info_free(info);
    if (status == NULL) status = tn_plugin_load(context, ACME, NULL);
    if (status == NULL) status = tn_ops_visit(context, count_op, &n);
    if (status == NULL) status = tn_graph_parse(context, text, strlen(text), "g", &graph);
    if (status == NULL) status = tn_graph_print(graph, swallow, &n);
    if (status == NULL) status = use_graph(graph, NULL);
    if (status == NULL) status = use_graph(graph, &reference);
    if (status == NULL) status = use_graph(graph, &checked);
    tn_graph_release(graph);
    if (status == NULL) status = use_op(context);
    return status;
}

static void silent(void *self, int32_t level, const char *message) {
    (void)self, (void)level, (void)message;
}

static tn_status whole_road(void *self, const tn_allocator *a) {
    tn_context *context = NULL;
    const tn_context_options options = {.struct_size = sizeof options,
                                        .allocator = a,
                                        .threads = 1,
                                        .log = silent,
                                        .flags = TN_CONTEXT_NO_BUILTINS};
    (void)self;
    tn_status status = tn_context_create(&options, &context);
    if (status == NULL) status = use_context(context);
    tn_context_release(context);
    return status;
}

Test(host, every_allocation_refused_in_turn, .timeout = 500) {
    uint64_t allocations;
    const char *problem = tn_sweep_allocations(whole_road, NULL, true, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_gt(allocations, 100);
}

/* -------------------------------------------------------------------- misuse */

static tn_context *make_context(void) {
    tn_context *context = NULL;
    const tn_context_options options = {.struct_size = sizeof options,
                                        .threads = 2,
                                        .log = silent,
                                        .flags = TN_CONTEXT_NO_BUILTINS};
    tn_status status = tn_context_create(&options, &context);
    cr_assert_null(status, "%s", tn_status_message(status));
    status = tn_plugin_load(context, ACME, NULL);
    cr_assert_null(status, "%s", tn_status_message(status));
    return context;
}

static void expect(tn_status status, tn_code code, const char *words) {
    cr_assert_not_null(status);
    cr_assert_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_assert_not_null(strstr(tn_status_message(status), words), "\"%s\" lacks \"%s\"",
                       tn_status_message(status), words);
    tn_status_free(status);
}

Test(host, runs_are_checked) {
    tn_context *context = make_context();
    tn_graph *graph;
    tn_executable *e;
    data d, wrong;
    cr_assert_null(tn_graph_parse(context, text, strlen(text), "g", &graph));
    cr_assert_null(tn_compile(graph, NULL, &e));
    fill(&d, 3);
    expect(tn_executable_run(e, NULL, d.inputs, 1, d.outputs, 2), TN_INVALID, "expected 2 inputs");
    expect(tn_executable_run(e, NULL, d.inputs, 2, d.outputs, 1), TN_INVALID, "expected 2 outputs");
    expect(tn_executable_run(e, &d, d.inputs, 2, d.outputs, 2), TN_INVALID, "stream");
    fill(&wrong, 3);
    wrong.tensors[0].dtype.bits = 64;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "%x");
    fill(&wrong, 3);
    wrong.tensors[0].ndim = 1;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID,
           "expected rank 2");
    fill(&wrong, 3);
    wrong.x_shape[1] = 5;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "extent 6");
    fill(&wrong, 3);
    wrong.tensors[0].strides = NULL;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "NULL");
    fill(&wrong, 3);
    wrong.tensors[0].data = NULL;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "NULL");
    fill(&wrong, 3);
    wrong.tensors[2].data = wrong.x;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "overlaps");
    fill(&wrong, 3);
    int64_t repeated[2] = {0, 1};
    wrong.tensors[2].strides = repeated;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "stride 0");
    repeated[0] = -3; /* elements 3 to 5 of a row are those of the next */
    wrong.tensors[2].data = wrong.y + 6;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "must not");
    int64_t by_columns[2] = {1, 3};
    wrong.tensors[2].strides = by_columns;
    cr_assert_null(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2));
    fill(&wrong, 3);
    wrong.tensors[0].device.type = TN_DEVICE_CUDA;
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "device");
    wrong.inputs[0] = (tn_arg){.tag = TN_TAG_INT};
    expect(tn_executable_run(e, NULL, wrong.inputs, 2, wrong.outputs, 2), TN_INVALID, "tensor");
    cr_assert_null(tn_executable_run(e, NULL, d.inputs, 2, d.outputs, 2), "and the host goes on");
    expect(tn_plugin_unload(context, "acme"), TN_BUSY, "acme");
    tn_executable_release(e);
    tn_graph_release(graph);
    cr_assert_null(tn_plugin_unload(context, "acme"));
    tn_graph *gone;
    expect(tn_graph_parse(context, text, strlen(text), "g", &gone), TN_PARSE, "acme");
    tn_context_release(context);
}

Test(host, options_are_checked) {
    tn_context *context = NULL;
    tn_context_options options = {.struct_size = 3};
    expect(tn_context_create(&options, &context), TN_INVALID, "struct_size");
    options = (tn_context_options){.struct_size = sizeof options, .threads = 100000};
    expect(tn_context_create(&options, &context), TN_INVALID, "threads");
    context = make_context();
    tn_graph *graph;
    tn_executable *e;
    cr_assert_null(tn_graph_parse(context, text, strlen(text), "g", &graph));
    tn_compile_options compile = {.struct_size = sizeof compile, .target = 77};
    expect(tn_compile(graph, &compile, &e), TN_INVALID, "target 77");
    const char *rule = "sideways:acme::swish";
    compile = (tn_compile_options){.struct_size = sizeof compile, .force = &rule, .n_force = 1};
    expect(tn_compile(graph, &compile, &e), TN_INVALID, "sideways");
    tn_graph_release(graph);
    tn_context_release(context);
}

Test(host, graphs_built_by_hand) {
    tn_context *context = make_context();
    tn_graph *graph;
    tn_value x, y, z;
    const int64_t shape[2] = {-1, 6};
    const char *const dims[2] = {"N", NULL};
    const tn_dtype f32 = {TN_TYPE_FLOAT, 32, 1};
    cr_assert_null(tn_graph_create(context, "built", &graph));
    cr_assert_null(tn_graph_input(graph, "x", f32, 2, shape, dims, NULL, &x));
    expect(tn_graph_input(graph, "x", f32, 2, shape, dims, NULL, &y), TN_EXISTS, "x");
    tn_arg arg = {.tag = TN_TAG_VALUE, .v.value = x};
    const tn_attr beta = {"beta", {.tag = TN_TAG_FLOAT, .v.f = 2}};
    cr_assert_null(tn_graph_call(graph, "acme::swish", &arg, 1, &beta, 1, &y, 1));
    expect(tn_graph_call(graph, "acme::swosh", &arg, 1, NULL, 0, &z, 1), TN_NOT_FOUND,
           "acme::swish");
    const tn_attr unknown = {"betta", {.tag = TN_TAG_FLOAT, .v.f = 2}};
    expect(tn_graph_call(graph, "acme::swish", &arg, 1, &unknown, 1, &z, 1), TN_INVALID, "beta");
    arg.v.value.id = 12345;
    expect(tn_graph_call(graph, "acme::swish", &arg, 1, NULL, 0, &z, 1), TN_INVALID, "12345");
    expect(tn_graph_finish(graph), TN_INVALID, "returns nothing");
    cr_assert_null(tn_graph_output(graph, y));
    cr_assert_null(tn_graph_finish(graph));
    expect(tn_graph_output(graph, y), TN_INVALID, "finished");
    cr_assert_str_eq(tn_graph_input_dim_name(graph, 0, 0), "N");
    cr_assert_eq(tn_graph_input_spec(graph, 0)->shape[0], -1);
    tn_graph_release(graph);
    tn_context_release(context);
}

/* A call that names no overload means the one that fits. */
Test(host, overloads_of_built_in_ops) {
    tn_context *context;
    tn_graph *graph;
    tn_value x, y, both[2];
    size_t length = 0;
    const int64_t shape[2] = {2, 6};
    const tn_dtype f32 = {TN_TYPE_FLOAT, 32, 1};
    cr_assert_null(tn_context_create(NULL, &context));
    cr_assert_null(tn_graph_create(context, "built", &graph));
    cr_assert_null(tn_graph_input(graph, "x", f32, 2, shape, NULL, NULL, &x));
    tn_arg args[2] = {{.tag = TN_TAG_VALUE, .v.value = x}, {.tag = TN_TAG_FLOAT, .v.f = 2}};
    tn_status status = tn_graph_call(graph, "tn::mul", args, 2, NULL, 0, &y, 1);
    cr_assert_null(status, "%s", tn_status_message(status));
    args[1] = args[0];
    cr_assert_null(tn_graph_call(graph, "tn::mul", args, 2, NULL, 0, &y, 1));
    args[1] = (tn_arg){.tag = TN_TAG_INT, .v.i = 1};
    cr_assert_null(tn_graph_call(graph, "tn::max", args, 2, NULL, 0, both, 2));
    args[1] = (tn_arg){.tag = TN_TAG_STRING, .v.str = "1", .count = 1};
    expect(tn_graph_call(graph, "tn::mul", args, 2, NULL, 0, &y, 1), TN_INVALID,
           "\n  tn::mul.Scalar(Tensor self, Scalar other) -> Tensor: argument 'other'");
    cr_assert_null(tn_graph_output(graph, both[1]));
    cr_assert_null(tn_graph_finish(graph));
    cr_assert_null(tn_graph_print(graph, swallow, &length));
    tn_graph_release(graph);
    tn_context_release(context);
}

/* The items of a Tensor[] result are values like others. */
Test(host, lists_that_ops_return) {
    tn_context *context;
    tn_graph *graph;
    tn_executable *e;
    tn_value x, rows[2], columns[3], sum;
    float in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[4] = {0};
    int64_t shape[2] = {2, 4}, strides[2] = {4, 1}, row = 4, one = 1;
    tn_tensor from = describe(in, 2, shape, strides), to = describe(out, 1, &row, &one);
    const tn_arg input = {.tag = TN_TAG_TENSOR, .v.tensor = &from};
    const tn_arg output = {.tag = TN_TAG_TENSOR, .v.tensor = &to};
    cr_assert_null(tn_context_create(NULL, &context));
    cr_assert_null(tn_graph_create(context, "lists", &graph));
    cr_assert_null(tn_graph_input(graph, "x", from.dtype, 2, shape, NULL, NULL, &x));
    tn_arg args[2] = {{.tag = TN_TAG_VALUE, .v.value = x}, {.tag = TN_TAG_INT, .v.i = 1}};
    cr_assert_null(tn_graph_call(graph, "tn::unbind", args, 1, NULL, 0, rows, 2));
    cr_assert_null(tn_graph_call(graph, "tn::unbind", args, 2, NULL, 0, columns, 3), "of four");
    args[0].v.value = rows[0];
    args[1] = (tn_arg){.tag = TN_TAG_VALUE, .v.value = rows[1]};
    cr_assert_null(tn_graph_call(graph, "tn::add", args, 2, NULL, 0, &sum, 1));
    cr_assert_null(tn_graph_output(graph, sum));
    cr_assert_null(tn_compile(graph, NULL, &e));
    tn_status status = tn_executable_run(e, NULL, &input, 1, &output, 1);
    cr_assert_null(status, "%s", tn_status_message(status));
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(out[i], 2.0f * (float)i + 6.0f, 0);
    tn_executable_release(e);
    tn_graph_release(graph);

    /* More items than there are: known when sizes are. */
    tn_value many[5];
    cr_assert_null(tn_graph_create(context, "lists", &graph));
    cr_assert_null(tn_graph_input(graph, "x", from.dtype, 2, shape, NULL, NULL, &x));
    args[0].v.value = x;
    expect(tn_graph_call(graph, "tn::add", args, 1, NULL, 0, many, 1), TN_INVALID, "other");
    args[1] = args[0];
    expect(tn_graph_call(graph, "tn::add", args, 2, NULL, 0, many, 2), TN_INVALID,
           "expected room for 1 results, found 2");
    cr_assert_null(tn_graph_call(graph, "tn::unbind", args, 1, NULL, 0, many, 5));
    cr_assert_null(tn_graph_output(graph, many[4]));
    cr_assert_null(tn_compile(graph, NULL, &e));
    to.shape = &one;
    expect(tn_executable_run(e, NULL, &input, 1, &output, 1), TN_UNSUPPORTED, "gives 2 results");
    tn_executable_release(e);
    tn_graph_release(graph);
    tn_context_release(context);
}

/* ------------------------------------------------------------------- threads */

typedef struct shared {
    tn_executable *executable;
    _Atomic int failures;
} shared;

static void *run_many(void *arg) {
    shared *s = arg;
    for (int round = 0; round < 20; round++) {
        data d;
        fill(&d, 1 + round % 8);
        tn_status status = tn_executable_run(s->executable, NULL, d.inputs, 2, d.outputs, 2);
        float sum = 0;
        for (int i = 0; i < 6; i++)
            sum += d.y[i];
        if (status != NULL || fabsf(sum - d.r[0]) > 1e-4f) s->failures++;
        tn_status_free(status);
    }
    return NULL;
}

Test(host, eight_threads_run_one_executable) {
    tn_context *context = make_context();
    tn_graph *graph;
    shared s = {0};
    pthread_t threads[8];
    cr_assert_null(tn_graph_parse(context, text, strlen(text), "g", &graph));
    cr_assert_null(tn_compile(graph, NULL, &s.executable));
    for (int i = 0; i < 8; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run_many, &s), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(s.failures, 0);
    tn_executable_stats stats = {.struct_size = sizeof stats};
    cr_assert_null(tn_executable_get_stats(s.executable, &stats));
    cr_assert_eq(stats.plans, 8, "one for each number of rows");
    cr_assert_eq(stats.runs, 160);
    cr_assert_leq(stats.compiles, 2, "sizes are parameters: found %d compiles",
                  (int)stats.compiles);
    tn_executable_release(s.executable);
    tn_graph_release(graph);
    tn_context_release(context);
}

/* Plans of calls are forgotten at each try to unload, though others run them. */
static void *call_many(void *arg) {
    tn_context *context = arg;
    const tn_op *op = NULL;
    intptr_t failures = tn_op_lookup(context, "acme::swish", &op) != NULL;
    for (int round = 0; failures == 0 && round < 60; round++) {
        data d;
        tn_arg out = {.tag = TN_TAG_NONE};
        fill(&d, 1 + round % 2);
        tn_status status = tn_call_op(context, op, NULL, d.inputs, 1, &out, 1);
        failures += status != NULL;
        tn_status_free(status);
        tn_results_free(context, &out, 1);
    }
    tn_op_release(context, op);
    return (void *)failures;
}

Test(host, calls_go_on_while_their_plans_are_forgotten) {
    tn_context *context = make_context();
    const tn_op *op;
    pthread_t threads[4];
    cr_assert_null(tn_op_lookup(context, "acme::swish", &op));
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, call_many, context), 0);
    for (int i = 0; i < 40; i++)
        expect(tn_plugin_unload(context, "acme"), TN_BUSY, "acme");
    for (int i = 0; i < 4; i++) {
        void *failures = NULL;
        pthread_join(threads[i], &failures);
        cr_assert_null(failures);
    }
    tn_op_release(context, op);
    cr_assert_null(tn_plugin_unload(context, "acme"));
    tn_context_release(context);
}

/* What compilers ran for since the executable was made. */
static uint64_t compiles(tn_executable *e) {
    tn_executable_stats stats = {.struct_size = sizeof stats};
    cr_assert_null(tn_executable_get_stats(e, &stats));
    return stats.compiles;
}

Test(host, an_unload_that_is_refused_forgets_no_call) {
    const tn_context_options options = {.struct_size = sizeof options,
                                        .log = silent,
                                        .flags = TN_CONTEXT_NO_BUILTINS | TN_CONTEXT_NO_CACHE};
    tn_context *context;
    tn_graph *graph;
    tn_executable *e;
    static const char other[] = "graph @g(%x: f32[4]) {\n  return %x\n}\n";
    cr_assert_null(tn_context_create(&options, &context));
    cr_assert_null(tn_plugin_load(context, ACME, NULL));
    cr_assert_null(tn_graph_parse(context, other, strlen(other), "g", &graph));
    cr_assert_null(tn_compile(graph, NULL, &e));
    const tn_op *op;
    cr_assert_null(tn_op_lookup(context, "acme::swish", &op));
    cr_assert_null(use_op(context));
    cr_assert_eq(compiles(e), 1);
    expect(tn_plugin_unload(context, "acme"), TN_BUSY, "acme");
    cr_assert_null(use_op(context));
    cr_assert_eq(compiles(e), 1, "the plan of the call is still there");
    tn_op_release(context, op);
    cr_assert_null(tn_plugin_unload(context, "acme"), "only a kept call holds it");
    tn_executable_release(e);
    tn_graph_release(graph);
    tn_context_release(context);
}

#define MANY 300

Test(host, a_kernel_of_many_inputs) {
    tn_context *context = make_context();
    static char many[MANY * 64];
    float x[4] = {1, 2, 3, 4}, y[4];
    int64_t shape = 4, stride = 1;
    tn_tensor in = describe(x, 1, &shape, &stride), out = describe(y, 1, &shape, &stride);
    tn_arg inputs[MANY], output = {.tag = TN_TAG_TENSOR, .v.tensor = &out};
    tn_graph *graph;
    tn_executable *e;
    int n = snprintf(many, sizeof many, "graph @g(%%x0: f32[4]");
    for (int i = 0; i < MANY; i++) {
        inputs[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &in};
        if (i > 0) n += snprintf(many + n, sizeof many - (size_t)n, ", %%x%d: f32[4]", i);
    }
    n += snprintf(many + n, sizeof many - (size_t)n, ") {\n%%v0 = prim::add(%%x0, %%x0)\n");
    for (int i = 1; i < MANY; i++) {
        n += snprintf(many + n, sizeof many - (size_t)n, "%%v%d = prim::add(%%v%d, %%x%d)\n", i,
                      i - 1, i);
    }
    n += snprintf(many + n, sizeof many - (size_t)n, "return %%v%d\n}\n", MANY - 1);
    cr_assert_null(tn_graph_parse(context, many, (size_t)n, "many", &graph));
    cr_assert_null(tn_compile(graph, NULL, &e));
    tn_status status = tn_executable_run(e, NULL, inputs, MANY, &output, 1);
    cr_assert_null(status, "%s", tn_status_message(status));
    for (int i = 0; i < 4; i++)
        cr_assert_float_eq(y[i], x[i] * (MANY + 1), 0);
    tn_executable_release(e);
    tn_graph_release(graph);
    tn_context_release(context);
}

Test(host, without_a_compiler_the_interpreter_runs) {
    tn_context *context = NULL;
    tn_graph *graph;
    tn_executable *e;
    data d;
    const tn_context_options options = {.struct_size = sizeof options,
                                        .log = silent,
                                        .flags = TN_CONTEXT_NO_BUILTINS | TN_CONTEXT_NO_COMPILER};
    cr_assert_null(tn_context_create(&options, &context));
    cr_assert_null(tn_plugin_load(context, ACME, NULL));
    cr_assert_null(tn_graph_parse(context, text, strlen(text), "g", &graph));
    cr_assert_null(tn_compile(graph, NULL, &e));
    fill(&d, 3);
    tn_status status = tn_executable_run(e, NULL, d.inputs, 2, d.outputs, 2);
    cr_assert_null(status, "%s", tn_status_message(status));
    tn_executable_release(e);
    tn_graph_release(graph);
    tn_context_release(context);
}
