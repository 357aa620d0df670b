#include "support/failing_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char problem_text[512];

/* In front of every block: what it was made with. A whole alignment unit lies
 * between the start of the memory and the block, and its end holds this. */
typedef struct block_header {
    void *memory;
    size_t size;
} block_header;

static block_header *header_of(void *ptr) {
    return (block_header *)ptr - 1;
}

static void *make_block(size_t size, size_t alignment) {
    if (alignment < 2 * sizeof(block_header)) alignment = 2 * sizeof(block_header);
    if (size > SIZE_MAX - 2 * alignment) return NULL;
    char *memory = aligned_alloc(alignment, (size + 2 * alignment - 1) & ~(alignment - 1));
    if (!memory) return NULL;
    char *ptr = memory + alignment;
    *header_of(ptr) = (block_header){memory, size};
    /* Whoever reads before writing should notice. */
    memset(ptr, 0xa5, size);
    return ptr;
}

static void destroy_block(tn_failing_allocator *fa, void *ptr) {
    block_header *header = header_of(ptr);
    fa->live_bytes -= header->size;
    fa->live_blocks--;
    void *memory = header->memory;
    memset(ptr, 0x5a, header->size);
    free(memory);
}

static bool refuse(tn_failing_allocator *fa) {
    uint64_t count = ++fa->allocations;
    bool refused = fa->fail_at && (count == fa->fail_at || (fa->fail_after && count > fa->fail_at));
    fa->failures += refused;
    return refused;
}

static void *reallocate_locked(tn_failing_allocator *fa, void *ptr, size_t old_size,
                               size_t new_size, size_t alignment) {
    if (ptr && header_of(ptr)->size != old_size) fa->mismatches++;
    if (new_size == 0) {
        if (ptr) destroy_block(fa, ptr);
        return NULL;
    }
    void *made = refuse(fa) ? NULL : make_block(new_size, alignment);
    if (!made) return NULL;
    fa->live_bytes += new_size;
    fa->live_blocks++;
    if (ptr) {
        size_t size = header_of(ptr)->size;
        memcpy(made, ptr, size < new_size ? size : new_size);
        destroy_block(fa, ptr);
    }
    if (fa->live_bytes > fa->peak_bytes) fa->peak_bytes = fa->live_bytes;
    return made;
}

static void *reallocate(void *self, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
    tn_failing_allocator *fa = self;
    pthread_mutex_lock(&fa->lock);
    void *result = reallocate_locked(fa, ptr, old_size, new_size, alignment);
    pthread_mutex_unlock(&fa->lock);
    return result;
}

void tn_failing_allocator_init(tn_failing_allocator *fa) {
    memset(fa, 0, sizeof *fa);
    fa->allocator = (tn_allocator){fa, reallocate};
    pthread_mutex_init(&fa->lock, NULL);
}

void tn_failing_allocator_deinit(tn_failing_allocator *fa) {
    pthread_mutex_destroy(&fa->lock);
}

void tn_failing_allocator_begin(tn_failing_allocator *fa, uint64_t fail_at, bool fail_after) {
    pthread_mutex_lock(&fa->lock);
    fa->fail_at = fail_at;
    fa->fail_after = fail_after;
    fa->allocations = 0;
    fa->failures = 0;
    pthread_mutex_unlock(&fa->lock);
}

const char *tn_failing_allocator_problem(tn_failing_allocator *fa) {
    const char *problem = NULL;
    pthread_mutex_lock(&fa->lock);
    if (fa->live_blocks || fa->mismatches) {
        snprintf(problem_text, sizeof problem_text,
                 "%zu blocks of %zu bytes in all are still live; %llu were freed or grown with a "
                 "wrong size",
                 fa->live_blocks, fa->live_bytes, (unsigned long long)fa->mismatches);
        problem = problem_text;
    }
    pthread_mutex_unlock(&fa->lock);
    return problem;
}

/* One run of step; NULL when it behaved. */
static const char *run_step(tn_failing_allocator *fa, tn_sweep_step step, void *self,
                            bool tolerant) {
    tn_status status = step(self, &fa->allocator);
    tn_code code = tn_status_code(status);
    char message[256];
    snprintf(message, sizeof message, "%s", tn_status_message(status));
    tn_status_free(status);
    const char *leak = tn_failing_allocator_problem(fa);
    if (leak) return leak;
    bool expected = fa->failures ? code == TN_NO_MEMORY || (tolerant && code == TN_OK)
                                 : code == TN_OK;
    if (expected) return NULL;
    snprintf(problem_text, sizeof problem_text, "with %llu allocations refused the result was '%s'",
             (unsigned long long)fa->failures, message);
    return problem_text;
}

const char *tn_sweep_allocations(tn_sweep_step step, void *self, bool tolerant,
                                 uint64_t *out_allocations) {
    static _Thread_local char text[640];
    tn_failing_allocator fa;
    tn_failing_allocator_init(&fa);
    const char *problem = NULL;
    uint64_t allocations = 0;
    for (int all = 0; all < 2 && !problem; all++) {
        for (uint64_t at = 1;; at++) {
            tn_failing_allocator_begin(&fa, at, all);
            problem = run_step(&fa, step, self, tolerant);
            allocations = fa.allocations;
            if (problem) {
                snprintf(text, sizeof text, "allocation %llu refused%s: %s", (unsigned long long)at,
                         all ? ", and all later ones" : "", problem);
                problem = text;
                break;
            }
            if (!fa.failures) break;
        }
    }
    tn_failing_allocator_deinit(&fa);
    if (out_allocations) *out_allocations = allocations;
    return problem;
}
