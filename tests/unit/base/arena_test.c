#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "support/failing_allocator.h"

static tn_failing_allocator fa;
static tn_arena arena;

static void setup(void) {
    tn_failing_allocator_init(&fa);
    tn_arena_init(&arena, &fa.allocator);
}

static void teardown(void) {
    tn_arena_deinit(&arena);
    const char *problem = tn_failing_allocator_problem(&fa);
    cr_assert_null(problem, "%s", problem);
    tn_failing_allocator_deinit(&fa);
}

TestSuite(arena, .init = setup, .fini = teardown);

Test(arena, allocates_nothing_until_asked) {
    cr_assert_eq(fa.allocations, 0);
    tn_arena_reset(&arena);
    cr_assert_eq(fa.allocations, 0);
}

Test(arena, memory_is_zeroed_and_aligned_and_disjoint) {
    unsigned char *blocks[500];
    for (size_t i = 0; i < 500; i++) {
        size_t size = i * 7 % 300;
        blocks[i] = tn_arena_alloc(&arena, size);
        cr_assert_not_null(blocks[i]);
        cr_assert_eq((uintptr_t)blocks[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            cr_assert_eq(blocks[i][k], 0);
        memset(blocks[i], (int)i, size);
    }
    for (size_t i = 0; i < 500; i++) {
        for (size_t k = 0; k < i * 7 % 300; k++)
            cr_assert_eq(blocks[i][k], (unsigned char)i);
    }
}

Test(arena, takes_a_block_larger_than_any) {
    char *p = tn_arena_alloc(&arena, 5 << 20);
    cr_assert_not_null(p);
    p[(5 << 20) - 1] = 1;
    cr_assert_not_null(tn_arena_alloc(&arena, 1));
    cr_assert_eq(arena.total, (5 << 20) + 1);
}

Test(arena, reset_keeps_the_first_block) {
    for (int i = 0; i < 100; i++)
        tn_arena_alloc(&arena, 1000);
    tn_arena_reset(&arena);
    cr_assert_eq(fa.live_blocks, 1);
    cr_assert_eq(arena.total, 0);
    uint64_t before = fa.allocations;
    unsigned char *p = tn_arena_alloc(&arena, 1000);
    cr_assert_eq(fa.allocations, before);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(p[i], 0, "reused memory is zeroed again");
}

Test(arena, sizes_do_not_overflow) {
    cr_assert_null(tn_arena_alloc(&arena, SIZE_MAX));
    cr_assert_null(tn_arena_alloc(&arena, SIZE_MAX - 20));
    cr_assert_null(tn_arena_array(&arena, SIZE_MAX / 4, 8));
    cr_assert_null(tn_arena_strndup(&arena, "x", SIZE_MAX));
    cr_assert_not_null(tn_arena_alloc(&arena, 8), "still usable");
}

Test(arena, copies) {
    char *text = tn_arena_strdup(&arena, "tenon");
    cr_assert_str_eq(text, "tenon");
    cr_assert_str_eq(tn_arena_strndup(&arena, "tenon", 3), "ten");
    cr_assert_str_eq(tn_arena_strndup(&arena, NULL, 0), "");
    int numbers[3] = {1, 2, 3};
    int *copy = tn_arena_copy(&arena, numbers, sizeof numbers);
    cr_assert_arr_eq(copy, numbers, sizeof numbers);
    cr_assert_not_null(tn_arena_copy(&arena, NULL, 0));
}

static tn_status fill(void *self, const tn_allocator *a) {
    (void)self;
    tn_arena local;
    tn_arena_init(&local, a);
    tn_status status = NULL;
    for (int i = 0; i < 40 && !status; i++) {
        if (!tn_arena_alloc(&local, 3000)) status = tn_status_no_memory();
    }
    tn_arena_deinit(&local);
    return status;
}

Test(arena, survives_running_out) {
    uint64_t allocations;
    const char *problem = tn_sweep_allocations(fill, NULL, false, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_gt(allocations, 2);
    tn_arena_alloc(&arena, 100);
    tn_failing_allocator_begin(&fa, 1, true);
    cr_assert_null(tn_arena_alloc(&arena, 1 << 20));
    cr_assert_not_null(tn_arena_alloc(&arena, 100), "what is left can still be used");
}
