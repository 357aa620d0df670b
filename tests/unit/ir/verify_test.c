/* Each invariant broken in turn. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;
static tn_ir_graph *g;
static tn_ir_node *relu, *cat, *add;

/* %x, %y inputs; relu, cat of two, prim::add; typed where `bound`. */
static void build(bool bound) {
    int64_t shape[] = {2, 3}, twice[] = {4, 3};
    tn_type type = {true, TN_DT_F32, {TN_TYPE_FLOAT, 32, 1}, 2, shape, NULL}, wide = type;
    wide.shape = twice;
    tn_vid x, y, sum;
    cr_assert_null(tn_ir_create(tn_allocator_system(), prims, "g", &g));
    cr_assert_null(tn_ir_add_input(g, "x", &type, &x));
    cr_assert_null(tn_ir_add_input(g, "y", &type, &y));
    tn_arg one = {TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)x}}};
    tn_ir_node_desc desc = {.op = &tn_test_ops_find(ops, "test::relu")->op,
                            .args = &one,
                            .n_results = 1,
                            .result_types = bound ? &type : NULL,
                            .result_names = (const char *const[]){"r"},
                            .origin = TN_NO_NODE};
    cr_assert_null(tn_ir_add_node(g, &desc, &relu));
    tn_arg items[] = {one, {TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)y}}}};
    tn_arg args[] = {{TN_TAG_LIST, 2, {.list = items}}, {TN_TAG_INT, 0, {.i = 0}}};
    desc.op = &tn_test_ops_find(ops, "test::cat")->op;
    desc.args = args;
    desc.result_types = bound ? &wide : NULL;
    desc.result_names = NULL;
    cr_assert_null(tn_ir_add_node(g, &desc, &cat));
    tn_vid both[] = {x, y};
    cr_assert_null(tn_ir_emit(g, TN_PRIM_ADD, both, 2, NULL, 0, TN_NO_NODE, &sum, 1));
    add = g->nodes[2];
    cr_assert_null(tn_ir_add_output(g, sum));
}

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    build(true);
}

static void teardown(void) {
    tn_ir_destroy(g);
    tn_prim_schemas_destroy(prims);
    tn_test_ops_destroy(ops);
}

TestSuite(verify, .init = setup, .fini = teardown);

static void refused(bool bound, const char *text) {
    tn_status status = tn_ir_verify(g, bound);
    cr_expect_eq(tn_status_code(status), TN_INVALID, "expected \"%s\", found no failure", text);
    cr_expect(strstr(tn_status_message(status), text), "expected \"%s\" in \"%s\"", text,
              tn_status_message(status));
    tn_status_free(status);
}

Test(verify, accepts_a_good_graph) {
    cr_assert_null(tn_ir_verify(g, true));
    cr_assert_null(tn_ir_verify(g, false));
}

Test(verify, unbound_values_need_no_type) {
    tn_ir_destroy(g);
    build(false);
    cr_assert_null(tn_ir_verify(g, false));
    refused(true, "has no type");
}

Test(verify, values) {
    tn_ir_value *r = &g->values[relu->results[0]];
    tn_ir_value good = *r;
    r->name = "x";
    refused(false, "another value has the same name");
    r->name = "a b";
    refused(false, "has no name that text could show");
    r->name = NULL;
    refused(false, "has no name that text could show");
    *r = good;
    r->def = 1;
    refused(false, "is not known as the value that defines it");
    *r = good;
    r->index = 1;
    refused(false, "is not known as the value that defines it");
    *r = good;
    r->type.dt = TN_DT_F64;
    refused(false, "its two dtypes differ");
    *r = good;
    r->type.shape[0] = tn_sym(0);
    refused(false, "axis 0 is no size of the graph");
    refused(true, "axis 0 has no number, but the graph is bound");
    r->type.shape[0] = INT64_MAX;
    refused(false, "do not fit 63 bits");
    r->type.shape[0] = 2;
    relu->results[0] = 99;
    refused(false, "there is no value 99");
}

Test(verify, every_value_is_defined_once) {
    g->n_inputs = 1;
    refused(false, "4 of 5 values are defined");
    g->n_inputs = 2;
    g->n_nodes = 2;
    refused(false, "4 of 5 values are defined");
    g->n_nodes = 3;
}

Test(verify, nodes) {
    relu->id = 1;
    refused(false, "node 0 says it is node 1");
    relu->id = 0;
    const tn_schema *schema = relu->schema;
    relu->schema = cat->schema;
    refused(false, "neither a primitive nor an op with its schema");
    relu->schema = schema;
    relu->prim = TN_PRIM_ADD;
    refused(false, "neither a primitive nor an op with its schema");
    relu->prim = TN_PRIM_NONE;
    relu->n_results = 0;
    refused(false, "expected 1 results, found 0");
    relu->n_results = 1;
}

Test(verify, arguments) {
    tn_arg good = relu->args[0];
    relu->args[0].tag = TN_TAG_INT;
    refused(false, "argument x does not fit test::relu(Tensor x) -> Tensor");
    relu->args[0].tag = TN_TAG_NONE;
    refused(false, "argument x does not fit");
    relu->args[0] = good;
    relu->args[0].v.value.id = 2;
    refused(false, "stands for operand 2, expected 1 of 1");
    relu->args[0] = good;
    relu->n_operands = 0;
    refused(false, "stands for operand 1, expected 1 of 0");
    relu->n_operands = 1;
    tn_arg *items = (tn_arg *)cat->args[0].v.list;
    items[1].v.value.id = 1;
    refused(false, "stands for operand 1, expected 2 of 2");
    items[1].v.value.id = 2;
    cat->args[0].count = 1;
    refused(false, "the arguments use 1 operands of 2");
    cat->args[0].count = 2;
    cat->args[1].tag = TN_TAG_DIM;
    cat->args[1].v.dim.id = 1;
    refused(false, "an argument is no size of the graph");
    refused(true, "an argument has no number, but the graph is bound");
}

Test(verify, operands) {
    relu->operands[0] = 99;
    refused(false, "operand 0 is value 99");
    relu->operands[0] = cat->results[0];
    refused(false, "is used before it is defined");
    relu->operands[0] = relu->results[0];
    refused(false, "%r is used before it is defined");
}

Test(verify, types_of_primitives) {
    tn_type *type = &g->values[add->results[0]].type;
    int64_t strides[] = {1, 2};
    type->shape[1] = 4;
    refused(true, "expected f32[2,3], found f32[2,4]");
    type->shape[1] = 3;
    type->strides = strides;
    refused(true, "results of primitives have no strides");
    type->strides = NULL;
    add->operands[1] = cat->results[0];
    refused(true, "expected the shape of a");
}

Test(verify, outputs) {
    g->outputs[0] = 99;
    refused(false, "output 0 is no value");
}
