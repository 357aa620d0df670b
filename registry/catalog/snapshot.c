#include "catalog/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"

static int compare(const void *a, const void *b) {
    return tn__catalog_op_compare(*(const tn_catalog_op *const *)a,
                                  *(const tn_catalog_op *const *)b);
}

/* A third full at most, so that a search ends at once. */
static uint32_t slot_count(uint32_t n_ops) {
    uint32_t count = 16;
    while (count / 3 < n_ops) {
        count *= 2;
    }
    return count;
}

static void hash_ops(tn_snapshot *s) {
    for (uint32_t i = 0; i < s->n_ops; i++) {
        const char *name = s->ops[i]->schema->full_name;
        size_t length = strlen(name);
        if (i > 0 && tn__snapshot_has(s, i - 1, name, length)) continue;
        uint32_t at = (uint32_t)tn_hash64(name, length, 0) & s->mask;
        while (s->slots[at]) {
            at = (at + 1) & s->mask;
        }
        s->slots[at] = i + 1;
    }
}

tn_status tn__snapshot_create(const tn_allocator *allocator, const tn_catalog_plugin *plugins,
                              tn_snapshot **out_snapshot) {
    *out_snapshot = NULL;
    uint32_t n_ops = 0;
    for (const tn_catalog_plugin *p = plugins; p; p = p->next) {
        if (p->is_active) n_ops += p->n_ops;
    }
    uint32_t n_slots = slot_count(n_ops);
    size_t ops_bytes = n_ops * sizeof(tn_catalog_op *);
    size_t bytes = sizeof(tn_snapshot) + ops_bytes + n_slots * sizeof(uint32_t);
    tn_snapshot *s = tn_alloc_zero(allocator, bytes);
    if (!s) return tn_status_no_memory();
    s->ops = (const tn_catalog_op **)(void *)(s + 1);
    s->slots = (uint32_t *)(void *)((char *)(s + 1) + ops_bytes);
    s->mask = n_slots - 1;
    s->bytes = bytes;
    for (const tn_catalog_plugin *p = plugins; p; p = p->next) {
        for (uint32_t i = 0; p->is_active && i < p->n_ops; i++) {
            s->ops[s->n_ops++] = &p->ops[i];
        }
    }
    if (n_ops) qsort(s->ops, n_ops, sizeof(tn_catalog_op *), compare);
    hash_ops(s);
    *out_snapshot = s;
    return NULL;
}

void tn__snapshot_destroy(const tn_allocator *allocator, tn_snapshot *snapshot) {
    if (snapshot) tn_free(allocator, snapshot, snapshot->bytes);
}

bool tn__snapshot_has(const tn_snapshot *s, uint32_t index, const char *name, size_t length) {
    if (index >= s->n_ops) return false;
    const char *own = s->ops[index]->schema->full_name;
    return strlen(own) == length && memcmp(own, name, length) == 0;
}

uint32_t tn__snapshot_find(const tn_snapshot *s, const char *name, size_t length) {
    uint32_t at = (uint32_t)tn_hash64(name, length, 0) & s->mask;
    for (; s->slots[at]; at = (at + 1) & s->mask) {
        uint32_t index = s->slots[at] - 1;
        if (tn__snapshot_has(s, index, name, length)) return index;
    }
    return s->n_ops;
}

uint32_t tn__snapshot_find_any(const tn_snapshot *s, const char *name, size_t length) {
    uint32_t low = 0, high = s->n_ops;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strncmp(s->ops[middle]->schema->full_name, name, length) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->n_ops && tn__is_overload(s->ops[low], name, length) ? low : s->n_ops;
}
