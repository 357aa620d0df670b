/* Hashing (xxHash) and one hash map. */
#ifndef TN_BASE_HASH_H
#define TN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/tenon.h"

uint64_t tn_hash64(const void *data, size_t size, uint64_t seed); /* XXH3 */

typedef struct tn_digest {
    uint64_t lo, hi;
} tn_digest;
/* A running 128-bit XXH3 for cache keys. Every part is length-prefixed, so that
 * ("ab","c") and ("a","bc") differ. */
typedef struct tn_hasher {
    _Alignas(64) unsigned char state[640]; /* XXH3_state_t; asserted in hash.c */
} tn_hasher;
void tn_hasher_init(tn_hasher *h);
void tn_hasher_bytes(tn_hasher *h, const void *data, size_t size);
void tn_hasher_text(tn_hasher *h, const char *text);
void tn_hasher_u64(tn_hasher *h, uint64_t value);
tn_digest tn_hasher_digest(const tn_hasher *h);
void tn_digest_hex(tn_digest d, char out[33]);

/* Bytes to a 64-bit value. Keys are copied; short ones cost no allocation. Not
 * thread-safe. */
typedef struct tn_map_slot tn_map_slot;
typedef struct tn_map {
    const tn_allocator *allocator;
    tn_map_slot *slots;
    size_t capacity, count;
} tn_map;
void tn_map_init(tn_map *m, const tn_allocator *allocator);
void tn_map_deinit(tn_map *m);
bool tn_map_get(const tn_map *m, const void *key, size_t size, uint64_t *out);
/* Inserts or replaces. False: out of memory, nothing changed. */
bool tn_map_set(tn_map *m, const void *key, size_t size, uint64_t value);
/* Inserts, unless the key is there: *out_value is what the map then holds for it.
 * False: out of memory, nothing changed. */
bool tn_map_add(tn_map *m, const void *key, size_t size, uint64_t value, uint64_t *out_value);
/* Room for this many keys. False: out of memory, nothing changed. */
bool tn_map_reserve(tn_map *m, size_t count);
bool tn_map_remove(tn_map *m, const void *key, size_t size);

#endif
