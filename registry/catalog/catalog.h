/* Every op a context knows, by name.
 *
 * A plugin joins in two steps: tn_catalog_prepare parses and checks everything it
 * says and makes its ops, tn_catalog_commit makes all of them visible at once, or
 * none. tn_catalog_remove hides them again. Ops are never freed before the
 * catalog is: a removed op stays valid for whoever still holds it, and a plugin
 * that comes back gets the same ops.
 *
 * A name is "ns::op" or "ns::op.overload". One plugin owns it, and may be present
 * in several versions; a name then means the highest. Order, and so every
 * answer, depends on names and versions and never on the order of loading.
 *
 * Thread-safe. Finding an op takes no lock and never waits: readers look into an
 * immutable snapshot, which a change replaces as a whole. */
#ifndef TN_CATALOG_CATALOG_H
#define TN_CATALOG_CATALOG_H

#include "ir/op.h"

typedef struct tn_catalog tn_catalog;
typedef struct tn_catalog_plugin tn_catalog_plugin;

TN_MUST_USE tn_status tn_catalog_create(const tn_allocator *allocator, tn_catalog **out_catalog);
/* No op may be referenced any more. Frees every plugin that was prepared, too.
 * NULL is fine. */
void tn_catalog_destroy(tn_catalog *catalog);

typedef struct tn_catalog_source {
    const char *path; /* absolute; copied */
    tn_digest content;
    const char *sha256; /* hex; copied; NULL: not known */
    /* Every struct at the size this build knows. Outlives the catalog. */
    const tn_plugin *plugin;
    /* "ns major", as in the note; copied. */
    const char *const *requires_ns;
    uint32_t n_requires;
} tn_catalog_source;

/* Checks name, version, every schema and every description, and makes the ops.
 * Nothing is visible yet. The catalog owns the result. Errors name plugin, op and
 * argument. */
TN_MUST_USE tn_status tn_catalog_prepare(tn_catalog *catalog, const tn_catalog_source *source,
                                         tn_catalog_plugin **out_plugin);
/* Forgets a plugin that was never committed. */
void tn_catalog_discard(tn_catalog *catalog, tn_catalog_plugin *plugin);
/* What the plugin's device_init returned for the CPU. Before commit. */
void tn_catalog_plugin_set_device_state(tn_catalog_plugin *plugin, void *device_state);
/* Makes the ops visible. EXISTS, naming both files, when another plugin has one
 * of the names, or when this name and version are here already. UNSUPPORTED when
 * a required namespace is here in other major versions only. After a failure
 * nothing has changed. Also brings back a removed plugin. */
TN_MUST_USE tn_status tn_catalog_commit(tn_catalog *catalog, tn_catalog_plugin *plugin);
/* Hides the ops. BUSY, saying how many references there are and to what, while
 * any op is referenced. */
TN_MUST_USE tn_status tn_catalog_remove(tn_catalog *catalog, tn_catalog_plugin *plugin);

const tn_op_owner *tn_catalog_plugin_owner(const tn_catalog_plugin *plugin);
/* To its ops, now: of graphs, executables, handles and calls that are kept. */
uint64_t tn_catalog_plugin_references(const tn_catalog_plugin *plugin);
/* Its ops by name, committed or not. */
uint32_t tn_catalog_plugin_op_count(const tn_catalog_plugin *plugin);
const struct tn_op *tn_catalog_plugin_op(const tn_catalog_plugin *plugin, uint32_t index);
/* A committed plugin by "name" or, when there are several versions, by
 * "name@version". */
TN_MUST_USE tn_status tn_catalog_find_plugin(tn_catalog *catalog, const char *name,
                                             tn_catalog_plugin **out_plugin);

/* NOT_FOUND suggests a near name, or says with which plugin the op went. The op
 * is lent for the life of the catalog; retain it to keep its plugin here. */
TN_MUST_USE tn_status tn_catalog_find(tn_catalog *catalog, const char *name, size_t length,
                                      const struct tn_op **out_op);
/* The same as core sees it. */
tn_op_table tn_catalog_table(tn_catalog *catalog);

/* In order of name, then from the highest version down. visit returns false to
 * stop; it may use the catalog. */
void tn_catalog_visit(tn_catalog *catalog, bool (*visit)(void *self, const struct tn_op *op),
                      void *self);
/* Templates that plugins attach to primitives ("prim::matmul"), in order of
 * plugin name, version and place. */
void tn_catalog_visit_templates(tn_catalog *catalog,
                                bool (*visit)(void *self, const tn_template *template_,
                                              const tn_op_owner *owner),
                                void *self);

#endif
