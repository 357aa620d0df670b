/* Rows whose last stage runs beside the next row's heavy one: that they do, and that nothing
 * is lost between rows, ranges of rows, and the two ends of a row. */
#include <criterion/criterion.h>
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

TestSuite(late, .init = setup, .fini = teardown);

typedef struct late_case {
    const char *text;
    bool late;
} late_case;

static const late_case cases[] = {
    /* Large enough for results that go past the caches, of rows that are not aligned. */
    {"graph @g(%x: f32[2101,2001]) {\n"
     "  %m = prim::reduce_max(%x, axes=[1])\n"
     "  %mb = prim::broadcast(%m, shape=[2101,2001], axes=[0])\n"
     "  %d = prim::sub(%x, %mb)\n"
     "  %e = prim::exp(%d)\n"
     "  %s = prim::sum(%e, axes=[1])\n"
     "  %sb = prim::broadcast(%s, shape=[2101,2001], axes=[0])\n"
     "  %y = prim::div(%e, %sb)\n"
     "  return %y\n}\n",
     true},
    /* The heavy stage is the first; two results, one of them narrow; factors of rows and of
     * columns; rows along two axes, the sums are a result too. */
    {"graph @g(%x: f32[3,17,45], %w: f32[45], %f: f32[3,17]) {\n"
     "  %e = prim::tanh(%x)\n"
     "  %s = prim::sum(%e, axes=[2])\n"
     "  %t = prim::mul(%s, %f)\n"
     "  %tb = prim::broadcast(%t, shape=[3,17,45], axes=[0,1])\n"
     "  %wb = prim::broadcast(%w, shape=[3,17,45], axes=[2])\n"
     "  %y = prim::mul(%e, %tb)\n"
     "  %z = prim::add(%y, %wb)\n"
     "  %h = prim::cast(%z, dtype=bf16)\n"
     "  return %y, %h, %s\n}\n",
     true},
    {"graph @g(%x: f64[40,33]) {\n"
     "  %e = prim::exp(%x)\n"
     "  %s = prim::reduce_max(%e, axes=[1])\n"
     "  %sb = prim::broadcast(%s, shape=[40,33], axes=[0])\n"
     "  %y = prim::sub(%e, %sb)\n"
     "  return %y\n}\n",
     true},
    /* A single row; the last stage reads its row again; it reduces; two values are kept. */
    {"graph @g(%x: f32[1,300]) {\n"
     "  %e = prim::exp(%x)\n"
     "  %s = prim::sum(%e, axes=[0,1])\n"
     "  %sb = prim::broadcast(%s, shape=[1,300], axes=[])\n"
     "  %y = prim::mul(%e, %sb)\n"
     "  return %y\n}\n",
     false},
    {"graph @g(%x: f32[40,33]) {\n"
     "  %e = prim::exp(%x)\n"
     "  %s = prim::sum(%e, axes=[1])\n"
     "  %sb = prim::broadcast(%s, shape=[40,33], axes=[0])\n"
     "  %y = prim::mul(%e, %sb)\n"
     "  %z = prim::add(%y, %x)\n"
     "  return %z\n}\n",
     false},
    {"graph @g(%x: f32[40,33]) {\n"
     "  %e = prim::exp(%x)\n"
     "  %s = prim::sum(%e, axes=[1])\n"
     "  %sb = prim::broadcast(%s, shape=[40,33], axes=[0])\n"
     "  %y = prim::mul(%e, %sb)\n"
     "  %t = prim::sum(%y, axes=[1])\n"
     "  return %y, %t\n}\n",
     false},
    {"graph @g(%x: f32[40,33]) {\n"
     "  %e = prim::exp(%x)\n"
     "  %h = prim::tanh(%x)\n"
     "  %q = prim::mul(%e, %h)\n"
     "  %s = prim::sum(%q, axes=[1])\n"
     "  %sb = prim::broadcast(%s, shape=[40,33], axes=[0])\n"
     "  %y = prim::mul(%e, %sb)\n"
     "  %z = prim::mul(%h, %sb)\n"
     "  return %y, %z\n}\n",
     false},
};

static void check(const late_case *lc, bool strict, const tn_render_target *target) {
    const tn_allocator *a = tn_allocator_system();
    tn_ir_graph *source;
    tn_schedule *schedule;
    tn_rendered *rendered;
    tn_case c;
    cr_assert_null(tn_ir_parse(a, prims, &ops->table, lc->text, strlen(lc->text), "g", &source));
    cr_assert_null(tn_case_open(a, source, 3, &c));
    tn_schedule_options options = tn_case_options(&c, NULL);
    options.strict = strict;
    cr_assert_null(tn_schedule_build(a, c.graph, &options, &schedule));
    tn_render_options render = {.lanes = 16, .threads = 2, .core_cache_bytes = 2u << 20};
    cr_assert_null(tn_render(a, schedule, &render, &rendered));
    cr_assert_eq(strstr(rendered->text, "if (late)") != NULL, lc->late, "%s", rendered->text);
    tn_rendered_destroy(rendered);
    tn_interp_options interp = {.strict = strict};
    tn_status status = tn_render_case_check(&c, schedule, target, &interp, false);
    cr_assert_null(status, "%s: %s", lc->text, tn_status_message(status));
    tn_schedule_destroy(schedule);
    tn_case_close(&c);
}

Test(late, rows_agree_with_the_interpreter, .timeout = 300) {
    const tn_render_named_target *targets;
    uint32_t n_targets = tn_render_targets(&targets);
    tn_render_target native = tn_render_target_native();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(&cases[i], false, &native);
        check(&cases[i], true, &native);
        for (uint32_t t = 0; t < n_targets && i < 3; t++)
            check(&cases[i], false, &targets[t].target);
    }
}
