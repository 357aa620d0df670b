/* Every pass on golden files: tests/golden/transform/PASS holds graphs and what they
 * are after that pass. */
#include "transform/passes.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "fixture.h"
#include "support/failing_allocator.h"
#include "support/golden.h"

/* test::swish: a lowering by function; test::gate: by text, calling swish. */
static tn_code swish_lower(const tn_lower_context *l) {
    tn_value x = l->args[0].v.value, neg, e, one, sum;
    tn_arg literal = {.tag = TN_TAG_INT, .v.i = 1};
    tn_dim shape[TN_MAX_RANK];
    tn_arg dims[TN_MAX_RANK];
    int32_t rank = l->api->rank(l->b, x);
    for (int32_t i = 0; i < rank; i++) {
        shape[i] = l->api->dim(l->b, x, i);
        dims[i] = (tn_arg){.tag = TN_TAG_DIM, .v.dim = shape[i]};
    }
    tn_attr spread[2] = {{"shape", {.tag = TN_TAG_LIST, .count = (uint32_t)rank, .v.list = dims}},
                         {"axes", {.tag = TN_TAG_LIST}}};
    l->api->emit(l->b, TN_PRIM_NEG, &x, 1, NULL, 0, &neg, 1);
    l->api->emit(l->b, TN_PRIM_EXP, &neg, 1, NULL, 0, &e, 1);
    one = l->api->constant(l->b, l->api->dtype(l->b, x), literal);
    l->api->emit(l->b, TN_PRIM_BROADCAST, &one, 1, spread, 2, &one, 1);
    l->api->emit(l->b, TN_PRIM_ADD, (tn_value[]){e, one}, 2, NULL, 0, &sum, 1);
    l->api->emit(l->b, TN_PRIM_DIV, (tn_value[]){x, sum}, 2, NULL, 0, &l->results[0], 1);
    return TN_OK;
}

static tn_code never_run(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)state, (void)call;
    return ctx->cb->fail(ctx->cb, TN_INTERNAL, "no test of passes runs a kernel");
}

static const tn_op_desc swish = {.struct_size = sizeof swish,
                                 .schema = "test::swish(Tensor x) -> Tensor",
                                 .meta = tn_test_meta_like,
                                 .lower = swish_lower};
static const tn_op_desc gate = {.struct_size = sizeof gate,
                                .schema = "test::gate(Tensor x, Tensor g) -> Tensor",
                                .meta = tn_test_meta_like,
                                .lowering_text = "opset 1\n"
                                                 "graph @gate(%x: T[...], %g: T[...]) {\n"
                                                 "  %s = test::swish(%g)\n"
                                                 "  %y = prim::mul(%x, %s)\n"
                                                 "  return %y\n"
                                                 "}\n"};
static const tn_kernel kernel = {
    .struct_size = sizeof kernel, .device_type = TN_DEVICE_CPU, .run = never_run};
static const tn_op_desc opaque = {.struct_size = sizeof opaque,
                                  .schema = "test::opaque(Tensor x) -> Tensor",
                                  .meta = tn_test_meta_like};

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    cr_assert_null(tn_test_ops_add(ops, &swish));
    cr_assert_null(tn_test_ops_add(ops, &gate));
    cr_assert_null(tn_test_ops_add(ops, &opaque));
    tn_test_ops_find(ops, "test::opaque")->op.cpu = &kernel;
}

static void teardown(void) {
    cr_assert_eq(ops->references, 0, "every op that a graph retained was released");
    tn_prim_schemas_destroy(prims);
    tn_test_ops_destroy(ops);
}

TestSuite(passes, .init = setup, .fini = teardown);

static tn_status print_after(void *self, const char *file, const char *input, size_t length,
                             tn_strbuf *out) {
    tn_ir_graph *graph;
    TN_TRY(run_passes(tn_allocator_system(), input, length, file, self, NULL, &graph));
    tn_ir_print(graph, out);
    tn_ir_destroy(graph);
    return NULL;
}

static void check(const char *pass) {
    char folder[512], name[32];
    tn_strbuf report;
    snprintf(folder, sizeof folder, TN_SOURCE_DIR "/tests/golden/transform/%s", pass);
    snprintf(name, sizeof name, "%s", pass);
    tn_strbuf_init(&report, tn_allocator_system());
    tn_golden_run(folder, "tn", print_after, name, &report);
    cr_assert_str_empty(tn_strbuf_cstr(&report), "%s", tn_strbuf_cstr(&report));
    tn_strbuf_deinit(&report);
}

Test(passes, bind) {
    check("bind");
}
Test(passes, lower) {
    check("lower");
}
Test(passes, legalize) {
    check("legalize");
}
Test(passes, simplify) {
    check("simplify");
}

static const char everything[] = "graph @g(%x: f32[N,4], %y: f32[N,4]) {\n"
                                 "  %a = test::gate(%x, %y)\n"
                                 "  %m, %v = prim::mean_var(%a, axes=[1], correction=0)\n"
                                 "  %o = test::opaque(%m)\n"
                                 "  %dead = test::opaque(%v)\n"
                                 "  %k = prim::constant(value=2.0, dtype=f32)\n"
                                 "  %l = prim::exp(%k)\n"
                                 "  %b = prim::broadcast(%l, shape=[N], axes=[])\n"
                                 "  %r = prim::mul(%o, %b)\n"
                                 "  return %r, %a\n"
                                 "}\n";

static tn_status run_all(void *self, const tn_allocator *a) {
    (void)self;
    tn_ir_graph *graph;
    TN_TRY(
        run_passes(a, everything, sizeof everything - 1, "everything", "simplify", NULL, &graph));
    tn_ir_destroy(graph);
    return NULL;
}

Test(passes, survive_running_out) {
    uint64_t allocations;
    const char *problem = tn_sweep_allocations(run_all, NULL, false, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_gt(allocations, 20);
}

/* Each pass but bind, which reads what the host says, hands its input on. */
Test(passes, what_is_simple_already_is_left_alone) {
    static const char text[] = "graph @g(%x: f32[4,4]) {\n"
                               "  %a = prim::exp(%x)\n"
                               "  %b = prim::sum(%a, axes=[1])\n"
                               "  %c = prim::broadcast(%b, shape=[4, 4], axes=[0])\n"
                               "  %d = prim::div(%a, %c)\n"
                               "  return %d\n"
                               "}\n";
    tn_ir_graph *graph, *next;
    uint32_t n;
    const tn_pass *passes = tn_passes(&n);
    const tn_pass_options options = {.allocator = tn_allocator_system(), .ops = &ops->table};
    cr_assert_null(
        run_passes(tn_allocator_system(), text, sizeof text - 1, "text", "bind", NULL, &graph));
    for (uint32_t i = 1; i < n; i++) {
        next = graph;
        cr_assert_null(passes[i].run(graph, &options, &next));
        cr_assert_null(next, "pass %s made a graph", passes[i].name);
    }
    tn_ir_destroy(graph);
}
