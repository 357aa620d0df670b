/* The catalog itself, for the two files that are it: catalog.c changes it,
 * lookup.c reads it. Private to catalog. */
#ifndef TN_CATALOG_CATALOG_STATE_H
#define TN_CATALOG_CATALOG_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "catalog/entry.h"
#include "catalog/snapshot.h"

/* Readers announce themselves in `readers` and then take `current`. A writer
 * replaces `current` and afterwards looks at `readers`: when it sees none, every
 * later reader gets the new snapshot, so the retired ones can go; else they wait
 * for the next writer. All four steps are sequentially consistent. Ops are never
 * freed before the catalog, so what a reader found stays valid after it left. */
struct tn_catalog {
    const tn_allocator *allocator;
    _Atomic(tn_snapshot *) current;
    _Atomic uint64_t readers;
    pthread_mutex_t lock; /* of what follows, and of each plugin's state */
    tn_snapshot *retired;
    tn_catalog_plugin *plugins; /* by name, then from the highest version down */
};

static inline const tn_snapshot *tn__catalog_begin_read(tn_catalog *catalog) {
    atomic_fetch_add(&catalog->readers, 1);
    return atomic_load(&catalog->current);
}
static inline void tn__catalog_end_read(tn_catalog *catalog) {
    atomic_fetch_sub(&catalog->readers, 1);
}

#endif
