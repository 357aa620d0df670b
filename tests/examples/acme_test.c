/* The ops of sdk/examples/acme: tests/golden/examples/acme.txt, where reference, lowering and
 * kernel meet, and the filter against medians found by sorting. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/golden_lines.h"
#include "support/op_case.h"

static void require(tn_status status) {
    cr_assert(status == NULL, "%s", tn_status_message(status));
}

static tn_context *make_context(void) {
    const tn_context_options options = {.struct_size = sizeof options, .threads = 3};
    tn_context *context;
    require(tn_context_create(&options, &context));
    require(tn_plugin_load(context, TN_BINARY_DIR "/test-plugins/acme.so", NULL));
    return context;
}

Test(acme, golden) {
    tn_op_cases cases = {.context = make_context(), .cpu = true};
    unsigned n_cases = 0;
    const char *wrong = tn_golden_lines_check(TN_SOURCE_DIR "/tests/golden/examples/acme.txt",
                                              tn_op_case_run, &cases, &n_cases);
    tn_context_release(cases.context);
    cr_assert_gt(n_cases, 30);
    cr_assert(wrong == NULL, "%s", wrong);
}

#define ROWS 7
#define COLUMNS 1501

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    if (x != y) return x < y ? -1 : 1;
    return (signbit(y) != 0) - (signbit(x) != 0);
}

static float median_by_sorting(const float *row, int64_t at, int64_t radius) {
    float window[2 * COLUMNS + 1];
    for (int64_t k = -radius; k <= radius; k++) {
        const int64_t i = at + k < 0 ? 0 : at + k < COLUMNS ? at + k : COLUMNS - 1;
        if (isnan(row[i])) return NAN;
        window[k + radius] = row[i];
    }
    qsort(window, (size_t)(2 * radius + 1), sizeof *window, by_value);
    return window[radius];
}

/* Few values, so that there are ties, zeros of both signs among them, and now and then NaN. */
static void fill(float *x) {
    static const float values[] = {-0.0f, 0, 1, -1, 2.5f, -2.5f, INFINITY, -INFINITY};
    uint32_t state = 1;
    for (int64_t i = 0; i < (int64_t)ROWS * COLUMNS; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = state >> 24 == 0 ? NAN : values[state >> 29];
    }
}

Test(acme, median_filter_by_sorting) {
    static const int64_t radii[] = {0, 1, 2, 30, COLUMNS};
    const int64_t shape[] = {ROWS, COLUMNS};
    tn_context *context = make_context();
    const tn_op *op;
    tn_tensor *x;
    require(tn_op_lookup(context, "acme::median_filter", &op));
    require(tn_tensor_create(context, (tn_device){TN_DEVICE_CPU, 0},
                             (tn_dtype){TN_TYPE_FLOAT, 32, 1}, 2, shape, &x));
    fill(x->data);
    for (size_t r = 0; r < sizeof radii / sizeof radii[0]; r++) {
        const tn_arg args[] = {{.tag = TN_TAG_TENSOR, .v.tensor = x},
                               {.tag = TN_TAG_INT, .v.i = radii[r]}};
        tn_arg out = {.tag = TN_TAG_NONE};
        require(tn_call_op(context, op, NULL, args, 2, &out, 1));
        const float *found = out.v.tensor->data;
        for (int64_t i = 0; i < (int64_t)ROWS * COLUMNS; i++) {
            const float *row = (const float *)x->data + i / COLUMNS * COLUMNS;
            const float expected = median_by_sorting(row, i % COLUMNS, radii[r]);
            const bool same = isnan(expected) ? isnan(found[i]) != 0
                                              : bits_of(expected) == bits_of(found[i]);
            cr_assert(same, "radius %lld, element %lld: expected %g, found %g", (long long)radii[r],
                      (long long)i, (double)expected, (double)found[i]);
        }
        tn_results_free(context, &out, 1);
    }
    tn_tensor_free(context, x);
    tn_op_release(context, op);
    tn_context_release(context);
}
