/* One plugin in the catalog, and its ops. Private to catalog. */
#ifndef TN_CATALOG_ENTRY_H
#define TN_CATALOG_ENTRY_H

#include "catalog/catalog.h"

typedef struct tn_catalog_op {
    struct tn_op op;
    _Atomic uint64_t references;
    tn_catalog_plugin *plugin;
    tn_schema *schema;
} tn_catalog_op;

struct tn_catalog_plugin {
    tn_catalog *catalog;
    tn_arena arena;
    tn_op_owner owner;
    uint32_t version[3];
    tn_catalog_op *ops; /* by name */
    uint32_t n_ops;
    tn_catalog_op *prim_ops; /* its templates of primitives, in order */
    uint32_t n_prim_ops;
    struct {
        const char *ns;
        uint32_t major;
    } * requires_ns;
    uint32_t n_requires;
    /* Under the catalog's lock. A plugin that was never committed is known to
     * its maker alone; a removed one stays in the list, not active. */
    bool is_committed, is_active;
    tn_catalog_plugin *next;
};

/* Parses and checks; nothing is kept on failure. */
TN_MUST_USE tn_status tn__entry_create(tn_catalog *catalog, const tn_allocator *allocator,
                                       const tn_catalog_source *source,
                                       tn_catalog_plugin **out_plugin);
void tn__entry_destroy(tn_catalog_plugin *plugin); /* NULL is fine */

static inline const tn_catalog_op *tn__catalog_op(const struct tn_op *op) {
    return (const tn_catalog_op *)(const void *)op; /* its first member */
}
/* By name, then from the highest version down. */
int tn__catalog_op_compare(const tn_catalog_op *a, const tn_catalog_op *b);
int tn__version_compare(const uint32_t a[3], const uint32_t b[3]);
uint64_t tn__entry_references(const tn_catalog_plugin *plugin);
/* Its own op of this name; NULL when it has none. */
const struct tn_op *tn__entry_find(const tn_catalog_plugin *plugin, const char *name,
                                   size_t length);
/* Whether the op is "ns::op" or one of its overloads. */
bool tn__is_overload(const tn_catalog_op *op, const char *name, size_t length);
/* The version of this namespace that the plugin's note requires; -1: none. */
int64_t tn__entry_required_major(const tn_catalog_plugin *plugin, const char *ns, size_t length);

#endif
