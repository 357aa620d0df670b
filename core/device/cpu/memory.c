#include "device/cpu/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/allocator.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#define FORBID(block, size) __asan_poison_memory_region(block, size)
#define PERMIT(block, size) __asan_unpoison_memory_region(block, size)
#else
#define FORBID(block, size) ((void)(block), (void)(size))
#define PERMIT(block, size) ((void)(block), (void)(size))
#endif

#define ALIGNMENT 64
#define LARGE (UINT64_C(256) << 10) /* from here on blocks are mapped */
#define HUGE_PAGE (UINT64_C(2) << 20)
#define DEFAULT_KEEP (UINT64_C(2) << 30)
/* Classes of large blocks: four to a doubling, so that at most a fifth is unused
 * and nearby sizes share. 2^18 to 2^47. */
#define FIRST_LOG 18
#define CLASSES (4 * 30)

/* A free block, described in its own first bytes: they were touched before. */
typedef struct free_block {
    struct free_block *next, *previous; /* of its class, last freed first */
    struct free_block *newer, *older;   /* of all, by when they were freed */
    uint32_t class_index;
} free_block;

struct tn_cpu_memory {
    const tn_allocator *allocator;
    uint64_t keep_bytes;
    bool poison;
    _Atomic uint64_t used_bytes, peak_bytes; /* small blocks are counted without the lock */
    pthread_mutex_t lock;                    /* over all below */
    free_block *free[CLASSES];
    free_block *newest, *oldest;
    tn_cpu_memory_stats stats; /* but for the two above */
};

/* ------------------------------------------------------------------ classes */

static uint64_t class_bytes(uint32_t index) {
    uint64_t base = UINT64_C(1) << (FIRST_LOG + index / 4);
    return base + base / 4 * (index % 4);
}

/* The smallest class that holds bytes; CLASSES when none does. */
static uint32_t class_of(uint64_t bytes) {
    if (bytes <= class_bytes(0)) return 0;
    if (bytes > class_bytes(CLASSES - 1)) return CLASSES;
    uint32_t log2 = 63 - (uint32_t)__builtin_clzll(bytes);
    uint32_t index = 4 * (log2 - FIRST_LOG);
    while (class_bytes(index) < bytes)
        index++;
    return index;
}

/* ---------------------------------------------------------- from the system */

/* Huge pages begin at multiples of their size: more is mapped, and what sticks out
 * is given back. */
static void *map(uint64_t bytes) {
    uint64_t slack = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
    char *at = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0);
    if (at == MAP_FAILED) return NULL;
    if (slack == 0) return at;
    uint64_t before = (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0) munmap(at, before);
    if (before < slack) munmap(at + before + bytes, slack - before);
    (void)madvise(at + before, bytes, MADV_HUGEPAGE); /* a wish */
    return at + before;
}

/* -------------------------------------------------------------- what is kept */

static void keep(tn_cpu_memory *m, void *block, uint32_t index) {
    free_block *f = block;
    *f = (free_block){.next = m->free[index], .older = m->newest, .class_index = index};
    if (f->next != NULL) f->next->previous = f;
    m->free[index] = f;
    if (m->newest != NULL)
        m->newest->newer = f;
    else
        m->oldest = f;
    m->newest = f;
    m->stats.kept_bytes += class_bytes(index);
    FORBID(f + 1, class_bytes(index) - sizeof *f);
}

static void take(tn_cpu_memory *m, free_block *f) {
    if (f->next != NULL) f->next->previous = f->previous;
    if (f->previous != NULL)
        f->previous->next = f->next;
    else
        m->free[f->class_index] = f->next;
    if (f->newer != NULL)
        f->newer->older = f->older;
    else
        m->newest = f->older;
    if (f->older != NULL)
        f->older->newer = f->newer;
    else
        m->oldest = f->newer;
    m->stats.kept_bytes -= class_bytes(f->class_index);
    PERMIT(f + 1, class_bytes(f->class_index) - sizeof *f);
}

/* Gives the longest unused back until so much is kept at most. Under the lock. */
static void trim_to(tn_cpu_memory *m, uint64_t bytes) {
    while (m->stats.kept_bytes > bytes) {
        free_block *f = m->oldest;
        take(m, f);
        munmap(f, class_bytes(f->class_index));
    }
}

void tn_cpu_memory_trim(tn_cpu_memory *m) {
    pthread_mutex_lock(&m->lock);
    trim_to(m, 0);
    pthread_mutex_unlock(&m->lock);
}

/* ----------------------------------------------------------- create, destroy */

tn_status tn_cpu_memory_create(const tn_allocator *allocator, const tn_cpu_memory_options *options,
                               tn_cpu_memory **out_memory) {
    static const tn_cpu_memory_options defaults = {0};
    if (options == NULL) options = &defaults;
    *out_memory = NULL;
    tn_cpu_memory *m = tn_alloc_zero(allocator, sizeof *m);
    if (m == NULL) return tn_status_no_memory();
    if (pthread_mutex_init(&m->lock, NULL) != 0) {
        tn_free(allocator, m, sizeof *m);
        return tn_status_no_memory();
    }
    m->allocator = allocator;
    m->keep_bytes = options->keep_bytes != 0 ? options->keep_bytes : DEFAULT_KEEP;
    m->poison = options->poison;
    *out_memory = m;
    return NULL;
}

void tn_cpu_memory_destroy(tn_cpu_memory *m) {
    if (m == NULL) return;
    trim_to(m, 0);
    pthread_mutex_destroy(&m->lock);
    tn_free(m->allocator, m, sizeof *m);
}

/* -------------------------------------------------------------- alloc, free */

static void note_use(tn_cpu_memory *m, uint64_t bytes) {
    const memory_order order = memory_order_relaxed; /* numbers that guard nothing */
    uint64_t used = bytes + atomic_fetch_add_explicit(&m->used_bytes, bytes, order);
    uint64_t peak = atomic_load_explicit(&m->peak_bytes, order);
    while (peak < used &&
           !atomic_compare_exchange_weak_explicit(&m->peak_bytes, &peak, used, order, order)) {
    }
}

static void *alloc_large(tn_cpu_memory *m, uint64_t bytes) {
    uint32_t index = class_of(bytes);
    if (index == CLASSES) return NULL;
    uint64_t size = class_bytes(index);
    pthread_mutex_lock(&m->lock);
    void *block = m->free[index];
    if (block != NULL) {
        take(m, block);
        m->stats.reuses++;
    } else {
        block = map(size);
        if (block == NULL && m->stats.kept_bytes > 0) { /* what is kept may be in the way */
            trim_to(m, 0);
            block = map(size);
        }
        m->stats.maps += block != NULL;
    }
    if (block != NULL) note_use(m, size);
    pthread_mutex_unlock(&m->lock);
    return block;
}

static void *alloc_small(tn_cpu_memory *m, uint64_t bytes) {
    void *block = tn_alloc_aligned(m->allocator, bytes, ALIGNMENT);
    if (block == NULL) return NULL;
    note_use(m, bytes);
    return block;
}

void *tn_cpu_memory_alloc(tn_cpu_memory *m, uint64_t bytes) {
    void *block = bytes >= LARGE ? alloc_large(m, bytes) : alloc_small(m, bytes);
    if (block != NULL && m->poison) memset(block, TN_CPU_MEMORY_FRESH, bytes);
    return block;
}

static void note_free(tn_cpu_memory *m, uint64_t bytes) {
    atomic_fetch_sub_explicit(&m->used_bytes, bytes, memory_order_relaxed);
}

static void free_large(tn_cpu_memory *m, void *block, uint32_t index) {
    uint64_t size = class_bytes(index);
    note_free(m, size);
    pthread_mutex_lock(&m->lock);
    bool kept = size <= m->keep_bytes;
    if (kept) {
        trim_to(m, m->keep_bytes - size);
        keep(m, block, index);
    }
    pthread_mutex_unlock(&m->lock);
    if (!kept) munmap(block, size);
}

void tn_cpu_memory_free(tn_cpu_memory *m, void *block, uint64_t bytes) {
    if (block == NULL) return;
    if (m->poison) memset(block, TN_CPU_MEMORY_FREED, bytes);
    if (bytes >= LARGE) {
        free_large(m, block, class_of(bytes));
        return;
    }
    note_free(m, bytes);
    tn_free(m->allocator, block, bytes);
}

void tn_cpu_memory_get_stats(tn_cpu_memory *m, tn_cpu_memory_stats *out_stats) {
    pthread_mutex_lock(&m->lock);
    *out_stats = m->stats;
    pthread_mutex_unlock(&m->lock);
    out_stats->used_bytes = atomic_load(&m->used_bytes);
    out_stats->peak_bytes = atomic_load(&m->peak_bytes);
}
