#include "device/cpu/object_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "device/cpu/object_file.h"

#define DEFAULT_MAX_BYTES (UINT64_C(1) << 30)
enum {
    STALE_SECONDS = 3600, /* a half-written file this old has lost its writer */
    RESCAN_STORES = 64    /* other processes add files too */
};

struct tn_cpu_object_cache {
    const tn_allocator *allocator;
    char *folder;
    uint64_t max_bytes;
    tn_log_fn log;
    void *log_self;
    bool open;
    pthread_mutex_t mutex; /* guards what follows */
    tn_cpu_object_cache_stats stats;
    uint64_t bytes; /* of the folder, as far as is known */
    bool warned_store;
};

static void warn(const tn_cpu_object_cache *c, tn_status status, const char *what) {
    if (c->log) {
        tn_strbuf s;
        tn_strbuf_init(&s, c->allocator);
        tn_strbuf_printf(&s, "%s: %s", what, tn_status_message(status));
        c->log(c->log_self, TN_LOG_WARN, s.failed ? what : tn_strbuf_cstr(&s));
        tn_strbuf_deinit(&s);
    }
    tn_status_ignore(status);
}

static void count(tn_cpu_object_cache *c, uint64_t *counter) {
    pthread_mutex_lock(&c->mutex);
    ++*counter;
    pthread_mutex_unlock(&c->mutex);
}

/* What lies in the folder is run as code: it must be ours alone to write. */
static tn_status check_folder(const char *folder) {
    TN_TRY(tn_dir_create(folder));
    struct stat info;
    if (stat(folder, &info) != 0) return tn_status_from_errno(errno, "cannot stat %s", folder);
    if (info.st_uid != geteuid())
        return tn_status_make(TN_IO, "%s belongs to user %u, not to this process's user %u", folder,
                              (unsigned)info.st_uid, (unsigned)geteuid());
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return tn_status_make(TN_IO, "others can write to %s (mode %04o); run: chmod go-w %s",
                              folder, (unsigned)info.st_mode & 07777u, folder);
    return NULL;
}

tn_status tn_cpu_object_cache_create(const tn_allocator *allocator,
                                     const tn_cpu_object_cache_options *options,
                                     tn_cpu_object_cache **out_cache) {
    *out_cache = NULL;
    tn_cpu_object_cache *c = tn_alloc_zero(allocator, sizeof *c);
    char *folder = tn_strdup(allocator, options->folder);
    if (!c || !folder || pthread_mutex_init(&c->mutex, NULL) != 0) {
        tn_free(allocator, c, sizeof *c);
        tn_strfree(allocator, folder);
        return tn_status_no_memory();
    }
    c->allocator = allocator;
    c->folder = folder;
    c->max_bytes = options->max_bytes ? options->max_bytes : DEFAULT_MAX_BYTES;
    c->log = options->log;
    c->log_self = options->log_self;
    tn_status status = check_folder(folder);
    c->open = !status;
    if (status) warn(c, status, "compiled kernels are not kept between runs");
    *out_cache = c;
    return NULL;
}

void tn_cpu_object_cache_destroy(tn_cpu_object_cache *c) {
    if (!c) return;
    pthread_mutex_destroy(&c->mutex);
    tn_strfree(c->allocator, c->folder);
    tn_free(c->allocator, c, sizeof *c);
}

bool tn_cpu_object_cache_is_open(const tn_cpu_object_cache *c) {
    return c->open;
}

const char *tn_cpu_object_cache_folder(const tn_cpu_object_cache *c) {
    return c->folder;
}

void tn_cpu_object_cache_get_stats(tn_cpu_object_cache *c, tn_cpu_object_cache_stats *out) {
    pthread_mutex_lock(&c->mutex);
    *out = c->stats;
    pthread_mutex_unlock(&c->mutex);
}

static char *entry_path(const tn_cpu_object_cache *c, tn_digest key, const char *suffix) {
    char name[33];
    tn_digest_hex(key, name);
    tn_strbuf s;
    tn_strbuf_init(&s, c->allocator);
    tn_strbuf_printf(&s, "%s/%s.so%s", c->folder, name, suffix);
    return tn_strbuf_steal(&s);
}

/* ------------------------------------------------------------------- find */

static tn_status set_aside(tn_cpu_object_cache *c, tn_digest key, const char *path,
                           tn_status reason) {
    char *aside = entry_path(c, key, ".corrupt");
    if (!aside) return tn_status_join(tn_status_no_memory(), reason);
    /* Where it cannot be renamed it will be replaced by the rebuilt object, or
     * found bad again: never used. */
    bool moved = rename(path, aside) == 0;
    warn(c, tn_status_annotate(reason, "%s%s: ", path, moved ? " (set aside as .corrupt)" : ""),
         "a cached kernel is damaged and is built again");
    tn_strfree(c->allocator, aside);
    count(c, &c->stats.corrupt);
    return NULL;
}

/* TN_OK with *out_hit false: a miss. */
static tn_status examine(tn_cpu_object_cache *c, tn_digest key, const char *path, bool *out_hit) {
    tn_blob file;
    *out_hit = false;
    tn_status status = tn_file_read(c->allocator, path, &file);
    if (status) {
        tn_code code = tn_status_code(status);
        if (code == TN_NO_MEMORY) return status;
        if (code == TN_NOT_FOUND)
            tn_status_ignore(status);
        else
            warn(c, status, "a cached kernel cannot be read and is built again");
        return NULL;
    }
    status = tn_cpu_object_file_check(file.data, file.size, key);
    tn_blob_deinit(&file);
    if (status) return set_aside(c, key, path, status);
    /* Marks it as used lately; a file system that refuses only makes it older. */
    int marked = utimensat(AT_FDCWD, path, NULL, 0);
    (void)marked;
    *out_hit = true;
    return NULL;
}

tn_status tn_cpu_object_cache_find(tn_cpu_object_cache *c, tn_digest key, char **out_path) {
    *out_path = NULL;
    if (!c->open) {
        count(c, &c->stats.misses);
        return NULL;
    }
    char *path = entry_path(c, key, "");
    if (!path) return tn_status_no_memory();
    bool hit;
    tn_status status = examine(c, key, path, &hit);
    if (!status) count(c, hit ? &c->stats.hits : &c->stats.misses);
    if (hit)
        *out_path = path;
    else
        tn_strfree(c->allocator, path);
    return status;
}

/* ------------------------------------------------------------------ evict */

typedef struct entry {
    struct timespec used;
    uint64_t bytes;
    char name[64];
} entry;
typedef TN_VEC(entry) entry_list;

enum { HEX_LENGTH = 32 };

/* Files of ours are KEY.so and KEY.so.corrupt, or half written and KEY.so.*.tmp;
 * nothing else in the folder is ever touched. */
static bool is_ours(const char *name, bool *out_half_written) {
    size_t hex = strspn(name, "0123456789abcdef");
    if (hex != HEX_LENGTH || strncmp(name + hex, ".so", 3) != 0) return false;
    const char *rest = name + hex + 3;
    size_t length = strlen(rest);
    *out_half_written = length > 4 && rest[0] == '.' && strcmp(rest + length - 4, ".tmp") == 0;
    return *out_half_written || !rest[0] || strcmp(rest, ".corrupt") == 0;
}

/* Oldest first; the name decides among equals. */
static int by_age(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec) return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* False: out of memory; what was listed so far stands. */
static bool list_entries(const tn_cpu_object_cache *c, DIR *dir, entry_list *out_entries) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (struct dirent *at; (at = readdir(dir));) {
        bool half_written;
        struct stat info;
        if (!is_ours(at->d_name, &half_written)) continue;
        if (fstatat(dirfd(dir), at->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (half_written) {
            if (info.st_mtim.tv_sec + STALE_SECONDS < now.tv_sec)
                unlinkat(dirfd(dir), at->d_name, 0);
            continue;
        }
        entry e = {.used = info.st_mtim, .bytes = (uint64_t)info.st_size};
        memcpy(e.name, at->d_name, strlen(at->d_name) + 1);
        if (!tn_vec_push(c->allocator, out_entries, e)) return false;
    }
    return true;
}

/* Removes the oldest down to seven eighths of the bound, so that a full cache
 * does not scan its folder at every store. Called with the mutex held. */
static void evict(tn_cpu_object_cache *c) {
    DIR *dir = opendir(c->folder);
    if (!dir) return;
    entry_list entries = {0};
    if (list_entries(c, dir, &entries)) {
        uint64_t total = 0;
        for (size_t i = 0; i < entries.len; i++)
            total += entries.data[i].bytes;
        if (total > c->max_bytes) {
            qsort(entries.data, entries.len, sizeof(entry), by_age);
            uint64_t goal = c->max_bytes - c->max_bytes / 8;
            for (size_t i = 0; i < entries.len && total > goal; i++) {
                if (unlinkat(dirfd(dir), entries.data[i].name, 0) != 0) continue;
                total -= entries.data[i].bytes;
                c->stats.evictions++;
            }
        }
        c->bytes = total;
    }
    tn_vec_free(c->allocator, &entries);
    closedir(dir);
}

/* ------------------------------------------------------------------ store */

static tn_status publish(tn_cpu_object_cache *c, tn_digest key, const char *path,
                         uint64_t *out_bytes) {
    tn_blob image;
    TN_TRY(tn_file_read(c->allocator, path, &image));
    size_t size = image.size + sizeof(tn_cpu_object_trailer);
    char *target = entry_path(c, key, "");
    char *file = tn_alloc(c->allocator, size);
    tn_status status = target && file ? NULL : tn_status_no_memory();
    if (!status) status = tn_cpu_object_image_check(image.data, image.size);
    if (!status) {
        tn_cpu_object_trailer trailer;
        tn_cpu_object_seal(image.data, image.size, key, &trailer);
        memcpy(file, image.data, image.size);
        memcpy(file + image.size, &trailer, sizeof trailer);
        status = tn_file_write_atomic(target, file, size);
    }
    tn_free(c->allocator, file, size);
    tn_strfree(c->allocator, target);
    tn_blob_deinit(&image);
    *out_bytes = size;
    return status;
}

bool tn_cpu_object_cache_store(tn_cpu_object_cache *c, tn_digest key, const char *path) {
    if (!c->open) return false;
    uint64_t bytes = 0;
    tn_status status = publish(c, key, path, &bytes);
    bool tell = false;
    pthread_mutex_lock(&c->mutex);
    if (status) {
        c->stats.store_failures++;
        tell = !c->warned_store;
        c->warned_store = true;
    } else {
        c->bytes += bytes;
        if (c->stats.stores++ % RESCAN_STORES == 0 || c->bytes > c->max_bytes) evict(c);
    }
    pthread_mutex_unlock(&c->mutex);
    bool stored = !status;
    if (tell)
        warn(c, status, "a compiled kernel could not be kept for later runs");
    else
        tn_status_ignore(status);
    return stored;
}
