#include "base/pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/allocator.h"

/* How a region runs. The caller publishes it by setting OPEN in `state`, and
 * bumps `wake` so that workers look. A worker that sees OPEN enters by adding
 * one to the count in `state`, takes chunks until none is left, and leaves. The
 * caller takes chunks too; when none is left it clears OPEN, after which nobody
 * can enter, and waits for those inside. So a worker that is asleep, or was
 * denied a core, delays nobody, and a forked child, which has no workers,
 * simply does all the work itself.
 *
 * The fields of the region are plain: they are written only while `state` is
 * closed and empty, and read only between entering and leaving. */

enum { SPINS = 2000, CHUNKS_PER_THREAD = 4, MAX_THREADS = 1024 };
#define STATE_OPEN 0x80000000u
#define STATE_WAITED 0x40000000u /* the caller sleeps until the count is 0 */
#define STATE_COUNT 0x3fffffffu

struct tn_pool {
    const tn_allocator *allocator;
    uint32_t threads; /* with the caller */
    uint32_t started;
    pid_t process;
    pthread_t *workers;
    struct worker_start *starts; /* what each worker is told; lives as long as it */
    atomic_bool stop;

    tn_pool_body body;
    void *arg;
    int64_t n, chunk;
    uint64_t chunks;

    _Alignas(64) _Atomic uint32_t busy; /* a region is being run */
    _Alignas(64) _Atomic uint32_t state;
    _Alignas(64) _Atomic uint32_t wake; /* futex of idle workers */
    _Atomic uint32_t sleepers;
    _Alignas(64) _Atomic uint64_t next; /* chunk to take */
};

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, uint32_t count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* The region this thread is working in, so that a nested call keeps its number. */
static _Thread_local struct {
    const tn_pool *pool;
    uint32_t worker;
} here;

static void run_chunks(tn_pool *pool, uint32_t worker) {
    const tn_pool *outer_pool = here.pool;
    uint32_t outer_worker = here.worker;
    here.pool = pool;
    here.worker = worker;
    for (;;) {
        uint64_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->chunks) break;
        int64_t begin = (int64_t)index * pool->chunk;
        int64_t left = pool->n - begin;
        int64_t end = left < pool->chunk ? pool->n : begin + pool->chunk;
        pool->body(pool->arg, begin, end, worker);
    }
    here.pool = outer_pool;
    here.worker = outer_worker;
}

/* ------------------------------------------------------------------- workers */

static bool enter(tn_pool *pool) {
    uint32_t state = atomic_load_explicit(&pool->state, memory_order_relaxed);
    while (state & STATE_OPEN) {
        if (atomic_compare_exchange_weak_explicit(&pool->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    }
    return false;
}

static void leave(tn_pool *pool) {
    uint32_t before = atomic_fetch_sub_explicit(&pool->state, 1, memory_order_release);
    if ((before & STATE_WAITED) && (before & STATE_COUNT) == 1) futex_wake(&pool->state, 1);
}

/* Returns the value of `wake` once it is no longer `seen`. */
static uint32_t wait_for_work(tn_pool *pool, uint32_t seen) {
    for (;;) {
        for (int i = 0; i < SPINS; i++) {
            uint32_t now = atomic_load_explicit(&pool->wake, memory_order_acquire);
            if (now != seen) return now;
            relax();
        }
        /* Either the publisher sees this sleeper, or the kernel sees that
         * `wake` has changed and does not let it sleep. */
        atomic_fetch_add(&pool->sleepers, 1);
        futex_wait(&pool->wake, seen);
        atomic_fetch_sub(&pool->sleepers, 1);
    }
}

typedef struct worker_start {
    tn_pool *pool;
    uint32_t number;
} worker_start;

static void *worker_main(void *arg) {
    tn_pool *pool = ((worker_start *)arg)->pool;
    uint32_t number = ((worker_start *)arg)->number;
    uint32_t seen = 0;
    for (;;) {
        seen = wait_for_work(pool, seen);
        if (atomic_load(&pool->stop)) return NULL;
        if (!enter(pool)) continue;
        run_chunks(pool, number);
        leave(pool);
    }
}

/* -------------------------------------------------------------------- caller */

static void open_region(tn_pool *pool, int64_t n, int64_t grain, tn_pool_body body, void *arg) {
    /* A few chunks for each thread even out what the cores really give. */
    int64_t share = n / ((int64_t)pool->threads * CHUNKS_PER_THREAD);
    int64_t grains = share / grain;
    pool->chunk = grains > 1 ? grains * grain : grain;
    pool->chunks = (uint64_t)(n / pool->chunk + (n % pool->chunk != 0));
    pool->n = n;
    pool->body = body;
    pool->arg = arg;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->state, STATE_OPEN, memory_order_release);
    atomic_fetch_add(&pool->wake, 1);
    uint32_t sleepers = atomic_load(&pool->sleepers);
    uint64_t helpers = pool->chunks - 1;
    if (sleepers) futex_wake(&pool->wake, helpers < sleepers ? (uint32_t)helpers : sleepers);
}

static void close_region(tn_pool *pool) {
    uint32_t state = atomic_fetch_and_explicit(&pool->state, ~STATE_OPEN, memory_order_acq_rel);
    for (int i = 0; (state & STATE_COUNT) && i < SPINS; i++) {
        relax();
        state = atomic_load_explicit(&pool->state, memory_order_acquire);
    }
    if (state & STATE_COUNT) {
        state = atomic_fetch_or(&pool->state, STATE_WAITED) | STATE_WAITED;
        while (state & STATE_COUNT) {
            futex_wait(&pool->state, state);
            state = atomic_load_explicit(&pool->state, memory_order_acquire);
        }
    }
}

void tn_pool_for(tn_pool *pool, int64_t n, int64_t grain, tn_pool_body body, void *arg) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    if (n <= grain || pool->threads == 1 ||
        atomic_exchange_explicit(&pool->busy, 1, memory_order_acquire)) {
        body(arg, 0, n, here.pool == pool ? here.worker : 0);
        return;
    }
    open_region(pool, n, grain, body, arg);
    run_chunks(pool, 0);
    close_region(pool);
    atomic_store_explicit(&pool->busy, 0, memory_order_release);
}

uint32_t tn_pool_threads(const tn_pool *pool) {
    return pool->threads;
}

/* ------------------------------------------------------------------ lifetime */

/* The cores that a container's quota amounts to, rounded up; UINT32_MAX when
 * there is no quota to be found. */
static uint32_t quota_cores(void) {
    uint32_t cores = UINT32_MAX;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!file) return cores;
    unsigned long long quota, period;
    if (fscanf(file, "%llu %llu", &quota, &period) == 2 && quota && period) {
        unsigned long long whole = quota / period + (quota % period != 0);
        if (whole < UINT32_MAX) cores = (uint32_t)whole;
    }
    fclose(file);
    return cores;
}

static uint32_t usable_cores(void) {
    uint32_t cores = 0;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        cores = (uint32_t)CPU_COUNT(&set);
    } else { /* more cores than cpu_set_t has bits for */
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        cores = online > 0 ? (uint32_t)online : 1;
    }
    uint32_t quota = quota_cores();
    if (cores > quota) cores = quota;
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : cores;
}

static tn_status start_workers(tn_pool *pool) {
    /* The application's signals are for its own threads. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = 0;
    while (pool->started + 1 < pool->threads && !error) {
        worker_start *start = &pool->starts[pool->started];
        *start = (worker_start){pool, pool->started + 1};
        error = pthread_create(&pool->workers[pool->started], NULL, worker_main, start);
        if (error) break;
        char name[16];
        snprintf(name, sizeof name, "tenon-%u", pool->started + 1);
        pthread_setname_np(pool->workers[pool->started], name);
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!error) return NULL;
    return tn_status_from_errno(error,
                                "cannot start thread %u of the %u that the pool was asked for; "
                                "ask for fewer (tn_context_options.threads)",
                                pool->started + 2, pool->threads);
}

tn_status tn_pool_create(const tn_allocator *allocator, uint32_t threads, tn_pool **out_pool) {
    *out_pool = NULL;
    if (threads > MAX_THREADS)
        return tn_status_make(TN_INVALID,
                              "a pool of %u threads was asked for; at most %d are "
                              "supported",
                              threads, MAX_THREADS);
    tn_pool *pool = tn_alloc_aligned(allocator, sizeof *pool, _Alignof(tn_pool));
    if (!pool) return tn_status_no_memory();
    memset(pool, 0, sizeof *pool);
    pool->allocator = allocator;
    pool->threads = threads ? threads : usable_cores();
    pool->process = getpid();
    tn_status status = NULL;
    if (pool->threads > 1) {
        pool->workers = tn_alloc_array(allocator, pool->threads - 1, sizeof *pool->workers);
        pool->starts = tn_alloc_array(allocator, pool->threads - 1, sizeof *pool->starts);
        bool room = pool->workers && pool->starts;
        status = room ? start_workers(pool) : tn_status_no_memory();
    }
    if (status) {
        tn_pool_destroy(pool);
        return status;
    }
    *out_pool = pool;
    return NULL;
}

void tn_pool_destroy(tn_pool *pool) {
    if (!pool) return;
    /* A forked child has this memory, but none of the threads. */
    if (pool->process == getpid()) {
        atomic_store(&pool->stop, true);
        atomic_fetch_add(&pool->wake, 1);
        futex_wake(&pool->wake, INT32_MAX);
        for (uint32_t i = 0; i < pool->started; i++)
            pthread_join(pool->workers[i], NULL);
    }
    size_t workers = pool->threads ? pool->threads - 1 : 0;
    tn_free(pool->allocator, pool->workers, workers * sizeof *pool->workers);
    tn_free(pool->allocator, pool->starts, workers * sizeof *pool->starts);
    tn_free(pool->allocator, pool, sizeof *pool);
}
