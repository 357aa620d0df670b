/* The disk cache of compiled objects: one folder, one file an object named by
 * its key, published whole by rename, verified before every use. It only ever
 * saves time: whatever goes wrong with it is a miss, told once by a warning.
 * Safe from any thread, and shared by concurrent processes. */
#ifndef TN_DEVICE_CPU_OBJECT_CACHE_H
#define TN_DEVICE_CPU_OBJECT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/status.h"

typedef struct tn_cpu_object_cache tn_cpu_object_cache;

typedef struct tn_cpu_object_cache_options {
    const char *folder; /* made, with its parents, when it is not there */
    uint64_t max_bytes; /* 0: 1 GiB */
    tn_log_fn log;      /* NULL: silent */
    void *log_self;
} tn_cpu_object_cache_options;

/* A folder that cannot be made, or that others could write to (what lies there
 * is run as code), leaves the cache closed, with a warning: every find misses.
 * Fails for lack of memory alone. */
TN_MUST_USE tn_status tn_cpu_object_cache_create(const tn_allocator *allocator,
                                                 const tn_cpu_object_cache_options *options,
                                                 tn_cpu_object_cache **out_cache);
void tn_cpu_object_cache_destroy(tn_cpu_object_cache *cache); /* NULL is fine */
bool tn_cpu_object_cache_is_open(const tn_cpu_object_cache *cache);
const char *tn_cpu_object_cache_folder(const tn_cpu_object_cache *cache); /* lent */

/* The path of the verified entry, to be freed with tn_strfree; NULL: a miss. An
 * entry that fails verification is renamed to NAME.corrupt for whoever wants to
 * look, and is a miss. Fails for lack of memory alone. */
TN_MUST_USE tn_status tn_cpu_object_cache_find(tn_cpu_object_cache *cache, tn_digest key,
                                               char **out_path);
/* Publishes the object at path (a fresh artifact), then evicts what was used
 * longest ago while the folder is over its bound. False: it is not cached. */
bool tn_cpu_object_cache_store(tn_cpu_object_cache *cache, tn_digest key, const char *path);

typedef struct tn_cpu_object_cache_stats {
    uint64_t hits, misses, corrupt, stores, store_failures, evictions;
} tn_cpu_object_cache_stats;
void tn_cpu_object_cache_get_stats(tn_cpu_object_cache *cache, tn_cpu_object_cache_stats *out);

#endif
