/* Part 2: one graph with the plugin's ops opaque and inlined, against a copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

#define LARGE (INT64_C(1) << 24)
#define SMALL (INT64_C(1) << 20) /* for the reference, which takes its time */
#define ROUNDS 5
/* Relative to the largest magnitude, as `tenon run --check` has it for f32. */
#define TOLERANCE 2e-5

typedef struct way {
    const char *name;
    demo_options options;
    tn_executable *executable;
    double error, scale, seconds[ROUNDS];
} way;

static demo_tensors inputs_of(const demo *d, int64_t n) {
    demo_tensors inputs = {.n = 0};
    demo_tensors_add(&inputs, demo_tensor_random(d, 1, &n, 1, 4));
    demo_tensors_add(&inputs, demo_tensor_random(d, 1, &n, 2, 2));
    return inputs;
}

static void compare(const demo *d, tn_graph *graph, way *ways, int n_ways) {
    const demo_options options = {.target = TN_TARGET_REFERENCE};
    tn_executable *reference = demo_compile(graph, &options);
    demo_tensors inputs = inputs_of(d, SMALL);
    demo_tensors expected = demo_outputs_make(d, reference, &inputs, 1);
    demo_tensors found = demo_outputs_make(d, reference, &inputs, 1);
    demo_run(reference, &inputs, &expected);
    for (int i = 0; i < n_ways; i++) {
        demo_run(ways[i].executable, &inputs, &found);
        ways[i].error = demo_tensor_error(demo_tensors_get(&found, 0),
                                          demo_tensors_get(&expected, 0), &ways[i].scale);
    }
    demo_tensors_free(d, &inputs);
    demo_tensors_free(d, &expected);
    demo_tensors_free(d, &found);
    tn_executable_release(reference);
}

/* Seconds to copy what the graph reads to where it writes: each input in turn. */
static void time_copy(const demo_tensors *inputs, const demo_tensors *outputs, double *plain,
                      double *streamed) {
    *plain = *streamed = 0;
    for (uint32_t i = 0; i < inputs->n; i++) {
        const tn_tensor *from = demo_tensors_get(inputs, i);
        *plain += demo_copy(from, demo_tensors_get(outputs, 0), false);
        *streamed += demo_copy(from, demo_tensors_get(outputs, 0), true);
    }
}

/* In turns, so that a busy machine is busy for all; round 0 is done twice, to warm up.
 * rates: bytes a second of the copy of each round. */
static void measure(const demo_tensors *inputs, const demo_tensors *outputs, way *ways, int n_ways,
                    double *rates) {
    const double bytes = 4.0 * (double)LARGE * sizeof(float); /* read and written, twice */
    double plain[ROUNDS], streamed[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
        const int slot = round < 0 ? 0 : round;
        time_copy(inputs, outputs, &plain[slot], &streamed[slot]);
        for (int i = 0; i < n_ways; i++) {
            const double begin = demo_now();
            demo_run(ways[i].executable, inputs, outputs);
            ways[i].seconds[slot] = demo_now() - begin;
        }
    }
    const bool stream = demo_median(streamed, ROUNDS) < demo_median(plain, ROUNDS);
    for (int round = 0; round < ROUNDS; round++)
        rates[round] = bytes / (stream ? streamed : plain)[round];
}

static void print_way(demo *d, const way *w, const demo_tensors *inputs, const double *rates) {
    tn_plan *plan;
    tn_plan_stats s = {.struct_size = sizeof s};
    char launches[64];
    double shares[ROUNDS];
    demo_must(tn_executable_plan(w->executable, inputs->args, inputs->n, &plan), "planning");
    demo_must(tn_plan_get_stats(plan, &s), "asking for what a plan does");
    tn_plan_release(plan);
    snprintf(launches, sizeof launches, "%u generated, %u called", s.kernels, s.opaque_calls);
    for (int round = 0; round < ROUNDS; round++)
        shares[round] = (double)s.bytes_minimum / w->seconds[round] / rates[round];
    printf("  %-12s %-22s %7.0f MB %6.2f %9.2f ms %8.0f%%   %.1e\n", w->name, launches,
           1e-6 * (double)s.bytes_moved, (double)s.bytes_moved / (double)s.bytes_minimum,
           1e3 * demo_median(w->seconds, ROUNDS), 100 * demo_median(shares, ROUNDS), w->error);
    demo_expect(d, w->error <= TOLERANCE * w->scale, "agreement with the reference");
}

void demo_fusion(demo *d) {
    static const char *const opaque[] = {"opaque:acme::swish", "opaque:acme::bilinear_gate"};
    way ways[] = {{.name = "op by op", .options = {.mode = TN_MODE_EAGER}},
                  {.name = "ops opaque", .options = {.force = opaque, .n_force = 2}},
                  {.name = "ops inlined"}};
    const int n_ways = sizeof ways / sizeof ways[0];
    double rates[ROUNDS];
    demo_heading("2. One graph, its ops opaque and then inlined");

    tn_graph *graph = demo_graph_read(d, "demo/residual.tn");
    for (int i = 0; i < n_ways; i++)
        ways[i].executable = demo_compile(graph, &ways[i].options);
    compare(d, graph, ways, n_ways);

    demo_tensors inputs = inputs_of(d, LARGE);
    demo_tensors outputs = demo_outputs_make(d, ways[0].executable, &inputs, 1);
    measure(&inputs, &outputs, ways, n_ways, rates);
    demo_line("graph",
              "demo/residual.tn: y = bilinear_gate(swish(1.5 x + 0.25), r) + x, on %lld "
              "elements",
              (long long)LARGE);
    demo_line("copy",
              "%.1f GB/s, read and written on all cores: the faster of memcpy and streaming stores",
              1e-9 * demo_median(rates, ROUNDS));
    printf("\n  %-12s %-22s %10s %6s %12s %9s   %s\n", "", "kernels", "moved", "of min", "time",
           "of copy", "largest error");
    for (int i = 0; i < n_ways; i++) {
        print_way(d, &ways[i], &inputs, rates);
        tn_executable_release(ways[i].executable);
    }
    printf("\n");
    demo_line("read as",
              "of min: bytes moved over the fewest that any plan could move. Of copy: "
              "that minimum over the time, as a share of the rate of a copy made beside it. Error: "
              "against the "
              "reference interpreter, on %lld elements whose results reach %.1f.",
              (long long)SMALL, ways[0].scale);
    demo_tensors_free(d, &inputs);
    demo_tensors_free(d, &outputs);
    tn_graph_release(graph);
}
