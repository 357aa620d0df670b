#include "base/allocator.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "support/failing_allocator.h"

static const tn_allocator *sys(void) {
    return tn_allocator_system();
}

Test(allocator, system_blocks_are_aligned) {
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        char *p = tn_alloc_aligned(sys(), 100, alignment);
        cr_assert_not_null(p);
        cr_assert_eq((uintptr_t)p % alignment, 0, "alignment %zu", alignment);
        memset(p, 1, 100);
        tn_free(sys(), p, 100);
    }
}

Test(allocator, growing_keeps_the_content) {
    char *p = tn_alloc(sys(), 4);
    memcpy(p, "abc", 4);
    p = tn_realloc(sys(), p, 4, 100000);
    cr_assert_str_eq(p, "abc");
    p = tn_realloc(sys(), p, 100000, 4);
    cr_assert_str_eq(p, "abc");
    tn_free(sys(), p, 4);
}

Test(allocator, an_aligned_block_grows_aligned) {
    const tn_allocator *a = sys();
    char *p = tn_alloc_aligned(a, 64, 256);
    memset(p, 7, 64);
    p = a->reallocate(a->self, p, 64, 1024, 256);
    cr_assert_eq((uintptr_t)p % 256, 0);
    cr_assert_eq(p[0], 7);
    cr_assert_eq(p[63], 7);
    tn_free(a, p, 1024);
}

Test(allocator, nothing_is_a_block_too) {
    tn_failing_allocator fa;
    tn_failing_allocator_init(&fa);
    void *p = tn_alloc(&fa.allocator, 0);
    cr_assert_not_null(p);
    p = tn_realloc(&fa.allocator, p, 0, 0);
    cr_assert_not_null(p);
    tn_free(&fa.allocator, p, 0);
    p = tn_realloc(&fa.allocator, NULL, 0, 3);
    tn_free(&fa.allocator, p, 3);
    tn_free(&fa.allocator, NULL, 10);
    cr_assert_null(tn_failing_allocator_problem(&fa));
    tn_failing_allocator_deinit(&fa);
}

Test(allocator, sizes_do_not_overflow) {
    cr_assert_null(tn_alloc_array(sys(), SIZE_MAX / 2, 3));
    cr_assert_null(tn_alloc_aligned(sys(), SIZE_MAX - 10, 64));
}

Test(allocator, arrays_are_zeroed) {
    tn_failing_allocator fa; /* fills what it gives with something else */
    tn_failing_allocator_init(&fa);
    unsigned char *p = tn_alloc_array(&fa.allocator, 10, 10);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(p[i], 0);
    tn_free(&fa.allocator, p, 100);
    tn_failing_allocator_deinit(&fa);
}

Test(allocator, strings) {
    tn_failing_allocator fa;
    tn_failing_allocator_init(&fa);
    char *copy = tn_strdup(&fa.allocator, "hello");
    cr_assert_str_eq(copy, "hello");
    tn_strfree(&fa.allocator, copy);
    tn_strfree(&fa.allocator, NULL);
    cr_assert_null(tn_failing_allocator_problem(&fa));
    tn_failing_allocator_begin(&fa, 1, false);
    cr_assert_null(tn_strdup(&fa.allocator, "hello"));
    tn_failing_allocator_deinit(&fa);
}

/* The tool itself must notice what it is there to notice. */

Test(failing_allocator, reports_leaks_and_wrong_sizes) {
    tn_failing_allocator fa;
    tn_failing_allocator_init(&fa);
    void *p = tn_alloc(&fa.allocator, 24);
    cr_assert_eq(fa.live_bytes, 24);
    cr_assert_not_null(tn_failing_allocator_problem(&fa));
    tn_free(&fa.allocator, p, 23);
    cr_assert_eq(fa.live_blocks, 0);
    cr_assert_eq(fa.mismatches, 1);
    cr_assert_not_null(tn_failing_allocator_problem(&fa));
    tn_failing_allocator_deinit(&fa);
}

typedef struct step_options {
    bool leak, swallow;
    int runs;
    void *leaked;
} step_options;

static tn_status two_blocks(void *self, const tn_allocator *a) {
    step_options *options = self;
    options->runs++;
    void *first = tn_alloc(a, 10);
    void *second = tn_alloc(a, 20);
    bool good = first && second;
    if (options->leak && !good) {
        options->leaked = first; /* where LeakSanitizer can find it */
    } else {
        tn_free(a, first, 10);
    }
    tn_free(a, second, 20);
    if (good || options->swallow) return NULL;
    return tn_status_no_memory();
}

Test(failing_allocator, sweep_visits_every_allocation) {
    step_options options = {0};
    uint64_t allocations = 0;
    cr_assert_null(tn_sweep_allocations(two_blocks, &options, false, &allocations));
    cr_assert_eq(allocations, 2);
    cr_assert_eq(options.runs, 6, "two failing and one good run, twice");
}

Test(failing_allocator, sweep_finds_a_leak) {
    static step_options options = {.leak = true};
    const char *problem = tn_sweep_allocations(two_blocks, &options, false, NULL);
    cr_assert_not_null(problem);
    cr_assert_not_null(strstr(problem, "allocation 2"), "%s", problem);
}

Test(failing_allocator, sweep_finds_a_swallowed_failure) {
    step_options options = {.swallow = true};
    cr_assert_not_null(tn_sweep_allocations(two_blocks, &options, false, NULL));
    cr_assert_null(tn_sweep_allocations(two_blocks, &options, true, NULL));
}
