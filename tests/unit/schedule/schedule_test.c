/* Golden schedules: a graph in, the schedule that is made of it out; each is also
 * run and compared with the interpreter. Re-blessed by TENON_BLESS=1. */
#include "schedule/schedule.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "schedule/explain.h"
#include "support/golden.h"
#include "support/random_graph.h"
#include "support/schedule_case.h"
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

TestSuite(schedule, .init = setup, .fini = teardown);

static const tn_interp_options run_ops = {.run_op = tn_random_run_op};

static tn_status schedule_text(void *self, const char *file, const char *input, size_t length,
                               tn_strbuf *out) {
    const tn_allocator *a = tn_allocator_system();
    const tn_schedule_options *base = self;
    tn_ir_graph *source;
    tn_case c;
    tn_schedule *schedule = NULL;
    TN_TRY(tn_ir_parse(a, prims, &ops->table, input, length, file, &source));
    TN_TRY(tn_case_open(a, source, 1, &c));
    tn_decision_log log;
    tn_arena arena;
    tn_arena_init(&arena, a);
    cr_assert_null(tn_decision_log_init(&log, &arena, c.graph->n_nodes));
    tn_schedule_options options = tn_case_options(&c, &log);
    options.fuse = base->fuse;
    options.strict = base->strict;
    tn_status status = tn_schedule_build(a, c.graph, &options, &schedule);
    if (!status) status = tn_case_check(&c, schedule, &run_ops, false);
    if (!status) {
        tn_schedule_print(schedule, out);
        tn_explain_text(schedule, c.graph, out);
    }
    tn_schedule_destroy(schedule);
    tn_case_close(&c);
    tn_arena_deinit(&arena);
    return status;
}

Test(schedule, golden) {
    tn_schedule_options options = {.fuse = true};
    tn_strbuf report;
    tn_strbuf_init(&report, tn_allocator_system());
    tn_golden_run(TN_SOURCE_DIR "/tests/golden/schedule", "tn", schedule_text, &options, &report);
    cr_assert_str_empty(tn_strbuf_cstr(&report), "%s", tn_strbuf_cstr(&report));
    tn_strbuf_deinit(&report);
}
