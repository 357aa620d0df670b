/* Random graphs: what the schedule computes is what the interpreter computes, to
 * the bit, fused and not, strict and not. TENON_RANDOM=FIRST:COUNT in the
 * environment runs other seeds. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "support/random_graph.h"
#include "support/schedule_case.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;
static const tn_kernel strided = {.device_type = TN_DEVICE_CPU, .flags = TN_KERNEL_STRIDED_INPUTS};

static const tn_kernel plain = {.device_type = TN_DEVICE_CPU};
/* Epilogues in logical coordinates (batch, m, n), for anything: what is run is the op. */
static const tn_slot epilogue = {
    .name = "epilogue", .kind = TN_SLOT_EPILOGUE, .rank = 3, .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot prologue = {
    .name = "x", .kind = TN_SLOT_PROLOGUE, .rank = 2, .dtype = {TN_TYPE_FLOAT, 32, 1}};
static const tn_slot *const slots[] = {&epilogue, &prologue};
static const tn_template host = {.name = "host",
                                 .op = "test::relu",
                                 .device_type = TN_DEVICE_CPU,
                                 .slots = slots,
                                 .n_slots = 2,
                                 .n_configs = 1};
static const tn_template *const hosts[] = {&host};

static tn_rule wishes[] = {{.kind = TN_DECISION_PLACED, .force = true},
                           {.kind = TN_DECISION_PROLOGUE, .force = true},
                           {.kind = TN_DECISION_EPILOGUE, .force = true}};
static const tn_rules wishing = {.items = wishes, .n = 3};

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    cr_assert_null(tn_random_add_ops(ops));
    tn_test_ops_find(ops, "test::scale")->op.cpu = &strided;
    tn_test_ops_find(ops, "test::relu")->op.cpu = &plain;
    tn_test_ops_find(ops, "test::relu")->desc.templates = hosts;
}

static void teardown(void) {
    tn_test_ops_destroy(ops);
    tn_prim_schemas_destroy(prims);
}

TestSuite(random, .init = setup, .fini = teardown);

static tn_status check(const tn_allocator *a, uint64_t seed) {
    tn_random_options random = {.seed = seed,
                                .n_nodes = 3 + (uint32_t)(seed % 40),
                                .narrow = seed % 3 == 0,
                                .empty = seed % 7 == 0,
                                .ops = seed % 2 == 0};
    tn_ir_graph *source;
    tn_case c;
    TN_TRY(tn_random_graph(a, prims, ops, &random, &source));
    TN_TRY(tn_case_open(a, source, seed, &c));
    tn_status status = NULL;
    tn_test_ops_find(ops, "test::relu")->desc.n_templates = seed % 4 < 2;
    for (uint32_t mode = 0; mode < 3 && !status; mode++) {
        tn_schedule_options options = tn_case_options(&c, NULL);
        options.strict = random.narrow || mode == 1;
        options.fuse = mode != 2;
        options.no_reuse = seed % 5 == 0;
        options.launch_work = seed % 3 ? 1 + seed % 50 : 0; /* every choice of the model */
        options.rules = seed % 4 == 1 && mode < 2 ? &wishing : NULL;
        tn_interp_options interp = {.strict = options.strict, .run_op = tn_random_run_op};
        tn_schedule *schedule;
        status = tn_schedule_build(a, c.graph, &options, &schedule);
        if (status) break;
        status = tn_case_check(&c, schedule, &interp, true);
        tn_schedule_destroy(schedule);
    }
    tn_case_close(&c);
    return status;
}

Test(random, agrees_with_the_interpreter, .timeout = 600) {
    uint64_t first = 1, count = 1500;
    const char *range = getenv("TENON_RANDOM");
    if (range && sscanf(range, "%lu:%lu", &first, &count) < 1)
        cr_assert_fail("TENON_RANDOM=FIRST:COUNT");
    for (uint64_t seed = first; seed < first + count; seed++) {
        tn_status status = check(tn_allocator_system(), seed);
        cr_assert_null(status, "seed %lu: %s", seed, tn_status_message(status));
    }
}

typedef struct sweep {
    tn_case c;
    const tn_rules *rules;
} sweep;

static tn_status sweep_step(void *self, const tn_allocator *a) {
    const sweep *s = self;
    tn_arena arena;
    tn_decision_log log;
    tn_schedule *schedule = NULL;
    tn_schedule_options options = tn_case_options(&s->c, &log);
    options.rules = s->rules;
    tn_arena_init(&arena, a);
    tn_status status = tn_decision_log_init(&log, &arena, s->c.graph->n_nodes);
    if (!status) status = tn_schedule_build(a, s->c.graph, &options, &schedule);
    tn_schedule_destroy(schedule);
    tn_arena_deinit(&arena);
    return status;
}

Test(random, survives_every_failed_allocation) {
    tn_test_ops_find(ops, "test::relu")->desc.n_templates = 1;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        tn_random_options random = {.seed = seed, .n_nodes = 30, .ops = true};
        tn_ir_graph *source;
        sweep s = {.rules = &wishing};
        cr_assert_null(tn_random_graph(tn_allocator_system(), prims, ops, &random, &source));
        cr_assert_null(tn_case_open(tn_allocator_system(), source, seed, &s.c));
        /* Wishes that this graph cannot meet are an error of their own. */
        tn_status status = sweep_step(&s, tn_allocator_system());
        if (status) s.rules = NULL;
        tn_status_free(status);
        uint64_t n;
        const char *problem = tn_sweep_allocations(sweep_step, &s, false, &n);
        cr_expect_null(problem, "seed %lu: %s", seed, problem);
        cr_expect_gt(n, 5);
        tn_case_close(&s.c);
    }
}
