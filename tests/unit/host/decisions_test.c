/* What a kernel or template declines is part of the decision: the op falls back to its
 * lowering, and explain says why; where it cannot, the error does. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "base/strbuf.h"
#include "tenon/tenon.h"

static tn_context *context;

static void setup(void) {
    const tn_context_options options = {
        .struct_size = sizeof options, .threads = 1, .flags = TN_CONTEXT_NO_BUILTINS};
    tn_status status = tn_context_create(&options, &context);
    if (status == NULL) {
        status = tn_plugin_load(context, TN_BINARY_DIR "/test-plugins/picky.so", NULL);
    }
    if (status == NULL) {
        status = tn_plugin_load(context, TN_BINARY_DIR "/test-plugins/hosted.so", NULL);
    }
    cr_assert_null(status, "%s", tn_status_message(status));
}

static void teardown(void) {
    tn_context_release(context);
}

TestSuite(decisions, .init = setup, .fini = teardown);

static bool append(void *self, const char *text, size_t length) {
    tn_strbuf_bytes(self, text, length);
    return true;
}

static tn_status plan_with(const tn_compile_options *options, const char *text, tn_strbuf *out,
                           tn_plan_stats *stats) {
    tn_graph *graph = NULL;
    tn_executable *e = NULL;
    tn_plan *plan = NULL;
    tn_tensor inputs[2];
    tn_arg args[2];
    tn_status status = tn_graph_parse(context, text, strlen(text), "g", &graph);
    if (status == NULL) status = tn_compile(graph, options, &e);
    uint32_t n = status == NULL ? tn_graph_input_count(graph) : 0;
    for (uint32_t i = 0; i < n; i++) {
        inputs[i] = *tn_graph_input_spec(graph, i);
        args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &inputs[i]};
    }
    if (status == NULL) status = tn_executable_plan(e, args, n, &plan);
    if (status == NULL) status = tn_plan_get_stats(plan, stats);
    if (status == NULL) status = tn_plan_explain(plan, TN_EXPLAIN_TEXT, append, out);
    tn_plan_release(plan);
    tn_executable_release(e);
    tn_graph_release(graph);
    return status;
}

/* Plans `%y = op(%x...)` of a dtype with one rule or none. */
static tn_status plan_op(const char *op, const char *dtype, int32_t mode, const char *force,
                         const char *forbid, tn_strbuf *out, tn_plan_stats *stats) {
    char text[256];
    const bool two = strcmp(op, "picky::product") == 0;
    const tn_compile_options options = {.struct_size = sizeof options,
                                        .mode = mode,
                                        .force = &force,
                                        .n_force = force != NULL,
                                        .forbid = &forbid,
                                        .n_forbid = forbid != NULL};
    snprintf(text, sizeof text,
             "graph @g(%%x: %s[4,4]%s%s%s) {\n  %%y = %s(%%x%s)\n  return %%y\n}", dtype,
             two ? ", %w: " : "", two ? dtype : "", two ? "[4,4]" : "", op, two ? ", %w" : "");
    *stats = (tn_plan_stats){.struct_size = sizeof *stats};
    return plan_with(&options, text, out, stats);
}

static void expect_planned(const char *op, const char *dtype, int32_t mode, const char *force,
                           uint32_t calls, const char *words) {
    tn_strbuf text;
    tn_plan_stats stats;
    tn_strbuf_init(&text, tn_allocator_system());
    tn_status status = plan_op(op, dtype, mode, force, NULL, &text, &stats);
    cr_assert_null(status, "%s: %s", op, tn_status_message(status));
    cr_expect_eq(stats.opaque_calls, calls, "%s %s: %s", op, dtype, tn_strbuf_cstr(&text));
    cr_expect_eq(stats.kernels, 1 - calls, "%s %s: %s", op, dtype, tn_strbuf_cstr(&text));
    cr_expect_not_null(strstr(tn_strbuf_cstr(&text), words), "\"%s\" is not in:\n%s", words,
                       tn_strbuf_cstr(&text));
    tn_strbuf_deinit(&text);
}

static void expect_refused(const char *op, const char *force, const char *forbid,
                           const char *words) {
    tn_strbuf text;
    tn_plan_stats stats;
    tn_strbuf_init(&text, tn_allocator_system());
    tn_status status = plan_op(op, "f64", TN_MODE_FUSED, force, forbid, &text, &stats);
    cr_assert_not_null(status, "%s was planned", op);
    cr_expect_eq(tn_status_code(status), TN_UNSUPPORTED);
    cr_expect_not_null(strstr(tn_status_message(status), op), "%s", tn_status_message(status));
    cr_expect_not_null(strstr(tn_status_message(status), words), "\"%s\" is not in: %s", words,
                       tn_status_message(status));
    tn_status_free(status);
    tn_strbuf_deinit(&text);
}

static const char declined[] = "its kernel declined this problem: the kernel is for f32, the first "
                               "operand is f64";
static const char explained[] = "not opaque: its kernel declined this problem, the kernel is for "
                                "f32, the first operand is f64";

Test(decisions, a_kernel_that_declines_leaves_the_lowering) {
    for (int32_t mode = TN_MODE_FUSED; mode <= TN_MODE_EAGER; mode++) {
        expect_planned("picky::product", "f32", mode, NULL, 1, "opaque");
        expect_planned("picky::product", "f64", mode, NULL, 0, explained);
        expect_planned("picky::twice", "f32", mode, "opaque:picky::twice", 1, "forces");
        expect_planned("picky::twice", "f64", mode, NULL, 0, explained);
        expect_planned("picky::kept", "f32", mode, NULL, 1, "no lowering");
    }
}

Test(decisions, a_template_that_declines_leaves_the_lowering) {
    for (int32_t mode = TN_MODE_FUSED; mode <= TN_MODE_EAGER; mode++) {
        expect_planned("picky::tiled", "f32", mode, NULL, 0,
                       "not opaque: the template declined this problem, configuration 1 takes");
    }
}

Test(decisions, where_nothing_is_left_the_error_says_why) {
    expect_refused("picky::twice", "opaque:picky::twice", NULL, declined);
    expect_refused("picky::twice", "opaque:picky::twice", NULL, "opaque is forced");
    expect_refused("picky::product", "opaque:%y", NULL, declined);
    expect_refused("picky::twice", NULL, "inline:picky::twice", declined);
    expect_refused("picky::twice", NULL, "inline:picky::twice", "an option forbids it");
    expect_refused("picky::kept", NULL, NULL, declined);
    expect_refused("picky::kept", NULL, NULL, "the op has no lowering");
    expect_refused("picky::tiled", "opaque:picky::tiled", NULL,
                   "the template declined this problem: configuration 1");
}

/* One call, now: the same decision. */
Test(decisions, calls_fall_back_too) {
    const int64_t shape[] = {3};
    const tn_op *op;
    tn_tensor *x;
    tn_arg out = {.tag = TN_TAG_NONE};
    cr_assert_null(tn_op_lookup(context, "picky::twice", &op));
    cr_assert_null(tn_tensor_create(context, (tn_device){TN_DEVICE_CPU, 0},
                                    (tn_dtype){TN_TYPE_FLOAT, 64, 1}, 1, shape, &x));
    ((double *)x->data)[2] = 1.5;
    const tn_arg arg = {.tag = TN_TAG_TENSOR, .v.tensor = x};
    tn_status status = tn_call_op(context, op, NULL, &arg, 1, &out, 1);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_expect_float_eq(((double *)out.v.tensor->data)[2], 3.0, 0);
    tn_results_free(context, &out, 1);
    tn_tensor_free(context, x);
    tn_op_release(context, op);
}

/* A view of what the kernel would decline: it is handed a contiguous copy. */
Test(decisions, strides_are_no_reason_to_decline) {
    tn_strbuf text;
    tn_plan_stats stats = {.struct_size = sizeof stats};
    tn_strbuf_init(&text, tn_allocator_system());
    const char *const source = "graph @g(%x: f32[4,6] strides=[1,4]) {\n"
                               "  %t = prim::permute(%x, perm=[1,0])\n"
                               "  %y = picky::kept(%t)\n"
                               "  %z = picky::kept(%x)\n"
                               "  return %y, %z\n}";
    tn_status status = plan_with(NULL, source, &text, &stats);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_expect_eq(stats.opaque_calls, 2);
    tn_strbuf_deinit(&text);
}

/* ------------------------------------------------------- templates and their slots */

/* What explain says of a graph, or the error. */
static void expect_said(const char *text, const char *force, const char *words) {
    tn_strbuf said;
    tn_plan_stats stats = {.struct_size = sizeof stats};
    const tn_compile_options options = {
        .struct_size = sizeof options, .force = &force, .n_force = force != NULL};
    tn_strbuf_init(&said, tn_allocator_system());
    tn_status status = plan_with(&options, text, &said, &stats);
    const char *found = status != NULL ? tn_status_message(status) : tn_strbuf_cstr(&said);
    cr_expect_not_null(strstr(found, words), "expected: %s\nfound: %s", words, found);
    tn_status_ignore(status);
    tn_strbuf_deinit(&said);
}

#define PRODUCT(dt, k)                                                                             \
    "graph @g(%x: " dt "[4," k "], %w: " dt "[" k ",3]) {\n"                                       \
    "  %a = prim::exp(%x)\n  %b = prim::exp(%w)\n  %m = hosted::product(%a, %b)\n"                 \
    "  %y = prim::tanh(%m)\n  return %y\n}"

Test(decisions, template_of_a_primitive) {
    expect_said(PRODUCT("f32", "5"), NULL, "step 2: template rows");
    expect_said(PRODUCT("f32", "13"), NULL,
                "not template: the template declined this problem, 13 terms are unlucky");
    expect_said(PRODUCT("f64", "5"), NULL,
                "slot epilogue takes f32, but a value of f64 is handed over as f64");
}

Test(decisions, slots_that_cannot_be_filled) {
    const char *same = "graph @g(%x: f32[4,4]) {\n  %y = hosted::same(%x)\n  return %y\n}";
    expect_said(same, NULL, "slot epilogue hands over 2 values a coordinate");
    expect_said(PRODUCT("f32", "5"), "prologue:%b",
                "%b = prim::exp: force prologue:%b is not met, it is inline: the template has no "
                "slot for it that this host can fill, slot right takes f16, but a value of f32 is "
                "handed over as f32: drop the rule");
}

Test(decisions, forces_that_are_not_met) {
    expect_said(PRODUCT("f32", "5"), "prologue:%a", "prologue: an option forces it");
    expect_said(PRODUCT("f32", "5"), "prologue:%m", "prologue: saves reading and writing");
    expect_said(PRODUCT("f32", "5"), "epilogue:%m", "epilogue: saves reading and writing");
    expect_said(PRODUCT("f32", "5"), "epilogue:%a",
                "%a = prim::exp: force epilogue:%a is not met, it is inline: it reads no result of "
                "an op that has a template: drop the rule");
    expect_said("graph @g(%x: f32[4,5], %w: f32[5,3]) {\n"
                "  %m = hosted::product(%x, %w)\n  return %m\n}",
                "epilogue:%m", "no pointwise op reads its result that could be compiled into it");
    expect_said(PRODUCT("f32", "5"), "native:%m", "no library call that follows an op here");
}
