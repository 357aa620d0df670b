/* Long reductions in two steps give what one step gives, here to the bit: the data
 * are such that no sum rounds. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/failing_allocator.h"
#include "support/schedule_case.h"
#include "transform/passes.h"

static tn_prim_schemas *prims;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
}

static void teardown(void) {
    tn_prim_schemas_destroy(prims);
}

TestSuite(split, .init = setup, .fini = teardown);

static void open_text(const char *text, tn_case *c) {
    tn_ir_graph *source;
    tn_status status = tn_ir_parse(tn_allocator_system(), prims, NULL, text, strlen(text), "test",
                                   &source);
    if (!status) status = tn_case_open(tn_allocator_system(), source, 7, c);
    cr_assert_null(status, "%s", tn_status_message(status));
}

/* The graph's interpretation against the schedule of the split graph; the number of
 * reductions that the split graph has. */
static uint32_t check(tn_case *c, bool strict) {
    tn_pass_options options = {.allocator = tn_allocator_system()};
    tn_ir_graph *split;
    tn_schedule *schedule;
    cr_assert_null(tn_pass_split(c->graph, &options, &split));
    const tn_ir_graph *graph = split != NULL ? split : c->graph;
    cr_assert_null(tn_ir_verify(graph, true));
    tn_schedule_options how = tn_case_options(c, NULL);
    tn_interp_options interp = {.strict = strict};
    how.strict = strict;
    tn_status status = tn_schedule_build(tn_allocator_system(), graph, &how, &schedule);
    if (!status) status = tn_case_check(c, schedule, &interp, true);
    cr_assert_null(status, "%s", tn_status_message(status));
    uint32_t reductions = 0;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        reductions += tn_prim_get(graph->nodes[i]->prim)->klass == TN_PRIM_CLASS_REDUCE;
    tn_schedule_destroy(schedule);
    tn_ir_destroy(split);
    return reductions;
}

static uint32_t check_text(const char *text, bool strict) {
    tn_case c;
    open_text(text, &c);
    uint32_t n = check(&c, strict);
    tn_case_close(&c);
    return n;
}

Test(split, everything_to_one) {
    cr_expect_eq(
        check_text("graph @g(%x: f32[131072]) { %y = prim::sum(%x, axes=[0]) return %y }", false),
        2);
    cr_expect_eq(
        check_text("graph @g(%x: f32[65537]) { %y = prim::sum(%x, axes=[0]) return %y }", true), 2,
        "a prime number of elements is padded");
    cr_expect_eq(
        check_text("graph @g(%x: i32[70001]) { %y = prim::reduce_max(%x, axes=[0]) return %y }",
                   false),
        2);
    cr_expect_eq(
        check_text("graph @g(%x: bool[70001]) { %y = prim::all(%x, axes=[0]) return %y }", false),
        2);
}

Test(split, rows_and_several_axes) {
    cr_expect_eq(check_text("graph @g(%x: f32[3,32,40,40] strides=[1600,4800,40,1]) {"
                            " %y = prim::sum(%x, axes=[1,2,3]) return %y }",
                            false),
                 1, "51200 elements are not many");
    cr_expect_eq(check_text("graph @g(%x: f32[32,3,50,50]) {"
                            " %y = prim::reduce_min(%x, axes=[0,2,3]) return %y }",
                            false),
                 2, "along the axis that is there");
    cr_expect_eq(check_text("graph @g(%x: f32[2,5,3,30011]) {"
                            " %y = prim::sum(%x, axes=[0,1,3]) return %y }",
                            false),
                 2, "over what three axes make together");
}

Test(split, many_results_stay) {
    cr_expect_eq(
        check_text("graph @g(%x: f32[32,65536]) { %y = prim::sum(%x, axes=[1]) return %y }", false),
        1);
    cr_expect_eq(check_text("graph @g(%x: f32[1,0,65536]) { %y = prim::sum(%x, axes=[0,1,2]) "
                            "return %y }",
                            false),
                 1, "of nothing there are no parts");
}

Test(split, sums_of_narrow_floats_stay_wide) {
    cr_expect_eq(
        check_text("graph @g(%x: bf16[65536]) { %y = prim::sum(%x, axes=[0]) return %y }", true),
        2);
}

Test(split, index_reductions) {
    const char *text = "graph @g(%x: f32[2,70001]) {"
                       " %y = prim::argmax(%x, axis=1) %z = prim::argmin(%x, axis=1)"
                       " return %y, %z }";
    tn_case c;
    open_text(text, &c);
    cr_expect_eq(check(&c, false), 8);
    float *data = c.inputs[0].data;
    /* Ties: the first wins. NaN beats all, and the first NaN the others. */
    data[60000] = data[60001] = data[123] = 1000;
    check(&c, false);
    data[50000] = data[65000] = NAN;
    data[70001 + 70000] = NAN;
    check(&c, false);
    for (int i = 0; i < 70001; i++)
        data[i] = -INFINITY;
    check(&c, false);
    tn_case_close(&c);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    const tn_case *c = self;
    tn_pass_options options = {.allocator = allocator};
    tn_ir_graph *split;
    TN_TRY(tn_pass_split(c->graph, &options, &split));
    tn_ir_destroy(split);
    return NULL;
}

Test(split, survives_every_failed_allocation) {
    tn_case c;
    open_text("graph @g(%x: f32[70001]) { %y = prim::sum(%x, axes=[0])"
              " %z = prim::argmax(%x, axis=0) return %y, %z }",
              &c);
    const char *problem = tn_sweep_allocations(sweep_step, &c, false, NULL);
    cr_expect_null(problem, "%s", problem);
    tn_case_close(&c);
}
