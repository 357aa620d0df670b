#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "host/host.h"

tn_status tn_plugin_inspect(tn_context *context, const char *path, tn_plugin_info **out_info) {
    tn_manifest *manifest;
    *out_info = NULL;
    TN_TRY(tn_loader_inspect(context->loader, path, &manifest));
    *out_info = &manifest->info;
    return NULL;
}

void tn_plugin_info_free(tn_plugin_info *info) {
    tn_manifest_free((tn_manifest *)info); /* info is its first field */
}

tn_status tn_plugin_load(tn_context *context, const char *path, const tn_plugin_options *options) {
    tn_plugin_options o = {0};
    TN_TRY(tn__options_read(&o, sizeof o, options, "tn_plugin_options"));
    return tn_loader_load(context->loader, path, o.sha256, NULL);
}

tn_status tn_plugin_unload(tn_context *context, const char *name) {
    tn_catalog_plugin *plugin;
    TN_TRY(tn_catalog_find_plugin(context->catalog, name, &plugin));
    const tn_op_owner *owner = tn_catalog_plugin_owner(plugin);
    /* Kept calls are nobody's: they go when nothing else is in the way. */
    if (tn_dispatch_references(context->dispatch, owner) == tn_catalog_plugin_references(plugin)) {
        tn_dispatch_forget(context->dispatch, owner);
    }
    return tn_loader_unload(context->loader, name);
}

/* -------------------------------------------------------- the ones built in */

/* $TENON_PLUGIN_DIR, or where the build and the installation put them: "plugins"
 * or "tenon/plugins" beside this library. */
static tn_status builtin_folder(tn_strbuf *out) {
    static const char *const beside[] = {"plugins", "tenon/plugins"};
    const char *given = getenv("TENON_PLUGIN_DIR");
    struct stat info;
    Dl_info self;
    if (given != NULL && given[0] != 0) {
        tn_strbuf_text(out, given);
        return tn_strbuf_status(out);
    }
    if (dladdr((const void *)tn_version, &self) == 0 || self.dli_fname == NULL) {
        return tn_status_make(TN_NOT_FOUND, "cannot tell where this library lies: set "
                                            "TENON_PLUGIN_DIR to the folder of the tn:: plugins");
    }
    const char *slash = strrchr(self.dli_fname, '/');
    int length = slash != NULL ? (int)(slash - self.dli_fname) : 1;
    const char *folder = slash != NULL ? self.dli_fname : ".";
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        tn_strbuf_clear(out);
        tn_strbuf_printf(out, "%.*s/%s", length, folder, beside[i]);
        TN_TRY(tn_strbuf_status(out));
        if (stat(tn_strbuf_cstr(out), &info) == 0 && S_ISDIR(info.st_mode)) return NULL;
    }
    return tn_status_make(TN_NOT_FOUND,
                          "the tn:: plugins were looked for in %.*s/plugins and "
                          "%.*s/tenon/plugins: set TENON_PLUGIN_DIR to their folder, or ask for "
                          "none (TN_CONTEXT_NO_BUILTINS)",
                          length, folder, length, folder);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef TN_VEC(char *) names;

static tn_status list(const tn_allocator *a, const char *folder, names *out) {
    DIR *dir = opendir(folder);
    struct dirent *entry;
    if (dir == NULL) {
        return tn_status_from_errno(errno, "folder %s of the tn:: plugins", folder);
    }
    tn_status status = NULL;
    while (status == NULL && (entry = readdir(dir)) != NULL) {
        size_t n = strlen(entry->d_name);
        if (n < 4 || strcmp(entry->d_name + n - 3, ".so") != 0) continue;
        tn_strbuf path;
        tn_strbuf_init(&path, a);
        tn_strbuf_printf(&path, "%s/%s", folder, entry->d_name);
        char *text = tn_strbuf_steal(&path);
        if (text == NULL) {
            status = tn_status_no_memory();
        } else if (!tn_vec_push(a, out, text)) {
            tn_strfree(a, text);
            status = tn_status_no_memory();
        }
        tn_strbuf_deinit(&path);
    }
    closedir(dir);
    if (out->len > 1) qsort(out->data, out->len, sizeof *out->data, by_name);
    return status;
}

tn_status tn__load_builtins(tn_context *context) {
    const tn_allocator *a = &context->allocator;
    tn_strbuf folder;
    names found = {0};
    tn_strbuf_init(&folder, a);
    tn_status status = builtin_folder(&folder);
    if (status == NULL) status = list(a, tn_strbuf_cstr(&folder), &found);
    for (size_t i = 0; i < found.len; i++) {
        if (status == NULL) status = tn_loader_load(context->loader, found.data[i], NULL, NULL);
        tn_strfree(a, found.data[i]);
    }
    tn_vec_free(a, &found);
    tn_strbuf_deinit(&folder);
    return status;
}
