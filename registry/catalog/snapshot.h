/* The visible ops at one moment: sorted, hashed, immutable. Private to catalog. */
#ifndef TN_CATALOG_SNAPSHOT_H
#define TN_CATALOG_SNAPSHOT_H

#include "catalog/entry.h"

typedef struct tn_snapshot tn_snapshot;
struct tn_snapshot {
    const tn_catalog_op **ops; /* in the order of tn__catalog_op_compare */
    uint32_t n_ops;
    uint32_t mask;        /* of slots: a power of two, less one */
    uint32_t *slots;      /* 1 + index of the first op of a name; 0: empty */
    size_t bytes;         /* of this block, arrays included */
    tn_snapshot *retired; /* the next one that waits for its readers to leave */
};

/* Of all ops of the active plugins in a list. */
TN_MUST_USE tn_status tn__snapshot_create(const tn_allocator *allocator,
                                          const tn_catalog_plugin *plugins,
                                          tn_snapshot **out_snapshot);
void tn__snapshot_destroy(const tn_allocator *allocator, tn_snapshot *snapshot); /* NULL is fine */

/* The first op of this name, the highest version; n_ops when there is none. */
uint32_t tn__snapshot_find(const tn_snapshot *snapshot, const char *name, size_t length);
/* The first op whose name is this or begins with it and a '.': they follow one another,
 * in order of overload name. n_ops when there is none. */
uint32_t tn__snapshot_find_any(const tn_snapshot *snapshot, const char *name, size_t length);
/* Whether op `index` has this name. */
bool tn__snapshot_has(const tn_snapshot *snapshot, uint32_t index, const char *name, size_t length);

#endif
