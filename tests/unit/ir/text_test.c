/* Graph text: golden files of what is printed, and of what is said of mistakes. */
#include "ir/text.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "support/golden.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
}

static void teardown(void) {
    cr_assert_eq(ops->references, 0, "every op that a graph retained was released");
    tn_prim_schemas_destroy(prims);
    tn_test_ops_destroy(ops);
}

TestSuite(text, .init = setup, .fini = teardown);

static tn_status parse(const tn_allocator *a, const char *text, size_t length, const char *file,
                       tn_ir_graph **out) {
    return tn_ir_parse(a, prims, &ops->table, text, length, file, out);
}

/* Prints the graph; what it prints must read back as a graph that prints the same. */
static tn_status print_twice(void *self, const char *file, const char *input, size_t length,
                             tn_strbuf *out) {
    (void)self;
    const tn_allocator *a = tn_allocator_system();
    tn_ir_graph *graph, *again = NULL;
    tn_strbuf second;
    TN_TRY(parse(a, input, length, file, &graph));
    tn_strbuf_init(&second, a);
    tn_status status = tn_ir_verify(graph, false);
    tn_ir_print(graph, out);
    if (!status) status = parse(a, out->data, out->length, "printed", &again);
    if (!status) tn_ir_print(again, &second);
    if (!status && strcmp(tn_strbuf_cstr(out), tn_strbuf_cstr(&second)) != 0)
        status = tn_status_make(TN_INTERNAL, "printed again it is\n%s", tn_strbuf_cstr(&second));
    tn_strbuf_deinit(&second);
    tn_ir_destroy(graph);
    tn_ir_destroy(again);
    return status;
}

Test(text, golden) {
    tn_strbuf report;
    tn_strbuf_init(&report, tn_allocator_system());
    tn_golden_run(TN_SOURCE_DIR "/tests/golden/text", "tn", print_twice, NULL, &report);
    cr_assert_str_empty(tn_strbuf_cstr(&report), "%s", tn_strbuf_cstr(&report));
    tn_strbuf_deinit(&report);
}

static const char every_feature[] =
    "graph @all(%x: f32[B,4] strides=[8,1], %y: f32[B,4], %z: i64[n], %s: f32[]) {\n"
    "  %a, %b = test::split(%x, [2, 2], dim=1)\n"
    "  %c = test::cat([%a, %b, %a, %b, %a, %b, %a, %b, %a], dim=1)\n"
    "  %d = test::make([B, n, 3], mode='text', dtype=bf16, device=cuda:1)\n"
    "  %e = test::scale(%c, beta=0.5)\n"
    "  %f = prim::reshape(%e, shape=[B, 4])\n"
    "  test::fill_(%f, 1)\n"
    "  return %f, %e, %d, %x\n"
    "}\n";

static tn_status parse_and_print(void *self, const tn_allocator *a) {
    const char *input = self;
    tn_ir_graph *graph;
    tn_strbuf out;
    TN_TRY(parse(a, input, strlen(input), "g", &graph));
    tn_strbuf_init(&out, a);
    tn_ir_print(graph, &out);
    tn_status status = tn_strbuf_status(&out);
    tn_strbuf_deinit(&out);
    tn_ir_destroy(graph);
    return status;
}

Test(text, every_allocation_may_fail) {
    const char *problem = tn_sweep_allocations(parse_and_print, (void *)every_feature, false, NULL);
    cr_assert_null(problem, "%s", problem);
    cr_assert_eq(ops->references, 0);
}

/* A failure frees what was built before it. */
static tn_status parse_bad(void *self, const tn_allocator *a) {
    tn_status status = parse_and_print(self, a);
    if (tn_status_code(status) != TN_PARSE) return status;
    tn_status_free(status);
    return NULL;
}

Test(text, every_allocation_may_fail_in_a_text_with_a_mistake) {
    static const char bad[] = "graph @g(%x: f32[n]) {\n  %a = test::relu(%x)\n"
                              "  %b = test::reshape(%a, [n, m])\n  return %b\n}\n";
    const char *problem = tn_sweep_allocations(parse_bad, (void *)bad, false, NULL);
    cr_assert_null(problem, "%s", problem);
}

/* Every cut of a good text is refused (and none is read past its end). */
Test(text, cut_anywhere) {
    size_t length = strlen(every_feature);
    while (length > 0 && every_feature[length - 1] != '}')
        length--;
    for (size_t n = 0; n < length; n++) {
        char *exact = tn_alloc(tn_allocator_system(), n + 1);
        tn_ir_graph *graph;
        memcpy(exact, every_feature, n);
        tn_status status = parse(tn_allocator_system(), exact, n, "g", &graph);
        cr_assert_eq(tn_status_code(status), TN_PARSE, "cut to %zu bytes", n);
        cr_assert_null(graph);
        tn_status_free(status);
        tn_free(tn_allocator_system(), exact, n + 1);
    }
}

static void append(tn_strbuf *s, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++)
        tn_strbuf_text(s, text);
}

/* Parses a text of the pieces, and gives the code. */
static tn_code parse_long(const char *begin, const char *repeated, size_t times, const char *end) {
    tn_strbuf s;
    tn_ir_graph *graph;
    tn_strbuf_init(&s, tn_allocator_system());
    tn_strbuf_text(&s, begin);
    append(&s, repeated, times);
    tn_strbuf_text(&s, end);
    tn_status status = parse(tn_allocator_system(), s.data, s.length, "g", &graph);
    tn_code code = tn_status_code(status);
    tn_status_free(status);
    tn_ir_destroy(graph);
    tn_strbuf_deinit(&s);
    return code;
}

Test(text, what_is_long_costs_no_stack) {
    const size_t many = 100000;
    cr_expect_eq(parse_long("graph @g(%x: f32[2]) { %a = test::reshape(%x, ", "[", many, "1])"),
                 TN_PARSE);
    cr_expect_eq(parse_long("graph @g(", "(", many, ")"), TN_PARSE);
    cr_expect_eq(parse_long("graph @g(%x: f32[2]) { ", "%a, ", many, "%b = test::relu(%x) }"),
                 TN_PARSE);
    cr_expect_eq(parse_long("graph @g(%x: f32[2]) { %a = test::relu(", "%x, ", many, "%x) }"),
                 TN_PARSE);
    cr_expect_eq(parse_long("graph @g(%x: f32[2]) { return ", "%x, ", many, "%x }"), TN_OK);
    cr_expect_eq(
        parse_long("graph @g(%x: f32[2]) { %a = test::cat([", "%x, ", many, "%x]) return %a }"),
        TN_OK);
    cr_expect_eq(parse_long("graph @g(%", "x", many, ": f32[2]) { return }"), TN_OK);
    cr_expect_eq(parse_long("graph @g() { ", "test::make([]) ", 1, "return }"), TN_PARSE);
}

Test(text, lines_and_columns_of_nodes) {
    static const char input[] = "# é\ngraph @g(%x: f32[2]) {\n\n  %a = test::relu(%x)\n"
                                "  test::fill_(%a, 1) %b = test::make([],mode=\"é\") %c = "
                                "test::relu(%b)\n  return\n}\n";
    tn_ir_graph *graph;
    cr_assert_null(parse(tn_allocator_system(), input, strlen(input), "g", &graph));
    const uint32_t expected[][2] = {{4, 4}, {5, 3}, {5, 23}, {5, 52}};
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(graph->nodes[i]->line, expected[i][0], "node %u", i);
        cr_expect_eq(graph->nodes[i]->column, expected[i][1], "node %u: column %u", i,
                     graph->nodes[i]->column);
    }
    tn_ir_destroy(graph);
}

Test(text, typed_printing_is_readable_text) {
    static const char input[] = "graph @g(%x: f32[2,3]) { return %x }";
    tn_ir_graph *graph;
    tn_vid out;
    tn_strbuf text;
    cr_assert_null(parse(tn_allocator_system(), input, strlen(input), "g", &graph));
    cr_assert_null(tn_ir_emit(graph, TN_PRIM_EXP, graph->inputs, 1, NULL, 0, TN_NO_NODE, &out, 1));
    tn_strbuf_init(&text, tn_allocator_system());
    tn_ir_print_typed(graph, &text);
    cr_assert_str_eq(tn_strbuf_cstr(&text), "graph @g(%x: f32[2,3]) {\n"
                                            "  %v1 = prim::exp(%x)  # f32[2,3]\n"
                                            "  return %x\n}\n");
    tn_ir_graph *again;
    cr_assert_null(parse(tn_allocator_system(), text.data, text.length, "g", &again));
    tn_ir_destroy(again);
    tn_strbuf_deinit(&text);
    tn_ir_destroy(graph);
}

/* Schemas that the common table lacks: fixed lists, list and device defaults. */
Test(text, fixed_lists_and_defaults_of_every_kind) {
    static const char *const schemas[] = {
        "t::pair(Tensor[2] xs, int[2] k=1, Tensor?[] more=[]) -> Tensor[2]",
        "t::rich(int[] a=[1, 2], Device d=cuda:1, ScalarType t=f16, str s=\"x\", Scalar c=2.5, "
        "float[] f=[0.5]) -> Tensor",
    };
    static const char input[] = "graph @g(%x: f32[2]) {\n"
                                "  %a, %b = t::pair([%x, %x])\n"
                                "  %c, %d = t::pair(xs=[%a, %b], k=[1, 1], more=[])\n"
                                "  %e, %f = t::pair([%c, %d], more=[none, %a], k=3)\n"
                                "  %g = t::rich(a=[1, 2], d=cuda:1, t=f16, s='x', c=2.5, f=[0.5])\n"
                                "  %h = t::rich(a=[1, 3], d=cpu, t=bf16, s='y', c=2, f=[0.5, 1])\n"
                                "  %i = t::rich([1], cuda, c=true, f=0.25)\n"
                                "  return %i\n"
                                "}\n";
    static const char expected[] =
        "graph @g(%x: f32[2]) {\n"
        "  %a, %b = t::pair([%x, %x])\n"
        "  %c, %d = t::pair([%a, %b])\n"
        "  %e, %f = t::pair([%c, %d], k=[3, 3], more=[none, %a])\n"
        "  %g = t::rich()\n"
        "  %h = t::rich(a=[1, 3], d=cpu, t=bf16, s=\"y\", c=2, f=[0.5, 1.0])\n"
        "  %i = t::rich(a=[1], d=cuda:0, c=true, f=[0.25])\n"
        "  return %i\n"
        "}\n";
    for (size_t i = 0; i < 2; i++) {
        tn_op_desc desc = {
            .struct_size = sizeof desc, .schema = schemas[i], .meta = tn_test_meta_like};
        tn_status status = tn_test_ops_add(ops, &desc);
        cr_assert_null(status, "%s", tn_status_message(status));
    }
    tn_strbuf out;
    tn_strbuf_init(&out, tn_allocator_system());
    tn_status status = print_twice(NULL, "g", input, strlen(input), &out);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert_str_eq(tn_strbuf_cstr(&out), expected, "%s", tn_strbuf_cstr(&out));
    tn_strbuf_deinit(&out);
}

Test(text, without_a_table_there_are_primitives_only) {
    static const char input[] = "graph @g(%x: f32[2]) { %a = test::relu(%x) return %a }";
    tn_ir_graph *graph;
    tn_status status = tn_ir_parse(tn_allocator_system(), prims, NULL, input, strlen(input), "g",
                                   &graph);
    cr_assert(strstr(tn_status_message(status), "no ops are registered here"));
    tn_status_free(status);
}
