/* Lowering text: what it matches, what it builds, what is said of mistakes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/failing_allocator.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;
static tn_schema *schema;

static const tn_device cpu = {TN_DEVICE_CPU, 0};

static void setup(void) {
    static const char text[] =
        "t::f(Tensor x, Tensor? w=None, *, float beta=2.5, int n=3, int[] dims=[1, 0], "
        "bool flag=True, str mode=\"m\", ScalarType dtype=bf16, int? none=None) -> Tensor";
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    cr_assert_null(tn_schema_parse(tn_allocator_system(), text, strlen(text), &schema));
}

static void teardown(void) {
    cr_assert_eq(ops->references, 0);
    tn_schema_free(schema);
    tn_prim_schemas_destroy(prims);
    tn_test_ops_destroy(ops);
}

TestSuite(lowering, .init = setup, .fini = teardown);

typedef struct lowering_case {
    const char *inputs; /* of the call: one or two declarations, as in a graph */
    const char *text;
    tn_strbuf *out; /* the graph, typed, without its first line */
} lowering_case;

static tn_status instantiate(tn_ir_graph *g, const char *text) {
    tn_arg args[9];
    tn_vid out;
    for (uint32_t i = 0; i < 9; i++)
        args[i] = schema->params[i].default_value;
    for (uint32_t i = 0; i < g->n_inputs; i++)
        args[i] = (tn_arg){TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)g->inputs[i]}}};
    if (g->n_inputs == 1) args[1] = args[0];
    tn_vid operands[] = {g->inputs[0], g->inputs[g->n_inputs - 1]};
    if (strcmp(g->name, "none") == 0) args[1] = (tn_arg){0};
    TN_TRY(tn_ir_parse_lowering(g, &ops->table, cpu, text, strlen(text), "low", schema, args,
                                operands, g->n_inputs, 5, &out, 1));
    return tn_ir_add_output(g, out);
}

static tn_status run(void *self, const tn_allocator *a) {
    const lowering_case *c = self;
    char source[256];
    tn_ir_graph *g;
    snprintf(source, sizeof source, "graph @%s { return }", c->inputs);
    TN_TRY(tn_ir_parse(a, prims, NULL, source, strlen(source), "g", &g));
    tn_status status = instantiate(g, c->text);
    if (!status) status = tn_ir_verify(g, true);
    if (!status && c->out) tn_ir_print_typed(g, c->out);
    for (uint32_t i = 0; !status && i < g->n_nodes; i++)
        cr_expect_eq(g->nodes[i]->origin, 5);
    tn_ir_destroy(g);
    return status;
}

/* What the text builds, one line for each node; or the failure. */
static void builds(const char *inputs, const char *text, const char *expected) {
    tn_strbuf out;
    tn_strbuf_init(&out, tn_allocator_system());
    lowering_case c = {inputs, text, &out};
    tn_status status = run(&c, tn_allocator_system());
    const char *found = tn_strbuf_cstr(&out);
    const char *begin = strstr(found, "{\n");
    cr_expect_null(status, "%s\n%s", text, tn_status_message(status));
    if (begin) cr_expect_str_eq(begin + 2, expected, "%s\nbuilds\n%s", text, begin + 2);
    tn_status_free(status);
    tn_strbuf_deinit(&out);
}

static void fails(const char *inputs, const char *text, tn_code code, const char *expected) {
    lowering_case c = {inputs, text, NULL};
    tn_status status = run(&c, tn_allocator_system());
    cr_expect_eq(tn_status_code(status), code, "%s\n%s", text, tn_status_message(status));
    cr_expect(strstr(tn_status_message(status), expected), "%s\nexpected %s\nfound %s", text,
              expected, tn_status_message(status));
    tn_status_free(status);
}

static const char swish[] = "opset 1\n"
                            "graph @swish(%x: T[...]) {\n"
                            "  %b = prim::constant(value=$beta, dtype=T)\n"
                            "  %bs = prim::broadcast(%b, shape=[...], axes=[])\n"
                            "  %y = prim::mul(%x, %bs)\n"
                            "  return %y\n"
                            "}\n";

Test(lowering, the_documented_example) {
    builds("g(%x: f16[2,3])", swish,
           "  %v1 = prim::constant(value=2.5, dtype=f16)  # f16[]\n"
           "  %v2 = prim::broadcast(%v1, shape=[2, 3], axes=[])  # f16[2,3]\n"
           "  %v3 = prim::mul(%x, %v2)  # f16[2,3]\n"
           "  return %v3\n}\n");
    builds("g(%x: f32[])", swish,
           "  %v1 = prim::constant(value=2.5, dtype=f32)  # f32[]\n"
           "  %v2 = prim::broadcast(%v1, shape=[], axes=[])  # f32[]\n"
           "  %v3 = prim::mul(%x, %v2)  # f32[]\n"
           "  return %v3\n}\n");
}

#define BODY(inputs, body) "opset 1 graph @l(" inputs ") { " body " return %y }"

Test(lowering, leading_dims_and_named_extents) {
    builds("g(%x: f32[5,2,3], %w: f32[3])",
           BODY("%x: f32[..., n], %w: T[n]",
                "%y = prim::broadcast(%w, shape=[..., n], axes=[rank(...)])"),
           "  %v2 = prim::broadcast(%w, shape=[5, 2, 3], axes=[2])  # f32[5,2,3]\n"
           "  return %v2\n}\n");
    builds("g(%x: f32[3], %w: f32[3])",
           BODY("%x: f32[..., n], %w: T[n]", "%y = prim::sum(%x, axes=[rank(...)])"),
           "  %v2 = prim::sum(%x, axes=[0])  # f32[]\n  return %v2\n}\n");
    builds("g(%x: f32[4,6])", BODY("%x: T[m, 6]", "%y = prim::reshape(%x, shape=[m*6])"),
           "  %v1 = prim::reshape(%x, shape=[24])  # f32[24]\n  return %v1\n}\n");
    builds("g(%x: f32[4,6])", BODY("%a: T[...]", "%y = prim::exp(%a)"),
           "  %v1 = prim::exp(%x)  # f32[4,6]\n  return %v1\n}\n");
}

Test(lowering, patterns_that_do_not_match_decline) {
    const char *y = "%y = prim::add(%a, %b)";
    char text[256];
    const char *const patterns[][3] = {
        {"g(%x: f32[2], %w: f32[2])", "%a: f16[2], %b: T[2]",
         "the dtype does not match: found f32[2]"},
        {"g(%x: f32[2], %w: f16[2])", "%a: T[2], %b: T[2]",
         "the dtype does not match: found f16[2]"},
        {"g(%x: f32[2], %w: f32[3])", "%a: T[n], %b: T[n]", "expected extent 2, found 3 in f32[3]"},
        {"g(%x: f32[2], %w: f32[2])", "%a: T[3], %b: T[2]", "expected extent 3, found 2 in f32[2]"},
        {"g(%x: f32[2], %w: f32[2])", "%a: T[n,m], %b: T[n]",
         "the shape does not match: found f32[2]"},
        {"g(%x: f32[2], %w: f32[])", "%a: T[n], %b: T[..., n]",
         "the shape does not match: found f32[]"},
        {"g(%x: f32[2], %w: f32[3])", "%a: T[...], %b: T[...]",
         "the shape does not match: found f32[3]"},
        {"g(%x: f32[2], %w: f32[2,2])", "%a: T[...], %b: T[...]", "the shape does not match"},
        {"g(%x: f32[2])", "%a: T[...], %b: T[...]", "an input more than the call has tensors, 1"},
        {"none(%x: f32[2])", "%a: T[...]", "argument w is None"},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        snprintf(text, sizeof text, "opset 1 graph @l(%s) { %s return %%y }", patterns[i][1], y);
        fails(patterns[i][0], text, TN_DECLINED, patterns[i][2]);
    }
}

Test(lowering, attributes) {
    builds("g(%x: f32[2,3])", BODY("%x: T[a,b]", "%y = prim::permute(%x, perm=$dims)"),
           "  %v1 = prim::permute(%x, perm=[1, 0])  # f32[3,2]\n  return %v1\n}\n");
    builds("g(%x: f32[2,3])", BODY("%x: T[a,b]", "%y = prim::cast(%x, dtype=$dtype)"),
           "  %v1 = prim::cast(%x, dtype=bf16)  # bf16[2,3]\n  return %v1\n}\n");
    builds("g(%x: f32[2,3])",
           BODY("%x: T[a,b]", "%y = prim::iota(shape=[$n, $dims, $n*2-1], axis=$n-3, dtype=i64)"),
           "  %v1 = prim::iota(shape=[3, 1, 0, 5], axis=0, dtype=i64)  # i64[3,1,0,5]\n"
           "  return %v1\n}\n");
    builds("g(%x: f32[2,3])", BODY("%x: T[a,b]", "%y = prim::constant(value=$flag, dtype=bool)"),
           "  %v1 = prim::constant(value=true, dtype=bool)  # bool[]\n  return %v1\n}\n");
    builds("g(%x: f32[2,3])",
           BODY("%x: T[a,b]", "%y = test::make([a], mode=$mode, dtype=T, device=none)"),
           "  %v1 = test::make(shape=[2], mode=\"m\")  # f32[2]\n  return %v1\n}\n");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::constant(value=$betta, dtype=T)"), TN_PARSE,
          "t::f has no argument betta (did you mean beta?)");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::constant(value=$x, dtype=T)"), TN_PARSE,
          "x is a tensor: it is an input of the text");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::sum(%x, axes=[$beta])"), TN_PARSE,
          "this argument is not an int in this call");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::sum(%x, axes=[$none])"), TN_PARSE,
          "this argument is not an int in this call");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::argmax(%x, axis=$dims)"), TN_PARSE,
          "this argument is not an int in this call");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::sum(%x, axes=$ dims)"), TN_PARSE,
          "prim::sum");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::sum(%x, axes=[$1])"), TN_PARSE,
          "expected the name of an argument after '$'");
}

/* One expression, by the size it gives. */
static void evaluates(const char *expression, const char *value) {
    char text[256], expected[256];
    snprintf(
        text, sizeof text,
        "opset 1 graph @l(%%x: T[..., n]) { %%y = prim::size(value=%s, dtype=i64) return %%y }",
        expression);
    snprintf(expected, sizeof expected,
             "  %%v1 = prim::size(value=%s, dtype=i64)  # i64[]\n  return %%v1\n}\n", value);
    builds("g(%x: f32[2,3,5])", text, expected);
}

Test(lowering, integer_expressions) {
    evaluates("n", "5");
    evaluates("-n", "-5");
    evaluates("1+2*3-n", "2");
    evaluates("(1+2)*-3", "-9");
    evaluates("10-3-2", "5");
    evaluates("floordiv(-7, 2)", "-4");
    evaluates("floordiv(7, -2)", "-4");
    evaluates("floordiv(-8, 2)", "-4");
    evaluates("ceildiv(7, 2)", "4");
    evaluates("ceildiv(-7, 2)", "-3");
    evaluates("ceildiv(8, 2)", "4");
    evaluates("mod(-7, 3)", "2");
    evaluates("mod(7, -3)", "-2");
    evaluates("mod(6, -1)", "0");
    evaluates("min(n, 3)", "3");
    evaluates("max(n, 3)", "5");
    evaluates("rank(...)", "2");
    evaluates("rank(%x)", "3");
    evaluates("numel(...)", "6");
    evaluates("numel(%x)", "30");
    evaluates("dim(%x, rank(...))", "5");
    evaluates("dim(..., 1)", "3");
    evaluates("-9223372036854775807-1", "-9223372036854775808");
}

static void misevaluates(const char *expression, const char *expected) {
    char text[512];
    snprintf(
        text, sizeof text,
        "opset 1 graph @l(%%x: T[..., n]) { %%y = prim::size(value=%s, dtype=i64) return %%y }",
        expression);
    fails("g(%x: f32[2,3,5])", text, TN_PARSE, expected);
}

Test(lowering, mistakes_in_expressions) {
    misevaluates("floordiv(1, n-5)", "this divides by zero");
    misevaluates("floordiv(-9223372036854775807-1, -1)", "does not fit 64 bits");
    misevaluates("9223372036854775807+1", "does not fit 64 bits");
    misevaluates("-9223372036854775807-2", "does not fit 64 bits");
    misevaluates("4611686018427387904*2", "does not fit 64 bits");
    misevaluates("-(-9223372036854775807-1)", "does not fit 64 bits");
    misevaluates("9223372036854775808", "does not fit 64 bits");
    misevaluates("k", "'k' is not the name of a size");
    misevaluates("T", "T is a dtype; expected an int");
    misevaluates("div(1, 2)", "expected floordiv, ceildiv");
    misevaluates("min(1)", "expected ',' and another number");
    misevaluates("min(1, 2, 3)", "expected ')'");
    misevaluates("dim(%x, 3)", "expected an axis in [0, 3), found 3");
    misevaluates("rank(2)", "expected '...' or a %value");
    misevaluates("rank(%z)", "%z is not defined");
    misevaluates("(1", "expected ')'");
    misevaluates("1.5", "expected an int: a number, a size");
    misevaluates("((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))",
                 "at most 32 levels deep");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::size(value=rank(...), dtype=T)"), TN_PARSE,
          "no input has '...'");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::constant(value=a, dtype=T)"), TN_PARSE,
          "'a' is no value");
}

Test(lowering, runs_in_lists) {
    builds("g(%x: f32[2,3,5])",
           BODY("%x: T[..., n]",
                "%y = prim::slice(%x, start=[repeat(0, rank(...)), n-1], size=[..., n],"
                " step=[repeat(1, rank(...)), -1])"),
           "  %v1 = prim::slice(%x, start=[0, 0, 4], size=[2, 3, 5], step=[1, 1, -1])"
           "  # f32[2,3,5]\n  return %v1\n}\n");
    builds("g(%x: f32[2,3,5])",
           BODY("%x: T[..., n]",
                "%y = prim::permute(%x, perm=[rank(...), range(0, rank(...)), range(5, 1)])"),
           "  %v1 = prim::permute(%x, perm=[2, 0, 1])  # f32[5,2,3]\n  return %v1\n}\n");
    fails("g(%x: f32[2])",
          BODY("%x: T[a]", "%y = prim::sum(%x, axes=[range(0, 9223372036854775807)])"), TN_PARSE,
          "at most 1024 items");
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = prim::sum(%x, axes=[...])"), TN_PARSE,
          "no input has '...'");
}

Test(lowering, ops_are_typed_by_meta) {
    builds("g(%x: f32[2,3], %w: f32[5,3])",
           BODY("%x: T[m,k], %w: T[n,k]", "%h = test::linear(%x, %w) %v, %i = test::topk(%h, 2) "
                                          "%a, %b = test::split(%v, [m-1, 1]) %y = prim::exp(%b)"),
           "  %v2 = test::linear(%x, %w)  # f32[2,5]\n"
           "  %v3, %v4 = test::topk(%v2, k=2)  # f32[2,2], i64[2,2]\n"
           "  %v5, %v6 = test::split(%v3, sizes=[1, 1])  # f32[1,2], f32[1,2]\n"
           "  %v7 = prim::exp(%v6)  # f32[1,2]\n"
           "  return %v7\n}\n");
    builds("g(%x: f32[3])", BODY("%x: T[m]", "%y, ... = test::split(%x, [1, 2])"),
           "  %v1, %v2 = test::split(%x, sizes=[1, 2])  # f32[1], f32[2]\n  return %v1\n}\n");
    fails("g(%x: f32[2,3], %w: f32[5,2])",
          BODY("%x: T[m,k], %w: T[n,j]", "%y = test::linear(%x, %w)"), TN_PARSE,
          "expected [..., k] by [n, k]");
    fails("g(%x: f32[4])", BODY("%x: T[m]", "%y = test::split(%x, [2, 2])"), TN_PARSE,
          "test::split gives 2 values here, found 1 names");
}

static tn_code meta_of_nothing(const tn_meta_context *m) {
    (void)m;
    return TN_OK;
}

Test(lowering, a_plugin_at_fault_stays_at_fault) {
    tn_op_desc desc = {.struct_size = sizeof desc,
                       .schema = "t::bad(Tensor x) -> Tensor",
                       .meta = meta_of_nothing};
    cr_assert_null(tn_test_ops_add(ops, &desc));
    fails("g(%x: f32[2])", BODY("%x: T[a]", "%y = t::bad(%x)"), TN_PLUGIN,
          "returned ok without describing result 0");
}

Test(lowering, mistakes_in_the_whole) {
    const char *x = "g(%x: f32[2])";
    fails(x, "graph @l(%x: T[n]) { return %x }", TN_PARSE,
          "low:1:1: expected opset 1 as the first");
    fails(x, "opset 2 graph @l(%x: T[n]) { return %x }", TN_PARSE, "opset 2 is not known here");
    fails(x, "opset x", TN_PARSE, "expected the number of the opset");
    fails(x, "opset 1", TN_PARSE, "expected graph @name");
    fails(x, "opset 1 graph @l(%x: T[n]) { return }", TN_PARSE, "returns 1 values, the text 0");
    fails(x, "opset 1 graph @l(%x: T[n]) { return %x, %x }", TN_PARSE, "here is one more");
    fails(x, "opset 1 graph @l(%x: T[n]) { return %z }", TN_PARSE, "%z is not defined");
    fails("g(%x: f32[2], %w: f32[2])", "opset 1 graph @l(%x: T[n], %x: T[n]) { return %x }",
          TN_PARSE, "%x is defined already");
    fails(x, BODY("%x: T[n]", "%x = prim::exp(%x)"), TN_PARSE, "%x is defined already");
    fails(x, BODY("%x: T[n]", "%y = prim::add(%x)"), TN_PARSE, "argument 'b'");
    fails(x, BODY("%x: T[n]", "%y = prim::xor(%x, %x)"), TN_PARSE, "found f32");
    fails(x, BODY("%x: n[n]", "%y = prim::exp(%x)"), TN_PARSE, "'n' stands for a dtype already");
    fails(x, BODY("%x: inf[n]", "%y = prim::exp(%x)"), TN_PARSE, "'inf' is a word");
    fails(x, BODY("%x: T[n, ...]", "%y = prim::exp(%x)"), TN_PARSE, "it comes first, and once");
    fails(x, BODY("%x: T[-1]", "%y = prim::exp(%x)"), TN_PARSE, "an extent is 0 or more");
    fails(x, BODY("%x: 1[n]", "%y = prim::exp(%x)"), TN_PARSE,
          "a dtype like f32, or a name like T");
    fails(x, BODY("%x: T[a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a]", "%y = prim::exp(%x)"), TN_PARSE,
          "at most 16 axes");
}

Test(lowering, every_allocation_may_fail) {
    lowering_case c = {"g(%x: f32[5,2,3], %w: f32[3])",
                       BODY("%x: f32[..., n], %w: T[n]",
                            "%b = prim::broadcast(%w, shape=[..., n], axes=[rank(...)]) "
                            "%c = prim::concat([%b, %b, %b, %b, %b, %b, %b, %b, %b, %b], axis=0) "
                            "%v, %i = test::topk(%c, $n) %y = prim::permute(%x, "
                            "perm=[range(0, 2), 2])"),
                       NULL};
    const char *problem = tn_sweep_allocations(run, &c, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
