/* Generated C to callable code: each distinct source is compiled at most once a
 * process, found in the disk cache when an earlier run made it, and loaded while
 * anyone holds it. The whole is safe from any thread; a thread that asks for
 * what another is compiling waits for that one. */
#ifndef TN_DEVICE_CPU_OBJECTS_H
#define TN_DEVICE_CPU_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct tn_cpu_objects tn_cpu_objects;
typedef struct tn_cpu_object tn_cpu_object; /* reference-counted */

typedef struct tn_cpu_objects_options {
    const char *compiler;  /* NULL: $CC, then cc, gcc, clang */
    const char *march;     /* NULL: native */
    const char *cache_dir; /* kernels lie in its folder "objects"; NULL: tn_cache_dir_default */
    uint64_t cache_bytes;  /* 0: 1 GiB */
    uint32_t timeout_ms;   /* of one compiler run; 0: 60,000 */
    bool no_cache;         /* neither read nor write the disk cache */
    bool no_compiler;      /* as if the machine had none */
    tn_log_fn log;         /* warnings; NULL: silent */
    void *log_self;
} tn_cpu_objects_options;

/* Looks for nothing yet. options may be NULL; its strings are copied. */
TN_MUST_USE tn_status tn_cpu_objects_create(const tn_allocator *allocator,
                                            const tn_cpu_objects_options *options,
                                            tn_cpu_objects **out_objects);
/* Every object was released. NULL is fine. */
void tn_cpu_objects_destroy(tn_cpu_objects *objects);

/* Whether code can be generated here at all: finds and identifies the compiler
 * once. TN_NOT_FOUND: there is none, and the message says what was tried; the
 * interpreter is left, and the caller says so. */
TN_MUST_USE tn_status tn_cpu_objects_available(tn_cpu_objects *objects);

/* The compiler's path and version line; "" before it was found. Lent. */
const char *tn_cpu_objects_compiler(tn_cpu_objects *objects);
const char *tn_cpu_objects_compiler_version(tn_cpu_objects *objects);
/* Lanes of f32 in a vector of the code it makes, as a renderer is to assume; 4
 * before the compiler was found. */
uint32_t tn_cpu_objects_lanes(tn_cpu_objects *objects);

/* A reference to the object of this source. TN_NOT_FOUND as above. TN_INTERNAL:
 * the compiler refused the source, and its words are in the message. TN_IO: no
 * temporary folder would take the build. A disk cache that fails is not an error. */
TN_MUST_USE tn_status tn_cpu_objects_get(tn_cpu_objects *objects, const char *source, size_t length,
                                         tn_cpu_object **out_object);
void tn_cpu_object_retain(tn_cpu_object *object);
/* Unloads with the last reference: no code of it is running or will run. */
void tn_cpu_object_release(tn_cpu_object *object); /* NULL is fine */
/* The address of an exported function or object; NULL: there is none. Good while
 * the object is held. */
void *tn_cpu_object_symbol(const tn_cpu_object *object, const char *name);

typedef struct tn_cpu_objects_stats {
    uint64_t compiles;    /* compiler runs */
    uint64_t cache_hits;  /* loaded from the disk instead */
    uint64_t memory_hits; /* were loaded already */
    uint64_t failures;
    uint64_t loaded; /* now */
    double compile_seconds;
} tn_cpu_objects_stats;
void tn_cpu_objects_get_stats(tn_cpu_objects *objects, tn_cpu_objects_stats *out_stats);

#endif
