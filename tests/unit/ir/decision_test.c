/* The decision log, and the rules of --force and --forbid. */
#include "ir/decision.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/failing_allocator.h"
#include "support/test_ops.h"

Test(decision, every_kind_and_reason_has_its_text) {
    for (int k = 0; k < TN_DECISION_COUNT; k++)
        for (int j = 0; j < k; j++)
            cr_expect_str_neq(tn_decision_text(k), tn_decision_text(j));
    for (int k = 0; k < TN_REASON_COUNT; k++)
        for (int j = 0; j < k; j++)
            cr_expect_str_neq(tn_reason_text(k), tn_reason_text(j));
    cr_expect_str_eq(tn_decision_text(TN_DECISION_EPILOGUE), "epilogue");
    cr_expect_str_eq(tn_reason_text(TN_REASON_CYCLE), "would make the kernels wait for each other");
    cr_expect_str_eq(tn_reason_text((tn_reason)999), "unknown");
}

Test(decision, log_keeps_the_last_decision_and_each_refusal_once) {
    tn_arena arena;
    tn_decision_log log;
    char detail[] = "because";
    tn_arena_init(&arena, tn_allocator_system());
    cr_assert_null(tn_decision_log_init(&log, &arena, 3));
    cr_expect_eq(log.items[2].step, TN_NO_NODE);
    cr_assert_null(tn_decision_set(&log, 1, TN_DECISION_OPAQUE, TN_REASON_NO_LOWERING, detail));
    detail[0] = 'B';
    cr_expect_str_eq(log.items[1].detail, "because", "details are copied");
    cr_assert_null(tn_decision_set(&log, 1, TN_DECISION_INLINE, TN_REASON_OK, NULL));
    cr_expect_eq(log.items[1].kind, TN_DECISION_INLINE);
    cr_expect_null(log.items[1].detail);
    for (int i = 0; i < 20; i++)
        cr_assert_null(tn_decision_refuse(&log, 1, TN_DECISION_EPILOGUE, (tn_reason)(i % 6), ""));
    cr_expect_eq(log.items[1].n_refusals, 6);
    cr_expect_eq(log.items[1].refusals[5].why, 5);
    cr_expect_null(log.items[1].refusals[0].detail);
    tn_status status = tn_decision_set(&log, 3, TN_DECISION_INLINE, TN_REASON_OK, NULL);
    cr_expect_eq(tn_status_code(status), TN_INTERNAL);
    tn_status_free(status);
    tn_arena_deinit(&arena);
}

static void expect_refused(const char *rule, const char *says) {
    tn_rules rules;
    tn_status status = tn_rules_parse(tn_allocator_system(), &rule, 1, NULL, 0, &rules);
    cr_expect_eq(tn_status_code(status), TN_INVALID, "%s was taken", rule);
    cr_expect(strstr(tn_status_message(status), says), "%s", tn_status_message(status));
    tn_status_free(status);
}

Test(decision, rules_that_are_none) {
    expect_refused("inlined", "expected one of view, placed, inline");
    expect_refused("", "\"\" is no decision");
    expect_refused("dead", "\"dead\" is no decision");
    expect_refused("inline:swish", "expected an op such as tn::add or a value such as %y");
    expect_refused("inline:", "found \"\"");
    expect_refused("inline:%", "found \"%\"");
}

static int ask(const char *const *force, uint32_t n_force, const char *const *forbid,
               uint32_t n_forbid, const tn_ir_graph *g, uint32_t node, tn_decision_kind kind) {
    tn_rules rules;
    cr_assert_null(tn_rules_parse(tn_allocator_system(), force, n_force, forbid, n_forbid, &rules));
    int answer = tn_rules_ask(&rules, g, node, kind);
    tn_rules_deinit(&rules);
    return answer;
}

Test(decision, the_most_specific_rule_wins) {
    static const char text[] = "graph @g(%x: f32[4]) { %y = test::relu(%x)"
                               " %z = test::make.like(%y) return %z }";
    tn_prim_schemas *prims;
    tn_test_ops *ops;
    tn_ir_graph *g;
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    tn_status status = tn_ir_parse(tn_allocator_system(), prims, &ops->table, text, strlen(text),
                                   "test", &g);
    cr_assert_null(status, "%s", tn_status_message(status));
    const char *any = "inline", *op = "inline:test::relu", *value = "inline:%y";
    cr_expect_eq(tn_rules_ask(NULL, g, 0, TN_DECISION_INLINE), 0);
    cr_expect_eq(ask(&any, 1, NULL, 0, g, 0, TN_DECISION_INLINE), 1);
    cr_expect_eq(ask(&any, 1, NULL, 0, g, 0, TN_DECISION_OPAQUE), 0);
    cr_expect_eq(ask(&any, 1, &op, 1, g, 0, TN_DECISION_INLINE), -1);
    cr_expect_eq(ask(&any, 1, &op, 1, g, 1, TN_DECISION_INLINE), 1);
    cr_expect_eq(ask(&op, 1, &any, 1, g, 0, TN_DECISION_INLINE), 1);
    cr_expect_eq(ask(&value, 1, &op, 1, g, 0, TN_DECISION_INLINE), 1);
    cr_expect_eq(ask(&any, 1, &any, 1, g, 0, TN_DECISION_INLINE), -1, "of equals the later");
    const char *base = "opaque:test::make", *exact = "opaque:test::make.like";
    const char *other = "opaque:test::make.other", *part = "opaque:test::mak";
    cr_expect_eq(ask(&base, 1, NULL, 0, g, 1, TN_DECISION_OPAQUE), 1, "all overloads");
    cr_expect_eq(ask(&exact, 1, NULL, 0, g, 1, TN_DECISION_OPAQUE), 1);
    cr_expect_eq(ask(&other, 1, NULL, 0, g, 1, TN_DECISION_OPAQUE), 0);
    cr_expect_eq(ask(&part, 1, NULL, 0, g, 1, TN_DECISION_OPAQUE), 0);
    tn_ir_destroy(g);
    tn_test_ops_destroy(ops);
    tn_prim_schemas_destroy(prims);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    (void)self;
    const char *const force[] = {"inline:test::relu", "epilogue:%y"};
    const char *const forbid[] = {"placed"};
    tn_rules rules;
    tn_decision_log log;
    TN_TRY(tn_rules_parse(allocator, force, 2, forbid, 1, &rules));
    tn_status status = tn_decision_log_init(&log, &rules.arena, 4);
    for (int i = 0; i < 12 && !status; i++)
        status = tn_decision_refuse(&log, 1, TN_DECISION_PLACED, (tn_reason)i, "detail");
    tn_rules_deinit(&rules);
    return status;
}

Test(decision, survives_every_failed_allocation) {
    const char *problem = tn_sweep_allocations(sweep_step, NULL, false, NULL);
    cr_expect_null(problem, "%s", problem);
}
