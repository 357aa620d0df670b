#include "loader/policy.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/strbuf.h"
#include "loader/sha256.h"

/* ------------------------------------------------------------------- resolve */

static TN_MUST_USE tn_status make_absolute(const tn_allocator *allocator, const char *path,
                                           char **out_path) {
    char resolved[PATH_MAX];
    if (!realpath(path, resolved)) {
        return tn_status_from_errno(errno, "plugin %s: cannot be found", path);
    }
    *out_path = tn_strdup(allocator, resolved);
    return *out_path ? NULL : tn_status_no_memory();
}

/* FOLDER/NAME and FOLDER/NAME.so. */
static TN_MUST_USE tn_status try_folder(const char *folder, size_t length, const char *name,
                                        tn_strbuf *file, tn_strbuf *tried, bool *out_found) {
    static const char *const endings[] = {"", ".so"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        tn_strbuf_clear(file);
        tn_strbuf_bytes(file, folder, length);
        tn_strbuf_char(file, '/');
        tn_strbuf_text(file, name);
        tn_strbuf_text(file, endings[i]);
        TN_TRY(tn_strbuf_status(file));
        *out_found = access(tn_strbuf_cstr(file), F_OK) == 0;
        if (*out_found) return NULL;
        tn_strbuf_printf(tried, "%s%s", tried->length ? ", " : "", tn_strbuf_cstr(file));
        TN_TRY(tn_strbuf_status(tried));
    }
    return NULL;
}

static TN_MUST_USE tn_status search(const char *name, const char *plugin_path, tn_strbuf *file,
                                    tn_strbuf *tried) {
    bool is_found = false;
    for (const char *at = plugin_path; at && *at && !is_found;) {
        size_t length = strcspn(at, ":");
        if (at[0] == '/') {
            TN_TRY(try_folder(at, length, name, file, tried, &is_found));
        } else if (length > 0) {
            return tn_status_make(TN_INVALID,
                                  "plugin %s: the plugin path holds the folder '%.*s', but only "
                                  "absolute ones are searched",
                                  name, (int)length, at);
        }
        at += length + (at[length] == ':');
    }
    if (is_found) return NULL;
    return tn_status_make(TN_NOT_FOUND,
                          "plugin %s: not found; tried %s. A name without a '/' is looked for in "
                          "the plugin path only; for a file in the working directory write ./%s",
                          name, tried->length ? tn_strbuf_cstr(tried) : "no folder", name);
}

tn_status tn_plugin_resolve(const tn_allocator *allocator, const char *name,
                            const char *plugin_path, char **out_path) {
    *out_path = NULL;
    if (!name || !name[0]) return tn_status_make(TN_INVALID, "the name of a plugin is empty");
    if (strchr(name, '/')) return make_absolute(allocator, name, out_path);
    tn_strbuf file, tried;
    tn_strbuf_init(&file, allocator);
    tn_strbuf_init(&tried, allocator);
    tn_status status = search(name, plugin_path, &file, &tried);
    if (!status) status = make_absolute(allocator, tn_strbuf_cstr(&file), out_path);
    tn_strbuf_deinit(&file);
    tn_strbuf_deinit(&tried);
    return status;
}

/* ------------------------------------------------------------------- writers */

static TN_MUST_USE tn_status refuse(const char *path, const char *culprit, const char *kind) {
    return tn_status_make(TN_INVALID,
                          "plugin %s: refused, because everyone may write to %s %s; make it "
                          "writable by its owner alone (chmod o-w)",
                          path, kind, culprit);
}

/* The folder that holds the file must not be writable by everyone, and those
 * above it only if they keep people from moving what is not theirs (sticky). */
static TN_MUST_USE tn_status check_folders(const char *path, char *folder) {
    bool holds_file = true;
    for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
        bool is_root = slash == folder;
        slash[is_root ? 1 : 0] = '\0';
        struct stat found;
        if (stat(folder, &found) != 0) {
            return tn_status_from_errno(errno, "plugin %s: cannot look at folder %s", path, folder);
        }
        bool open = (found.st_mode & S_IWOTH) && (holds_file || !(found.st_mode & S_ISVTX));
        if (open) return refuse(path, folder, "the folder");
        if (is_root) break;
        holds_file = false;
    }
    return NULL;
}

tn_status tn_plugin_check_writers(const tn_allocator *allocator, const char *path) {
    struct stat found;
    if (stat(path, &found) != 0) {
        return tn_status_from_errno(errno, "plugin %s: cannot be read", path);
    }
    if (S_ISREG(found.st_mode) && (found.st_mode & S_IWOTH)) return refuse(path, path, "the file");
    char *folder = tn_strdup(allocator, path);
    if (!folder) return tn_status_no_memory();
    /* Shortened in place on the way up: free it with the size it was made with. */
    size_t size = strlen(folder) + 1;
    tn_status status = check_folders(path, folder);
    tn_free(allocator, folder, size);
    return status;
}

/* -------------------------------------------------------------------- sha256 */

tn_status tn_plugin_check_sha256(const char *path, const char *expected, const char *found) {
    if (!expected) return NULL;
    if (!tn_sha256_is_hex(expected)) {
        return tn_status_make(TN_INVALID,
                              "plugin %s: '%s' is no SHA-256: 64 hexadecimal digits were expected",
                              path, expected);
    }
    if (tn_sha256_equal(expected, found)) return NULL;
    return tn_status_make(TN_INVALID, "plugin %s: its content has SHA-256 %s, expected %s", path,
                          found, expected);
}
