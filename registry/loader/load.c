#include "loader/load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "loader/agree.h"
#include "loader/mapped.h"
#include "loader/normalize.h"
#include "loader/policy.h"

/* One file that was loaded, for good. */
typedef struct loaded {
    struct loaded *next;
    tn_manifest *manifest;
    tn_arena arena; /* of plugin */
    const tn_plugin *plugin;
    tn_catalog_plugin *entry;
    bool has_device;
    void *device_state;
} loaded;

struct tn_loader {
    const tn_allocator *allocator;
    tn_catalog *catalog;
    char *plugin_path;
    tn_loader_options options; /* but for its plugin_path */
    pthread_mutex_t lock;
    loaded *plugins;
};

static const tn_device cpu = {TN_DEVICE_CPU, 0};

tn_status tn_loader_create(const tn_allocator *allocator, tn_catalog *catalog,
                           const tn_loader_options *options, tn_loader **out_loader) {
    *out_loader = NULL;
    tn_loader *loader = tn_alloc_zero(allocator, sizeof *loader);
    if (!loader) return tn_status_no_memory();
    loader->allocator = allocator;
    loader->catalog = catalog;
    if (options) {
        loader->options = *options;
        loader->options.plugin_path = NULL;
        if (options->plugin_path) {
            loader->plugin_path = tn_strdup(allocator, options->plugin_path);
            if (!loader->plugin_path) {
                tn_free(allocator, loader, sizeof *loader);
                return tn_status_no_memory();
            }
        }
    }
    pthread_mutex_init(&loader->lock, NULL);
    *out_loader = loader;
    return NULL;
}

/* -------------------------------------------------------------------- devices */

static bool runs_on_cpu(const tn_plugin *plugin) {
    for (uint32_t i = 0; i < plugin->n_templates; i++) {
        if (plugin->templates[i]->device_type == TN_DEVICE_CPU) return true;
    }
    for (uint32_t i = 0; i < plugin->n_ops; i++) {
        const tn_op_desc *op = plugin->ops[i];
        for (uint32_t k = 0; k < op->n_kernels; k++) {
            if (op->kernels[k]->device_type == TN_DEVICE_CPU) return true;
        }
        for (uint32_t k = 0; k < op->n_templates; k++) {
            if (op->templates[k]->device_type == TN_DEVICE_CPU) return true;
        }
    }
    return false;
}

static TN_MUST_USE tn_status init_device(const tn_loader *loader, loaded *l) {
    if (!l->plugin->device_init || !runs_on_cpu(l->plugin)) return NULL;
    tn_op_callback callback;
    tn_op_callback_init(&callback, loader->allocator);
    tn_code code = l->plugin->device_init(&callback.cb, cpu, &l->device_state);
    tn_status status = tn_op_callback_result(&callback, code);
    tn_op_callback_deinit(&callback);
    l->has_device = !status;
    return tn_status_annotate(status,
                              "plugin %s: device_init for the CPU: ", l->manifest->info.path);
}

static void deinit_device(const tn_loader *loader, loaded *l) {
    if (!l->has_device || !l->plugin->device_deinit) return;
    tn_op_callback callback;
    tn_op_callback_init(&callback, loader->allocator);
    l->plugin->device_deinit(&callback.cb, cpu, l->device_state);
    tn_op_callback_deinit(&callback);
}

static void free_loaded(const tn_loader *loader, loaded *l) {
    deinit_device(loader, l);
    tn_manifest_free(l->manifest);
    tn_arena_deinit(&l->arena);
    tn_free(loader->allocator, l, sizeof *l);
}

void tn_loader_destroy(tn_loader *loader) {
    if (!loader) return;
    while (loader->plugins) {
        loaded *next = loader->plugins->next;
        free_loaded(loader, loader->plugins);
        loader->plugins = next;
    }
    pthread_mutex_destroy(&loader->lock);
    tn_strfree(loader->allocator, loader->plugin_path);
    tn_free(loader->allocator, loader, sizeof *loader);
}

/* -------------------------------------------------------------------- mapping */

static TN_MUST_USE tn_status open_object(const char *path, void **out_handle) {
    *out_handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out_handle) return NULL;
    const char *reason = dlerror();
    if (!reason) reason = "the dynamic linker gave no reason";
    size_t length = strlen(path);
    if (strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0) {
        reason += length + 2;
    }
    return tn_status_make(TN_PLUGIN, "plugin %s: the dynamic linker refuses it: %s", path, reason);
}

static TN_MUST_USE tn_status query(void *handle, const char *path, const tn_plugin **out_raw) {
    void *symbol = dlsym(handle, TN_PLUGIN_QUERY_SYMBOL);
    if (!symbol) {
        return tn_status_make(TN_PLUGIN, "plugin %s: it does not export " TN_PLUGIN_QUERY_SYMBOL,
                              path);
    }
    tn_plugin_query_fn function;
    memcpy(&function, &symbol, sizeof function); /* POSIX: they are alike */
    *out_raw = function(TN_ABI_VERSION);
    if (*out_raw) return NULL;
    return tn_status_make(TN_UNSUPPORTED,
                          "plugin %s: " TN_PLUGIN_QUERY_SYMBOL "(%u) returned NULL: it refuses a "
                          "host of ABI %u, though its note asks for no newer one",
                          path, TN_ABI_VERSION, TN_ABI_VERSION);
}

typedef struct prefixed_log {
    const tn_loader *loader;
    const char *path;
} prefixed_log;

static void log_with_path(void *self, int32_t level, const char *message) {
    const prefixed_log *log = self;
    char text[1024];
    snprintf(text, sizeof text, "plugin %s: %s", log->path, message);
    log->loader->options.log(log->loader->options.log_self, level, text);
}

/* Maps the file and copies what it says of itself. */
static TN_MUST_USE tn_status describe(const tn_loader *loader, loaded *l) {
    const char *path = l->manifest->info.path;
    void *handle;
    TN_TRY(open_object(path, &handle));
    TN_TRY(tn__mapped_check(handle, l->manifest));
    if (!tn_manifest_is_current(l->manifest, path)) {
        return tn_status_make(TN_BUSY,
                              "plugin %s: the file changed while it was loaded; load it "
                              "again when it is complete",
                              path);
    }
    const tn_plugin *raw;
    TN_TRY(query(handle, path, &raw));
    prefixed_log log = {loader, path};
    tn_status status = tn__plugin_normalize(
        raw, &l->arena, loader->options.log ? log_with_path : NULL, &log, &l->plugin);
    if (!status) status = tn__plugin_agree(loader->allocator, &l->manifest->info, l->plugin);
    return tn_status_annotate(status, "plugin %s: ", path);
}

/* ----------------------------------------------------------------------- load */

static TN_MUST_USE tn_status probe(const tn_loader *loader, const loaded *l) {
    const tn_loader_options *o = &loader->options;
    for (uint32_t i = 0; o->probe && i < tn_catalog_plugin_op_count(l->entry); i++) {
        tn_status status = o->probe(o->probe_self, tn_catalog_plugin_op(l->entry, i));
        if (status) return tn_status_annotate(status, "plugin %s: ", l->manifest->info.path);
    }
    return NULL;
}

static TN_MUST_USE tn_status join_catalog(tn_loader *loader, loaded *l) {
    const tn_plugin_info *info = &l->manifest->info;
    tn_catalog_source source = {.path = info->path,
                                .content = l->manifest->content,
                                .sha256 = info->sha256,
                                .plugin = l->plugin,
                                .requires_ns = info->requires_ns,
                                .n_requires = info->n_requires};
    TN_TRY(tn_catalog_prepare(loader->catalog, &source, &l->entry));
    tn_status status = init_device(loader, l);
    if (!status) {
        tn_catalog_plugin_set_device_state(l->entry, l->device_state);
        status = probe(loader, l);
    }
    if (!status) status = tn_catalog_commit(loader->catalog, l->entry);
    if (status) tn_catalog_discard(loader->catalog, l->entry);
    return status;
}

/* Takes the manifest, also on failure. */
static TN_MUST_USE tn_status load_new(tn_loader *loader, tn_manifest *manifest,
                                      const tn_op_owner **out_owner) {
    loaded *l = tn_alloc_zero(loader->allocator, sizeof *l);
    if (!l) {
        tn_manifest_free(manifest);
        return tn_status_no_memory();
    }
    l->manifest = manifest;
    tn_arena_init(&l->arena, loader->allocator);
    tn_status status = tn_manifest_check(manifest);
    if (!status) status = describe(loader, l);
    if (!status) status = join_catalog(loader, l);
    if (status) {
        free_loaded(loader, l);
        return status;
    }
    l->next = loader->plugins;
    loader->plugins = l;
    *out_owner = tn_catalog_plugin_owner(l->entry);
    return NULL;
}

/* The same file again. */
static TN_MUST_USE tn_status load_again(tn_loader *loader, const loaded *l,
                                        const tn_manifest *manifest,
                                        const tn_op_owner **out_owner) {
    const tn_manifest *old = l->manifest;
    if (old->content.lo != manifest->content.lo || old->content.hi != manifest->content.hi) {
        return tn_status_make(TN_BUSY,
                              "plugin %s: the file was written over since it was loaded, and its "
                              "code is mapped; start a new process, and replace plugin files by "
                              "renaming",
                              manifest->info.path);
    }
    TN_TRY(tn_catalog_commit(loader->catalog, l->entry));
    *out_owner = tn_catalog_plugin_owner(l->entry);
    return NULL;
}

static const loaded *find_file(const tn_loader *loader, const tn_manifest *manifest) {
    for (const loaded *l = loader->plugins; l; l = l->next) {
        if (l->manifest->device == manifest->device && l->manifest->inode == manifest->inode) {
            return l;
        }
    }
    return NULL;
}

static TN_MUST_USE tn_status load_file(tn_loader *loader, const char *path, const char *sha256,
                                       const tn_op_owner **out_owner) {
    TN_TRY(tn_plugin_check_writers(loader->allocator, path));
    tn_manifest *manifest;
    TN_TRY(tn_manifest_read(loader->allocator, path, &manifest));
    tn_status status = tn_plugin_check_sha256(path, sha256, manifest->info.sha256);
    const loaded *same = find_file(loader, manifest);
    if (!status && !same) return load_new(loader, manifest, out_owner);
    if (!status) status = load_again(loader, same, manifest, out_owner);
    tn_manifest_free(manifest);
    return status;
}

tn_status tn_loader_load(tn_loader *loader, const char *name, const char *sha256,
                         const tn_op_owner **out_owner) {
    const tn_op_owner *owner = NULL;
    if (out_owner) *out_owner = NULL;
    char *path;
    TN_TRY(tn_plugin_resolve(loader->allocator, name, loader->plugin_path, &path));
    pthread_mutex_lock(&loader->lock);
    tn_status status = load_file(loader, path, sha256, &owner);
    pthread_mutex_unlock(&loader->lock);
    tn_strfree(loader->allocator, path);
    if (!status && out_owner) *out_owner = owner;
    return status;
}

tn_status tn_loader_unload(tn_loader *loader, const char *name) {
    tn_catalog_plugin *plugin;
    TN_TRY(tn_catalog_find_plugin(loader->catalog, name, &plugin));
    return tn_catalog_remove(loader->catalog, plugin);
}

tn_status tn_loader_inspect(tn_loader *loader, const char *name, tn_manifest **out_manifest) {
    *out_manifest = NULL;
    char *path;
    TN_TRY(tn_plugin_resolve(loader->allocator, name, loader->plugin_path, &path));
    tn_status status = tn_manifest_read(loader->allocator, path, out_manifest);
    tn_strfree(loader->allocator, path);
    return status;
}
