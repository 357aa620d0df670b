/* Lowerings that break their contract, one way each: the error names plugin and op,
 * and the host goes on. */
#include <criterion/criterion.h>

#include "fixture.h"

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
}

static void teardown(void) {
    cr_assert_eq(ops->references, 0);
    tn_prim_schemas_destroy(prims);
    tn_test_ops_destroy(ops);
}

TestSuite(lowering_contract, .init = setup, .fini = teardown);

static tn_code sets_nothing(const tn_lower_context *l) {
    (void)l;
    return TN_OK;
}
static tn_code wrong_shape(const tn_lower_context *l) {
    tn_arg list = {.tag = TN_TAG_INT, .v.i = 1};
    tn_attr axes = {"axes", {.tag = TN_TAG_LIST, .count = 1, .v.list = &list}};
    l->api->emit(l->b, TN_PRIM_SUM, &l->args[0].v.value, 1, &axes, 1, &l->results[0], 1);
    return TN_OK;
}
static tn_code wrong_dtype(const tn_lower_context *l) {
    tn_attr to = {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = {TN_TYPE_FLOAT, 64, 1}}};
    l->api->emit(l->b, TN_PRIM_CAST, &l->args[0].v.value, 1, &to, 1, &l->results[0], 1);
    return TN_OK;
}
static tn_code foreign_value(const tn_lower_context *l) {
    l->results[0].id = 1000000;
    return TN_OK;
}
static tn_code foreign_operand(const tn_lower_context *l) {
    tn_value v = {99999};
    l->api->emit(l->b, TN_PRIM_NEG, &v, 1, NULL, 0, &l->results[0], 1);
    return TN_OK;
}
static tn_code foreign_size(const tn_lower_context *l) {
    l->results[0] = l->args[0].v.value;
    (void)l->api->dim_value(l->b, (tn_dim){77});
    return TN_OK;
}
static tn_code divides_by_zero(const tn_lower_context *l) {
    tn_dim zero = l->api->dim_const(l->b, 0);
    l->results[0] = l->args[0].v.value;
    (void)l->api->dim_op(l->b, TN_DIM_FLOORDIV, l->api->dim(l->b, l->args[0].v.value, 0), zero);
    return 10 % l->api->dim_value(l->b, zero) == 0 ? TN_OK : TN_OK; /* 1 after an error */
}
static tn_code fails(const tn_lower_context *l) {
    return l->cb->fail(l->cb, TN_INVALID, "because it wants to");
}
static tn_code unknown_primitive(const tn_lower_context *l) {
    l->api->emit(l->b, 999, &l->args[0].v.value, 1, NULL, 0, &l->results[0], 1);
    return TN_OK;
}
static tn_code calls_itself(const tn_lower_context *l) {
    return l->api->call(l->b, "test::bad", l->args, 1, &l->results[0], 1);
}

static tn_code fits_no_overload(const tn_lower_context *l) {
    const tn_arg args[] = {l->args[0], {.tag = TN_TAG_STRING, .v.str = "two", .count = 3}};
    return l->api->call(l->b, "test::over", args, 2, &l->results[0], 1);
}

static void expect(tn_lower_fn lower, const char *const *words, size_t n) {
    static const char text[] = "graph @g(%x: f32[2,3]) {\n  %y = test::bad(%x)\n  return %y\n}\n";
    const tn_op_desc desc = {.struct_size = sizeof desc,
                             .schema = "test::bad(Tensor x) -> Tensor",
                             .meta = tn_test_meta_like,
                             .lower = lower};
    tn_ir_graph *graph;
    cr_assert_null(tn_test_ops_add(ops, &desc));
    tn_status status = run_passes(tn_allocator_system(), text, sizeof text - 1, "g", "lower", NULL,
                                  &graph);
    cr_assert_not_null(status);
    for (size_t i = 0; i < n; i++) {
        cr_assert_not_null(strstr(tn_status_message(status), words[i]), "\"%s\" lacks \"%s\"",
                           tn_status_message(status), words[i]);
    }
    tn_status_free(status);
}
#define EXPECT(lower, ...)                                                                         \
    do {                                                                                           \
        static const char *const words[] = {__VA_ARGS__};                                          \
        expect(lower, words, sizeof words / sizeof words[0]);                                      \
    } while (0)

Test(lowering_contract, a_result_is_not_set) {
    EXPECT(sets_nothing, "plugin test", "test::bad", "result 0", "not set");
}
Test(lowering_contract, shape_is_not_what_meta_says) {
    EXPECT(wrong_shape, "plugin test", "test::bad", "expected f32[2,3]", "found f32[2]");
}
Test(lowering_contract, dtype_is_not_what_meta_says) {
    EXPECT(wrong_dtype, "plugin test", "test::bad", "expected f32[2,3]", "found f64[2,3]");
}
Test(lowering_contract, result_is_no_value_of_the_graph) {
    EXPECT(foreign_value, "plugin test", "test::bad", "result 0");
}
Test(lowering_contract, operand_is_no_value_of_the_graph) {
    EXPECT(foreign_operand, "plugin test", "test::bad", "value 99999");
}
Test(lowering_contract, size_was_not_made_here) {
    EXPECT(foreign_size, "plugin test", "test::bad", "size 77");
}
Test(lowering_contract, sizes_divide_by_zero) {
    EXPECT(divides_by_zero, "plugin test", "test::bad", "divided by zero");
}
Test(lowering_contract, it_fails_with_a_message) {
    EXPECT(fails, "plugin test", "test::bad", "because it wants to");
}
Test(lowering_contract, a_primitive_of_the_future_declines) {
    EXPECT(unknown_primitive, "test::bad", "plugin test", "declined", "primitive 999");
}
Test(lowering_contract, a_call_fits_no_overload) {
    EXPECT(fits_no_overload, "test::over: no overload takes these arguments",
           "test::over.n(Tensor a, int[] b) -> Tensor: argument 'b'");
}
Test(lowering_contract, it_calls_itself) {
    EXPECT(calls_itself, "call each other");
}
