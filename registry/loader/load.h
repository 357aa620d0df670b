/* Loads plugins into a catalog.
 *
 * A load runs in this order, and what fails in one step leaves nothing behind
 * from any: find the file, policy, inspect (no code of the plugin has run yet),
 * dlopen with RTLD_NOW and RTLD_LOCAL by absolute path, tenon_plugin_query, a copy
 * of everything it says, agreement with the note, the catalog's checks,
 * device_init for the CPU, the host's probe of each op, and the commit of all ops
 * at once.
 *
 * Nothing is ever unmapped: a plugin or a library of its may have left an atexit
 * handler or a thread behind, and a failed load may have too. What a constructor
 * of the plugin does in dlopen (abort, exit, throw) cannot be contained; the
 * build's helper and the note exist so that no plugin needs one, and inspection
 * never gets that far.
 *
 * Thread-safe; loads and unloads of one loader run one after another. */
#ifndef TN_LOADER_LOAD_H
#define TN_LOADER_LOAD_H

#include "catalog/catalog.h"
#include "loader/inspect.h"

typedef struct tn_loader tn_loader;

typedef struct tn_loader_options {
    const char *plugin_path; /* for bare names; copied; NULL: none */
    tn_log_fn log;           /* what was left out of a plugin; NULL: nobody */
    void *log_self;
    /* What the host wants to try out of each op, by name, before any of the plugin
     * is visible: that its lowering agrees with its meta function. A failure
     * refuses the plugin. The plugin's other ops are found through scope() of the
     * op. NULL: nothing. */
    tn_status (*probe)(void *self, const struct tn_op *op);
    void *probe_self;
} tn_loader_options;

/* The catalog's ops point to descriptions that the loader holds. */
TN_MUST_USE tn_status tn_loader_create(const tn_allocator *allocator, tn_catalog *catalog,
                                       const tn_loader_options *options, tn_loader **out_loader);
/* Calls each device_deinit. After the catalog was destroyed. NULL is fine. */
void tn_loader_destroy(tn_loader *loader);

/* sha256: refuse any other content; NULL: any. The same file (device, inode and
 * content) a second time is a no-op, or brings back what was unloaded; a copy of
 * it is another plugin with the same ops, and so EXISTS. out_owner may be NULL. */
TN_MUST_USE tn_status tn_loader_load(tn_loader *loader, const char *name, const char *sha256,
                                     const tn_op_owner **out_owner);
/* "name" or "name@version"; see tn_catalog_remove. */
TN_MUST_USE tn_status tn_loader_unload(tn_loader *loader, const char *name);
/* Finds the file as tn_loader_load does, and describes it. */
TN_MUST_USE tn_status tn_loader_inspect(tn_loader *loader, const char *name,
                                        tn_manifest **out_manifest);

#endif
