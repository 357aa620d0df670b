/* Memory for tensors and intermediates: aligned to 64 bytes, and kept for reuse when
 * it is freed. The first touch of fresh pages costs ten times what a kernel does
 * (64 MiB: 33 ms; with huge pages 6.7; touched before 2.5), so large blocks are
 * mapped with huge pages and stay mapped, up to a bound beyond which the longest
 * unused go. Thread-safe. */
#ifndef TN_DEVICE_CPU_MEMORY_H
#define TN_DEVICE_CPU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct tn_cpu_memory tn_cpu_memory;

typedef struct tn_cpu_memory_options {
    uint64_t keep_bytes; /* of free blocks at most; 0: 2 GiB */
    /* Every byte of a block is TN_CPU_MEMORY_FRESH when it is handed out and
     * TN_CPU_MEMORY_FREED once it was given back: what is read too early is NaN, in
     * every float type, and what is read too late stands out. */
    bool poison;
} tn_cpu_memory_options;
#define TN_CPU_MEMORY_FRESH 0xFF
#define TN_CPU_MEMORY_FREED 0xCD

/* Small blocks come from the allocator. options may be NULL. */
TN_MUST_USE tn_status tn_cpu_memory_create(const tn_allocator *allocator,
                                           const tn_cpu_memory_options *options,
                                           tn_cpu_memory **out_memory);
/* Every block was freed. NULL is fine. */
void tn_cpu_memory_destroy(tn_cpu_memory *memory);

/* Contents are undefined, unless poisoned. NULL: no memory. bytes > 0. */
void *tn_cpu_memory_alloc(tn_cpu_memory *memory, uint64_t bytes);
/* bytes as it was asked for. NULL is fine. */
void tn_cpu_memory_free(tn_cpu_memory *memory, void *block, uint64_t bytes);
/* Gives what is kept back to the system. */
void tn_cpu_memory_trim(tn_cpu_memory *memory);

typedef struct tn_cpu_memory_stats {
    uint64_t used_bytes; /* handed out now, rounded up as they are kept */
    uint64_t kept_bytes; /* free, for reuse */
    uint64_t peak_bytes; /* the most that was used */
    uint64_t maps;       /* blocks that the system was asked for */
    uint64_t reuses;     /* blocks that were there already */
} tn_cpu_memory_stats;
void tn_cpu_memory_get_stats(tn_cpu_memory *memory, tn_cpu_memory_stats *out_stats);

#endif
