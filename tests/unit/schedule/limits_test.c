/* Sizes beyond 32 bits, ranks up to the greatest, kernels that would grow
 * without end, and planning that stays near linear. Nothing here is run. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/schedule_case.h"

static tn_prim_schemas *prims;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
}

static void teardown(void) {
    tn_prim_schemas_destroy(prims);
}

TestSuite(limits, .init = setup, .fini = teardown);

static tn_status plan_logged(const char *text, tn_case *c, tn_decision_log *log,
                             tn_schedule **out) {
    tn_ir_graph *source;
    tn_status status = tn_ir_parse(tn_allocator_system(), prims, NULL, text, strlen(text), "test",
                                   &source);
    if (!status) status = tn_case_open(tn_allocator_system(), source, 7, c);
    cr_assert_null(status, "%s", tn_status_message(status));
    if (log) cr_assert_null(tn_decision_log_init(log, &c->arena, c->source->n_nodes));
    tn_schedule_options options = tn_case_options(c, log);
    status = tn_schedule_build(tn_allocator_system(), c->graph, &options, out);
    if (!status) status = tn_schedule_verify(*out);
    return status;
}

static tn_status plan_text(const char *text, tn_case *c, tn_schedule **out) {
    return plan_logged(text, c, NULL, out);
}

Test(limits, more_than_32_bits_of_elements) {
    tn_case c;
    tn_schedule *s;
    cr_assert_null(plan_text("graph @lay11(%x: u8[]) {"
                             " %b = prim::broadcast(%x, shape=[2200000000], axes=[])"
                             " %i = prim::iota(shape=[2200000000], axis=0, dtype=u8)"
                             " %y = prim::add(%b, %i) return %y }",
                             &c, &s));
    cr_assert_eq(s->n_steps, 1);
    const tn_loop *loop = s->steps[0].loop;
    cr_expect_eq(loop->axes[0].extent, INT64_C(2200000000));
    cr_expect_eq(loop->ixs[loop->stores[0].ix].hi, INT64_C(2199999999));
    cr_expect_eq(s->buffers[s->steps[0].loop->slots[loop->stores[0].slot].buffer].bytes,
                 UINT64_C(2200000000));
    tn_schedule_destroy(s);
    tn_case_close(&c);
}

Test(limits, addresses_beyond_32_bits_are_in_the_ranges) {
    /* Each part has fewer than 2^31 elements, the whole has more. */
    tn_case c;
    tn_schedule *s;
    cr_assert_null(plan_text("graph @lay13(%x: u8[]) {"
                             " %a = prim::broadcast(%x, shape=[1500000000], axes=[])"
                             " %n = prim::not(%a)"
                             " %c = prim::concat([%n, %a], axis=0) return %c }",
                             &c, &s));
    int64_t most = 0;
    for (uint32_t i = 0; i < s->n_steps; i++) {
        const tn_loop *loop = s->steps[i].loop;
        for (uint32_t k = 0; k < loop->n_stores; k++)
            if (loop->ixs[loop->stores[k].ix].hi > most) most = loop->ixs[loop->stores[k].ix].hi;
    }
    cr_expect_eq(most, INT64_C(2999999999));
    tn_schedule_destroy(s);
    tn_case_close(&c);
}

Test(limits, the_greatest_rank) {
    tn_case c;
    tn_schedule *s;
    /* Sixteen axes that cannot be joined; the reduction has no place left for its own. */
    cr_assert_null(plan_text("graph @g(%x: f32[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]) {"
                             " %p = prim::permute(%x, "
                             "perm=[15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0])"
                             " %y = prim::add(%x, %p) return %y }",
                             &c, &s));
    cr_expect_eq(s->steps[0].loop->n_axes, 16);
    tn_schedule_destroy(s);
    tn_case_close(&c);
}

static char *chain(const char *prim, uint32_t n, size_t size) {
    char *text = tn_alloc(tn_allocator_system(), size);
    size_t at = (size_t)snprintf(text, size,
                                 "graph @chain(%%x: f32[64,64]) { %%t0 = prim::neg(%%x)");
    for (uint32_t i = 1; i < n; i++)
        at += (size_t)snprintf(text + at, size - at, " %%t%u = prim::%s(%%t%u)", i, prim, i - 1);
    snprintf(text + at, size - at, " return %%t%u }", n - 1);
    return text;
}

Test(limits, kernels_stop_growing) {
    const size_t size = 1 << 20;
    char *text = chain("abs", 5000, size);
    tn_case c;
    tn_schedule *s;
    cr_assert_null(plan_text(text, &c, &s));
    cr_expect(s->n_steps > 5 && s->n_steps < 50, "%u kernels", s->n_steps);
    for (uint32_t i = 0; i < s->n_steps; i++)
        cr_expect_lt(s->steps[i].loop->n_exprs, 1000);
    tn_schedule_destroy(s);
    tn_case_close(&c);
    tn_free(tn_allocator_system(), text, size);
}

/* Functions fill a kernel sooner, since each takes the compiler as long as many sums,
 * and explain says why the chain was cut. */
Test(limits, kernels_of_functions_stop_growing_sooner) {
    const size_t size = 1 << 16;
    const uint32_t n = 400;
    char *text = chain("tanh", n, size);
    tn_case c;
    tn_schedule *s;
    tn_decision_log log;
    cr_assert_null(plan_logged(text, &c, &log, &s));
    cr_expect(s->n_steps > n / 30 && s->n_steps < n / 20, "%u kernels", s->n_steps);
    for (uint32_t i = 0; i < s->n_steps; i++) {
        const tn_loop *loop = s->steps[i].loop;
        uint32_t functions = 0;
        for (uint32_t e = 0; e < loop->n_exprs; e++)
            functions += loop->exprs[e].kind == TN_KX_PRIM && loop->exprs[e].prim == TN_PRIM_TANH;
        cr_expect_leq(functions, 26, "%u functions", functions);
    }
    uint32_t cut = 0;
    for (uint32_t i = 0; i < log.n; i++)
        for (uint32_t r = 0; r < log.items[i].n_refusals; r++)
            cut += log.items[i].refusals[r].what == TN_DECISION_INLINE &&
                   log.items[i].refusals[r].why == TN_REASON_TOO_LARGE;
    cr_expect_eq(cut, s->n_steps - 1, "%u of %u", cut, s->n_steps);
    tn_schedule_destroy(s);
    tn_case_close(&c);
    tn_free(tn_allocator_system(), text, size);
}

Test(limits, the_same_plan_each_time) {
    static const char text[] = "graph @g(%x: f32[64,32], %y: f32[64,32]) {"
                               " %a = prim::add(%x, %y) %s = prim::sum(%a, axes=[1])"
                               " %m = prim::reduce_max(%x, axes=[0]) %e = prim::exp(%a)"
                               " return %s, %m, %e, %a }";
    tn_strbuf first, second;
    tn_case c;
    tn_schedule *s;
    tn_strbuf_init(&first, tn_allocator_system());
    tn_strbuf_init(&second, tn_allocator_system());
    for (int i = 0; i < 2; i++) {
        cr_assert_null(plan_text(text, &c, &s));
        tn_schedule_print(s, i ? &second : &first);
        tn_schedule_destroy(s);
        tn_case_close(&c);
    }
    cr_expect_str_eq(first.data, second.data);
    tn_strbuf_deinit(&first);
    tn_strbuf_deinit(&second);
}

/* A concatenation of n parts, and exp of it. */
static char *concat(uint32_t n, size_t size) {
    char *text = tn_alloc(tn_allocator_system(), size);
    size_t at = (size_t)snprintf(text, size, "graph @cat(");
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%%x%u: f32[2,3]", i ? ", " : "", i);
    at += (size_t)snprintf(text + at, size - at, ") { %%c = prim::concat([");
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%%x%u", i ? ", " : "", i);
    snprintf(text + at, size - at, "], axis=1) %%y = prim::exp(%%c) return %%y }");
    return text;
}

static uint32_t selects(const tn_loop *loop) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < loop->n_exprs; i++)
        n += loop->exprs[i].kind == TN_KX_PRIM && loop->exprs[i].prim == TN_PRIM_SELECT;
    return n;
}

/* One kernel chooses from a few parts. Many are put in place, each by its own kernel,
 * in every mode. */
Test(limits, no_kernel_chooses_from_many_parts) {
    const size_t size = 1 << 16;
    for (uint32_t n = 8; n <= 200; n += 192)
        for (int eager = 0; eager < 2; eager++) {
            char *text = concat(n, size);
            tn_case c;
            tn_schedule *s;
            tn_ir_graph *source;
            tn_decision_log log;
            cr_assert_null(tn_ir_parse(tn_allocator_system(), prims, NULL, text, strlen(text),
                                       "test", &source));
            cr_assert_null(tn_case_open(tn_allocator_system(), source, 7, &c));
            cr_assert_null(tn_decision_log_init(&log, &c.arena, c.source->n_nodes));
            tn_schedule_options options = tn_case_options(&c, &log);
            options.fuse = !eager;
            cr_assert_null(tn_schedule_build(tn_allocator_system(), c.graph, &options, &s));
            cr_assert_null(tn_schedule_verify(s));
            for (uint32_t i = 0; i < s->n_steps; i++)
                cr_expect_leq(selects(s->steps[i].loop), 7);
            cr_expect_eq(s->n_steps,
                         n > 8   ? n + 1
                         : eager ? 2
                                 : 1,
                         "%u parts, eager %d: %u", n, eager, s->n_steps);
            if (n > 8) cr_expect_eq(log.items[0].kind, TN_DECISION_PLACED);
            tn_status status = tn_case_check(&c, s, NULL, false);
            cr_expect_null(status, "%s", tn_status_message(status));
            tn_schedule_destroy(s);
            tn_case_close(&c);
            tn_free(tn_allocator_system(), text, size);
        }
}

Test(limits, forbidding_what_alone_is_possible_is_an_error) {
    static const char *const forbid[] = {"placed"};
    const size_t size = 1 << 12;
    char *text = concat(9, size);
    tn_case c;
    tn_schedule *s;
    tn_ir_graph *source;
    tn_rules rules;
    cr_assert_null(
        tn_ir_parse(tn_allocator_system(), prims, NULL, text, strlen(text), "test", &source));
    cr_assert_null(tn_case_open(tn_allocator_system(), source, 7, &c));
    cr_assert_null(tn_rules_parse(tn_allocator_system(), NULL, 0, forbid, 1, &rules));
    tn_schedule_options options = tn_case_options(&c, NULL);
    options.rules = &rules;
    options.source = c.source;
    tn_status status = tn_schedule_build(tn_allocator_system(), c.graph, &options, &s);
    cr_expect_eq(tn_status_code(status), TN_UNSUPPORTED);
    cr_expect(strstr(tn_status_message(status), "at most 8 parts, found 9") != NULL, "%s",
              tn_status_message(status));
    tn_status_free(status);
    tn_rules_deinit(&rules);
    tn_case_close(&c);
    tn_free(tn_allocator_system(), text, size);
}

/* A value that is wanted in many places is stored in a few and copied to the others. */
Test(limits, no_kernel_stores_to_many_places) {
    static const char *const computed[] = {"prim::exp(%x)", "prim::permute(%x, perm=[1,0])",
                                           "prim::broadcast(%x, shape=[4,4], axes=[0,1])"};
    const size_t size = 1 << 12;
    const uint32_t n = 50;
    for (size_t k = 0; k < sizeof computed / sizeof computed[0]; k++) {
        char *text = tn_alloc(tn_allocator_system(), size);
        size_t at = (size_t)snprintf(text, size,
                                     "graph @g(%%x: f32[4,4]) { %%v = %s %%s = prim::sum(%%v, "
                                     "axes=[0]) %%c = prim::concat([",
                                     computed[k]);
        for (uint32_t i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, size - at, "%s%%v", i ? ", " : "");
        at += (size_t)snprintf(text + at, size - at, "], axis=1) return %%c, %%s");
        for (uint32_t i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, size - at, ", %%v");
        snprintf(text + at, size - at, " }");
        tn_case c;
        tn_schedule *s;
        tn_status status = plan_text(text, &c, &s);
        cr_assert_null(status, "%s", tn_status_message(status));
        for (uint32_t i = 0; i < s->n_steps; i++)
            cr_expect_leq(s->steps[i].loop->n_stores, 13);
        cr_expect_lt(s->n_steps, 15, "%u", s->n_steps);
        status = tn_case_check(&c, s, NULL, false);
        cr_expect_null(status, "%s", tn_status_message(status));
        tn_schedule_destroy(s);
        tn_case_close(&c);
        tn_free(tn_allocator_system(), text, size);
    }
}
