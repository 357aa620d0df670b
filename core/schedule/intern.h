/* A set of numbers that stand for interned things: the caller keeps the things,
 * the table finds an equal one by hash. Not thread-safe. */
#ifndef TN_SCHEDULE_INTERN_H
#define TN_SCHEDULE_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/allocator.h"
#include "base/hash.h"

typedef struct tn__intern_slot {
    uint32_t hash;
    uint32_t id_plus_1; /* 0: free */
} tn__intern_slot;
typedef struct tn__intern {
    const tn_allocator *allocator;
    tn__intern_slot *slots;
    uint32_t capacity, count;
} tn__intern;

void tn__intern_init(tn__intern *table, const tn_allocator *allocator);
void tn__intern_deinit(tn__intern *table);
void tn__intern_clear(tn__intern *table); /* keeps the memory */

/* The slot of an equal thing, or the free one where it belongs; the caller
 * fills a free one through tn__intern_put. NULL: no memory. */
typedef bool (*tn__intern_eq)(const void *self, const void *key, uint32_t id);
tn__intern_slot *tn__intern_find(tn__intern *table, uint32_t hash, tn__intern_eq eq,
                                 const void *self, const void *key);
static inline void tn__intern_put(tn__intern *table, tn__intern_slot *slot, uint32_t hash,
                                  uint32_t id) {
    slot->hash = hash;
    slot->id_plus_1 = id + 1;
    table->count++;
}
static inline uint32_t tn__intern_hash(const void *data, size_t size, uint64_t seed) {
    uint64_t h = tn_hash64(data, size, seed);
    return (uint32_t)(h ^ (h >> 32));
}

#endif
