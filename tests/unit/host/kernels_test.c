/* Kernels that break the rules of a run: what checked mode finds, and what is released
 * after a failure. And tensors that no kernel may be given. */
#include <criterion/criterion.h>
#include <string.h>

#include "tenon/tenon.h"

static tn_context *context;

static void setup(void) {
    const tn_context_options options = {
        .struct_size = sizeof options, .threads = 1, .flags = TN_CONTEXT_NO_BUILTINS};
    tn_status status = tn_context_create(&options, &context);
    if (status == NULL) {
        status = tn_plugin_load(context, TN_BINARY_DIR "/test-plugins/untidy.so", NULL);
    }
    cr_assert_null(status, "%s", tn_status_message(status));
}

static void teardown(void) {
    tn_context_release(context);
}

TestSuite(kernels, .init = setup, .fini = teardown);

#define N 8

/* Runs %y = op(%x) on f32[8], the output at y. */
static tn_status run(const char *text, uint32_t flags, const void *x, void *y, bool is_bool) {
    int64_t shape = N, stride = 1;
    tn_tensor in = {.data = (void *)(uintptr_t)x,
                    .device = {TN_DEVICE_CPU, 0},
                    .ndim = 1,
                    .dtype = {TN_TYPE_FLOAT, 32, 1},
                    .shape = &shape,
                    .strides = &stride};
    tn_tensor out = in;
    tn_graph *graph = NULL;
    tn_executable *e = NULL;
    const tn_compile_options options = {.struct_size = sizeof options, .flags = flags};
    out.data = y;
    if (is_bool) out.dtype = (tn_dtype){TN_TYPE_BOOL, 8, 1};
    const tn_arg input = {.tag = TN_TAG_TENSOR, .v.tensor = &in};
    const tn_arg output = {.tag = TN_TAG_TENSOR, .v.tensor = &out};
    tn_status status = tn_graph_parse(context, text, strlen(text), "g", &graph);
    if (status == NULL) status = tn_compile(graph, &options, &e);
    if (status == NULL) status = tn_executable_run(e, NULL, &input, 1, &output, 1);
    tn_executable_release(e);
    tn_graph_release(graph);
    return status;
}

static const float values[N] = {1, 2, 3, 4, 5, 6, 7, 8};

#define GRAPH(op) "graph @g(%x: f32[8]) {\n  %y = " op "(%x)\n  return %y\n}\n"

static void expect(tn_status status, tn_code code, const char *words) {
    cr_assert_not_null(status, "expected \"%s\"", words);
    cr_expect_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_expect_not_null(strstr(tn_status_message(status), words), "\"%s\" is not in: %s", words,
                       tn_status_message(status));
    tn_status_free(status);
}

Test(kernels, a_description_that_a_kernel_changed) {
    float y[N];
    expect(run(GRAPH("untidy::relabel"), TN_COMPILE_CHECKED, values, y, false), TN_PLUGIN,
           "op untidy::relabel: result 0: expected f32[8], found that the kernel changed its "
           "description, to dtype i32 and rank 1");
    expect(run(GRAPH("untidy::turn"), TN_COMPILE_CHECKED, values, y, false), TN_PLUGIN,
           "op untidy::turn: tensor argument 0: expected f32[8], found that the kernel changed");
}

Test(kernels, bytes_that_are_no_bool) {
    unsigned char y[N];
    expect(run(GRAPH("untidy::truth"), TN_COMPILE_CHECKED, values, y, true), TN_PLUGIN,
           "op untidy::truth: result 0: expected bool[8], found byte 2 at element 2, which is "
           "neither 0 nor 1");
}

static float releases(void) {
    float y[N] = {-1};
    tn_status status = run(GRAPH("untidy::releases"), TN_COMPILE_CHECKED, values, y, false);
    cr_assert_null(status, "%s", tn_status_message(status));
    return y[0];
}

Test(kernels, release_follows_a_prepare_that_succeeded) {
    float y[N];
    float before = releases();
    expect(run(GRAPH("untidy::prepare_fails"), 0, values, y, false), TN_IO, "could not be read");
    cr_expect_float_eq(releases(), before, 0, "what a failed prepare left is nobody's");
    expect(run(GRAPH("untidy::workspace_fails"), 0, values, y, false), TN_NO_MEMORY, "");
    cr_expect_float_eq(releases(), before + 1, 0, "once, though workspace failed");
    /* Another node's prepare fails after this one's succeeded. */
    expect(run("graph @g(%x: f32[8]) {\n  %z = untidy::releases(%x)\n"
               "  %a = untidy::prepare_fails(%z)\n  return %a\n}\n",
               0, values, y, false),
           TN_IO, "could not be read");
}

/* Every path reads whole elements: a caller's memory must hold them so. */
Test(kernels, elements_that_are_not_aligned) {
    _Alignas(16) char memory[2 * sizeof values + 16];
    float y[N];
    static const char copy[] = "graph @g(%x: f32[8]) {\n  %y = prim::neg(%x)\n  return %y\n}\n";
    for (size_t shift = 0; shift <= 4; shift++) {
        memcpy(memory + shift, values, sizeof values);
        tn_status in = run(copy, 0, memory + shift, y, false);
        tn_status out = run(copy, 0, values, memory + 8 + sizeof values + shift, false);
        if (shift % 4 == 0) {
            cr_expect_null(in, "%s", tn_status_message(in));
            cr_expect_null(out, "%s", tn_status_message(out));
            cr_expect_float_eq(y[N - 1], -8.0f, 0);
            continue;
        }
        expect(in, TN_INVALID, "input 0: its first element lies at");
        expect(out, TN_INVALID, "output 0: its first element lies at");
    }
}
