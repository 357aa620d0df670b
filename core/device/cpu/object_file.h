/* What one entry of the object cache looks like: an ELF image, which the loader
 * maps and which ends where it likes, then a trailer that the loader never looks
 * at. A file is loaded only when every byte of it was proved to be what was
 * published: dlopen of a cut-off object kills the process. Pure functions. */
#ifndef TN_DEVICE_CPU_OBJECT_FILE_H
#define TN_DEVICE_CPU_OBJECT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/status.h"

typedef struct tn_cpu_object_trailer {
    char magic[8];       /* "TNOBJ1\n" */
    uint64_t image_size; /* bytes before the trailer */
    tn_digest key;       /* an entry under another's name is not its entry */
    tn_digest checksum;  /* of the image */
} tn_cpu_object_trailer;

/* A shared object for this machine whose headers and loaded segments lie inside
 * size bytes; else a status that says what is wrong. */
TN_MUST_USE tn_status tn_cpu_object_image_check(const void *image, size_t size);

void tn_cpu_object_seal(const void *image, size_t size, tn_digest key,
                        tn_cpu_object_trailer *out_trailer);
/* file is a whole entry: image and trailer. */
TN_MUST_USE tn_status tn_cpu_object_file_check(const void *file, size_t size, tn_digest key);

#endif
