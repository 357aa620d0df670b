/* What dlopen really mapped. Private to loader. */
#ifndef TN_LOADER_MAPPED_H
#define TN_LOADER_MAPPED_H

#include "loader/inspect.h"

/* The dynamic linker knows objects by path, and plugins are never unmapped: for
 * a file that was replaced it gives the old code again. BUSY unless the note and
 * the build id in memory are those of the manifest. handle is from dlopen. */
TN_MUST_USE tn_status tn__mapped_check(void *handle, const tn_manifest *manifest);

#endif
