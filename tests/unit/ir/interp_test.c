/* Whole graphs on the interpreter: memory, rounding between primitives, ops, and
 * what is refused. What primitives compute is tests/conformance's. */
#include "ir/interp.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "conformance/bound_text.h"
#include "ir/text.h"
#include "support/failing_allocator.h"
#include "support/test_ops.h"
#include "transform/passes.h"

/* A CPU tensor over memory of the test. */
typedef struct view {
    tn_tensor tensor;
    int64_t shape[3], strides[3];
} view;

static view make_view(void *data, tn_dt dt, int32_t rank, const int64_t *shape,
                      const int64_t *strides) {
    view v = {
        .tensor = {
            .data = data, .device = {TN_DEVICE_CPU, 0}, .ndim = rank, .dtype = tn_dt_to_dtype(dt)}};
    for (int32_t i = 0; i < rank; i++)
        v.shape[i] = shape[i];
    if (strides == NULL)
        tn_shape_strides(shape, rank, v.strides);
    else
        memcpy(v.strides, strides, (size_t)rank * sizeof *strides);
    return v;
}

/* Pointers into the view itself, once it stands where it stays. */
static tn_tensor *use(view *v) {
    v->tensor.shape = v->shape;
    v->tensor.strides = v->strides;
    return &v->tensor;
}

static view vector(void *data, tn_dt dt, int64_t n) {
    return make_view(data, dt, 1, &n, NULL);
}

static tn_bound_text bound;

static const tn_ir_graph *graph_of(const char *text) {
    tn_status status = tn_bound_text_init(&bound, text);
    cr_assert_null(status, "%s", tn_status_message(status));
    return bound.graph;
}

static void teardown(void) {
    tn_bound_text_deinit(&bound);
}

TestSuite(interp, .fini = teardown);

static void assert_refused(tn_status status, tn_code code, const char *text) {
    cr_assert_not_null(status, "expected: %s", text);
    cr_expect_eq(tn_status_code(status), code);
    cr_expect_not_null(strstr(tn_status_message(status), text), "%s", tn_status_message(status));
    tn_status_free(status);
}

Test(interp, any_strides_in_and_out) {
    const tn_ir_graph *g = graph_of("graph @g(%x: f32[2,3], %y: f32[2,3]) {"
                                    " %z = prim::sub(%x, %y) return %z }");
    /* The graph says contiguous; the interpreter takes what it is given. */
    float x[6] = {1, 4, 2, 5, 3, 6}, y[1] = {10}, z[14];
    for (int i = 0; i < 14; i++)
        z[i] = -1;
    view vx = make_view(x, TN_DT_F32, 2, (int64_t[]){2, 3}, (int64_t[]){1, 2});
    view vy = make_view(y, TN_DT_F32, 2, (int64_t[]){2, 3}, (int64_t[]){0, 0});
    view vz = make_view(z, TN_DT_F32, 2, (int64_t[]){2, 3}, (int64_t[]){-7, 2});
    vz.tensor.byte_offset = 7 * sizeof(float);
    const tn_tensor *in[] = {use(&vx), use(&vy)};
    tn_tensor *out[] = {use(&vz)};
    cr_assert_null(tn_interp_run(g, NULL, in, 2, out, 1));
    const float expected[14] = {-6, -1, -5, -1, -4, -1, -1, -9, -1, -8, -1, -7, -1, -1};
    cr_assert_arr_eq(z, expected, sizeof z);
}

Test(interp, an_axis_of_one_may_have_any_stride) {
    const tn_ir_graph *g = graph_of("graph @g(%x: i32[1,2], %e: i32[0,2]) { %y = prim::neg(%x)"
                                    " %f = prim::neg(%e) return %y, %f }");
    int32_t x[2] = {1, 2}, y[2];
    view vx = make_view(x, TN_DT_I32, 2, (int64_t[]){1, 2}, (int64_t[]){INT64_MIN, 1});
    view vy = make_view(y, TN_DT_I32, 2, (int64_t[]){1, 2}, (int64_t[]){INT64_MAX, 1});
    view ve = make_view(NULL, TN_DT_I32, 2, (int64_t[]){0, 2}, (int64_t[]){7, 1000});
    view vf = make_view(NULL, TN_DT_I32, 2, (int64_t[]){0, 2}, NULL);
    const tn_tensor *in[] = {use(&vx), use(&ve)};
    tn_tensor *out[] = {use(&vy), use(&vf)};
    cr_assert_null(tn_interp_run(g, NULL, in, 2, out, 2));
    cr_assert(y[0] == -1 && y[1] == -2);
}

/* 300 * 300 is infinite in f16, and 90000 in f32. */
static uint16_t run_f16(bool strict) {
    const tn_ir_graph *g = graph_of("graph @g(%x: f16[1], %s: f16[1]) { %p = prim::mul(%x, %x)"
                                    " %r = prim::reshape(%p, shape=[1]) %y = prim::mul(%r, %s)"
                                    " return %y }");
    uint16_t x = tn_f32_to_f16(300), s = tn_f32_to_f16(0.5f), y = 0;
    view vx = vector(&x, TN_DT_F16, 1), vs = vector(&s, TN_DT_F16, 1),
         vy = vector(&y, TN_DT_F16, 1);
    const tn_tensor *in[] = {use(&vx), use(&vs)};
    tn_tensor *out[] = {use(&vy)};
    const tn_interp_options options = {.strict = strict};
    cr_assert_null(tn_interp_run(g, &options, in, 2, out, 1));
    tn_bound_text_deinit(&bound);
    return y;
}

Test(interp, narrow_floats_stay_f32_between_primitives_unless_strict) {
    cr_expect_eq(run_f16(false), tn_f32_to_f16(45000));
    cr_expect_eq(run_f16(true), tn_f32_to_f16(INFINITY));
}

Test(interp, a_cast_rounds_in_both_modes) {
    for (int strict = 0; strict < 2; strict++) {
        const tn_ir_graph *g = graph_of("graph @g(%x: f32[1]) { %h = prim::cast(%x, dtype=bf16)"
                                        " %s = prim::add(%h, %h) %y = prim::cast(%s, dtype=f32)"
                                        " %b = prim::bitcast(%s, dtype=u16) return %y, %b }");
        float x = 0.7f, y;
        uint16_t bits;
        view vx = vector(&x, TN_DT_F32, 1), vy = vector(&y, TN_DT_F32, 1),
             vb = vector(&bits, TN_DT_U16, 1);
        const tn_tensor *in[] = {use(&vx)};
        tn_tensor *out[] = {use(&vy), use(&vb)};
        const tn_interp_options options = {.strict = strict != 0};
        cr_assert_null(tn_interp_run(g, &options, in, 1, out, 2));
        cr_expect_eq(y, 2 * 0.69921875f);
        cr_expect_eq(bits, tn_f32_to_bf16(y));
        tn_bound_text_deinit(&bound);
    }
}

Test(interp, one_primitive_on_narrow_floats_held_in_f32) {
    const tn_ir_graph *g = graph_of("graph @g(%x: f16[2]) { %y = prim::mul(%x, %x) return %y }");
    float x[2] = {300, 0.1f}, y[2];
    view vx = vector(x, TN_DT_F32, 2), vy = vector(y, TN_DT_F32, 2);
    const tn_tensor *in[] = {use(&vx), use(&vx)};
    tn_tensor *out[] = {use(&vy)};
    const tn_allocator *a = tn_allocator_system();
    cr_assert_null(tn_interp_prim(g->nodes[0], g, a, in, out, false));
    cr_expect(y[0] == 90000 && y[1] == 0.1f * 0.1f);
    cr_assert_null(tn_interp_prim(g->nodes[0], g, a, in, out, true));
    cr_expect(y[0] == INFINITY && y[1] == tn_f16_to_f32(tn_f32_to_f16(0.1f * 0.1f)));
}

Test(interp, one_primitive_checks_its_tensors) {
    const tn_ir_graph *g = graph_of("graph @g(%x: f16[2]) { %y = prim::mul(%x, %x) return %y }");
    uint16_t x[3] = {0};
    view vx = vector(x, TN_DT_F16, 2), vy = vector(x, TN_DT_F16, 3), vz = vector(x, TN_DT_BF16, 2),
         vn = vector(NULL, TN_DT_F16, 2);
    const tn_tensor *in[] = {use(&vx), use(&vx)};
    tn_tensor *out[] = {use(&vy)};
    const tn_allocator *a = tn_allocator_system();
    assert_refused(tn_interp_prim(g->nodes[0], g, a, in, out, false), TN_INVALID,
                   "prim::mul: result 0: expected f16[2], found f16[3]");
    out[0] = use(&vz);
    assert_refused(tn_interp_prim(g->nodes[0], g, a, in, out, false), TN_INVALID, "found bf16[2]");
    out[0] = use(&vn);
    assert_refused(tn_interp_prim(g->nodes[0], g, a, in, out, false), TN_INVALID, "found no data");
}

Test(interp, what_a_run_refuses) {
    const tn_ir_graph *g = graph_of("graph @g(%x: f32[2]) { %y = prim::neg(%x) return %y }");
    float x[3] = {0};
    view good = vector(x, TN_DT_F32, 2), y = vector(x, TN_DT_F32, 2);
    view longer = vector(x, TN_DT_F32, 3), wider = vector(x, TN_DT_F64, 2),
         absent = vector(NULL, TN_DT_F32, 2), device = vector(x, TN_DT_F32, 2),
         far = make_view(x, TN_DT_F32, 1, (int64_t[]){2}, (int64_t[]){INT64_MAX});
    device.tensor.device.type = TN_DEVICE_CUDA;
    const tn_tensor *in[] = {use(&good)};
    tn_tensor *out[] = {use(&y)};
    assert_refused(tn_interp_run(g, NULL, in, 0, out, 1), TN_INVALID,
                   "graph g: expected 1 inputs and 1 outputs, found 0 and 1");
    const struct {
        const tn_tensor *tensor;
        const char *text;
    } cases[] = {{use(&longer), "input %x: expected f32[2], found f32[3]"},
                 {use(&wider), "input %x: expected f32[2], found f64[2]"},
                 {use(&absent), "input %x: expected f32[2], found no data"},
                 {use(&device), "input %x is not in the memory of the CPU"},
                 {use(&far), "input %x: the strides are too large"},
                 {NULL, "input %x: expected f32[2], found nothing"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        in[0] = cases[i].tensor;
        assert_refused(tn_interp_run(g, NULL, in, 1, out, 1), TN_INVALID, cases[i].text);
    }
    in[0] = use(&good);
    out[0] = use(&longer);
    assert_refused(tn_interp_run(g, NULL, in, 1, out, 1), TN_INVALID,
                   "output %y: expected f32[2], found f32[3]");
}

/* NUM-35: what the type rules refuse reaches no implementation. */
Test(interp, bools_have_no_difference) {
    assert_refused(tn_bound_text_init(&bound, "graph @g(%a: bool[2]) { %y = prim::sub(%a, %a)"
                                              " return %y }"),
                   TN_INVALID, "operand a: expected floats, integers, found bool");
    assert_refused(tn_bound_text_init(&bound, "graph @g(%a: f32[2]) { %y = prim::xor(%a, %a)"
                                              " return %y }"),
                   TN_INVALID, "operand a: expected integers, bool, found f32");
}

/* ----------------------------------------------------------------------- ops */

static tn_code meta_maybe(const tn_meta_context *m) {
    tn_code code = tn_test_meta_like(m);
    return code == TN_OK ? m->set_none(m, 1) : code;
}

/* Column-major, as an op may declare its result. */
static tn_code meta_turned(const tn_meta_context *m) {
    const tn_tensor *x = m->args[0].v.tensor;
    const int64_t strides[2] = {1, x->shape[0]};
    tn_spec spec = {.struct_size = sizeof spec,
                    .dtype = x->dtype,
                    .ndim = 2,
                    .shape = x->shape,
                    .strides = strides};
    return m->set(m, 0, &spec);
}

typedef struct op_fixture {
    tn_prim_schemas *prims;
    tn_test_ops *ops;
    tn_ir_graph *source, *graph;
} op_fixture;

static tn_status op_fixture_init(op_fixture *f, const tn_allocator *a, const char *text) {
    const tn_op_desc maybe = {.struct_size = sizeof maybe,
                              .schema = "test::maybe(Tensor x) -> (Tensor, Tensor?)",
                              .meta = meta_maybe};
    const tn_op_desc turned = {.struct_size = sizeof turned,
                               .schema = "test::turned(Tensor x) -> Tensor",
                               .meta = meta_turned};
    *f = (op_fixture){0};
    TN_TRY(tn_prim_schemas_create(a, &f->prims));
    TN_TRY(tn_test_ops_create(a, &f->ops));
    TN_TRY(tn_test_ops_add(f->ops, &maybe));
    TN_TRY(tn_test_ops_add(f->ops, &turned));
    TN_TRY(tn_ir_parse(a, f->prims, &f->ops->table, text, strlen(text), "test", &f->source));
    const tn_pass_options options = {
        .allocator = a, .ops = &f->ops->table, .device = {TN_DEVICE_CPU, 0}};
    tn_tensor tensors[2];
    const tn_tensor *inputs[2];
    for (uint32_t i = 0; i < f->source->n_inputs; i++) {
        const tn_type *type = &f->source->values[f->source->inputs[i]].type;
        tensors[i] = (tn_tensor){.device = {TN_DEVICE_CPU, 0},
                                 .ndim = type->rank,
                                 .dtype = type->dtype,
                                 .shape = type->shape};
        inputs[i] = &tensors[i];
    }
    return tn_pass_bind(f->source, &options, inputs, f->source->n_inputs, &f->graph);
}

static void op_fixture_deinit(op_fixture *f) {
    tn_ir_destroy(f->graph);
    tn_ir_destroy(f->source);
    tn_test_ops_destroy(f->ops);
    tn_prim_schemas_destroy(f->prims);
}

/* Doubles what it is given into every result there is, whatever the op. */
static tn_status run_doubling(void *self, const tn_ir_node *node, const tn_tensor *const *operands,
                              tn_tensor *const *results) {
    tn_dt *seen = self;
    *seen = tn_dt_from_dtype(operands[0]->dtype);
    for (uint32_t r = 0; r < node->n_results; r++) {
        const tn_tensor *x = operands[0], *y = results[r];
        if (y == NULL) continue;
        const int64_t columns = x->ndim == 2 ? x->shape[1] : 1;
        for (int64_t i = 0; i < x->shape[0] * columns; i++) {
            const int64_t row = i / columns, column = i % columns;
            const int64_t from = row * x->strides[0] + (x->ndim == 2 ? column * x->strides[1] : 0);
            const int64_t to = row * y->strides[0] + (y->ndim == 2 ? column * y->strides[1] : 0);
            const int64_t size = (int64_t)tn_dt_size(*seen);
            tn_scalar value = tn_scalar_load(*seen, (const char *)x->data + from * size);
            value.f *= 2;
            tn_scalar_store(*seen, (char *)y->data + y->byte_offset + to * size, value);
        }
    }
    return NULL;
}

Test(interp, ops_are_given_rounded_operands_and_no_absent_result) {
    op_fixture f;
    cr_assert_null(op_fixture_init(&f, tn_allocator_system(),
                                   "graph @g(%x: f16[1], %s: f16[1]) { %p = prim::mul(%x, %x)"
                                   " %q, %none = test::maybe(%p) %r = prim::mul(%p, %s)"
                                   " return %q, %r }"));
    uint16_t x = tn_f32_to_f16(300), s = tn_f32_to_f16(0.5f), q, r;
    tn_dt seen = TN_DT_NONE;
    view vx = vector(&x, TN_DT_F16, 1), vs = vector(&s, TN_DT_F16, 1),
         vq = vector(&q, TN_DT_F16, 1), vr = vector(&r, TN_DT_F16, 1);
    const tn_tensor *in[] = {use(&vx), use(&vs)};
    tn_tensor *out[] = {use(&vq), use(&vr)};
    const tn_interp_options options = {.run_op = run_doubling, .self = &seen};
    cr_assert_null(tn_interp_run(f.graph, &options, in, 2, out, 2));
    cr_expect_eq(seen, TN_DT_F16);
    cr_expect_eq(q, tn_f32_to_f16(INFINITY)); /* the op saw infinity */
    cr_expect_eq(r, tn_f32_to_f16(45000));    /* the primitive after it saw 90000 */
    op_fixture_deinit(&f);
}

Test(interp, results_of_ops_are_laid_out_as_declared) {
    op_fixture f;
    cr_assert_null(op_fixture_init(&f, tn_allocator_system(),
                                   "graph @g(%x: f32[2,3]) { %t = test::turned(%x)"
                                   " %y = prim::neg(%t) return %y, %t }"));
    const float x[6] = {0, 1, 2, 3, 4, 5};
    float y[6], t[6];
    tn_dt seen;
    view vx = make_view((void *)x, TN_DT_F32, 2, (int64_t[]){2, 3}, NULL);
    view vy = make_view(y, TN_DT_F32, 2, (int64_t[]){2, 3}, NULL);
    view vt = make_view(t, TN_DT_F32, 2, (int64_t[]){2, 3}, NULL);
    const tn_tensor *in[] = {use(&vx)};
    tn_tensor *out[] = {use(&vy), use(&vt)};
    const tn_interp_options options = {.run_op = run_doubling, .self = &seen};
    cr_assert_not_null(f.graph->values[f.graph->nodes[0]->results[0]].type.strides);
    cr_assert_null(tn_interp_run(f.graph, &options, in, 1, out, 2));
    for (int i = 0; i < 6; i++)
        cr_expect(y[i] == -2 * x[i] && t[i] == 2 * x[i], "%d", i);
    op_fixture_deinit(&f);
}

static tn_status run_failing(void *self, const tn_ir_node *node, const tn_tensor *const *operands,
                             tn_tensor *const *results) {
    (void)self, (void)node, (void)operands, (void)results;
    return tn_status_make(TN_PLUGIN, "the kernel gave up");
}

Test(interp, failures_of_ops_name_the_node) {
    op_fixture f;
    cr_assert_null(op_fixture_init(&f, tn_allocator_system(),
                                   "graph @g(%x: f32[1]) { %h = test::relu(%x) return %h }"));
    float x = 1;
    view vx = vector(&x, TN_DT_F32, 1);
    const tn_tensor *in[] = {use(&vx)};
    tn_tensor *out[] = {use(&vx)};
    const tn_interp_options options = {.run_op = run_failing};
    assert_refused(tn_interp_run(f.graph, &options, in, 1, out, 1), TN_PLUGIN,
                   "%h = test::relu: the kernel gave up");
    assert_refused(tn_interp_run(f.graph, NULL, in, 1, out, 1), TN_UNSUPPORTED,
                   "%h = test::relu: the interpreter was given no way to run an op");
    op_fixture_deinit(&f);
}

/* -------------------------------------------------------------------- memory */

static tn_status run_with(void *self, const tn_allocator *a) {
    op_fixture f;
    float x[4] = {1, 2, 3, 4}, y[4];
    tn_dt seen;
    (void)self;
    tn_status status = op_fixture_init(
        &f, a,
        "graph @g(%x: f32[2,2]) { %h = prim::cast(%x, dtype=f16)"
        " %t = test::turned(%h) %c = prim::concat([%t, %t, %h, %h, %t], axis=0)"
        " %r = prim::slice(%c, start=[0,0], size=[2,2], step=[1,1])"
        " %m = prim::matmul(%r, %h) %y = prim::cast(%m, dtype=f32) return %y }");
    view vx = make_view(x, TN_DT_F32, 2, (int64_t[]){2, 2}, NULL);
    view vy = make_view(y, TN_DT_F32, 2, (int64_t[]){2, 2}, NULL);
    const tn_tensor *in[] = {use(&vx)};
    tn_tensor *out[] = {use(&vy)};
    const tn_interp_options options = {.run_op = run_doubling, .self = &seen};
    if (status == NULL) status = tn_interp_run(f.graph, &options, in, 1, out, 1);
    if (status == NULL) cr_assert(y[0] == 14 && y[1] == 20 && y[2] == 30 && y[3] == 44);
    op_fixture_deinit(&f);
    return status;
}

Test(interp, without_memory) {
    uint64_t n;
    const char *problem = tn_sweep_allocations(run_with, NULL, false, &n);
    cr_assert_null(problem, "%s", problem);
    cr_assert_gt(n, 20);
}

/* A link of the chain holds three values at a time. */
Test(interp, values_are_freed_after_their_last_use) {
    enum { LINKS = 60, N = 65536 };
    tn_failing_allocator fa;
    tn_failing_allocator_init(&fa);
    tn_strbuf text;
    tn_strbuf_init(&text, tn_allocator_system());
    tn_strbuf_printf(&text, "graph @g(%%v: f64[%d]) {", N);
    const char *last = "v";
    char name[2][16];
    for (int i = 0; i < LINKS; i++) {
        snprintf(name[i % 2], sizeof name[0], "c%d", i);
        tn_strbuf_printf(&text, " %%%s = prim::neg(%%%s) %%d%d = prim::neg(%%%s)", name[i % 2],
                         last, i, last);
        last = name[i % 2];
    }
    tn_strbuf_printf(&text, " return %%%s }", last);
    op_fixture f;
    cr_assert_null(op_fixture_init(&f, &fa.allocator, tn_strbuf_cstr(&text)));
    const size_t before = fa.peak_bytes;
    static double x[N], y[N];
    x[7] = 2.5;
    view vx = vector(x, TN_DT_F64, N), vy = vector(y, TN_DT_F64, N);
    const tn_tensor *in[] = {use(&vx)};
    tn_tensor *out[] = {use(&vy)};
    cr_assert_null(tn_interp_run(f.graph, NULL, in, 1, out, 1));
    cr_expect_eq(y[7], LINKS % 2 == 0 ? 2.5 : -2.5);
    cr_expect_lt(fa.peak_bytes - before, 4 * sizeof x);
    op_fixture_deinit(&f);
    tn_strbuf_deinit(&text);
    cr_expect_null(tn_failing_allocator_problem(&fa));
    tn_failing_allocator_deinit(&fa);
}
