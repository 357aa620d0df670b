/* The C compiler of this machine: found, identified, and run without a shell on
 * generated code. Immutable after it is found; any thread may compile. */
#ifndef TN_DEVICE_CPU_COMPILER_H
#define TN_DEVICE_CPU_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct tn_cpu_compiler tn_cpu_compiler;

typedef struct tn_cpu_compiler_options {
    const char *command; /* a path or name, arguments may follow; NULL or "": $CC, cc, gcc, clang */
    const char *march;   /* NULL: native */
    uint32_t timeout_ms; /* of one run; 0: 60,000 */
} tn_cpu_compiler_options;

/* TN_NOT_FOUND when there is none, and the message says what was tried: then the
 * interpreter is left. options may be NULL. */
TN_MUST_USE tn_status tn_cpu_compiler_find(const tn_allocator *allocator,
                                           const tn_cpu_compiler_options *options,
                                           tn_cpu_compiler **out_compiler);
void tn_cpu_compiler_destroy(tn_cpu_compiler *compiler); /* NULL is fine */

/* The program that runs. Lent. */
const char *tn_cpu_compiler_path(const tn_cpu_compiler *compiler);
/* The first line of --version. Lent. */
const char *tn_cpu_compiler_version(const tn_cpu_compiler *compiler);
/* Everything but the source that an object depends on: the compiler's file and
 * version, the flags, and what this processor is, as it is built for it. Lent. */
const char *tn_cpu_compiler_identity(const tn_cpu_compiler *compiler);
/* Lanes of f32 in a vector of the code it makes: TN_W of the prelude. 4 for a
 * march that is not native or a level of x86-64. */
uint32_t tn_cpu_compiler_lanes(const tn_cpu_compiler *compiler);

/* A fresh shared object in a private folder of its own. */
typedef struct tn_cpu_artifact {
    const tn_allocator *allocator;
    char *folder; /* mode 0700 */
    char *path;   /* folder/STEM.so */
} tn_cpu_artifact;

/* Compiles source into temp_root/RANDOM/STEM.so; stem is a plain file name.
 * TN_IO: the file system would not have it. TN_INTERNAL: the compiler refused
 * the source, crashed or took too long; the message has what it printed. On
 * failure nothing is left behind. */
TN_MUST_USE tn_status tn_cpu_compiler_build(const tn_cpu_compiler *compiler, const char *temp_root,
                                            const char *stem, const char *source, size_t length,
                                            tn_cpu_artifact *out_artifact);
/* Removes the folder. What was loaded from it stays loaded. */
void tn_cpu_artifact_deinit(tn_cpu_artifact *artifact);

#endif
