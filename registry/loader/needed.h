/* Whether the libraries that a shared object needs are there, found out without
 * loading anything. Private to loader. */
#ifndef TN_LOADER_NEEDED_H
#define TN_LOADER_NEEDED_H

#include "base/strbuf.h"
#include "loader/elf_image.h"

/* Appends the names of those that no place holds where the dynamic linker looks:
 * what is loaded already, the object's own DT_RPATH or DT_RUNPATH, the search
 * path of this process, and the linker's cache. path is the object's, absolute.
 * When in doubt a library counts as found: dlopen then has the last word. */
TN_MUST_USE tn_status tn__needed_find_missing(const tn_allocator *allocator,
                                              const tn_elf_image *image, const char *path,
                                              tn_strbuf *out_missing);

#endif
