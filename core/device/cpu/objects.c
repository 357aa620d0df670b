#include "device/cpu/objects.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/allocator.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "device/cpu/compiler.h"
#include "device/cpu/object_cache.h"
#include "device/cpu/object_file.h"

typedef enum object_state { OBJECT_BUILDING, OBJECT_READY, OBJECT_FAILED } object_state;

struct tn_cpu_object {
    tn_cpu_objects *owner;
    tn_digest key;
    void *handle; /* of dlopen */
    /* Guarded by owner->mutex. Whoever waits for the build holds a reference. */
    uint64_t references;
    object_state state;
    tn_code failure;
    char *failure_text; /* NULL: there was no memory for it */
};

struct tn_cpu_objects {
    const tn_allocator *allocator;
    char *compiler_command, *march, *cache_dir;
    uint64_t cache_bytes;
    uint32_t timeout_ms;
    bool no_cache, no_compiler;
    tn_log_fn log;
    void *log_self;

    pthread_mutex_t setup_mutex; /* guards what setup makes once */
    bool set_up;
    tn_cpu_compiler *compiler;
    tn_cpu_object_cache *cache; /* NULL: none */
    char *missing;              /* why there is no compiler, once that is known */

    pthread_mutex_t mutex; /* guards objects and stats */
    pthread_cond_t built;
    tn_map objects; /* digest to tn_cpu_object, those building or ready */
    tn_cpu_objects_stats stats;
};

/* -------------------------------------------------------- create, destroy */

static bool copy_text(const tn_allocator *a, const char *text, char **out) {
    *out = text ? tn_strdup(a, text) : NULL;
    return !text || *out;
}

tn_status tn_cpu_objects_create(const tn_allocator *allocator,
                                const tn_cpu_objects_options *options,
                                tn_cpu_objects **out_objects) {
    static const tn_cpu_objects_options defaults = {0};
    if (!options) options = &defaults;
    *out_objects = NULL;
    tn_cpu_objects *o = tn_alloc_zero(allocator, sizeof *o);
    if (!o) return tn_status_no_memory();
    o->allocator = allocator;
    o->cache_bytes = options->cache_bytes;
    o->timeout_ms = options->timeout_ms;
    o->no_cache = options->no_cache;
    o->no_compiler = options->no_compiler;
    o->log = options->log;
    o->log_self = options->log_self;
    tn_map_init(&o->objects, allocator);
    /* Default attributes need no resources on the platforms we build for. */
    pthread_mutex_init(&o->setup_mutex, NULL);
    pthread_mutex_init(&o->mutex, NULL);
    pthread_cond_init(&o->built, NULL);
    if (!copy_text(allocator, options->compiler, &o->compiler_command) ||
        !copy_text(allocator, options->march, &o->march) ||
        !copy_text(allocator, options->cache_dir, &o->cache_dir)) {
        tn_cpu_objects_destroy(o);
        return tn_status_no_memory();
    }
    *out_objects = o;
    return NULL;
}

void tn_cpu_objects_destroy(tn_cpu_objects *o) {
    if (!o) return;
    tn_map_deinit(&o->objects);
    tn_cpu_object_cache_destroy(o->cache);
    tn_cpu_compiler_destroy(o->compiler);
    pthread_cond_destroy(&o->built);
    pthread_mutex_destroy(&o->mutex);
    pthread_mutex_destroy(&o->setup_mutex);
    tn_strfree(o->allocator, o->missing);
    tn_strfree(o->allocator, o->compiler_command);
    tn_strfree(o->allocator, o->march);
    tn_strfree(o->allocator, o->cache_dir);
    tn_free(o->allocator, o, sizeof *o);
}

/* ------------------------------------------------------------------ setup */

static void warn(const tn_cpu_objects *o, tn_status status) {
    if (o->log) o->log(o->log_self, TN_LOG_WARN, tn_status_message(status));
    tn_status_ignore(status);
}

static tn_status open_cache(tn_cpu_objects *o) {
    if (o->no_cache) return NULL;
    char *dir = NULL;
    tn_status status = NULL;
    if (o->cache_dir) {
        dir = tn_strdup(o->allocator, o->cache_dir);
        if (!dir) return tn_status_no_memory();
    } else {
        status = tn_cache_dir_default(o->allocator, &dir);
        if (tn_status_code(status) == TN_NOT_FOUND) {
            warn(o, tn_status_annotate(status, "compiled kernels are not kept between runs: "));
            return NULL;
        }
        TN_TRY(status);
    }
    tn_strbuf folder;
    tn_strbuf_init(&folder, o->allocator);
    tn_strbuf_printf(&folder, "%s/objects", dir);
    tn_strfree(o->allocator, dir);
    status = tn_strbuf_status(&folder);
    if (!status) {
        tn_cpu_object_cache_options options = {.folder = folder.data,
                                               .max_bytes = o->cache_bytes,
                                               .log = o->log,
                                               .log_self = o->log_self};
        status = tn_cpu_object_cache_create(o->allocator, &options, &o->cache);
    }
    tn_strbuf_deinit(&folder);
    return status;
}

static tn_status find_compiler(tn_cpu_objects *o) {
    if (o->no_compiler)
        return tn_status_make(TN_NOT_FOUND, "no C compiler: it was turned off by an option");
    tn_cpu_compiler_options options = {
        .command = o->compiler_command, .march = o->march, .timeout_ms = o->timeout_ms};
    return tn_cpu_compiler_find(o->allocator, &options, &o->compiler);
}

/* With setup_mutex held. Only a lack of memory is tried again. */
static tn_status set_up_once(tn_cpu_objects *o) {
    if (o->missing) return tn_status_make(TN_NOT_FOUND, "%s", o->missing);
    if (o->set_up) return NULL;
    if (!o->compiler) {
        tn_status status = find_compiler(o);
        if (status && tn_status_code(status) != TN_NO_MEMORY)
            o->missing = tn_strdup(o->allocator, tn_status_message(status));
        /* To the caller every reason is the same: no code can be generated here. */
        if (o->missing && tn_status_code(status) != TN_NOT_FOUND) {
            tn_status_ignore(status);
            return tn_status_make(TN_NOT_FOUND, "%s", o->missing);
        }
        TN_TRY(status);
    }
    TN_TRY(open_cache(o));
    o->set_up = true;
    return NULL;
}

tn_status tn_cpu_objects_available(tn_cpu_objects *o) {
    pthread_mutex_lock(&o->setup_mutex);
    tn_status status = set_up_once(o);
    pthread_mutex_unlock(&o->setup_mutex);
    return status;
}

static const tn_cpu_compiler *known_compiler(tn_cpu_objects *o) {
    pthread_mutex_lock(&o->setup_mutex);
    const tn_cpu_compiler *compiler = o->compiler;
    pthread_mutex_unlock(&o->setup_mutex);
    return compiler;
}

const char *tn_cpu_objects_compiler(tn_cpu_objects *o) {
    const tn_cpu_compiler *compiler = known_compiler(o);
    return compiler ? tn_cpu_compiler_path(compiler) : "";
}

const char *tn_cpu_objects_compiler_version(tn_cpu_objects *o) {
    const tn_cpu_compiler *compiler = known_compiler(o);
    return compiler ? tn_cpu_compiler_version(compiler) : "";
}

uint32_t tn_cpu_objects_lanes(tn_cpu_objects *o) {
    const tn_cpu_compiler *compiler = known_compiler(o);
    return compiler ? tn_cpu_compiler_lanes(compiler) : 4;
}

/* ------------------------------------------------------------- build, load */

static tn_digest make_key(const tn_cpu_objects *o, const char *source, size_t length) {
    tn_hasher hasher;
    tn_hasher_init(&hasher);
    tn_hasher_text(&hasher, "tenon cpu object");
    tn_hasher_u64(&hasher, TN_VERSION_MAJOR);
    tn_hasher_u64(&hasher, TN_VERSION_MINOR);
    tn_hasher_u64(&hasher, TN_VERSION_PATCH);
    tn_hasher_text(&hasher, tn_cpu_compiler_identity(o->compiler));
    tn_hasher_bytes(&hasher, source, length);
    return tn_hasher_digest(&hasher);
}

/* Everything resolved now: a missing function is an error here, not a crash in a
 * kernel. */
static void *open_object(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static tn_status load_fresh(tn_cpu_object *object, const char *path) {
    tn_blob image;
    TN_TRY(tn_file_read(object->owner->allocator, path, &image));
    tn_status status = tn_cpu_object_image_check(image.data, image.size);
    tn_blob_deinit(&image);
    TN_TRY(status);
    object->handle = open_object(path);
    if (object->handle) return NULL;
    const char *reason = dlerror();
    if (!reason) reason = "no reason given";
    /* Mounted noexec: another folder may do. */
    tn_code code = strstr(reason, "failed to map segment") ? TN_IO : TN_INTERNAL;
    return tn_status_make(code, "cannot load generated code: %s", reason);
}

static double seconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

static tn_status build_in(tn_cpu_object *object, const char *root, const char *source,
                          size_t length) {
    tn_cpu_objects *o = object->owner;
    char stem[33];
    tn_digest_hex(object->key, stem);
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    tn_cpu_artifact artifact;
    tn_status status = tn_cpu_compiler_build(o->compiler, root, stem, source, length, &artifact);
    double seconds = seconds_since(&start);
    pthread_mutex_lock(&o->mutex);
    o->stats.compiles++;
    o->stats.compile_seconds += seconds;
    pthread_mutex_unlock(&o->mutex);
    TN_TRY(status);
    status = load_fresh(object, artifact.path);
    /* Loaded first: a cache that cannot take it costs the next run, not this one. */
    if (!status && o->cache) tn_cpu_object_cache_store(o->cache, object->key, artifact.path);
    tn_cpu_artifact_deinit(&artifact);
    return status;
}

/* Where the usual temporary folder is full, read-only or forbids running code,
 * the cache's folder may do. */
static tn_status build(tn_cpu_object *object, const char *source, size_t length) {
    tn_cpu_objects *o = object->owner;
    const char *temp = getenv("TMPDIR");
    if (!temp || temp[0] != '/') temp = "/tmp";
    tn_status status = build_in(object, temp, source, length);
    if (status && o->cache && tn_cpu_object_cache_is_open(o->cache) &&
        tn_status_code(status) == TN_IO) {
        tn_status again = build_in(object, tn_cpu_object_cache_folder(o->cache), source, length);
        if (!again) {
            tn_status_ignore(status);
            return NULL;
        }
        status = tn_status_join(status, again);
    }
    return status;
}

static tn_status load(tn_cpu_object *object, const char *source, size_t length) {
    tn_cpu_objects *o = object->owner;
    if (o->cache) {
        char *path;
        TN_TRY(tn_cpu_object_cache_find(o->cache, object->key, &path));
        if (path) object->handle = open_object(path); /* another process may just have evicted it */
        tn_strfree(o->allocator, path);
        if (object->handle) {
            pthread_mutex_lock(&o->mutex);
            o->stats.cache_hits++;
            pthread_mutex_unlock(&o->mutex);
            return NULL;
        }
    }
    return build(object, source, length);
}

/* -------------------------------------------------------------------- get */

static void destroy_object(tn_cpu_object *object) {
    tn_cpu_objects *o = object->owner;
    if (object->handle) dlclose(object->handle);
    tn_strfree(o->allocator, object->failure_text);
    tn_free(o->allocator, object, sizeof *object);
}

/* With the mutex held; true: the caller destroys it once that is given back. */
static bool drop_reference(tn_cpu_object *object) {
    tn_cpu_objects *o = object->owner;
    if (--object->references) return false;
    if (object->state == OBJECT_READY) {
        tn_map_remove(&o->objects, &object->key, sizeof object->key);
        o->stats.loaded--;
    }
    return true;
}

/* With the mutex held, and given back meanwhile: until who builds it is done. */
static tn_status wait_for(tn_cpu_object *object, tn_cpu_object **out_object) {
    tn_cpu_objects *o = object->owner;
    object->references++;
    while (object->state == OBJECT_BUILDING)
        pthread_cond_wait(&o->built, &o->mutex);
    if (object->state == OBJECT_READY) {
        o->stats.memory_hits++;
        *out_object = object;
        return NULL;
    }
    tn_status status = object->failure == TN_NO_MEMORY
                           ? tn_status_no_memory()
                           : tn_status_make(object->failure, "%s",
                                            object->failure_text ? object->failure_text
                                                                 : "compilation failed");
    if (drop_reference(object)) destroy_object(object);
    return status;
}

/* The builder's last word to those who wait. */
static void settle(tn_cpu_object *object, tn_status status) {
    tn_cpu_objects *o = object->owner;
    char *text = status ? tn_strdup(o->allocator, tn_status_message(status)) : NULL;
    pthread_mutex_lock(&o->mutex);
    object->failure = tn_status_code(status);
    object->failure_text = text;
    object->state = status ? OBJECT_FAILED : OBJECT_READY;
    bool unused = false;
    if (status) {
        tn_map_remove(&o->objects, &object->key, sizeof object->key);
        o->stats.failures++;
        unused = drop_reference(object);
    } else {
        o->stats.loaded++;
    }
    pthread_cond_broadcast(&o->built);
    pthread_mutex_unlock(&o->mutex);
    if (unused) destroy_object(object);
}

tn_status tn_cpu_objects_get(tn_cpu_objects *o, const char *source, size_t length,
                             tn_cpu_object **out_object) {
    *out_object = NULL;
    TN_TRY(tn_cpu_objects_available(o));
    tn_digest key = make_key(o, source, length);
    pthread_mutex_lock(&o->mutex);
    uint64_t found;
    if (tn_map_get(&o->objects, &key, sizeof key, &found)) {
        tn_status status = wait_for((tn_cpu_object *)(uintptr_t)found, out_object);
        pthread_mutex_unlock(&o->mutex);
        return status;
    }
    tn_cpu_object *object = tn_alloc_zero(o->allocator, sizeof *object);
    if (!object || !tn_map_set(&o->objects, &key, sizeof key, (uintptr_t)object)) {
        pthread_mutex_unlock(&o->mutex);
        tn_free(o->allocator, object, sizeof *object);
        return tn_status_no_memory();
    }
    object->owner = o;
    object->key = key;
    object->references = 1;
    pthread_mutex_unlock(&o->mutex);
    tn_status status = load(object, source, length);
    settle(object, status);
    if (!status) *out_object = object;
    return status;
}

void tn_cpu_object_retain(tn_cpu_object *object) {
    pthread_mutex_lock(&object->owner->mutex);
    object->references++;
    pthread_mutex_unlock(&object->owner->mutex);
}

void tn_cpu_object_release(tn_cpu_object *object) {
    if (!object) return;
    tn_cpu_objects *o = object->owner;
    pthread_mutex_lock(&o->mutex);
    bool last = drop_reference(object);
    pthread_mutex_unlock(&o->mutex);
    if (last) destroy_object(object);
}

void *tn_cpu_object_symbol(const tn_cpu_object *object, const char *name) {
    return dlsym(object->handle, name);
}

void tn_cpu_objects_get_stats(tn_cpu_objects *o, tn_cpu_objects_stats *out_stats) {
    pthread_mutex_lock(&o->mutex);
    *out_stats = o->stats;
    pthread_mutex_unlock(&o->mutex);
}
