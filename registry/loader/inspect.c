#include "loader/inspect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocator.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "loader/elf_image.h"
#include "loader/entry_symbol.h"
#include "loader/needed.h"
#include "loader/note_text.h"
#include "loader/sha256.h"
#include "schema/schema.h"
#include "tenon/note.h"

/* Notes of the linker that hold a build id. */
enum { GNU_BUILD_ID = 3, LONGEST_BUILD_ID = 64 };

/* What this host was built with is what a note of its own would say. */
static bool is_host_sanitizer(const char *sanitizer) {
    char line[64];
    snprintf(line, sizeof line, "sanitizer %s\n", sanitizer);
    return strcmp(line, TN_NOTE_SANITIZER_LINE) == 0;
}

/* ---------------------------------------------------------------- description */

static TN_MUST_USE tn_status read_note(tn_manifest *m, const tn_elf_image *image,
                                       tn_note_text *out_note) {
    const char *text, *again;
    size_t size, again_size;
    if (!tn__elf_note(image, TN_NOTE_OWNER, TN_NOTE_TYPE, 0, &text, &size)) {
        return tn_status_make(TN_PLUGIN, "it is not a Tenon plugin: it has no ELF note of owner "
                                         "'" TN_NOTE_OWNER "' (TN_PLUGIN_NOTE in tenon/note.h "
                                         "makes one)");
    }
    if (tn__elf_note(image, TN_NOTE_OWNER, TN_NOTE_TYPE, 1, &again, &again_size)) {
        return tn_status_make(TN_PARSE, "it has more than one Tenon note; use TN_PLUGIN_NOTE in "
                                        "one source file only");
    }
    m->note = tn_arena_copy(&m->arena, text, size);
    if (!m->note) return tn_status_no_memory();
    m->note_size = size;
    return tn_note_text_parse(m->note, size, &m->arena, out_note);
}

static TN_MUST_USE tn_status read_build_id(tn_manifest *m, const tn_elf_image *image) {
    static const char digits[] = "0123456789abcdef";
    const char *bytes;
    size_t size;
    m->info.build_id = "";
    if (!tn__elf_note(image, "GNU", GNU_BUILD_ID, 0, &bytes, &size) || size > LONGEST_BUILD_ID) {
        return NULL;
    }
    char *hex = tn_arena_alloc(&m->arena, 2 * size + 1);
    if (!hex) return tn_status_no_memory();
    for (size_t i = 0; i < size; i++) {
        hex[2 * i] = digits[(unsigned char)bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    m->info.build_id = hex;
    return NULL;
}

static TN_MUST_USE tn_status hash_content(tn_manifest *m, const void *bytes, size_t size) {
    char *sha256 = tn_arena_alloc(&m->arena, TN_SHA256_TEXT);
    if (!sha256) return tn_status_no_memory();
    tn_sha256_hex(bytes, size, sha256);
    m->info.sha256 = sha256;
    tn_hasher hasher;
    tn_hasher_init(&hasher);
    tn_hasher_bytes(&hasher, bytes, size);
    m->content = tn_hasher_digest(&hasher);
    return NULL;
}

static void fill_info(tn_plugin_info *info, const tn_note_text *note, size_t bytes) {
    info->struct_size = sizeof *info;
    info->name = note->plugin;
    info->version = note->version;
    info->abi_needed = note->abi;
    info->n_ops = note->n_schemas;
    info->schemas = note->schemas;
    info->pointer_size = note->pointer_size;
    info->cuda_major = note->cuda_major;
    info->sms = note->sms;
    info->sanitizer = note->sanitizer;
    info->n_requires = note->n_requires;
    info->requires_ns = note->requires_ns;
    info->bytes = bytes;
}

/* ------------------------------------------------------------------- problems */

static TN_MUST_USE tn_status check_build(const tn_plugin_info *info) {
    if (info->abi_needed == 0 || info->abi_needed > TN_ABI_VERSION) {
        return tn_status_make(TN_UNSUPPORTED,
                              "it needs ABI %u, this host offers 1 to %u: use a newer host, or "
                              "build the plugin for an older ABI",
                              info->abi_needed, TN_ABI_VERSION);
    }
    if (info->pointer_size != sizeof(void *)) {
        return tn_status_make(TN_UNSUPPORTED, "it states pointers of %u bytes, this host has %zu",
                              info->pointer_size, sizeof(void *));
    }
    /* The runtime of a sanitizer that comes late ends the process. */
    if (info->sanitizer[0] && !is_host_sanitizer(info->sanitizer)) {
        return tn_status_make(TN_UNSUPPORTED,
                              "it was built with -fsanitize=%s, this host was not: build both "
                              "alike",
                              info->sanitizer);
    }
    return NULL;
}

static TN_MUST_USE tn_status check_schemas(const tn_allocator *allocator,
                                           const tn_plugin_info *info) {
    for (uint32_t i = 0; i < info->n_ops; i++) {
        tn_schema *schema = NULL;
        tn_status status = tn_schema_parse(allocator, info->schemas[i], strlen(info->schemas[i]),
                                           &schema);
        if (status) return tn_status_annotate(status, "op %u of its note: ", i);
        tn_schema_free(schema);
    }
    return NULL;
}

static TN_MUST_USE tn_status check_needed(const tn_manifest *m, const tn_elf_image *image) {
    tn_strbuf missing;
    tn_strbuf_init(&missing, m->allocator);
    tn_status status = tn__needed_find_missing(m->allocator, image, m->info.path, &missing);
    if (!status && missing.length) {
        status = tn_status_make(TN_NOT_FOUND,
                                "it needs %s, which this machine does not have where the dynamic "
                                "linker looks (DT_RUNPATH%s%s, LD_LIBRARY_PATH, ldconfig)",
                                tn_strbuf_cstr(&missing), image->runpath ? " " : "",
                                image->runpath ? image->runpath : "");
    }
    tn_strbuf_deinit(&missing);
    return status;
}

static TN_MUST_USE tn_status check_all(const tn_manifest *m, const tn_elf_image *image) {
    TN_TRY(check_build(&m->info));
    TN_TRY(check_schemas(m->allocator, &m->info));
    TN_TRY(check_needed(m, image));
    return tn__entry_symbol_check(image);
}

/* A problem becomes part of the description; only running out of memory is a
 * failure. */
static TN_MUST_USE tn_status find_problem(tn_manifest *m, const tn_elf_image *image) {
    m->info.problem = "";
    tn_status problem = check_all(m, image);
    if (!problem || tn_status_code(problem) == TN_NO_MEMORY) return problem;
    m->problem_code = tn_status_code(problem);
    m->info.problem = tn_arena_strdup(&m->arena, tn_status_message(problem));
    tn_status_free(problem);
    return m->info.problem ? NULL : tn_status_no_memory();
}

/* --------------------------------------------------------------------- public */

static TN_MUST_USE tn_status describe(tn_manifest *m, const tn_elf_image *image) {
    tn_note_text note;
    TN_TRY(read_note(m, image, &note));
    fill_info(&m->info, &note, image->size);
    TN_TRY(read_build_id(m, image));
    TN_TRY(hash_content(m, image->bytes, image->size));
    return find_problem(m, image);
}

static TN_MUST_USE tn_status parse(tn_manifest *m, const char *path, const void *bytes,
                                   size_t size) {
    m->info.path = tn_arena_strdup(&m->arena, path);
    if (!m->info.path) return tn_status_no_memory();
    tn_elf_image image;
    TN_TRY(tn__elf_open(&image, bytes, size));
    tn_status status = describe(m, &image);
    tn__elf_close(&image);
    return status;
}

tn_status tn_manifest_parse(const tn_allocator *allocator, const char *path, const void *bytes,
                            size_t size, tn_manifest **out_manifest) {
    *out_manifest = NULL;
    tn_manifest *m = tn_alloc_zero(allocator, sizeof *m);
    if (!m) return tn_status_no_memory();
    m->allocator = allocator;
    tn_arena_init(&m->arena, allocator);
    tn_status status = parse(m, path, bytes, size);
    if (status) {
        tn_manifest_free(m);
        return tn_status_annotate(status, "plugin %s: ", path);
    }
    *out_manifest = m;
    return NULL;
}

/* A folder, a pipe or a device would otherwise be read, or waited for. */
static TN_MUST_USE tn_status check_kind(const char *path, struct stat *out_stat) {
    if (stat(path, out_stat) != 0) {
        return tn_status_from_errno(errno, "plugin %s: cannot be read", path);
    }
    if (S_ISREG(out_stat->st_mode)) return NULL;
    return tn_status_make(TN_INVALID, "plugin %s: it is %s, a shared object was expected", path,
                          S_ISDIR(out_stat->st_mode) ? "a folder" : "not a regular file");
}

tn_status tn_manifest_read(const tn_allocator *allocator, const char *path,
                           tn_manifest **out_manifest) {
    *out_manifest = NULL;
    struct stat found;
    TN_TRY(check_kind(path, &found));
    tn_blob blob;
    tn_status status = tn_file_read(allocator, path, &blob);
    if (status) return tn_status_annotate(status, "plugin %s: ", path);
    status = tn_manifest_parse(allocator, path, blob.data, blob.size, out_manifest);
    tn_blob_deinit(&blob);
    if (status) return status;
    tn_manifest *m = *out_manifest;
    m->device = found.st_dev;
    m->inode = found.st_ino;
    m->modified_s = found.st_mtim.tv_sec;
    m->modified_ns = found.st_mtim.tv_nsec;
    return NULL;
}

void tn_manifest_free(tn_manifest *manifest) {
    if (!manifest) return;
    tn_arena_deinit(&manifest->arena);
    tn_free(manifest->allocator, manifest, sizeof *manifest);
}

tn_status tn_manifest_check(const tn_manifest *manifest) {
    if (manifest->problem_code == TN_OK) return NULL;
    return tn_status_make(manifest->problem_code, "plugin %s: %s", manifest->info.path,
                          manifest->info.problem);
}

bool tn_manifest_is_current(const tn_manifest *m, const char *path) {
    struct stat now;
    return stat(path, &now) == 0 && now.st_dev == m->device && now.st_ino == m->inode &&
           now.st_mtim.tv_sec == m->modified_s && now.st_mtim.tv_nsec == m->modified_ns &&
           (uint64_t)now.st_size == m->info.bytes;
}
