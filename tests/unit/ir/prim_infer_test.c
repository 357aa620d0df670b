/* The type rule of every primitive: what each gives, and each thing it refuses. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"

static tn_prim_schemas *prims;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
}

static void teardown(void) {
    tn_prim_schemas_destroy(prims);
}

TestSuite(prim_infer, .init = setup, .fini = teardown);

typedef struct infer_case {
    const char *inputs;   /* "%0: f32[2], %1: f32[2]" */
    const char *call;     /* "add(%0, %1)" */
    const char *expected; /* types, or a part of the message after "error: " */
} infer_case;

/* Types of the one node's results, or "error: " and the message. */
static void infer(const infer_case *c, tn_strbuf *out) {
    char text[1024];
    tn_ir_graph *g;
    bool two = strstr(c->call, "mean_var") != NULL;
    snprintf(text, sizeof text, "graph @g(%s) { %s = prim::%s return }", c->inputs,
             two ? "%r, %s" : "%r", c->call);
    tn_status status = tn_ir_parse(tn_allocator_system(), prims, NULL, text, strlen(text), "g", &g);
    cr_assert_null(status, "%s", tn_status_message(status));
    const tn_ir_node *node = g->nodes[0];
    tn_type operands[8], results[2];
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->n_operands; i++)
        operands[i] = g->values[node->operands[i]].type;
    status = tn_prim_infer(node->prim, operands, node->n_operands, node->schema, node->args,
                           &g->arena, results, &n);
    if (status) tn_strbuf_printf(out, "error: %s", tn_status_message(status));
    for (uint32_t i = 0; i < n; i++) {
        if (i) tn_strbuf_text(out, ", ");
        tn_ir_print_type(g, &results[i], out);
    }
    tn_status_free(status);
    tn_ir_destroy(g);
}

static void check(const infer_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const infer_case *c = &cases[i];
        tn_strbuf found;
        tn_strbuf_init(&found, tn_allocator_system());
        infer(c, &found);
        const char *text = tn_strbuf_cstr(&found);
        bool wants_error = strncmp(c->expected, "error: ", 7) == 0;
        if (wants_error)
            cr_expect(strncmp(text, "error: ", 7) == 0 && strstr(text, c->expected + 7),
                      "(%s) %s:\n  expected %s\n  found    %s", c->inputs, c->call, c->expected,
                      text);
        else
            cr_expect_str_eq(text, c->expected, "(%s) %s: expected %s, found %s", c->inputs,
                             c->call, c->expected, text);
        tn_strbuf_deinit(&found);
    }
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        static const infer_case cases[] = {__VA_ARGS__};                                           \
        check(cases, sizeof cases / sizeof *cases);                                                \
    } while (0)

Test(prim_infer, elementwise) {
    CHECK(
        {"%0: f32[2,3], %1: f32[2,3]", "add(%0, %1)", "f32[2,3]"},
        {"%0: i8[], %1: i8[]", "add(%0, %1)", "i8[]"},
        {"%0: f32[0,5], %1: f32[0,5]", "lt(%0, %1)", "bool[0,5]"},
        {"%0: f32[3] strides=[0], %1: f32[3]", "mul(%0, %1)", "f32[3]"},
        {"%0: bool[2], %1: bool[2]", "and(%0, %1)", "bool[2]"},
        {"%0: bf16[2], %1: bf16[2], %2: bf16[2]", "fma(%0, %1, %2)", "bf16[2]"},
        {"%0: f32[2], %1: f32[1]", "add(%0, %1)",
         "error: operand b: expected the shape of a, f32[2], found f32[1]"},
        {"%0: f32[2], %1: f32[2,1]", "add(%0, %1)", "error: never broadcast"},
        {"%0: f32[2], %1: f64[2]", "add(%0, %1)",
         "error: prim::add: operand b: expected f32, the dtype of a, found f64"},
        {"%0: bool[2], %1: bool[2]", "add(%0, %1)", "error: expected floats, integers, found bool"},
        {"%0: i32[2]", "exp(%0)", "error: expected floats, found i32"},
        {"%0: f32[2], %1: f32[2]", "xor(%0, %1)", "error: expected integers, bool, found f32"},
        {"%0: c64[2]", "exp(%0)", "error: expected a dtype of opset 1"},
        {"%0: f32[n]", "exp(%0)", "error: found f32[?]"});
}

Test(prim_infer, select_and_casts) {
    CHECK({"%0: bool[2], %1: f16[2], %2: f16[2]", "select(%0, %1, %2)", "f16[2]"},
          {"%0: u8[2], %1: f16[2], %2: f16[2]", "select(%0, %1, %2)",
           "error: operand cond: expected bool, found u8"},
          {"%0: bool[2], %1: f16[2], %2: f32[2]", "select(%0, %1, %2)",
           "error: operand b: expected f16, the dtype of a, found f32"},
          {"%0: bool[2], %1: f16[3], %2: f16[3]", "select(%0, %1, %2)",
           "error: operand a: expected the shape of cond"},
          {"%0: bool[2], %1: f16[2], %2: f16[3]", "select(%0, %1, %2)",
           "error: operand b: expected the shape of cond"},
          {"%0: bool[2]", "cast(%0, dtype=f8e5m2)", "f8e5m2[2]"},
          {"%0: f64[2,2]", "cast(%0, dtype=bool)", "bool[2,2]"},
          {"%0: f64[2,2]", "cast(%0, dtype=c64)",
           "error: attribute dtype: expected a dtype of opset"},
          {"%0: f32[2]", "bitcast(%0, dtype=u32)", "u32[2]"},
          {"%0: bool[2]", "bitcast(%0, dtype=i8)", "i8[2]"},
          {"%0: f32[2]", "bitcast(%0, dtype=u16)",
           "error: expected one of 32 bits, as f32 has, found u16"},
          {"%0: u8[2]", "bitcast(%0, dtype=bool)", "error: compare with 0 instead"});
}

Test(prim_infer, sources) {
    CHECK(
        {"", "constant(value=1, dtype=bf16)", "bf16[]"},
        {"", "constant(value=true, dtype=bool)", "bool[]"},
        {"", "constant(value=1.5, dtype=i4)", "error: expected a dtype of opset 1"},
        {"", "size(value=-3, dtype=i64)", "i64[]"},
        {"%0: f32[n]", "size(value=n, dtype=f32)", "error: a size that is not bound yet"},
        {"", "iota(shape=[2,3], axis=1, dtype=i64)", "i64[2,3]"},
        {"", "iota(shape=[0], axis=0, dtype=f32)", "f32[0]"},
        {"", "iota(shape=[], axis=0, dtype=i64)", "error: expected an axis in [0, 0), found 0"},
        {"", "iota(shape=[2], axis=-1, dtype=i64)", "error: expected an axis in [0, 1), found -1"},
        {"", "iota(shape=[-2], axis=0, dtype=i64)",
         "error: attribute shape[0]: expected 0 or more"},
        {"", "iota(shape=[2], axis=0, dtype=bool)", "error: found bool"},
        {"", "iota(shape=[4294967296, 4294967296], axis=0, dtype=u8)", "error: do not fit 63 bits"},
        {"", "iota(shape=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], axis=0, dtype=u8)",
         "error: expected at most 16 items, found 17"});
}

Test(prim_infer, broadcast_permute_reshape) {
    CHECK(
        {"%0: f32[]", "broadcast(%0, shape=[2,0], axes=[])", "f32[2,0]"},
        {"%0: f32[3]", "broadcast(%0, shape=[2,3], axes=[1])", "f32[2,3]"},
        {"%0: f32[1,3]", "broadcast(%0, shape=[4,5,3], axes=[0,2])", "f32[4,5,3]"},
        {"%0: f32[2,3]", "broadcast(%0, shape=[2,3], axes=[0])",
         "error: expected 2 items, found 1"},
        {"%0: f32[2,3]", "broadcast(%0, shape=[3,2], axes=[1,0])", "error: increasing, found 0"},
        {"%0: f32[2]", "broadcast(%0, shape=[2], axes=[1])", "error: expected an axis in [0, 1)"},
        {"%0: f32[2]", "broadcast(%0, shape=[4], axes=[0])",
         "error: only an extent of 1 is repeated"},
        {"%0: f32[2]", "broadcast(%0, shape=[-1,2], axes=[1])", "error: attribute shape[0]"},
        {"%0: f32[2,3,4]", "permute(%0, perm=[2,0,1])", "f32[4,2,3]"},
        {"%0: f32[]", "permute(%0, perm=[])", "f32[]"},
        {"%0: f32[2,3]", "permute(%0, perm=[0,0])", "error: axis 0 is there twice"},
        {"%0: f32[2,3]", "permute(%0, perm=[0,2])",
         "error: attribute perm[1]: expected an axis in [0, 2)"},
        {"%0: f32[2,3]", "permute(%0, perm=[0])", "error: expected 2 items, found 1"},
        {"%0: f32[2,3]", "reshape(%0, shape=[3,1,2])", "f32[3,1,2]"},
        {"%0: f32[1]", "reshape(%0, shape=[])", "f32[]"},
        {"%0: f32[0,3]", "reshape(%0, shape=[7,0])", "f32[7,0]"},
        {"%0: f32[2,3]", "reshape(%0, shape=[4])", "error: expected 6 elements, as x has, found 4"},
        {"%0: f32[2,3]", "reshape(%0, shape=[-2,-3])",
         "error: attribute shape[0]: expected 0 or more"},
        {"%0: f32[0]", "reshape(%0, shape=[0,4611686018427387904,4])",
         "error: do not fit 63 bits"});
}

Test(prim_infer, slice_flip_window) {
    CHECK({"%0: f32[5]", "slice(%0, start=[1], size=[2], step=[2])", "f32[2]"},
          {"%0: f32[5]", "slice(%0, start=[4], size=[5], step=[-1])", "f32[5]"},
          {"%0: f32[5,2]", "slice(%0, start=[5,0], size=[0,2], step=[1,1])", "f32[0,2]"},
          {"%0: f32[5]", "slice(%0, start=[-1], size=[0], step=[-1])", "f32[0]"},
          {"%0: f32[5]", "slice(%0, start=[0], size=[1], step=[9223372036854775807])", "f32[1]"},
          {"%0: f32[5]", "slice(%0, start=[0], size=[1], step=[0])", "error: a step other than 0"},
          {"%0: f32[5]", "slice(%0, start=[1], size=[5], step=[1])",
           "error: do not lie within [0, 5)"},
          {"%0: f32[5]", "slice(%0, start=[1], size=[3], step=[-1])",
           "error: 3 elements from 1 by -1"},
          {"%0: f32[5]", "slice(%0, start=[5], size=[1], step=[1])", "error: do not lie within"},
          {"%0: f32[5]", "slice(%0, start=[6], size=[0], step=[1])", "error: do not lie within"},
          {"%0: f32[5]", "slice(%0, start=[-1], size=[1], step=[1])", "error: do not lie within"},
          {"%0: f32[5]", "slice(%0, start=[1], size=[-1], step=[1])", "error: attribute size[0]"},
          {"%0: f32[5]", "slice(%0, start=[1], size=[3], step=[9223372036854775807])",
           "error: do not lie"},
          {"%0: f32[5]", "slice(%0, start=[1,0], size=[3], step=[1])",
           "error: expected 1 items, found 2"},
          {"%0: f32[2,3]", "flip(%0, axes=[1,0])", "f32[2,3]"},
          {"%0: f32[2,3]", "flip(%0, axes=[])", "f32[2,3]"},
          {"%0: f32[2,3]", "flip(%0, axes=[1,1])", "error: axis 1 is there twice"},
          {"%0: f32[2,3]", "flip(%0, axes=[2])", "error: expected an axis in [0, 2)"},
          {"%0: f32[2,7]", "window(%0, axis=1, size=3, step=2, dilation=1)", "f32[2,3,3]"},
          {"%0: f32[7,2]", "window(%0, axis=0, size=3, step=1, dilation=3)", "f32[1,2,3]"},
          {"%0: f32[6]", "window(%0, axis=0, size=3, step=1, dilation=3)", "f32[0,3]"},
          {"%0: f32[0]", "window(%0, axis=0, size=1, step=1, dilation=1)", "f32[0,1]"},
          {"%0: f32[3]", "window(%0, axis=0, size=4611686018427387904, step=1, dilation=4)",
           "error: do not fit 63 bits"},
          {"%0: f32[3]", "window(%0, axis=0, size=0, step=1, dilation=1)",
           "error: expected 1 or more"},
          {"%0: f32[3]", "window(%0, axis=0, size=1, step=0, dilation=1)",
           "error: expected 1 or more"},
          {"%0: f32[3]", "window(%0, axis=0, size=1, step=1, dilation=0)",
           "error: expected 1 or more"},
          {"%0: f32[3]", "window(%0, axis=1, size=1, step=1, dilation=1)",
           "error: expected an axis in [0, 1)"},
          {"%0: f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
           "window(%0, axis=0, size=1, step=1, dilation=1)", "error: would have 17 axes"});
}

Test(prim_infer, pad_concat_take) {
    CHECK(
        {"%0: f32[2,3], %1: f32[]", "pad(%0, %1, low=[1,0], high=[0,2])", "f32[3,5]"},
        {"%0: f32[0], %1: f32[]", "pad(%0, %1, low=[1], high=[1])", "f32[2]"},
        {"%0: f32[2], %1: f32[1]", "pad(%0, %1, low=[1], high=[1])",
         "error: expected a 0-d tensor, found f32[1]"},
        {"%0: f32[2], %1: f64[]", "pad(%0, %1, low=[1], high=[1])",
         "error: operand value: expected f32"},
        {"%0: f32[2], %1: f32[]", "pad(%0, %1, low=[-1], high=[1])", "error: attribute low[0]"},
        {"%0: f32[2], %1: f32[]", "pad(%0, %1, low=[1], high=[-1])", "error: attribute high[0]"},
        {"%0: f32[2], %1: f32[]", "pad(%0, %1, low=[1,1], high=[1])",
         "error: expected 1 items, found 2"},
        {"%0: f32[2], %1: f32[]", "pad(%0, %1, low=[9223372036854775807], high=[1])",
         "error: 63 bits"},
        {"%0: f32[2,3], %1: f32[2,0]", "concat([%0, %1, %0], axis=1)", "f32[2,6]"},
        {"%0: u8[4611686018427387904]", "concat([%0, %0], axis=0)", "error: 63 bits"},
        {"%0: f32[2,3]", "concat([%0], axis=0)", "f32[2,3]"},
        {"%0: f32[2,3], %1: f32[3,3]", "concat([%0, %1], axis=1)",
         "error: operand xs[1]: expected the shape of xs[0], f32[2,3], except along axis 1, found "
         "f32[3,3]"},
        {"%0: f32[2,3], %1: f16[2,3]", "concat([%0, %1], axis=1)",
         "error: operand xs[1]: expected f32"},
        {"%0: f32[2,3], %1: f32[2]", "concat([%0, %1], axis=0)",
         "error: operand xs[1]: expected the shape"},
        {"", "concat([], axis=0)", "error: found 0 operands"},
        {"%0: f32[]", "concat([%0], axis=0)", "error: expected an axis in [0, 0)"},
        {"%0: f32[5,6,7], %1: i64[2,3]", "take(%0, %1, axis=1)", "f32[5,2,3,7]"},
        {"%0: f32[5], %1: i32[]", "take(%0, %1, axis=0)", "f32[]"},
        {"%0: f32[0], %1: i32[4]", "take(%0, %1, axis=0)", "f32[4]"},
        {"%0: f32[5], %1: i16[]", "take(%0, %1, axis=0)", "error: expected i32 or i64, found i16"},
        {"%0: f32[], %1: i32[]", "take(%0, %1, axis=0)", "error: expected an axis in [0, 0)"},
        {"%0: f32[1,1,1,1,1,1,1,1,1,1], %1: i32[1,1,1,1,1,1,1,1]", "take(%0, %1, axis=0)",
         "error: would have 17 axes"});
}

Test(prim_infer, reductions) {
    CHECK({"%0: f32[2,3,4]", "sum(%0, axes=[2,0])", "f32[3]"},
          {"%0: i32[2,3]", "prod(%0, axes=[])", "i32[2,3]"},
          {"%0: f16[0,3]", "reduce_max(%0, axes=[0])", "f16[3]"},
          {"%0: bool[2]", "reduce_min(%0, axes=[0])", "bool[]"},
          {"%0: bool[2,3]", "any(%0, axes=[1])", "bool[2]"},
          {"%0: bool[2,3]", "all(%0, axes=[0,1])", "bool[]"},
          {"%0: bool[2]", "sum(%0, axes=[0])", "error: expected floats, integers, found bool"},
          {"%0: f32[2]", "any(%0, axes=[0])", "error: expected bool, found f32"},
          {"%0: f32[2]", "sum(%0, axes=[0,0])", "error: axis 0 is there twice"},
          {"%0: f32[2]", "sum(%0, axes=[-1])", "error: expected an axis in [0, 1), found -1"},
          {"%0: f32[2,3]", "argmax(%0, axis=0)", "i64[3]"},
          {"%0: u8[0,3]", "argmin(%0, axis=1)", "i64[0]"},
          {"%0: f32[0,3]", "argmin(%0, axis=0)", "error: nothing"},
          {"%0: f32[2,3]", "argmax(%0, axis=2)", "error: expected an axis in [0, 2)"},
          {"%0: f64[2,3]", "mean_var(%0, axes=[1], correction=1)", "f64[2], f64[2]"},
          {"%0: i32[2,3]", "mean_var(%0, axes=[1], correction=1)",
           "error: expected floats, found i32"},
          {"%0: f32[2,3]", "mean_var(%0, axes=[1], correction=-1)", "error: attribute correction"});
}

Test(prim_infer, matmul) {
    CHECK({"%0: f32[2,3], %1: f32[3,4]", "matmul(%0, %1)", "f32[2,4]"},
          {"%0: bf16[5,6,2,0], %1: bf16[5,6,0,4]", "matmul(%0, %1)", "bf16[5,6,2,4]"},
          {"%0: i8[1,1], %1: i8[1,1]", "matmul(%0, %1)", "i8[1,1]"},
          {"%0: f32[2,3], %1: f32[4,3]", "matmul(%0, %1)", "error: 3 and 4 differ"},
          {"%0: f32[2,2,3], %1: f32[1,3,4]", "matmul(%0, %1)",
           "error: batch axis 0: expected equal extents"},
          {"%0: f32[2,2,3], %1: f32[3,4]", "matmul(%0, %1)", "error: the same rank, at least 2"},
          {"%0: f32[3], %1: f32[3]", "matmul(%0, %1)", "error: the same rank, at least 2"},
          {"%0: f32[2,3], %1: f16[3,4]", "matmul(%0, %1)", "error: operand b: expected f32"},
          {"%0: bool[2,3], %1: bool[3,4]", "matmul(%0, %1)",
           "error: expected floats, integers, found bool"},
          {"%0: u8[4294967296,0], %1: u8[0,4294967296]", "matmul(%0, %1)", "error: 63 bits"});
}

/* Each primitive of the list has a rule; none falls through. */
Test(prim_infer, every_primitive_has_a_rule) {
    for (uint32_t i = 0; i < tn_prim_count(); i++) {
        const tn_prim_info *info = tn_prim_at(i);
        const tn_schema *schema = tn_prim_schemas_get(prims, info->id);
        tn_arg args[8] = {0};
        tn_type results[2], operands[3] = {0};
        int64_t none[1];
        tn_arena arena;
        uint32_t n;
        tn_arena_init(&arena, tn_allocator_system());
        for (uint32_t k = 0; k < 3; k++)
            operands[k] = (tn_type){
                .known = true, .dt = TN_DT_F32, .dtype = tn_dt_to_dtype(TN_DT_F32), .shape = none};
        tn_status status = tn_prim_infer(info->id, operands, info->arity ? info->arity : 1, schema,
                                         args, &arena, results, &n);
        cr_expect(!status || !strstr(tn_status_message(status), "no type rule"), "%s", info->name);
        tn_status_free(status);
        tn_arena_deinit(&arena);
    }
}

Test(prim_infer, unknown_primitive) {
    uint32_t n;
    tn_status status = tn_prim_infer(999, NULL, 0, NULL, NULL, NULL, NULL, &n);
    cr_assert_eq(tn_status_code(status), TN_INVALID);
    tn_status_free(status);
}
