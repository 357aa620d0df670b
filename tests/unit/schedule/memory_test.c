/* Memory plans: buffers alive together never share a byte, and the plan is near the
 * bound that no plan can beat. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/allocator.h"
#include "schedule/schedule.h"
#include "support/failing_allocator.h"

static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static tn_buffer temp(uint64_t bytes, uint32_t first, uint32_t last) {
    return (tn_buffer){
        .kind = TN_BUFFER_TEMP, .bytes = bytes, .first_step = first, .last_step = last};
}

static void plan(tn_schedule *s, tn_buffer *buffers, uint32_t n, uint32_t steps, bool no_reuse) {
    *s = (tn_schedule){
        .allocator = tn_allocator_system(), .buffers = buffers, .n_buffers = n, .n_steps = steps};
    cr_assert_null(tn_schedule_plan_memory(s, no_reuse));
}

static void expect_apart(const tn_schedule *s, bool always) {
    for (uint32_t i = 0; i < s->n_buffers; i++)
        for (uint32_t k = 0; k < i; k++) {
            const tn_buffer *a = &s->buffers[i], *b = &s->buffers[k];
            if (!a->bytes || !b->bytes) continue;
            bool together = a->first_step <= b->last_step && b->first_step <= a->last_step;
            bool apart = a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
            cr_assert(apart || !(together || always), "b%u and b%u overlap", i, k);
            cr_assert_eq(a->offset % 64, 0);
            cr_assert_leq(a->offset + a->bytes, s->arena_bytes);
        }
}

Test(memory, random_lifetimes) {
    static tn_buffer buffers[60];
    double worst = 0;
    for (uint64_t round = 0; round < 500; round++) {
        uint64_t seed = round;
        uint32_t n = 1 + (uint32_t)(next_random(&seed) % 60), steps = 40;
        tn_schedule s;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t first = (uint32_t)(next_random(&seed) % steps);
            uint32_t length = 1 + (uint32_t)(next_random(&seed) % 8);
            uint32_t last = first + length < steps ? first + length : steps - 1;
            buffers[i] = temp(next_random(&seed) % 5000, first, last);
        }
        plan(&s, buffers, n, steps, false);
        expect_apart(&s, false);
        cr_assert_geq(s.arena_bytes, s.arena_bound);
        if (s.arena_bound && (double)s.arena_bytes / (double)s.arena_bound > worst)
            worst = (double)s.arena_bytes / (double)s.arena_bound;
        plan(&s, buffers, n, steps, true);
        expect_apart(&s, true);
    }
    cr_expect_leq(worst, 1.35, "the plan is %.2f times the bound", worst);
}

Test(memory, chain_needs_two) {
    tn_buffer buffers[8];
    tn_schedule s;
    for (uint32_t i = 0; i < 8; i++)
        buffers[i] = temp(1000, i, i + 1);
    plan(&s, buffers, 8, 9, false);
    expect_apart(&s, false);
    cr_expect_eq(s.arena_bytes, 2048);
    cr_expect_eq(s.arena_bound, 2048);
}

Test(memory, fills_the_best_gap) {
    /* While the two large ones live, what fits between and after them does not grow
     * the arena twice. */
    tn_buffer buffers[5] = {temp(4096, 0, 9), temp(640, 0, 3), temp(4096, 2, 9), temp(640, 5, 8),
                            temp(64, 5, 8)};
    tn_schedule s;
    plan(&s, buffers, 5, 10, false);
    expect_apart(&s, false);
    cr_expect_eq(s.arena_bytes, s.arena_bound);
}

Test(memory, nothing_to_plan) {
    tn_buffer buffers[2] = {temp(0, 0, 1), temp(77, TN_NONE, TN_NONE)};
    tn_schedule s;
    plan(&s, buffers, 2, 2, false);
    cr_expect_eq(s.arena_bytes, 0);
}

Test(memory, too_much_is_an_error) {
    tn_buffer buffers[2] = {temp(INT64_MAX / 2 + 100, 0, 1), temp(INT64_MAX / 2 + 100, 0, 1)};
    tn_schedule s = {
        .allocator = tn_allocator_system(), .buffers = buffers, .n_buffers = 2, .n_steps = 2};
    tn_status status = tn_schedule_plan_memory(&s, false);
    cr_expect_eq(tn_status_code(status), TN_UNSUPPORTED);
    tn_status_free(status);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    (void)self;
    tn_buffer buffers[40];
    for (uint32_t i = 0; i < 40; i++)
        buffers[i] = temp(100 + i, i % 7, i % 7 + 3);
    tn_schedule s = {.allocator = allocator, .buffers = buffers, .n_buffers = 40, .n_steps = 12};
    return tn_schedule_plan_memory(&s, false);
}

Test(memory, survives_every_failed_allocation) {
    const char *problem = tn_sweep_allocations(sweep_step, NULL, false, NULL);
    cr_expect_null(problem, "%s", problem);
}
