#include "schedule/intern.h"

#include <string.h>

void tn__intern_init(tn__intern *table, const tn_allocator *allocator) {
    *table = (tn__intern){.allocator = allocator};
}

void tn__intern_deinit(tn__intern *table) {
    tn_free(table->allocator, table->slots, (size_t)table->capacity * sizeof *table->slots);
    table->slots = NULL;
    table->capacity = table->count = 0;
}

void tn__intern_clear(tn__intern *table) {
    if (table->count) memset(table->slots, 0, (size_t)table->capacity * sizeof *table->slots);
    table->count = 0;
}

static bool grow(tn__intern *table) {
    uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
    tn__intern_slot *slots = tn_alloc_array(table->allocator, capacity, sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (!table->slots[i].id_plus_1) continue;
        uint32_t at = table->slots[i].hash & (capacity - 1);
        while (slots[at].id_plus_1)
            at = (at + 1) & (capacity - 1);
        slots[at] = table->slots[i];
    }
    tn_free(table->allocator, table->slots, (size_t)table->capacity * sizeof *slots);
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

tn__intern_slot *tn__intern_find(tn__intern *table, uint32_t hash, tn__intern_eq eq,
                                 const void *self, const void *key) {
    /* At most two thirds full, so a free slot always ends the search. */
    if ((uint64_t)table->count * 3 >= (uint64_t)table->capacity * 2 && !grow(table)) return NULL;
    uint32_t mask = table->capacity - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        tn__intern_slot *slot = &table->slots[at];
        if (!slot->id_plus_1) return slot;
        if (slot->hash == hash && eq(self, key, slot->id_plus_1 - 1)) return slot;
    }
}
