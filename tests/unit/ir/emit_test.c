#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/graph.h"

static tn_prim_schemas *prims;
static tn_ir_graph *g;
static tn_vid x;

static void setup(void) {
    int64_t shape[] = {2, 3};
    tn_type type = {true, TN_DT_F32, {TN_TYPE_FLOAT, 32, 1}, 2, shape, NULL};
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_ir_create(tn_allocator_system(), prims, "g", &g));
    cr_assert_null(tn_ir_add_input(g, "x", &type, &x));
}

static void teardown(void) {
    tn_ir_destroy(g);
    tn_prim_schemas_destroy(prims);
}

TestSuite(emit, .init = setup, .fini = teardown);

static void fails(tn_status status, const char *text) {
    cr_expect_eq(tn_status_code(status), TN_INVALID);
    cr_expect(strstr(tn_status_message(status), text), "expected \"%s\" in \"%s\"", text,
              tn_status_message(status));
    tn_status_free(status);
}

static tn_status emit(uint32_t prim, uint32_t n_operands, const tn_attr *attrs, uint32_t n_attrs) {
    tn_vid operands[] = {x, x, x}, out[2];
    return tn_ir_emit(g, prim, operands, n_operands, attrs, n_attrs, 0, out,
                      prim == TN_PRIM_MEAN_VAR ? 2 : 1);
}

Test(emit, attributes_in_any_order_and_fitted) {
    tn_arg items[] = {
        {TN_TAG_INT, 0, {.i = 4}}, {TN_TAG_INT, 0, {.i = 2}}, {TN_TAG_INT, 0, {.i = 3}}};
    tn_arg axes[] = {{TN_TAG_INT, 0, {.i = 1}}, {TN_TAG_INT, 0, {.i = 2}}};
    tn_attr attrs[] = {{"axes", {TN_TAG_LIST, 2, {.list = axes}}},
                       {"shape", {TN_TAG_LIST, 3, {.list = items}}}};
    tn_vid out;
    cr_assert_null(tn_ir_emit(g, TN_PRIM_BROADCAST, &x, 1, attrs, 2, 7, &out, 1));
    const tn_ir_node *node = g->nodes[0];
    int64_t shape[TN_MAX_RANK];
    cr_assert_eq(tn_ir_attr_ints(node, "shape", shape), 3);
    cr_assert_arr_eq(shape, ((int64_t[]){4, 2, 3}), sizeof(int64_t[3]));
    cr_assert_eq(tn_ir_attr_ints(node, "axes", shape), 2);
    cr_assert_eq(node->origin, 7);
    cr_assert_eq(g->values[out].type.rank, 3);
    cr_assert_null(tn_ir_verify(g, true));
}

Test(emit, attribute_accessors) {
    tn_attr attrs[] = {{"value", {TN_TAG_INT, 0, {.i = -5}}},
                       {"dtype", {TN_TAG_DTYPE, 0, {.dtype = {TN_TYPE_BFLOAT, 16, 1}}}}};
    tn_vid out;
    cr_assert_null(tn_ir_emit(g, TN_PRIM_SIZE, NULL, 0, attrs, 2, TN_NO_NODE, &out, 1));
    cr_assert_eq(tn_ir_attr_int(g->nodes[0], "value"), -5);
    cr_assert_eq(tn_ir_attr_dtype(g->nodes[0], "dtype"), TN_DT_BF16);
    cr_assert_eq(tn_ir_attr(g->nodes[0], "value")->tag, TN_TAG_INT);
}

Test(emit, mistakes_are_named) {
    tn_attr axis = {"axis", {TN_TAG_INT, 0, {.i = 0}}};
    tn_attr wrong = {"axis", {TN_TAG_FLOAT, 0, {.f = 0}}};
    tn_attr twice[] = {axis, axis};
    tn_attr tensor = {"x", axis.value};
    tn_vid out, missing = 50;
    fails(emit(999, 1, NULL, 0), "no primitive number 999");
    fails(emit(TN_PRIM_ADD, 1, NULL, 0), "prim::add: operand b is missing: 1 were given");
    fails(emit(TN_PRIM_ADD, 3, NULL, 0), "prim::add: expected 2 operands, found 3");
    fails(emit(TN_PRIM_ARGMAX, 1, NULL, 0), "prim::argmax: attribute axis is missing");
    fails(emit(TN_PRIM_ARGMAX, 1, &wrong, 1), "prim::argmax: attribute axis: expected int");
    fails(emit(TN_PRIM_ARGMAX, 1, twice, 2), "attribute axis is given twice");
    fails(emit(TN_PRIM_ARGMAX, 1, &tensor, 1), "there is no attribute x");
    fails(emit(TN_PRIM_ADD, 2, &axis, 1), "prim::add: there is no attribute axis");
    fails(emit(TN_PRIM_EXP2 + 1000, 1, NULL, 0), "no primitive number");
    fails(tn_ir_emit(g, TN_PRIM_ADD, &missing, 1, NULL, 0, 0, &out, 1), "operand 0 is value 50");
    fails(tn_ir_emit(g, TN_PRIM_EXP, &x, 1, NULL, 0, 0, &out, 2), "it returns 1 values, not 2");
    cr_assert_eq(g->n_nodes, 0);
    cr_assert_null(tn_ir_verify(g, true));
}
