#include "ir/graph.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;
static tn_ir_graph *g;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    cr_assert_null(tn_ir_create(tn_allocator_system(), prims, "g", &g));
}

static void teardown(void) {
    tn_ir_destroy(g);
    cr_assert_eq(ops->references, 0);
    tn_prim_schemas_destroy(prims);
    tn_test_ops_destroy(ops);
}

TestSuite(graph, .init = setup, .fini = teardown);

static int64_t shape_2_3[] = {2, 3};
static const tn_type f32_2_3 = {true, TN_DT_F32, {TN_TYPE_FLOAT, 32, 1}, 2, shape_2_3, NULL};

/* Frees the status, and says whether it had this code and this text. */
static void expect(tn_status status, tn_code code, const char *text) {
    cr_expect_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_expect(strstr(tn_status_message(status), text), "expected \"%s\" in \"%s\"", text,
              tn_status_message(status));
    tn_status_free(status);
}

static tn_vid input(const char *name) {
    tn_vid v;
    cr_assert_null(tn_ir_add_input(g, name, &f32_2_3, &v));
    return v;
}

static tn_arg value_arg(tn_vid v) {
    return (tn_arg){TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)v}}};
}

static tn_status add_op(const char *op, const tn_arg *args, uint32_t n_results,
                        const char *const *names, tn_ir_node **out) {
    tn_ir_node_desc desc = {.op = &tn_test_ops_find(ops, op)->op,
                            .args = args,
                            .n_results = n_results,
                            .result_names = names,
                            .origin = TN_NO_NODE};
    return tn_ir_add_node(g, &desc, out);
}

Test(graph, names_are_checked) {
    tn_ir_graph *bad;
    tn_vid v;
    uint32_t s;
    expect(tn_ir_create(tn_allocator_system(), prims, "a b", &bad), TN_INVALID, "graph name");
    cr_assert_null(bad);
    expect(tn_ir_add_input(g, "a-b", &f32_2_3, &v), TN_INVALID, "value name \"a-b\"");
    cr_assert_eq(v, TN_NO_VALUE);
    expect(tn_ir_symbol(g, "2n", 2, &s), TN_INVALID, "cannot name a size");
    expect(tn_ir_symbol(g, "", 0, &s), TN_INVALID, "cannot name a size");
    expect(tn_ir_symbol(g, "f32", 3, &s), TN_INVALID, "cannot name a size");
    expect(tn_ir_symbol(g, "inf", 3, &s), TN_INVALID, "cannot name a size");
}

Test(graph, an_empty_name_is_main) {
    tn_ir_graph *other;
    cr_assert_null(tn_ir_create(tn_allocator_system(), prims, NULL, &other));
    cr_assert_str_eq(other->name, "main");
    tn_ir_destroy(other);
}

Test(graph, symbols_are_found_again) {
    uint32_t a, b, again;
    cr_assert_null(tn_ir_symbol(g, "abc", 1, &a));
    cr_assert_null(tn_ir_symbol(g, "b", 1, &b));
    cr_assert_null(tn_ir_symbol(g, "a", 1, &again));
    cr_assert_eq(a, again);
    cr_assert_neq(a, b);
    cr_assert_str_eq(g->symbols[a], "a");
}

Test(graph, made_up_names_avoid_those_taken) {
    tn_vid v0 = input("v1"), v1 = input(NULL), v2 = input("");
    cr_assert_str_eq(g->values[v0].name, "v1");
    cr_assert_str_eq(g->values[v1].name, "v2");
    cr_assert_str_eq(g->values[v2].name, "v3");
    cr_assert_eq(tn_ir_find_value(g, "v3", 2), v2);
    cr_assert_eq(tn_ir_find_value(g, "v4", 2), TN_NO_VALUE);
}

Test(graph, made_up_names_make_way) {
    tn_vid v0 = input(NULL), v1 = input(NULL);
    tn_vid named = input("v0");
    cr_assert_eq(tn_ir_find_value(g, "v0", 2), named);
    cr_assert_eq(tn_ir_find_value(g, "v1", 2), v1);
    cr_assert_str_eq(g->values[v0].name, "v2");
    cr_assert_eq(tn_ir_find_value(g, "v2", 2), v0);
    expect(tn_ir_add_input(g, "v0", &f32_2_3, &v0), TN_EXISTS, "%v0 is defined already");
    input("v2");
    cr_assert_null(tn_ir_verify(g, true));
}

Test(graph, items_of_a_list_are_named_as_they_are_asked_for) {
    tn_vid x = input("x"), second, first, again;
    tn_arg one = {TN_TAG_INT, 0, {.i = 1}};
    tn_arg args[] = {value_arg(x), {TN_TAG_LIST, 1, {.list = &one}}, {TN_TAG_INT, 0, {.i = 0}}};
    tn_ir_node_desc desc = {.op = &tn_test_ops_find(ops, "test::split")->op,
                            .args = args,
                            .more_results = true,
                            .origin = TN_NO_NODE};
    tn_ir_node *split, *relu;
    cr_assert_null(tn_ir_add_node(g, &desc, &split));
    cr_assert_null(tn_ir_add_item(g, split, 1, &second));
    tn_arg arg = value_arg(second);
    cr_assert_null(add_op("test::relu", &arg, 1, NULL, &relu));
    cr_assert_null(tn_ir_add_item(g, split, 0, &first));
    cr_assert_null(tn_ir_add_item(g, split, 2, &again));
    cr_assert_eq(split->n_results, 3);
    cr_assert_arr_eq(split->results, ((tn_vid[]){first, second, again}), sizeof(tn_vid[3]));
    cr_assert_null(tn_ir_verify(g, false));
    expect(tn_ir_add_item(g, split, 1 << 16, &again), TN_INVALID, "there is no item 65536");
    expect(tn_ir_add_item(g, relu, 1, &again), TN_INVALID, "there is no item 1, it has 1");
    split->more_results = false;
    cr_assert_null(tn_ir_verify(g, false));
    relu->more_results = true;
    expect(tn_ir_verify(g, false), TN_INVALID, "cannot have more results");
}

Test(graph, inputs_need_a_possible_type) {
    tn_vid v;
    int64_t shape[] = {INT64_C(1) << 62, 4};
    tn_type type = {true, TN_DT_F32, {TN_TYPE_FLOAT, 32, 1}, 2, shape, NULL};
    expect(tn_ir_add_input(g, "x", NULL, &v), TN_INVALID, "no type");
    expect(tn_ir_add_input(g, "x", &(tn_type){0}, &v), TN_INVALID, "no type");
    expect(tn_ir_add_input(g, "x", &type, &v), TN_INVALID, "input %x");
    shape[0] = tn_sym(0);
    expect(tn_ir_add_input(g, "x", &type, &v), TN_INVALID, "no size of this graph");
    input("x");
    expect(tn_ir_add_input(g, "x", &f32_2_3, &v), TN_EXISTS, "%x is defined already");
    cr_assert_eq(g->n_inputs, 1);
}

Test(graph, arguments_are_copied_and_tensors_become_slots) {
    tn_vid x = input("x"), y = input("y");
    char mode[] = "text";
    tn_arg list[] = {value_arg(y), value_arg(x), value_arg(y)};
    tn_arg args[] = {{TN_TAG_LIST, 3, {.list = list}}, {TN_TAG_INT, 0, {.i = 1}}};
    tn_arg ints[] = {{TN_TAG_INT, 0, {.i = 2}}};
    tn_arg make[] = {{TN_TAG_LIST, 1, {.list = ints}},
                     {TN_TAG_STRING, 4, {.str = mode}},
                     {TN_TAG_DTYPE, 0, {.dtype = {TN_TYPE_FLOAT, 32, 1}}},
                     {TN_TAG_NONE, 0, {0}}};
    tn_ir_node *cat, *made;
    cr_assert_null(add_op("test::cat", args, 1, NULL, &cat));
    cr_assert_null(add_op("test::make", make, 1, NULL, &made));
    memset(list, 0, sizeof list);
    memset(args, 0, sizeof args);
    memset(ints, 0, sizeof ints);
    mode[0] = 'X';
    cr_assert_eq(cat->n_operands, 3);
    cr_assert_arr_eq(cat->operands, ((tn_vid[]){y, x, y}), sizeof(tn_vid[3]));
    for (uint64_t i = 0; i < 3; i++)
        cr_assert_eq(cat->args[0].v.list[i].v.value.id, i + 1);
    cr_assert_str_eq(made->args[1].v.str, "text");
    cr_assert_eq(made->args[0].v.list[0].v.i, 2);
    cr_assert_eq(made->origin, made->id);
    cr_assert_null(tn_ir_verify(g, false));
    cr_assert_eq(ops->references, 2);
}

Test(graph, what_a_graph_cannot_hold_is_refused) {
    tn_ir_node *node;
    tn_tensor tensor = {0};
    tn_arg inner = {TN_TAG_LIST, 0, {0}};
    tn_arg bad[] = {{TN_TAG_TENSOR, 0, {.tensor = &tensor}}, {TN_TAG_VALUE, 0, {.value = {0}}},
                    {TN_TAG_VALUE, 0, {.value = {1}}},       {TN_TAG_DIM, 0, {.dim = {1}}},
                    {TN_TAG_LIST, 1, {.list = &inner}},      {TN_TAG_HANDLE, 0, {.handle = NULL}},
                    {TN_TAG_STRING, 3, {.str = "a\0b"}},     {99, 0, {0}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect(add_op("test::relu", &bad[i], 1, NULL, &node), TN_INVALID, "test::relu: argument 0");
        cr_assert_null(node);
    }
    tn_arg none = {0};
    tn_ir_node_desc desc = {.args = &none, .origin = TN_NO_NODE};
    expect(tn_ir_add_node(g, &desc, &node), TN_INVALID, "a primitive or an op");
    desc.prim = TN_PRIM_ADD;
    desc.op = &tn_test_ops_find(ops, "test::relu")->op;
    expect(tn_ir_add_node(g, &desc, &node), TN_INVALID, "a primitive or an op");
    desc.op = NULL;
    desc.prim = 999;
    expect(tn_ir_add_node(g, &desc, &node), TN_INVALID, "no primitive number 999");
    cr_assert_eq(g->n_nodes, 0);
    cr_assert_eq(ops->references, 0);
}

Test(graph, a_failed_node_leaves_nothing) {
    tn_vid x = input("x");
    tn_arg args[] = {value_arg(x), {TN_TAG_INT, 0, {.i = 1}}, {TN_TAG_INT, 0, {.i = -1}}};
    tn_ir_node *node;
    const char *names[] = {"a", "x"};
    expect(add_op("test::topk", args, 2, names, &node), TN_EXISTS, "%x is defined already");
    cr_assert_eq(tn_ir_find_value(g, "a", 1), TN_NO_VALUE);
    cr_assert_eq(tn_ir_find_value(g, "x", 1), x);
    cr_assert_null(tn_ir_verify(g, false));
    names[1] = "b";
    cr_assert_null(add_op("test::topk", args, 2, names, &node));
    cr_assert_null(tn_ir_verify(g, false));
}

typedef struct counted_handle {
    tn_handle handle;
    int references;
} counted_handle;

static void handle_retain(tn_handle *h) {
    ((counted_handle *)h)->references++;
}

static void handle_release(tn_handle *h) {
    ((counted_handle *)h)->references--;
}

Test(graph, handles_are_retained) {
    counted_handle h = {.handle = {.struct_size = sizeof(tn_handle),
                                   .type_name = "gen",
                                   .retain = handle_retain,
                                   .release = handle_release}};
    tn_op_desc desc = {.struct_size = sizeof desc,
                       .schema = "test::rand(Handle<gen> g, Handle<gen>[] more) -> Tensor",
                       .meta = tn_test_meta_like};
    tn_status status = tn_test_ops_add(ops, &desc);
    cr_assert_null(status, "%s", tn_status_message(status));
    tn_arg one = {TN_TAG_HANDLE, 0, {.handle = &h.handle}};
    tn_arg args[] = {one, {TN_TAG_LIST, 1, {.list = &one}}};
    tn_ir_node *node;
    cr_assert_null(add_op("test::rand", args, 1, NULL, &node));
    cr_assert_eq(h.references, 2);
    cr_assert_null(tn_ir_verify(g, false));
    tn_ir_destroy(g);
    g = NULL;
    cr_assert_eq(h.references, 0);
}

Test(graph, uses_and_outputs) {
    tn_vid x = input("x"), y = input("y"), out;
    tn_vid both[] = {x, x};
    uint32_t counts[3];
    cr_assert_null(tn_ir_emit(g, TN_PRIM_ADD, both, 2, NULL, 0, TN_NO_NODE, &out, 1));
    cr_assert_null(tn_ir_add_output(g, out));
    cr_assert_null(tn_ir_add_output(g, x));
    expect(tn_ir_add_output(g, 77), TN_INVALID, "output 77 is no value");
    tn_ir_count_uses(g, counts);
    cr_assert_eq(counts[x], 3);
    cr_assert_eq(counts[y], 0);
    cr_assert_eq(counts[out], 1);
    cr_assert_null(tn_ir_verify(g, true));
}

Test(graph, many_values) {
    for (int i = 0; i < 3000; i++)
        input(NULL);
    cr_assert_null(tn_ir_verify(g, true));
}

/* Every kind of allocation that building makes. */
static tn_status build(void *self, const tn_allocator *a) {
    tn_ir_graph *graph;
    tn_vid x, values[2];
    uint32_t symbol;
    (void)self;
    TN_TRY(tn_ir_create(a, prims, "sweep", &graph));
    tn_status status = tn_ir_symbol(graph, "n", 1, &symbol);
    for (int i = 0; !status && i < 10; i++)
        status = tn_ir_add_input(graph, NULL, &f32_2_3, &x);
    tn_vid xs[12];
    for (int i = 0; i < 12; i++)
        xs[i] = 0;
    tn_attr axis = {"axis", {TN_TAG_INT, 0, {.i = 0}}};
    tn_arg zero = {TN_TAG_INT, 0, {.i = 0}};
    tn_attr mean[] = {{"axes", {TN_TAG_LIST, 1, {.list = &zero}}}, {"correction", zero}};
    if (!status)
        status = tn_ir_emit(graph, TN_PRIM_CONCAT, xs, 12, &axis, 1, TN_NO_NODE, values, 1);
    if (!status)
        status = tn_ir_emit(graph, TN_PRIM_MEAN_VAR, xs, 1, mean, 2, TN_NO_NODE, values, 2);
    tn_arg strings[] = {{TN_TAG_LIST, 1, {.list = &zero}},
                        {TN_TAG_STRING, 1, {.str = "m"}},
                        {TN_TAG_DTYPE, 0, {.dtype = {TN_TYPE_FLOAT, 32, 1}}},
                        {TN_TAG_NONE, 0, {0}}};
    const char *name = "made";
    tn_ir_node_desc desc = {.op = &tn_test_ops_find(ops, "test::make")->op,
                            .args = strings,
                            .n_results = 1,
                            .result_types = &f32_2_3,
                            .result_names = &name};
    tn_ir_node *node;
    if (!status) status = tn_ir_add_node(graph, &desc, &node);
    tn_arg list[] = {{TN_TAG_VALUE, 0, {.value = {1}}},
                     {TN_TAG_LIST, 1, {.list = &zero}},
                     {TN_TAG_INT, 0, {.i = 0}}};
    tn_ir_node_desc split = {
        .op = &tn_test_ops_find(ops, "test::split")->op, .args = list, .more_results = true};
    if (!status) status = tn_ir_add_node(graph, &split, &node);
    if (!status) status = tn_ir_add_item(graph, node, 9, &x);
    if (!status) status = tn_ir_add_output(graph, x);
    tn_status verified = tn_ir_verify(graph, false);
    status = tn_status_join(status, verified);
    tn_ir_destroy(graph);
    cr_assert_eq(ops->references, 0);
    return status;
}

Test(graph, every_allocation_may_fail) {
    const char *problem = tn_sweep_allocations(build, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
