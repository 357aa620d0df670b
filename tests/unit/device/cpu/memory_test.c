#include "device/cpu/memory.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"

static tn_cpu_memory *make(uint64_t keep) {
    tn_cpu_memory *m = NULL;
    const tn_cpu_memory_options options = {.keep_bytes = keep};
    tn_status status = tn_cpu_memory_create(tn_allocator_system(), &options, &m);
    cr_assert_null(status);
    return m;
}

Test(cpu_memory, blocks_are_aligned_and_hold_what_was_asked) {
    static const uint64_t sizes[] = {1,      63,     64,      1000,    262143,  262144,
                                     262145, 327681, 2097152, 2097153, 5000000, 100000001};
    tn_cpu_memory *m = make(0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *p = tn_cpu_memory_alloc(m, sizes[i]);
        cr_assert_not_null(p);
        cr_assert_eq((uintptr_t)p % 64, 0);
        p[0] = 1;
        p[sizes[i] - 1] = 2;
        tn_cpu_memory_free(m, p, sizes[i]);
    }
    tn_cpu_memory_stats stats;
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_eq(stats.used_bytes, 0);
    tn_cpu_memory_destroy(m);
}

Test(cpu_memory, large_blocks_are_used_again) {
    tn_cpu_memory *m = make(0);
    tn_cpu_memory_stats stats;
    void *first = tn_cpu_memory_alloc(m, 10000000);
    tn_cpu_memory_free(m, first, 10000000);
    void *second = tn_cpu_memory_alloc(m, 9800000);
    cr_assert_eq(first, second);
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_eq(stats.maps, 1);
    cr_assert_eq(stats.reuses, 1);
    tn_cpu_memory_free(m, second, 9800000);
    tn_cpu_memory_destroy(m);
}

Test(cpu_memory, what_is_kept_is_bounded) {
    tn_cpu_memory *m = make(4 << 20);
    tn_cpu_memory_stats stats;
    void *blocks[8];
    for (int i = 0; i < 8; i++)
        blocks[i] = tn_cpu_memory_alloc(m, 1 << 20);
    for (int i = 0; i < 8; i++)
        tn_cpu_memory_free(m, blocks[i], 1 << 20);
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_leq(stats.kept_bytes, UINT64_C(4) << 20);
    cr_assert_gt(stats.kept_bytes, 0);
    tn_cpu_memory_destroy(m);
}

Test(cpu_memory, the_longest_unused_go_first) {
    enum { MIB = 1 << 20 };
    tn_cpu_memory *m = make(4 * MIB);
    tn_cpu_memory_stats stats;
    void *old = tn_cpu_memory_alloc(m, 2 * MIB), *a = tn_cpu_memory_alloc(m, MIB);
    void *b = tn_cpu_memory_alloc(m, MIB), *c = tn_cpu_memory_alloc(m, MIB);
    tn_cpu_memory_free(m, old, 2 * MIB);
    tn_cpu_memory_free(m, a, MIB);
    tn_cpu_memory_free(m, b, MIB);
    tn_cpu_memory_free(m, c, MIB); /* one more than fits: the first goes, though larger */
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_eq(stats.kept_bytes, 3 * MIB);
    cr_assert_eq(tn_cpu_memory_alloc(m, MIB), c);
    cr_assert_eq(tn_cpu_memory_alloc(m, MIB), b);
    cr_assert_eq(tn_cpu_memory_alloc(m, MIB), a);
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_eq(stats.kept_bytes, 0);
    cr_assert_eq(stats.maps, 4);
    cr_assert_eq(stats.reuses, 3);
    cr_assert_eq(stats.used_bytes, 3 * MIB);
    cr_assert_eq(stats.peak_bytes, 5 * MIB);
    tn_cpu_memory_free(m, b, MIB);
    tn_cpu_memory_free(m, a, MIB);
    tn_cpu_memory_free(m, c, MIB);
    tn_cpu_memory_trim(m);
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_eq(stats.kept_bytes, 0);
    /* More than may ever be kept is not. */
    void *big = tn_cpu_memory_alloc(m, 8 * MIB);
    tn_cpu_memory_free(m, big, 8 * MIB);
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_eq(stats.kept_bytes, 0);
    tn_cpu_memory_destroy(m);
}

Test(cpu_memory, huge_blocks_begin_on_a_huge_page) {
    tn_cpu_memory *m = make(0);
    void *blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = tn_cpu_memory_alloc(m, (5 << 20) + 1);
        cr_assert_eq((uintptr_t)blocks[i] % (2 << 20), 0);
        memset(blocks[i], i, (5 << 20) + 1);
    }
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(((unsigned char *)blocks[i])[5 << 20], i);
        tn_cpu_memory_free(m, blocks[i], (5 << 20) + 1);
    }
    tn_cpu_memory_destroy(m);
}

Test(cpu_memory, poison_shows_early_and_late_reads) {
    static const uint64_t sizes[] = {100, 300000};
    tn_cpu_memory *m = NULL;
    const tn_cpu_memory_options options = {.poison = true};
    cr_assert_null(tn_cpu_memory_create(tn_allocator_system(), &options, &m));
    for (int k = 0; k < 2; k++) {
        for (int again = 0; again < 2; again++) { /* fresh, then used before */
            unsigned char *p = tn_cpu_memory_alloc(m, sizes[k]);
            for (uint64_t i = 0; i < sizes[k]; i++)
                cr_assert_eq(p[i], TN_CPU_MEMORY_FRESH);
            memset(p, 0, sizes[k]);
            tn_cpu_memory_free(m, p, sizes[k]);
#ifndef __SANITIZE_ADDRESS__
            /* A large block stays mapped; past its description it is all poison. */
            for (uint64_t i = 256; k == 1 && i < sizes[k]; i++)
                cr_assert_eq(p[i], TN_CPU_MEMORY_FREED);
#endif
        }
    }
    tn_cpu_memory_destroy(m);
}

static void *churn(void *self) {
    tn_cpu_memory *m = self;
    for (uint64_t i = 0; i < 300; i++) {
        uint64_t bytes = (i * 7919 % 13 + 1) * 100000;
        unsigned char *p = tn_cpu_memory_alloc(m, bytes);
        cr_assert_not_null(p);
        p[0] = p[bytes - 1] = (unsigned char)i;
        cr_assert(p[0] == (unsigned char)i && p[bytes - 1] == (unsigned char)i);
        tn_cpu_memory_free(m, p, bytes);
    }
    return NULL;
}

Test(cpu_memory, threads_share_it) {
    tn_cpu_memory *m = make(2 << 20);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, churn, m), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    tn_cpu_memory_stats stats;
    tn_cpu_memory_get_stats(m, &stats);
    cr_assert_eq(stats.used_bytes, 0);
    cr_assert_leq(stats.kept_bytes, UINT64_C(2) << 20);
    tn_cpu_memory_destroy(m);
}

Test(cpu_memory, an_impossible_size_is_no_memory) {
    tn_cpu_memory *m = make(0);
    cr_assert_null(tn_cpu_memory_alloc(m, UINT64_MAX));
    cr_assert_null(tn_cpu_memory_alloc(m, UINT64_C(1) << 60));
    tn_cpu_memory_destroy(m);
}

static tn_status create(void *arg, const tn_allocator *a) {
    tn_cpu_memory *m;
    (void)arg;
    TN_TRY(tn_cpu_memory_create(a, NULL, &m));
    void *p = tn_cpu_memory_alloc(m, 100);
    tn_status status = p == NULL ? tn_status_no_memory() : NULL;
    tn_cpu_memory_free(m, p, 100);
    tn_cpu_memory_destroy(m);
    return status;
}

Test(cpu_memory, survives_running_out) {
    uint64_t allocations;
    const char *problem = tn_sweep_allocations(create, NULL, false, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_eq(allocations, 2);
}
