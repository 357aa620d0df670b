/* The order of strict reductions that render.h states, by a scalar program written
 * from its words: to the bit, whatever the form and the target. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/render_case.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
}

static void teardown(void) {
    tn_test_ops_destroy(ops);
    tn_prim_schemas_destroy(prims);
}

TestSuite(order, .init = setup, .fini = teardown);

static float join(bool product, float a, float b) {
    return product ? a * b : a + b;
}

/* Over x[0], x[step], ... in the stated order. */
static float reduce(bool product, const float *x, int64_t n, int64_t step) {
    float total[16], partial[16];
    for (int l = 0; l < 16; l++)
        total[l] = product;
    for (int64_t block = 0; block < n; block += 4096) {
        for (int l = 0; l < 16; l++)
            partial[l] = product;
        for (int64_t k = block; k < n && k < block + 4096; k++)
            partial[k % 16] = join(product, partial[k % 16], x[k * step]);
        for (int l = 0; l < 16; l++)
            total[l] = join(product, total[l], partial[l]);
    }
    for (int half = 8; half; half /= 2)
        for (int l = 0; l < half; l++)
            total[l] = join(product, total[l], total[l + half]);
    return total[0];
}

/* Rounds differently in every other order. */
static void fill(float *x, int64_t n, bool product) {
    uint32_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        float unit = (float)(state >> 8) / (1 << 24);
        x[i] = product ? 0.999f + 0.002f * unit : unit - 0.3f;
    }
}

typedef struct problem {
    const char *graph;
    bool product, columns;
    int64_t rows, length;
} problem;

static tn_status run(const problem *p, const tn_render_target *target, float *x, float *y) {
    const tn_allocator *a = tn_allocator_system();
    tn_ir_graph *source;
    tn_case c;
    tn_schedule *schedule;
    tn_render_object object;
    TN_TRY(tn_ir_parse(a, prims, &ops->table, p->graph, strlen(p->graph), "g", &source));
    TN_TRY(tn_case_open(a, source, 1, &c));
    tn_schedule_options options = tn_case_options(&c, NULL);
    options.strict = true;
    tn_status status = tn_schedule_build(a, c.graph, &options, &schedule);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert_eq(schedule->n_steps, 1);
    void *buffers[2] = {NULL};
    for (uint32_t i = 0; i < schedule->n_buffers; i++)
        buffers[i] = schedule->buffers[i].kind == TN_BUFFER_INPUT ? x : y;
    status = tn_render_object_open(a, schedule, target, &object);
    if (!status) status = tn_render_object_run(&object, &object.rendered->entries[0], buffers, 2);
    tn_render_object_close(&object);
    tn_schedule_destroy(schedule);
    tn_case_close(&c);
    return status;
}

static void check(const problem *p, const char *name, const tn_render_target *target) {
    int64_t n = p->rows * p->length;
    float *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)p->rows * sizeof *y);
    cr_assert(x && y);
    fill(x, n, p->product);
    tn_status status = run(p, target, x, y);
    cr_assert_null(status, "%s", tn_status_message(status));
    for (int64_t r = 0; r < p->rows; r++) {
        float expected = p->columns ? reduce(p->product, x + r, p->length, p->rows)
                                    : reduce(p->product, x + r * p->length, p->length, 1);
        cr_assert_eq(memcmp(&expected, &y[r], sizeof expected), 0, "%s: %s: %lld: %a, not %a", name,
                     p->graph, (long long)r, (double)y[r], (double)expected);
    }
    free(x);
    free(y);
}

static const problem problems[] = {
    {"graph @g(%x: f32[3,5]) {\n  %y = prim::sum(%x, axes=[1])\n  return %y\n}\n", false, false, 3,
     5},
    {"graph @g(%x: f32[2,9999]) {\n  %y = prim::sum(%x, axes=[1])\n  return %y\n}\n", false, false,
     2, 9999},
    {"graph @g(%x: f32[2,4096]) {\n  %y = prim::prod(%x, axes=[1])\n  return %y\n}\n", true, false,
     2, 4096},
    {"graph @g(%x: f32[9001,37]) {\n  %y = prim::sum(%x, axes=[0])\n  return %y\n}\n", false, true,
     37, 9001},
    {"graph @g(%x: f32[100,300]) {\n  %y = prim::prod(%x, axes=[0])\n  return %y\n}\n", true, true,
     300, 100},
    /* Two inner axes that are not one in memory: lanes and points do not line up. */
    {"graph @g(%x: f32[1,90,101]) {\n"
     "  %b = prim::iota(shape=[1,90,101], axis=1, dtype=f32)\n"
     "  %z = prim::sub(%b, %b)\n"
     "  %a = prim::add(%x, %z)\n"
     "  %y = prim::sum(%a, axes=[1,2])\n"
     "  return %y\n}\n",
     false, false, 1, 9090},
};

Test(order, is_the_one_that_is_stated, .timeout = 600) {
    const tn_render_named_target *targets;
    uint32_t n = tn_render_targets(&targets);
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t i = 0; i < sizeof problems / sizeof *problems; i++)
            check(&problems[i], targets[t].name, &targets[t].target);
}
