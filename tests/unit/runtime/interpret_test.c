/* Ops that the interpreter cannot lower: what their kernels are told, and what a run
 * of many of them costs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "ir/text.h"
#include "runtime/program.h"
#include "support/failing_allocator.h"
#include "support/runtime_case.h"

/* The kernel writes what it was told: the flags of the run. */
static tn_code run_flags(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)state;
    const tn_tensor *y = call->results[0].v.tensor;
    float *out = (float *)(void *)((char *)y->data + y->byte_offset);
    for (int64_t i = 0; i < y->shape[0]; i++)
        out[i] = (float)ctx->flags;
    return TN_OK;
}

static tn_code run_next(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)ctx, (void)state;
    const tn_tensor *x = call->args[0].v.tensor, *y = call->results[0].v.tensor;
    const float *in = (const float *)(const void *)((const char *)x->data + x->byte_offset);
    float *out = (float *)(void *)((char *)y->data + y->byte_offset);
    for (int64_t i = 0; i < y->shape[0]; i++)
        out[i] = in[i] + 1;
    return TN_OK;
}

/* Like next, with a second result that a call may lack. */
static tn_code meta_maybe(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    tn_spec spec = {
        .struct_size = sizeof spec, .dtype = x->dtype, .ndim = x->ndim, .shape = x->shape};
    tn_code code = m->set(m, 0, &spec);
    if (code != TN_OK) return code;
    return m->args[1].v.i ? m->set(m, 1, &spec) : m->set_none(m, 1);
}

static tn_code run_maybe(const tn_run_context *ctx, void *state, const tn_call *call) {
    if (call->results[1].tag != TN_TAG_NONE) return TN_INVALID;
    return run_next(ctx, state, call);
}

static void add_op(tn_test_runtime *t, const char *schema, tn_meta_fn meta,
                   tn_code (*run)(const tn_run_context *, void *, const tn_call *),
                   tn_kernel *kernel, const tn_kernel **kernels) {
    *kernel = (tn_kernel){.struct_size = sizeof *kernel, .device_type = TN_DEVICE_CPU, .run = run};
    kernels[0] = kernel;
    const tn_op_desc desc = {.struct_size = sizeof desc,
                             .schema = schema,
                             .meta = meta,
                             .kernels = kernels,
                             .n_kernels = 1};
    cr_assert_null(tn_test_ops_add(t->ops, &desc));
}

typedef struct ops {
    tn_kernel kernels[3];
    const tn_kernel *lists[3];
} ops;

static tn_test_runtime *make_runtime(const tn_allocator *a, ops *o) {
    tn_test_runtime *t;
    cr_assert_null(tn_test_runtime_create(a, false, &t));
    add_op(t, "test::flags(Tensor x) -> Tensor", tn_test_meta_like, run_flags, &o->kernels[0],
           &o->lists[0]);
    add_op(t, "test::next(Tensor x) -> Tensor", tn_test_meta_like, run_next, &o->kernels[1],
           &o->lists[1]);
    add_op(t, "test::maybe(Tensor x, bool both=False) -> (Tensor, Tensor?)", meta_maybe, run_maybe,
           &o->kernels[2], &o->lists[2]);
    return t;
}

static tn_ir_graph *parse(tn_test_runtime *t, const char *text) {
    tn_ir_graph *graph;
    tn_status status = tn_ir_parse(t->rt.allocator, t->rt.prim_schemas, &t->rt.ops, text,
                                   strlen(text), "test", &graph);
    cr_assert_null(status, "%s", tn_status_message(status));
    return graph;
}

/* Runs a graph of one input and one output of four elements. */
static void run(tn_program *program, float x[4], float y[4]) {
    int64_t shape = 4, stride = 1;
    tn_tensor in = {.data = x,
                    .device = {TN_DEVICE_CPU, 0},
                    .ndim = 1,
                    .dtype = {TN_TYPE_FLOAT, 32, 1},
                    .shape = &shape,
                    .strides = &stride};
    tn_tensor out = in;
    out.data = y;
    const tn_tensor *inputs[1] = {&in};
    tn_tensor *outputs[1] = {&out};
    tn_status status = tn_program_run(program, inputs, 1, outputs, 1);
    cr_assert_null(status, "%s", tn_status_message(status));
}

Test(runtime_interpret, kernels_know_whether_a_run_is_strict) {
    static const char text[] = "graph @g(%x: f32[4]) {\n  %y = test::flags(%x)\n  return %y\n}\n";
    ops o;
    tn_test_runtime *t = make_runtime(tn_allocator_system(), &o);
    tn_ir_graph *graph = parse(t, text);
    for (int mode = 0; mode < 4; mode++) {
        const tn_run_plan_options options = {
            .target = TN_TARGET_REFERENCE, .strict = mode & 1, .checked = (mode & 2) != 0};
        tn_program *program;
        float x[4] = {0}, y[4];
        cr_assert_null(tn_program_create(&t->rt, graph, &options, NULL, &program));
        run(program, x, y);
        cr_assert_eq((uint32_t)y[3],
                     (mode & 1 ? TN_RUN_STRICT : 0) | (mode & 2 ? TN_RUN_CHECKED : 0));
        tn_program_destroy(program);
    }
    tn_ir_destroy(graph);
    tn_test_runtime_destroy(t);
}

Test(runtime_interpret, a_result_may_be_absent) {
    static const char text[] =
        "graph @g(%x: f32[4]) {\n  %y, %z = test::maybe(%x)\n  return %y\n}\n";
    ops o;
    tn_test_runtime *t = make_runtime(tn_allocator_system(), &o);
    tn_ir_graph *graph = parse(t, text);
    const tn_run_plan_options options = {.target = TN_TARGET_REFERENCE};
    tn_program *program;
    float x[4] = {1, 2, 3, 4}, y[4];
    cr_assert_null(tn_program_create(&t->rt, graph, &options, NULL, &program));
    run(program, x, y);
    cr_assert_eq(y[3], 5);
    tn_program_destroy(program);
    tn_ir_destroy(graph);
    tn_test_runtime_destroy(t);
}

/* Bytes that the system is asked for. */
typedef struct counting {
    tn_allocator allocator;
    uint64_t bytes;
} counting;

static void *count(void *self, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
    counting *c = self;
    const tn_allocator *system = tn_allocator_system();
    c->bytes += new_size;
    return system->reallocate(system->self, ptr, old_size, new_size, alignment);
}

/* What a run of a chain of n calls asks for. */
static uint64_t bytes_of_run(uint32_t n) {
    counting c = {.allocator = {.reallocate = count}};
    static char text[1 << 16];
    ops o;
    c.allocator.self = &c;
    tn_test_runtime *t = make_runtime(&c.allocator, &o);
    int length = snprintf(text, sizeof text, "graph @g(%%v0: f32[4]) {\n");
    for (uint32_t i = 1; i <= n; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "  %%v%u = test::next(%%v%u)\n", i, i - 1);
    }
    snprintf(text + length, sizeof text - (size_t)length, "  return %%v%u\n}\n", n);
    tn_ir_graph *graph = parse(t, text);
    const tn_run_plan_options options = {.target = TN_TARGET_REFERENCE};
    tn_program *program;
    float x[4] = {1, 2, 3, 4}, y[4];
    cr_assert_null(tn_program_create(&t->rt, graph, &options, NULL, &program));
    run(program, x, y);
    uint64_t before = c.bytes;
    run(program, x, y);
    uint64_t bytes = c.bytes - before;
    cr_assert_eq(y[0], (float)(1 + n));
    tn_program_destroy(program);
    tn_ir_destroy(graph);
    tn_test_runtime_destroy(t);
    return bytes;
}

Test(runtime_interpret, the_memory_of_calls_does_not_grow_with_the_graph) {
    uint64_t few = bytes_of_run(500), many = bytes_of_run(1000);
    cr_assert_leq(many, 2 * few + 65536, "500 calls ask for %llu bytes, 1000 for %llu",
                  (unsigned long long)few, (unsigned long long)many);
}
