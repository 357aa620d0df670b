/* An allocator for tests: it counts what is live, checks that every block is
 * freed with the size it was made with, and can be told to fail.
 * tn_sweep_allocations runs a step with each of its allocations failing in turn.
 * Thread-safe. */
#ifndef TN_TESTS_FAILING_ALLOCATOR_H
#define TN_TESTS_FAILING_ALLOCATOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/tenon.h"

typedef struct tn_failing_allocator {
    tn_allocator allocator; /* pass &fa.allocator */
    pthread_mutex_t lock;
    uint64_t fail_at;     /* the allocation, counted from 1, that fails; 0: none */
    bool fail_after;      /* all later ones fail too */
    uint64_t allocations; /* asked for since the last begin; growing counts */
    uint64_t failures;    /* refused since then */
    uint64_t mismatches;  /* freed or grown with a wrong size, ever */
    size_t live_bytes, live_blocks, peak_bytes;
} tn_failing_allocator;

/* Counts and does not fail. */
void tn_failing_allocator_init(tn_failing_allocator *fa);
void tn_failing_allocator_deinit(tn_failing_allocator *fa);
/* Starts counting at 0 again; the fail_at-th allocation from here fails. */
void tn_failing_allocator_begin(tn_failing_allocator *fa, uint64_t fail_at, bool fail_after);
/* NULL when nothing is live and every size was right; else what is wrong. Lent
 * until the next call on this thread. */
const char *tn_failing_allocator_problem(tn_failing_allocator *fa);

/* Runs step(self, allocator) with its 1st, 2nd, 3rd ... allocation failing, until
 * a run meets no failure; then once more for each with all later ones failing
 * too. step returns the status it met, having released everything it made. After
 * each run nothing may be live, and a refused run must have said TN_NO_MEMORY or,
 * where `tolerant`, may have succeeded regardless. NULL when all is well; else
 * what went wrong and at which allocation, lent until the next call on this
 * thread. The number of allocations of a full run goes to out_allocations (may
 * be NULL). */
typedef tn_status (*tn_sweep_step)(void *self, const tn_allocator *allocator);
const char *tn_sweep_allocations(tn_sweep_step step, void *self, bool tolerant,
                                 uint64_t *out_allocations);

#endif
