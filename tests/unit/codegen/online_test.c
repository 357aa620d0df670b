/* Two reductions in one walk: values for which a careless correction goes wrong, and that
 * the walk is really taken. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
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

TestSuite(online, .init = setup, .fini = teardown);

/* More rows than are held in cache, whole vectors and a part, a last group of five. */
enum { ROWS = 4205, COLUMNS = 71 };

#define EXP_SUM(T, WIDE)                                                                           \
    "graph @g(%x: " T "[4205,71]) {\n" WIDE "  %m = prim::reduce_max(%w, axes=[0])\n"              \
    "  %mb = prim::broadcast(%m, shape=[4205,71], axes=[1])\n"                                     \
    "  %d = prim::sub(%w, %mb)\n"                                                                  \
    "  %e = prim::exp(%d)\n"                                                                       \
    "  %s = prim::sum(%e, axes=[0])\n"                                                             \
    "  %sb = prim::broadcast(%s, shape=[4205,71], axes=[1])\n"                                     \
    "  %y = prim::div(%e, %sb)\n"                                                                  \
    "  return %y, %m, %s\n}\n"
#define SQUARES(T, U, WIDE)                                                                        \
    "graph @g(%x: " T "[4205,71]) {\n" WIDE "  %t = prim::sum(%w, axes=[0])\n"                     \
    "  %n = prim::size(value=4205, dtype=" U ")\n"                                                 \
    "  %nb = prim::broadcast(%n, shape=[71], axes=[])\n"                                           \
    "  %a = prim::div(%t, %nb)\n"                                                                  \
    "  %ab = prim::broadcast(%a, shape=[4205,71], axes=[1])\n"                                     \
    "  %c = prim::sub(%w, %ab)\n"                                                                  \
    "  %q = prim::mul(%c, %c)\n"                                                                   \
    "  %s = prim::sum(%q, axes=[0])\n"                                                             \
    "  return %a, %s\n}\n"

static const char *const exp_sums[] = {
    EXP_SUM("f32", "  %w = prim::abs(%x)\n"),
    EXP_SUM("f32", "  %w = prim::neg(%x)\n"),
    EXP_SUM("f64", "  %w = prim::neg(%x)\n"),
    EXP_SUM("bf16", "  %w = prim::cast(%x, dtype=f32)\n"),
};
static const char *const squares[] = {
    SQUARES("f32", "f32", "  %w = prim::neg(%x)\n"),
    SQUARES("f64", "f64", "  %w = prim::neg(%x)\n"),
    SQUARES("bf16", "f32", "  %w = prim::cast(%x, dtype=f32)\n"),
};

/* What stands at a row of the columns that are special, after a change of sign. */
static bool special(int row, int column, float noise, float *out) {
    switch (column) {
    case 0: *out = INFINITY; return true;
    case 1: *out = row < 24 ? INFINITY : noise; return true; /* whole groups, then others */
    case 2: *out = row == 4204 ? 3.0f : INFINITY; return true;
    case 3: *out = row == 77 ? -INFINITY : noise; return true;
    case 4: *out = row == 1000 ? NAN : noise; return true;
    case 5: *out = (float)row * 0.01f; return true; /* the first is the largest; and back */
    case 6: *out = (float)row * -0.01f; return true;
    case 17: *out = 100 + noise; return true;                 /* nothing may cancel */
    case 18: *out = 3e19f * (1 + 1e-3f * noise); return true; /* the mean squared is infinite */
    case 19: *out = row < 2000 ? -50 + noise : 50 + noise; return true;
    case 70: *out = -0.0f; return true;
    default: return false;
    }
}

static void put_special(const tn_tensor *x) {
    uint32_t state = 7;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            int at = row * COLUMNS + column;
            state = state * 1664525u + 1013904223u;
            float noise = (float)(state >> 8) / 8388608.0f - 1, value = noise;
            special(row, column, noise, &value);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            if (x->dtype.bits == 32)
                ((float *)x->data)[at] = value;
            else if (x->dtype.bits == 64)
                ((double *)x->data)[at] = (double)value;
            else
                ((uint16_t *)x->data)[at] = (uint16_t)(bits >> 16);
        }
}

static void expect_one_walk(const tn_schedule *schedule, bool strict) {
    tn_rendered *rendered;
    tn_render_options options = {.lanes = 16, .threads = 2, .core_cache_bytes = 2u << 20};
    cr_assert_null(tn_render(tn_allocator_system(), schedule, &options, &rendered));
    cr_assert_eq(strstr(rendered->text, "kept[8]") != NULL, !strict, "%s", rendered->text);
    tn_rendered_destroy(rendered);
}

static void check(const char *text, bool strict, const tn_render_target *target) {
    const tn_allocator *a = tn_allocator_system();
    tn_ir_graph *source;
    tn_schedule *schedule;
    tn_case c;
    cr_assert_null(tn_ir_parse(a, prims, &ops->table, text, strlen(text), "g", &source));
    cr_assert_null(tn_case_open(a, source, 1, &c));
    put_special(&c.inputs[0]);
    tn_schedule_options options = tn_case_options(&c, NULL);
    options.strict = strict;
    cr_assert_null(tn_schedule_build(a, c.graph, &options, &schedule));
    expect_one_walk(schedule, strict);
    tn_interp_options interp = {.strict = strict};
    tn_status status = tn_render_case_check(&c, schedule, target, &interp, false);
    cr_assert_null(status, "%s: %s", text, tn_status_message(status));
    tn_schedule_destroy(schedule);
    tn_case_close(&c);
}

static void check_all(const char *const *texts, size_t n) {
    const tn_render_named_target *targets;
    uint32_t n_targets = tn_render_targets(&targets);
    tn_render_target native = tn_render_target_native();
    for (size_t i = 0; i < n; i++) {
        check(texts[i], false, &native);
        check(texts[i], true, &native);
        for (uint32_t t = 0; t < n_targets && i == 1; t++)
            check(texts[i], false, &targets[t].target);
    }
}

Test(online, sum_of_exp, .timeout = 300) {
    check_all(exp_sums, sizeof exp_sums / sizeof *exp_sums);
}

Test(online, squares, .timeout = 300) {
    check_all(squares, sizeof squares / sizeof *squares);
}
