#include "loader/needed.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/file.h"

enum { MOST_LIBRARIES = 1024 };

typedef struct search {
    const tn_allocator *allocator;
    const char *origin; /* folder of the object, without a '/' at its end */
    size_t origin_length;
    tn_strbuf file;      /* the candidate */
    Dl_serinfo *process; /* where the linker looks for this process; may be NULL */
    size_t process_size;
    tn_blob cache; /* of ldconfig; may be empty */
} search;

/* ------------------------------------------------------------ process's path */

/* LD_LIBRARY_PATH as it was at the start, DT_RPATH of the program, and the
 * linker's built-in folders. */
static TN_MUST_USE tn_status read_process_path(search *s) {
    void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (!program) return NULL;
    Dl_serinfo head;
    tn_status status = NULL;
    if (dlinfo(program, RTLD_DI_SERINFOSIZE, &head) == 0) {
        Dl_serinfo *info = tn_alloc_zero(s->allocator, head.dls_size);
        if (!info) {
            status = tn_status_no_memory();
        } else {
            s->process = info;
            s->process_size = head.dls_size;
            info->dls_size = head.dls_size;
            info->dls_cnt = head.dls_cnt;
            if (dlinfo(program, RTLD_DI_SERINFO, info) != 0) info->dls_cnt = 0;
        }
    }
    dlclose(program);
    return status;
}

/* The cache maps names to files; its strings are NUL-terminated. Which file is
 * the linker's business: that the name is there is enough. */
static bool in_cache(const search *s, const char *name) {
    size_t size = strlen(name) + 1;
    const char *at = s->cache.data;
    const char *end = s->cache.data + s->cache.size;
    while (at && (size_t)(end - at) >= size) {
        const char *hit = memmem(at, (size_t)(end - at), name, size);
        if (!hit) return false;
        if (hit > s->cache.data && hit[-1] == '\0') return true;
        at = hit + 1;
    }
    return false;
}

/* --------------------------------------------------------------------- files */

static TN_MUST_USE tn_status file_exists(search *s, const char *folder, size_t length,
                                         const char *name, bool *out_found) {
    tn_strbuf_clear(&s->file);
    tn_strbuf_bytes(&s->file, folder, length);
    tn_strbuf_char(&s->file, '/');
    tn_strbuf_text(&s->file, name);
    TN_TRY(tn_strbuf_status(&s->file));
    *out_found = access(tn_strbuf_cstr(&s->file), F_OK) == 0;
    return NULL;
}

static bool begins_with(const char *text, size_t length, const char *prefix) {
    size_t n = strlen(prefix);
    return length >= n && memcmp(text, prefix, n) == 0;
}

/* One folder of a DT_RPATH, where $ORIGIN may stand for the object's own. The
 * other two names that the linker knows cannot be expanded here. */
static TN_MUST_USE tn_status in_folder(search *s, const char *folder, size_t length,
                                       const char *name, bool *out_found) {
    static const char *const spellings[] = {"$ORIGIN", "${ORIGIN}"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (!begins_with(folder, length, spellings[i])) continue;
        size_t skip = strlen(spellings[i]);
        tn_strbuf expanded;
        tn_strbuf_init(&expanded, s->allocator);
        tn_strbuf_bytes(&expanded, s->origin, s->origin_length);
        tn_strbuf_bytes(&expanded, folder + skip, length - skip);
        tn_status status = tn_strbuf_status(&expanded);
        if (!status) status = file_exists(s, expanded.data, expanded.length, name, out_found);
        tn_strbuf_deinit(&expanded);
        return status;
    }
    if (memchr(folder, '$', length)) {
        *out_found = true;
        return NULL;
    }
    return file_exists(s, folder, length, name, out_found);
}

static TN_MUST_USE tn_status in_path(search *s, const char *path, const char *name,
                                     bool *out_found) {
    for (const char *at = path; at && *at && !*out_found;) {
        size_t length = strcspn(at, ":");
        if (length > 0) TN_TRY(in_folder(s, at, length, name, out_found));
        at += length + (at[length] == ':');
    }
    return NULL;
}

static bool is_loaded(const char *name) {
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) dlclose(handle);
    return handle != NULL;
}

static TN_MUST_USE tn_status find(search *s, const tn_elf_image *image, const char *name,
                                  bool *out_found) {
    *out_found = true;
    if (strchr(name, '$')) return NULL;
    if (strchr(name, '/')) {
        *out_found = access(name, F_OK) == 0;
        return NULL;
    }
    if (is_loaded(name) || in_cache(s, name)) return NULL;
    *out_found = false;
    TN_TRY(in_path(s, image->runpath ? image->runpath : image->rpath, name, out_found));
    for (unsigned i = 0; s->process && i < s->process->dls_cnt && !*out_found; i++) {
        const char *folder = s->process->dls_serpath[i].dls_name;
        TN_TRY(file_exists(s, folder, strlen(folder), name, out_found));
    }
    return NULL;
}

static TN_MUST_USE tn_status find_all(search *s, const tn_elf_image *image,
                                      tn_strbuf *out_missing) {
    TN_TRY(read_process_path(s));
    tn_status cache = tn_file_read(s->allocator, "/etc/ld.so.cache", &s->cache);
    if (tn_status_code(cache) == TN_NO_MEMORY) return cache;
    tn_status_ignore(cache); /* a machine without one */
    const char *name;
    for (unsigned i = 0; i < MOST_LIBRARIES && (name = tn__elf_needed(image, i)); i++) {
        bool found;
        TN_TRY(find(s, image, name, &found));
        if (found) continue;
        if (out_missing->length) tn_strbuf_text(out_missing, ", ");
        tn_strbuf_text(out_missing, name);
    }
    return tn_strbuf_status(out_missing);
}

tn_status tn__needed_find_missing(const tn_allocator *allocator, const tn_elf_image *image,
                                  const char *path, tn_strbuf *out_missing) {
    const char *slash = strrchr(path, '/');
    search s = {.allocator = allocator, .origin = path};
    s.origin_length = slash ? (size_t)(slash - path) : 0;
    tn_strbuf_init(&s.file, allocator);
    tn_status status = find_all(&s, image, out_missing);
    tn_strbuf_deinit(&s.file);
    tn_blob_deinit(&s.cache);
    tn_free(allocator, s.process, s.process_size);
    return status;
}
