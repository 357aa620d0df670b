/* What a plugin file says of itself, read without running any of its code: a
 * plugin whose constructor aborts is inspected like any other.
 *
 * Two kinds of fault are told apart. A file that is no whole plugin (missing,
 * not ELF, truncated, for another machine, without a note or with a damaged one)
 * cannot be described: reading it fails. A plugin that says what it is and
 * still cannot be loaded here (an ABI too new, a library that is missing, no
 * entry function, a sanitizer the host lacks, a schema that does not parse) is
 * described, with its problem. */
#ifndef TN_LOADER_INSPECT_H
#define TN_LOADER_INSPECT_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"

typedef struct tn_manifest {
    tn_plugin_info info; /* first: what the application is given is this */
    const tn_allocator *allocator;
    tn_arena arena;       /* everything below and in info */
    tn_code problem_code; /* with info.problem; TN_OK when it is "" */
    tn_digest content;
    const char *note; /* the note's text, with its NUL */
    size_t note_size;
    /* Which file it was, to notice that it is the same one, or no longer. */
    uint64_t device, inode;
    int64_t modified_s, modified_ns;
} tn_manifest;

/* Every error names the file. path is absolute. The manifest does not keep the
 * file open. */
TN_MUST_USE tn_status tn_manifest_read(const tn_allocator *allocator, const char *path,
                                       tn_manifest **out_manifest);
/* The same from bytes, as if they were the file `path`; device and inode stay 0. */
TN_MUST_USE tn_status tn_manifest_parse(const tn_allocator *allocator, const char *path,
                                        const void *bytes, size_t size, tn_manifest **out_manifest);
void tn_manifest_free(tn_manifest *manifest); /* NULL is fine */

/* The problem as a status; NULL when there is none. */
TN_MUST_USE tn_status tn_manifest_check(const tn_manifest *manifest);
/* Whether the file that `path` names now is still the one that was read. */
bool tn_manifest_is_current(const tn_manifest *manifest, const char *path);

#endif
