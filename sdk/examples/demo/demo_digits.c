/* Part 5: real images, classified by a network whose activation and gate are the plugin's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

#define TRAINED_ON 1297 /* images before this one; digits/README.md */
#define ROUNDS 51
#define TOLERANCE 2e-5

static int64_t digit_of(const tn_tensor *digits, int64_t image) {
    return ((const int64_t *)digits->data)[image];
}

static int64_t count_right(const tn_tensor *digits, const tn_tensor *labels, int64_t begin,
                           int64_t end) {
    int64_t right = 0;
    for (int64_t i = begin; i < end; i++)
        right += digit_of(digits, i) == ((const uint8_t *)labels->data)[i];
    return right;
}

/* The first image not trained on that was read right, or wrong; -1 when there is none. */
static int64_t find_image(const tn_tensor *digits, const tn_tensor *labels, bool right) {
    for (int64_t i = TRAINED_ON; i < demo_tensor_count(digits); i++) {
        if ((count_right(digits, labels, i, i + 1) == 1) == right) return i;
    }
    return -1;
}

/* Side by side. */
static void print_images(const tn_tensor *images, const int64_t *which, int n) {
    static const char shades[] = " .:-=+*#%@";
    for (int row = 0; row < 8; row++) {
        printf("%*s", 14, "");
        for (int i = 0; i < n; i++) {
            const uint8_t *pixels = (const uint8_t *)images->data + which[i] * 64 + row * 8;
            for (int column = 0; column < 8; column++) {
                const char shade = shades[pixels[column] * 9 / 16];
                printf("%c%c", shade, shade);
            }
            printf(i + 1 < n ? "        " : "\n");
        }
    }
}

static void print_examples(const tn_tensor *images, const tn_tensor *digits,
                           const tn_tensor *labels) {
    int64_t which[2];
    int n = 0;
    char text[256] = "";
    for (int right = 1; right >= 0; right--) {
        const int64_t i = find_image(digits, labels, right);
        const size_t used = strlen(text);
        if (i < 0) continue;
        snprintf(text + used, sizeof text - used, "%simage %lld is a %d and was read as %lld",
                 n > 0 ? "; " : "", (long long)i, ((const uint8_t *)labels->data)[i],
                 (long long)digit_of(digits, i));
        which[n++] = i;
    }
    demo_line("examples", "%s", text);
    print_images(images, which, n);
}

static double time_of(tn_executable *executable, const demo_tensors *inputs,
                      const demo_tensors *outputs) {
    const double begin = demo_now();
    demo_run(executable, inputs, outputs);
    return demo_now() - begin;
}

static void print_times(tn_executable *fused, tn_executable *eager, const demo_tensors *inputs,
                        const demo_tensors *outputs) {
    double fused_seconds[ROUNDS], eager_seconds[ROUNDS];
    demo_run(eager, inputs, outputs);
    for (int i = 0; i < ROUNDS; i++) {
        fused_seconds[i] = time_of(fused, inputs, outputs);
        eager_seconds[i] = time_of(eager, inputs, outputs);
    }
    const double f = demo_median(fused_seconds, ROUNDS), e = demo_median(eager_seconds, ROUNDS);
    demo_line("time", "fused %.3f ms, op by op %.3f ms (%.2f times as long), for all images",
              1e3 * f, 1e3 * e, e / f);
}

static void print_agreement(demo *d, const demo_tensors *found, const demo_tensors *expected) {
    const tn_tensor *digits = demo_tensors_get(found, 0);
    const int64_t n = demo_tensor_count(digits);
    double scale;
    const double error = demo_tensor_error(demo_tensors_get(found, 1),
                                           demo_tensors_get(expected, 1), &scale);
    int64_t same = 0;
    for (int64_t i = 0; i < n; i++)
        same += digit_of(digits, i) == digit_of(demo_tensors_get(expected, 0), i);
    demo_line("agreement",
              "with the reference: %lld of %lld digits, logits within %.1e of up to "
              "%.1f",
              (long long)same, (long long)n, error, scale);
    demo_expect(d, same == n && error <= TOLERANCE * scale, "agreement with the reference");
}

static void print_accuracy(demo *d, const tn_tensor *images, const tn_tensor *digits,
                           const tn_tensor *labels) {
    const int64_t n = demo_tensor_count(digits), held_out = n - TRAINED_ON;
    const int64_t right = count_right(digits, labels, TRAINED_ON, n);
    const double accuracy = (double)right / (double)held_out;
    demo_line("accuracy",
              "%.1f%% on the %lld images not trained on (%lld right); %.1f%% on all "
              "%lld",
              100 * accuracy, (long long)held_out, (long long)right,
              100 * (double)count_right(digits, labels, 0, n) / (double)n, (long long)n);
    demo_expect(d, accuracy > 0.95, "more than 95%");
    print_examples(images, digits, labels);
}

void demo_digits(demo *d) {
    static const char *const files[] = {"images", "w1", "b1", "wu", "wv", "w2", "b2"};
    const demo_options eager_options = {.mode = TN_MODE_EAGER};
    const demo_options reference_options = {.target = TN_TARGET_REFERENCE};
    char name[64];
    demo_heading("5. Real handwritten digits");
    demo_line("data", "UCI optical digits (CC BY 4.0), 8x8 pixels; digits/README.md");
    tn_graph *graph = demo_graph_read(d, "digits/digits.tn");
    tn_executable *fused = demo_compile(graph, NULL);
    tn_executable *eager = demo_compile(graph, &eager_options);
    tn_executable *reference = demo_compile(graph, &reference_options);
    demo_tensors inputs = {.n = 0};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(name, sizeof name, "digits/%s.npy", files[i]);
        demo_tensors_add(&inputs, demo_tensor_read(d, name));
    }
    tn_tensor *labels = demo_tensor_read(d, "digits/labels.npy");
    demo_tensors found = demo_outputs_make(d, fused, &inputs, 2);
    demo_tensors expected = demo_outputs_make(d, reference, &inputs, 2);
    demo_run(fused, &inputs, &found);
    demo_run(reference, &inputs, &expected);
    print_accuracy(d, demo_tensors_get(&inputs, 0), demo_tensors_get(&found, 0), labels);
    print_agreement(d, &found, &expected);
    print_times(fused, eager, &inputs, &found);
    tn_tensor_free(d->context, labels);
    demo_tensors_free(d, &inputs);
    demo_tensors_free(d, &found);
    demo_tensors_free(d, &expected);
    tn_executable_release(fused);
    tn_executable_release(eager);
    tn_executable_release(reference);
    tn_graph_release(graph);
}
