/* Random graphs: what generated code computes is what the interpreter computes,
 * to the bit where the graph is exact. TENON_RANDOM=FIRST:COUNT in the environment
 * runs other seeds. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocator.h"
#include "support/random_graph.h"
#include "support/render_case.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;
static const tn_kernel strided = {.device_type = TN_DEVICE_CPU, .flags = TN_KERNEL_STRIDED_INPUTS};

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
    tn_test_ops_find(ops, "test::scale")->op.cpu = &strided;
}

static void teardown(void) {
    tn_test_ops_destroy(ops);
    tn_prim_schemas_destroy(prims);
}

TestSuite(render, .init = setup, .fini = teardown);

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
    tn_schedule_options options = tn_case_options(&c, NULL);
    options.strict = random.narrow || seed % 4 == 1;
    options.fuse = seed % 8 != 2;
    tn_interp_options interp = {.strict = options.strict, .run_op = tn_random_run_op};
    tn_render_target target = tn_render_target_native();
    tn_schedule *schedule;
    status = tn_schedule_build(a, c.graph, &options, &schedule);
    if (!status) {
        status = tn_render_case_check(&c, schedule, &target, &interp, false);
        tn_schedule_destroy(schedule);
    }
    tn_case_close(&c);
    return status;
}

Test(render, agrees_with_the_interpreter, .timeout = 600) {
    uint64_t first = 1, count = 100;
    const char *range = getenv("TENON_RANDOM");
    if (range && sscanf(range, "%lu:%lu", &first, &count) < 1)
        cr_assert_fail("TENON_RANDOM=FIRST:COUNT");
    for (uint64_t seed = first; seed < first + count; seed++) {
        tn_status status = check(tn_allocator_system(), seed);
        cr_assert_null(status, "seed %lu: %s", seed, tn_status_message(status));
    }
}
