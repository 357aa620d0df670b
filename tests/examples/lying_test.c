/* The ops of sdk/examples/lying: each is caught, by name, and the host lives on. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tenon/tenon.h"

#define ELEMENTS 64

typedef struct fixture {
    tn_context *context;
    tn_tensor *x, *y;
} fixture;

static fixture f;

static void require(tn_status status) {
    cr_assert(status == NULL, "%s", tn_status_message(status));
}

static void setup(void) {
    const int64_t shape[] = {ELEMENTS};
    const tn_dtype f32 = {TN_TYPE_FLOAT, 32, 1};
    const tn_device cpu = {TN_DEVICE_CPU, 0};
    const tn_context_options options = {.struct_size = sizeof options, .threads = 2};
    require(tn_context_create(&options, &f.context));
    require(tn_plugin_load(f.context, TN_BINARY_DIR "/test-plugins/lying.so", NULL));
    require(tn_tensor_create(f.context, cpu, f32, 1, shape, &f.x));
    require(tn_tensor_create(f.context, cpu, f32, 1, shape, &f.y));
    for (int i = 0; i < ELEMENTS; i++)
        ((float *)f.x->data)[i] = (float)(i + 1);
}

static void teardown(void) {
    tn_tensor_free(f.context, f.x);
    tn_tensor_free(f.context, f.y);
    tn_context_release(f.context);
}

TestSuite(lying, .init = setup, .fini = teardown);

/* %y = op(%x), checked, with one rule or none. */
static tn_status run(const char *op, int32_t target, const char *force) {
    char source[256];
    tn_graph *graph = NULL;
    tn_executable *executable = NULL;
    const tn_compile_options options = {.struct_size = sizeof options,
                                        .target = target,
                                        .flags = TN_COMPILE_CHECKED,
                                        .force = &force,
                                        .n_force = force != NULL};
    const tn_arg x = {.tag = TN_TAG_TENSOR, .v.tensor = f.x};
    const tn_arg y = {.tag = TN_TAG_TENSOR, .v.tensor = f.y};
    snprintf(source, sizeof source,
             "graph @lie(%%x: f32[%d]) {\n  %%y = %s(%%x)\n  return %%y\n}\n", ELEMENTS, op);
    tn_status status = tn_graph_parse(f.context, source, strlen(source), "lie", &graph);
    if (status == NULL) status = tn_compile(graph, &options, &executable);
    if (status == NULL) status = tn_executable_run(executable, NULL, &x, 1, &y, 1);
    tn_executable_release(executable);
    if (graph != NULL) tn_graph_release(graph);
    return status;
}

static void expect_caught(const char *op, tn_code code, const char *words) {
    tn_status status = run(op, TN_TARGET_CPU, NULL);
    cr_assert(status != NULL, "%s got away with it", op);
    cr_expect_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    const char *message = tn_status_message(status);
    cr_expect(strstr(message, op) != NULL, "%s", message);
    cr_expect(strstr(message, "plugin lying") != NULL, "%s", message);
    cr_expect(strstr(message, words) != NULL, "expected \"%s\" in: %s", words, message);
    tn_status_free(status);
    require(run("lying::unequal", TN_TARGET_CPU, "opaque:lying::unequal"));
    cr_expect_eq(((float *)f.y->data)[ELEMENTS - 1], 2.0f * ELEMENTS);
}

#define CAUGHT(id, code, words)                                                                    \
    Test(lying, id) {                                                                              \
        expect_caught("lying::" #id, code, words);                                                 \
    }

CAUGHT(longer, TN_PLUGIN, "result 0: expected f32[64], found a write beyond its last element")
CAUGHT(wider, TN_PLUGIN, "result 0: expected f32[64], found a write beyond its last element")
CAUGHT(shorter, TN_PLUGIN, "result 0: expected f32[64], found elements that the kernel never wrote")
CAUGHT(meddling, TN_PLUGIN, "argument 0: expected f32[64], found that the kernel changed it")
CAUGHT(failing, TN_IO, "the table for 64 elements could not be read")
CAUGHT(nonsense, TN_PLUGIN, "result 0: axis 0: expected an extent of 0 or more, found -7")
CAUGHT(turning, TN_PLUGIN, "result 0: expected f32[64] as its meta function says, found f64[64]")

/* Only comparing shows it. */
Test(lying, unequal) {
    require(run("lying::unequal", TN_TARGET_CPU, "opaque:lying::unequal"));
    cr_expect_eq(((float *)f.y->data)[1], 4.0f);
    require(run("lying::unequal", TN_TARGET_REFERENCE, NULL));
    cr_expect_eq(((float *)f.y->data)[1], 6.0f);
}
