#include "device/cpu/memory.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/allocator.h"

#define ALIGNMENT 64
#define LARGE (UINT64_C(256) << 10) /* from here on blocks are mapped */
#define HUGE_PAGE (UINT64_C(2) << 20)
/* Classes of large blocks: four to a doubling, so that at most a fifth is unused
 * and nearby sizes share. 2^18 to 2^47. */
#define FIRST_LOG 18
#define CLASSES (4 * 30)

/* A free block, kept in its own first bytes. */
typedef struct free_block {
    struct free_block *next;
} free_block;

struct tn_cpu_memory {
    const tn_allocator *allocator;
    uint64_t keep_bytes;
    pthread_mutex_t lock; /* over all below */
    free_block *free[CLASSES];
    tn_cpu_memory_stats stats;
};

static uint64_t class_bytes(uint32_t index) {
    uint64_t base = UINT64_C(1) << (FIRST_LOG + index / 4);
    return base + base / 4 * (index % 4);
}

/* The smallest class that holds bytes; CLASSES when none does. */
static uint32_t class_of(uint64_t bytes) {
    if (bytes <= class_bytes(0)) return 0;
    uint32_t log2 = 63 - (uint32_t)__builtin_clzll(bytes);
    uint32_t index = 4 * (log2 - FIRST_LOG);
    while (index < CLASSES && class_bytes(index) < bytes)
        index++;
    return index;
}

static void *map(uint64_t bytes) {
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
    if (bytes >= HUGE_PAGE) (void)madvise(block, bytes, MADV_HUGEPAGE); /* a wish */
    return block;
}

tn_status tn_cpu_memory_create(const tn_allocator *allocator, const tn_cpu_memory_options *options,
                               tn_cpu_memory **out_memory) {
    *out_memory = NULL;
    tn_cpu_memory *m = tn_alloc_zero(allocator, sizeof *m);
    if (m == NULL) return tn_status_no_memory();
    if (pthread_mutex_init(&m->lock, NULL) != 0) {
        tn_free(allocator, m, sizeof *m);
        return tn_status_no_memory();
    }
    m->allocator = allocator;
    m->keep_bytes = options != NULL ? options->keep_bytes : 0;
    if (m->keep_bytes == 0) m->keep_bytes = UINT64_C(2) << 30;
    *out_memory = m;
    return NULL;
}

/* Gives every kept block back to the system. Under the lock. */
static void trim(tn_cpu_memory *m) {
    for (uint32_t i = 0; i < CLASSES; i++) {
        while (m->free[i] != NULL) {
            free_block *block = m->free[i];
            m->free[i] = block->next;
            m->stats.kept_bytes -= class_bytes(i);
            munmap(block, class_bytes(i));
        }
    }
}

void tn_cpu_memory_destroy(tn_cpu_memory *m) {
    if (m == NULL) return;
    trim(m);
    pthread_mutex_destroy(&m->lock);
    tn_free(m->allocator, m, sizeof *m);
}

static void note_use(tn_cpu_memory *m, uint64_t bytes) {
    m->stats.used_bytes += bytes;
    if (m->stats.used_bytes > m->stats.peak_bytes) m->stats.peak_bytes = m->stats.used_bytes;
}

static void *alloc_large(tn_cpu_memory *m, uint64_t bytes) {
    uint32_t index = class_of(bytes);
    if (index == CLASSES) return NULL;
    uint64_t size = class_bytes(index);
    pthread_mutex_lock(&m->lock);
    free_block *block = m->free[index];
    if (block != NULL) {
        m->free[index] = block->next;
        m->stats.kept_bytes -= size;
        m->stats.reuses++;
    } else {
        block = map(size);
        if (block == NULL && m->stats.kept_bytes > 0) { /* what is kept may be in the way */
            trim(m);
            block = map(size);
        }
        m->stats.maps += block != NULL;
    }
    if (block != NULL) note_use(m, size);
    pthread_mutex_unlock(&m->lock);
    return block;
}

void *tn_cpu_memory_alloc(tn_cpu_memory *m, uint64_t bytes) {
    if (bytes >= LARGE) return alloc_large(m, bytes);
    void *block = tn_alloc_aligned(m->allocator, bytes, ALIGNMENT);
    if (block == NULL) return NULL;
    pthread_mutex_lock(&m->lock);
    note_use(m, bytes);
    pthread_mutex_unlock(&m->lock);
    return block;
}

void tn_cpu_memory_free(tn_cpu_memory *m, void *block, uint64_t bytes) {
    if (block == NULL) return;
    uint32_t index = bytes >= LARGE ? class_of(bytes) : CLASSES;
    uint64_t size = index < CLASSES ? class_bytes(index) : bytes;
    pthread_mutex_lock(&m->lock);
    m->stats.used_bytes -= size;
    bool keep = index < CLASSES && m->stats.kept_bytes + size <= m->keep_bytes;
    if (keep) {
        free_block *f = block;
        f->next = m->free[index];
        m->free[index] = f;
        m->stats.kept_bytes += size;
    }
    pthread_mutex_unlock(&m->lock);
    if (keep) return;
    if (index < CLASSES) {
        munmap(block, size);
    } else {
        tn_free(m->allocator, block, bytes);
    }
}

void tn_cpu_memory_get_stats(tn_cpu_memory *m, tn_cpu_memory_stats *out_stats) {
    pthread_mutex_lock(&m->lock);
    *out_stats = m->stats;
    pthread_mutex_unlock(&m->lock);
}
