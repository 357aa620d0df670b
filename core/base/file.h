/* Whole files, paths and atomic publication. Every error names the path and
 * what the system said. */
#ifndef TN_BASE_FILE_H
#define TN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct tn_blob {
    const tn_allocator *allocator;
    char *data; /* size bytes, then a NUL */
    size_t size;
} tn_blob;

TN_MUST_USE tn_status tn_file_read(const tn_allocator *allocator, const char *path,
                                   tn_blob *out_blob);
void tn_blob_deinit(tn_blob *blob);
/* Written beside, synced, renamed: readers see the old file or the whole new
 * one, and a failure leaves no litter. */
TN_MUST_USE tn_status tn_file_write_atomic(const char *path, const void *data, size_t size);
/* mkdir -p with mode 0700 for what is made. */
TN_MUST_USE tn_status tn_dir_create(const char *path);
/* $XDG_CACHE_HOME/tenon, or $HOME/.cache/tenon; NOT_FOUND when neither is set. */
TN_MUST_USE tn_status tn_cache_dir_default(const tn_allocator *allocator, char **out_path);

#endif
