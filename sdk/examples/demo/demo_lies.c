/* Part 4: a plugin whose meta functions, kernels and lowerings contradict each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

#define ELEMENTS 64

static const struct lie {
    const char *op, *lie;
    const char *says; /* must be in the message */
} lies[] = {
    {"lying::longer", "promises 64 elements, writes 65", "beyond its last element"},
    {"lying::wider", "promises f32, writes f64", "beyond its last element"},
    {"lying::shorter", "leaves an element unwritten", "never wrote"},
    {"lying::meddling", "writes to its argument", "the kernel changed it"},
    {"lying::nonsense", "its meta promises -7 elements", "-7"},
    {"lying::turning", "meta says f32, its lowering f64", "found f64"},
};

/* Runs one op, checked, as a graph of its own. */
static tn_status try_op(const demo *d, const char *op, const demo_options *options, const tn_arg *x,
                        const tn_arg *y) {
    char source[256];
    tn_graph *graph = NULL;
    tn_executable *executable = NULL;
    const tn_compile_options o = {.struct_size = sizeof o,
                                  .target = options->target,
                                  .flags = TN_COMPILE_CHECKED,
                                  .force = options->force,
                                  .n_force = options->n_force};
    snprintf(source, sizeof source,
             "graph @lie(%%x: f32[%d]) {\n  %%y = %s(%%x)\n  return %%y\n}\n", ELEMENTS, op);
    tn_status status = tn_graph_parse(d->context, source, strlen(source), "lie", &graph);
    if (status == NULL) status = tn_compile(graph, &o, &executable);
    if (status == NULL) status = tn_executable_run(executable, NULL, x, 1, y, 1);
    tn_executable_release(executable);
    if (graph != NULL) tn_graph_release(graph);
    return status;
}

static void expose(demo *d, const struct lie *lie, const tn_arg *x, const tn_arg *y) {
    const demo_options options = {.target = TN_TARGET_CPU};
    tn_status status = try_op(d, lie->op, &options, x, y);
    printf("  %s: %s\n", lie->op, lie->lie);
    demo_line("", "%s", tn_status_message(status));
    demo_expect(d,
                status != NULL && strstr(tn_status_message(status), lie->says) != NULL &&
                    strstr(tn_status_message(status), lie->op) != NULL,
                "a message that names the op and what it did");
    tn_status_free(status);
}

/* Nothing is wrong with a kernel or a lowering alone when they differ: comparing shows it. */
static void compare(demo *d, const tn_arg *x, const demo_tensors *ys) {
    static const char *const opaque[] = {"opaque:lying::unequal"};
    const demo_options kernel = {.target = TN_TARGET_CPU, .force = opaque, .n_force = 1};
    const demo_options reference = {.target = TN_TARGET_REFERENCE};
    double scale;
    demo_must(try_op(d, "lying::unequal", &kernel, x, &ys->args[0]), "running a kernel");
    demo_must(try_op(d, "lying::unequal", &reference, x, &ys->args[1]), "running the reference");
    const tn_tensor *found = demo_tensors_get(ys, 0), *expected = demo_tensors_get(ys, 1);
    const double error = demo_tensor_error(found, expected, &scale);
    printf("  lying::unequal: its kernel doubles, its lowering triples\n");
    demo_line("",
              "compared with the reference, as `tenon run --check` does: element 0: expected "
              "%g, found %g",
              ((const float *)expected->data)[0], ((const float *)found->data)[0]);
    demo_expect(d, error > 0.1 * scale, "the two to differ");
}

void demo_lies(demo *d) {
    const int64_t shape[] = {ELEMENTS};
    const demo_options options = {.target = TN_TARGET_CPU};
    char path[4096];
    demo_heading("4. A plugin that lies, in checked mode");
    snprintf(path, sizeof path, "%s/lying.so", d->plugins);
    demo_must(tn_plugin_load(d->context, path, NULL), "loading lying.so");
    demo_tensors xs = {.n = 0}, ys = {.n = 0};
    demo_tensors_add(&xs, demo_tensor_random(d, 1, shape, 3, 1));
    demo_tensors_add(&ys, demo_tensor_random(d, 1, shape, 4, 1));
    demo_tensors_add(&ys, demo_tensor_random(d, 1, shape, 5, 1));
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
        expose(d, &lies[i], xs.args, ys.args);
    compare(d, xs.args, &ys);
    tn_status status = try_op(d, "acme::median_filter", &options, xs.args, ys.args);
    demo_line("and now", "the host goes on: acme::median_filter, an honest op, %s",
              status == NULL ? "passes the same checks" : tn_status_message(status));
    demo_expect(d, status == NULL, "an honest op to pass");
    tn_status_free(status);
    demo_tensors_free(d, &xs);
    demo_tensors_free(d, &ys);
}
