#include "base/hash.h"

#include <string.h>

#include "base/allocator.h"

/* Inlined, so that the state's layout is surely the one asserted below. xxHash
 * and the compiler's headers define functions, unused here, that allocate. */
#undef malloc
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(tn_hasher), "tn_hasher holds the state");
_Static_assert(_Alignof(XXH3_state_t) <= _Alignof(tn_hasher), "tn_hasher is aligned for it");

uint64_t tn_hash64(const void *data, size_t size, uint64_t seed) {
    return XXH3_64bits_withSeed(size ? data : "", size, seed);
}

static XXH3_state_t *hasher_state(tn_hasher *h) {
    return (XXH3_state_t *)(void *)h->state;
}

void tn_hasher_init(tn_hasher *h) {
    memset(h->state, 0, sizeof h->state);
    XXH3_128bits_reset(hasher_state(h));
}

void tn_hasher_bytes(tn_hasher *h, const void *data, size_t size) {
    tn_hasher_u64(h, size);
    if (size) XXH3_128bits_update(hasher_state(h), data, size);
}

void tn_hasher_text(tn_hasher *h, const char *text) {
    tn_hasher_bytes(h, text, strlen(text));
}

void tn_hasher_u64(tn_hasher *h, uint64_t value) {
    /* Little end first on every machine, so that keys can be compared. */
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    XXH3_128bits_update(hasher_state(h), bytes, sizeof bytes);
}

tn_digest tn_hasher_digest(const tn_hasher *h) {
    XXH128_hash_t hash = XXH3_128bits_digest((const XXH3_state_t *)(const void *)h->state);
    return (tn_digest){hash.low64, hash.high64};
}

void tn_digest_hex(tn_digest d, char out[33]) {
    static const char hex[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        out[i] = hex[d.hi >> (60 - 4 * i) & 15];
        out[16 + i] = hex[d.lo >> (60 - 4 * i) & 15];
    }
    out[32] = '\0';
}

/* ----------------------------------------------------------------------- map */

enum { FIRST_CAPACITY = 16, SHORT_KEY = 16 };

/* Open addressing with linear probing; removal moves later slots back, so that
 * there are no tombstones. At most 3/4 full; the capacity is a power of two. Keys
 * of up to SHORT_KEY bytes lie in their slot. */
struct tn_map_slot {
    union {
        void *pointer;
        unsigned char bytes[SHORT_KEY];
    } key;
    uint64_t hash;
    uint64_t value;
    size_t taken; /* 1 + size of the key; 0: empty */
};

void tn_map_init(tn_map *m, const tn_allocator *allocator) {
    *m = (tn_map){.allocator = allocator};
}

static const void *key_of(const tn_map_slot *slot) {
    return slot->taken - 1 <= SHORT_KEY ? slot->key.bytes : slot->key.pointer;
}

static void free_key(const tn_map *m, tn_map_slot *slot) {
    if (slot->taken > 1 + SHORT_KEY) tn_free(m->allocator, slot->key.pointer, slot->taken - 1);
}

void tn_map_deinit(tn_map *m) {
    for (size_t i = 0; i < m->capacity; i++)
        free_key(m, &m->slots[i]);
    tn_free(m->allocator, m->slots, m->capacity * sizeof *m->slots);
    tn_map_init(m, m->allocator);
}

/* The slot that holds the key, or the empty one where it would go. */
static size_t find_slot(const tn_map *m, const void *key, size_t size, uint64_t hash) {
    size_t mask = m->capacity - 1;
    size_t i = (size_t)hash & mask;
    for (;; i = (i + 1) & mask) {
        const tn_map_slot *slot = &m->slots[i];
        if (!slot->taken) return i;
        if (slot->hash == hash && slot->taken == size + 1 &&
            (size == 0 || memcmp(key_of(slot), key, size) == 0))
            return i;
    }
}

static bool resize(tn_map *m, size_t capacity) {
    tn_map_slot *slots = tn_alloc_array(m->allocator, capacity, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < m->capacity; i++) {
        if (!m->slots[i].taken) continue;
        size_t at = (size_t)m->slots[i].hash & (capacity - 1);
        while (slots[at].taken)
            at = (at + 1) & (capacity - 1);
        slots[at] = m->slots[i];
    }
    tn_free(m->allocator, m->slots, m->capacity * sizeof *m->slots);
    m->slots = slots;
    m->capacity = capacity;
    return true;
}

bool tn_map_reserve(tn_map *m, size_t count) {
    size_t capacity = m->capacity ? m->capacity : FIRST_CAPACITY;
    while (capacity / 4 * 3 < count) {
        if (capacity > SIZE_MAX / 2) return false;
        capacity *= 2;
    }
    return capacity == m->capacity || resize(m, capacity);
}

bool tn_map_get(const tn_map *m, const void *key, size_t size, uint64_t *out) {
    if (m->count == 0) return false;
    const tn_map_slot *slot = &m->slots[find_slot(m, key, size, tn_hash64(key, size, 0))];
    if (!slot->taken) return false;
    *out = slot->value;
    return true;
}

/* The key's slot, which may be empty still; NULL: out of memory. */
static tn_map_slot *slot_for(tn_map *m, const void *key, size_t size, uint64_t hash) {
    if (size == SIZE_MAX) return NULL;
    if (m->count >= m->capacity / 4 * 3) {
        /* A key that is there needs no room. */
        tn_map_slot *there = m->count ? &m->slots[find_slot(m, key, size, hash)] : NULL;
        if (there && there->taken) return there;
        if (!tn_map_reserve(m, m->count + 1)) return NULL;
    }
    return &m->slots[find_slot(m, key, size, hash)];
}

static bool fill_slot(tn_map *m, tn_map_slot *slot, const void *key, size_t size, uint64_t hash,
                      uint64_t value) {
    void *to = slot->key.bytes;
    if (size > SHORT_KEY) {
        to = tn_alloc(m->allocator, size);
        if (!to) return false;
        slot->key.pointer = to;
    }
    if (size) memcpy(to, key, size);
    slot->hash = hash;
    slot->value = value;
    slot->taken = size + 1;
    m->count++;
    return true;
}

bool tn_map_set(tn_map *m, const void *key, size_t size, uint64_t value) {
    uint64_t hash = tn_hash64(key, size, 0);
    tn_map_slot *slot = slot_for(m, key, size, hash);
    if (!slot) return false;
    if (!slot->taken) return fill_slot(m, slot, key, size, hash, value);
    slot->value = value;
    return true;
}

bool tn_map_add(tn_map *m, const void *key, size_t size, uint64_t value, uint64_t *out_value) {
    uint64_t hash = tn_hash64(key, size, 0);
    tn_map_slot *slot = slot_for(m, key, size, hash);
    if (!slot || (!slot->taken && !fill_slot(m, slot, key, size, hash, value))) return false;
    *out_value = slot->value;
    return true;
}

bool tn_map_remove(tn_map *m, const void *key, size_t size) {
    if (m->count == 0) return false;
    size_t mask = m->capacity - 1;
    size_t hole = find_slot(m, key, size, tn_hash64(key, size, 0));
    if (!m->slots[hole].taken) return false;
    free_key(m, &m->slots[hole]);
    m->count--;
    for (size_t i = (hole + 1) & mask; m->slots[i].taken; i = (i + 1) & mask) {
        /* Slot i may fill the hole unless its home lies between the two. */
        size_t home = (size_t)m->slots[i].hash & mask;
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        m->slots[hole] = m->slots[i];
        hole = i;
    }
    m->slots[hole] = (tn_map_slot){.taken = 0};
    return true;
}
