#include "base/pool.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"

static tn_pool *make_pool(uint32_t threads) {
    tn_pool *pool = NULL;
    tn_status status = tn_pool_create(tn_allocator_system(), threads, &pool);
    cr_assert_null(status, "%s", tn_status_message(status));
    return pool;
}

/* Counts how often each item was run, with plain memory: two threads on one item
 * would be a race that ThreadSanitizer sees. */
typedef struct coverage {
    unsigned char *hits;
    int64_t n, grain;
    _Atomic int64_t calls, misaligned, shared_numbers;
    _Atomic int inside[8]; /* by worker */
} coverage;

static void cover(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    coverage *c = arg;
    if (worker >= 8 || atomic_fetch_add(&c->inside[worker], 1) != 0)
        atomic_fetch_add(&c->shared_numbers, 1);
    atomic_fetch_add(&c->calls, 1);
    if (begin % c->grain != 0 || (end != c->n && (end - begin) % c->grain != 0) || begin >= end)
        atomic_fetch_add(&c->misaligned, 1);
    for (int64_t i = begin; i < end; i++)
        c->hits[i]++;
    if (worker < 8) atomic_fetch_sub(&c->inside[worker], 1);
}

static void check_coverage(tn_pool *pool, int64_t n, int64_t grain) {
    coverage c = {.hits = calloc((size_t)n + 1, 1), .n = n, .grain = grain > 0 ? grain : 1};
    tn_pool_for(pool, n, grain, cover, &c);
    for (int64_t i = 0; i < n; i++)
        cr_assert_eq(c.hits[i], 1, "n %ld grain %ld item %ld", (long)n, (long)grain, (long)i);
    cr_assert_eq(c.hits[n], 0);
    cr_assert_eq(c.misaligned, 0, "n %ld grain %ld", (long)n, (long)grain);
    cr_assert_eq(c.shared_numbers, 0, "n %ld grain %ld", (long)n, (long)grain);
    if (n <= grain) cr_assert_eq(c.calls, n > 0);
    free(c.hits);
}

Test(pool, every_item_runs_once) {
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 64, 100, 1000, 4097, 30000};
    static const int64_t grains[] = {-1, 0, 1, 2, 3, 8, 64, 1000, 100000};
    for (uint32_t threads = 1; threads <= 5; threads++) {
        tn_pool *pool = make_pool(threads);
        cr_assert_eq(tn_pool_threads(pool), threads);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++)
                check_coverage(pool, sizes[i], grains[g]);
        }
        tn_pool_destroy(pool);
    }
}

static void add_range(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    (void)worker;
    atomic_fetch_add((_Atomic uint64_t *)arg, (uint64_t)(end - begin));
}

Test(pool, a_range_of_any_size) {
    tn_pool *pool = make_pool(3);
    _Atomic uint64_t sum = 0;
    tn_pool_for(pool, INT64_MAX, INT64_MAX / 2, add_range, (void *)&sum);
    cr_assert_eq(sum, (uint64_t)INT64_MAX);
    sum = 0;
    tn_pool_for(pool, INT64_MAX, 1, add_range, (void *)&sum);
    cr_assert_eq(sum, (uint64_t)INT64_MAX);
    tn_pool_destroy(pool);
}

/* Returns only when another thread is inside too, so it proves that two threads
 * take part; the count makes it end. */
typedef struct meeting {
    _Atomic int inside;
} meeting;

static void meet(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    (void)worker;
    (void)begin;
    (void)end;
    meeting *m = arg;
    atomic_fetch_add(&m->inside, 1);
    while (atomic_load(&m->inside) < 2)
        sched_yield();
}

Test(pool, work_is_shared, .timeout = 60) {
    tn_pool *pool = make_pool(2);
    for (int i = 0; i < 50; i++) {
        meeting m = {0};
        tn_pool_for(pool, 2, 1, meet, &m);
        cr_assert_eq(m.inside, 2);
    }
    tn_pool_destroy(pool);
}

typedef struct nested {
    tn_pool *pool;
    _Atomic int64_t items;
    _Atomic int foreign; /* inner chunks on another thread than the outer's */
} nested;

typedef struct inner {
    nested *outer;
    pthread_t thread;
    uint32_t worker;
} inner;

static void run_inner(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    inner *i = arg;
    atomic_fetch_add(&i->outer->items, end - begin);
    if (!pthread_equal(i->thread, pthread_self()) || worker != i->worker)
        atomic_fetch_add(&i->outer->foreign, 1);
}

static void run_outer(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    nested *n = arg;
    for (int64_t k = begin; k < end; k++) {
        inner i = {n, pthread_self(), worker};
        tn_pool_for(n->pool, 1000, 1, run_inner, &i);
    }
}

Test(pool, a_nested_region_runs_on_its_caller) {
    nested n = {.pool = make_pool(3)};
    tn_pool_for(n.pool, 50, 1, run_outer, &n);
    cr_assert_eq(n.items, 50000);
    cr_assert_eq(n.foreign, 0);
    tn_pool_destroy(n.pool);
}

enum { STRESS_THREADS = 4, STRESS_REGIONS = 400, STRESS_ITEMS = 257 };

static void add_one_each(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    (void)worker;
    int *items = arg;
    for (int64_t i = begin; i < end; i++)
        items[i]++;
}

static void *stress_caller(void *arg) {
    int items[STRESS_ITEMS] = {0};
    for (int r = 0; r < STRESS_REGIONS; r++)
        tn_pool_for(arg, STRESS_ITEMS, 1 + r % 9, add_one_each, items);
    intptr_t wrong = 0;
    for (int i = 0; i < STRESS_ITEMS; i++)
        wrong += items[i] != STRESS_REGIONS;
    return (void *)wrong;
}

Test(pool, many_callers_at_once, .timeout = 100) {
    tn_pool *pool = make_pool(4);
    pthread_t callers[STRESS_THREADS];
    for (int i = 0; i < STRESS_THREADS; i++)
        cr_assert_eq(pthread_create(&callers[i], NULL, stress_caller, pool), 0);
    for (int i = 0; i < STRESS_THREADS; i++) {
        void *wrong;
        pthread_join(callers[i], &wrong);
        cr_assert_null(wrong);
    }
    tn_pool_destroy(pool);
}

/* Regions back to back, and with pauses in which workers go to sleep, on more
 * threads than there are cores. */
Test(pool, spinning_and_sleeping_workers, .timeout = 100) {
    tn_pool *pool = make_pool(8);
    int items[64] = {0};
    for (int r = 0; r < 2000; r++) {
        tn_pool_for(pool, 64, 1, add_one_each, items);
        for (int y = 0; r % 100 == 0 && y < 1000; y++)
            sched_yield();
    }
    for (int i = 0; i < 64; i++)
        cr_assert_eq(items[i], 2000);
    tn_pool_destroy(pool);
}

Test(pool, comes_and_goes, .timeout = 100) {
    for (int i = 0; i < 100; i++) {
        tn_pool *pool = make_pool(1 + (uint32_t)i % 4);
        if (i % 2) check_coverage(pool, 100, 1);
        tn_pool_destroy(pool);
    }
    tn_pool_destroy(NULL);
}

Test(pool, zero_asks_for_every_core) {
    tn_pool *pool = make_pool(0);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cr_assert_geq(tn_pool_threads(pool), 1);
    cr_assert_leq(tn_pool_threads(pool), cores);
    tn_pool_destroy(pool);
}

Test(pool, too_many_threads_is_an_error) {
    tn_pool *pool = (tn_pool *)&pool;
    tn_status status = tn_pool_create(tn_allocator_system(), UINT32_MAX, &pool);
    cr_assert_eq(tn_status_code(status), TN_INVALID);
    cr_assert_not_null(strstr(tn_status_message(status), "4294967295"));
    cr_assert_null(pool);
    tn_status_free(status);
}

#if !defined(__SANITIZE_THREAD__)
/* A child has the memory of the pool and none of its threads. */
Test(pool, works_and_ends_in_a_forked_child, .timeout = 60) {
    tn_pool *pool = make_pool(3);
    int items[100] = {0};
    tn_pool_for(pool, 100, 1, add_one_each, items);
    pid_t child = fork();
    if (child == 0) {
        tn_pool_for(pool, 100, 1, add_one_each, items);
        bool right = true;
        for (int i = 0; i < 100; i++)
            right = right && items[i] == 2;
        tn_pool_destroy(pool);
        _exit(right ? 0 : 1);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    tn_pool_destroy(pool);
}
#endif

static tn_status create_and_run(void *self, const tn_allocator *a) {
    (void)self;
    tn_pool *pool;
    TN_TRY(tn_pool_create(a, 3, &pool));
    int items[64] = {0};
    tn_pool_for(pool, 64, 1, add_one_each, items);
    tn_pool_destroy(pool);
    return NULL;
}

Test(pool, survives_running_out) {
    uint64_t allocations;
    const char *problem = tn_sweep_allocations(create_and_run, NULL, false, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_eq(allocations, 3);
}
