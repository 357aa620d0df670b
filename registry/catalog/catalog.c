#include "catalog/catalog.h"

#include <string.h>

#include "base/allocator.h"
#include "base/near.h"
#include "catalog/catalog_state.h"

/* ------------------------------------------------------------ life and death */

tn_status tn_catalog_create(const tn_allocator *allocator, tn_catalog **out_catalog) {
    *out_catalog = NULL;
    tn_catalog *catalog = tn_alloc_zero(allocator, sizeof *catalog);
    if (!catalog) return tn_status_no_memory();
    tn_snapshot *empty;
    tn_status status = tn__snapshot_create(allocator, NULL, &empty);
    if (status) {
        tn_free(allocator, catalog, sizeof *catalog);
        return status;
    }
    catalog->allocator = allocator;
    atomic_init(&catalog->current, empty);
    atomic_init(&catalog->readers, 0);
    pthread_mutex_init(&catalog->lock, NULL);
    *out_catalog = catalog;
    return NULL;
}

static void free_retired(tn_catalog *catalog) {
    while (catalog->retired) {
        tn_snapshot *next = catalog->retired->retired;
        tn__snapshot_destroy(catalog->allocator, catalog->retired);
        catalog->retired = next;
    }
}

void tn_catalog_destroy(tn_catalog *catalog) {
    if (!catalog) return;
    free_retired(catalog);
    tn__snapshot_destroy(catalog->allocator, atomic_load(&catalog->current));
    while (catalog->plugins) {
        tn_catalog_plugin *next = catalog->plugins->next;
        tn__entry_destroy(catalog->plugins);
        catalog->plugins = next;
    }
    pthread_mutex_destroy(&catalog->lock);
    tn_free(catalog->allocator, catalog, sizeof *catalog);
}

static int compare_plugins(const tn_catalog_plugin *a, const tn_catalog_plugin *b) {
    int order = strcmp(a->owner.plugin_name, b->owner.plugin_name);
    return order ? order : tn__version_compare(b->version, a->version);
}

tn_status tn_catalog_prepare(tn_catalog *catalog, const tn_catalog_source *source,
                             tn_catalog_plugin **out_plugin) {
    TN_TRY(tn__entry_create(catalog, catalog->allocator, source, out_plugin));
    pthread_mutex_lock(&catalog->lock);
    tn_catalog_plugin **link = &catalog->plugins;
    while (*link && compare_plugins(*link, *out_plugin) <= 0) {
        link = &(*link)->next;
    }
    (*out_plugin)->next = *link;
    *link = *out_plugin;
    pthread_mutex_unlock(&catalog->lock);
    return NULL;
}

void tn_catalog_discard(tn_catalog *catalog, tn_catalog_plugin *plugin) {
    pthread_mutex_lock(&catalog->lock);
    tn_catalog_plugin **link = &catalog->plugins;
    while (*link != plugin) {
        link = &(*link)->next;
    }
    *link = plugin->next;
    pthread_mutex_unlock(&catalog->lock);
    tn__entry_destroy(plugin);
}

void tn_catalog_plugin_set_device_state(tn_catalog_plugin *plugin, void *device_state) {
    plugin->owner.device_state = device_state;
}

/* With the lock held. */
static void publish(tn_catalog *catalog, tn_snapshot *next) {
    tn_snapshot *old = atomic_exchange(&catalog->current, next);
    old->retired = catalog->retired;
    catalog->retired = old;
    if (atomic_load(&catalog->readers) == 0) free_retired(catalog);
}

/* -------------------------------------------------------------------- commit */

static TN_MUST_USE tn_status check_required(const tn_catalog *catalog,
                                            const tn_catalog_plugin *plugin) {
    for (uint32_t i = 0; i < plugin->n_requires; i++) {
        const char *ns = plugin->requires_ns[i].ns;
        uint32_t major = plugin->requires_ns[i].major;
        const tn_catalog_plugin *other = NULL;
        bool is_here = false;
        for (const tn_catalog_plugin *p = catalog->plugins; p && !is_here; p = p->next) {
            for (uint32_t k = 0; p->is_active && k < p->n_ops && !is_here; k++) {
                if (strcmp(p->ops[k].schema->ns, ns) != 0) continue;
                if (!other) other = p;
                is_here = p->version[0] == major;
            }
        }
        if (other && !is_here) {
            return tn_status_make(TN_UNSUPPORTED,
                                  "plugin %s: it requires %s %u, but %s is here from plugin %s %s "
                                  "(%s): load a version that agrees",
                                  plugin->owner.plugin_path, ns, major, ns,
                                  other->owner.plugin_name, other->owner.plugin_version,
                                  other->owner.plugin_path);
        }
    }
    return NULL;
}

/* An active plugin that `plugin` cannot stand beside. */
static TN_MUST_USE tn_status check_conflicts(const tn_catalog *catalog,
                                             const tn_catalog_plugin *plugin) {
    const tn_op_owner *own = &plugin->owner;
    for (const tn_catalog_plugin *p = catalog->plugins; p; p = p->next) {
        if (!p->is_active) continue;
        const tn_op_owner *other = &p->owner;
        bool same_name = strcmp(own->plugin_name, other->plugin_name) == 0;
        if (same_name && tn__version_compare(plugin->version, p->version) != 0) continue;
        for (uint32_t i = 0; i < plugin->n_ops; i++) {
            const char *name = plugin->ops[i].schema->full_name;
            for (uint32_t k = 0; k < p->n_ops; k++) {
                if (strcmp(name, p->ops[k].schema->full_name) != 0) continue;
                return tn_status_make(TN_EXISTS,
                                      "plugin %s (%s %s): op %s is already registered by %s (%s "
                                      "%s); nothing was registered. Unload that one first, or give "
                                      "the ops another namespace",
                                      own->plugin_path, own->plugin_name, own->plugin_version, name,
                                      other->plugin_path, other->plugin_name,
                                      other->plugin_version);
            }
        }
        if (same_name) {
            return tn_status_make(TN_EXISTS,
                                  "plugin %s: %s %s is already loaded from %s; give it another "
                                  "name or version",
                                  own->plugin_path, own->plugin_name, own->plugin_version,
                                  other->plugin_path);
        }
    }
    return NULL;
}

/* With the lock held: makes exactly the active plugins visible. */
static TN_MUST_USE tn_status set_active(tn_catalog *catalog, tn_catalog_plugin *plugin,
                                        bool is_active) {
    tn_snapshot *next;
    plugin->is_active = is_active;
    tn_status status = tn__snapshot_create(catalog->allocator, catalog->plugins, &next);
    if (status) {
        plugin->is_active = !is_active;
        return status;
    }
    plugin->is_committed = true;
    publish(catalog, next);
    return NULL;
}

static TN_MUST_USE tn_status commit_locked(tn_catalog *catalog, tn_catalog_plugin *plugin) {
    if (plugin->is_active) return NULL;
    TN_TRY(check_conflicts(catalog, plugin));
    TN_TRY(check_required(catalog, plugin));
    return set_active(catalog, plugin, true);
}

tn_status tn_catalog_commit(tn_catalog *catalog, tn_catalog_plugin *plugin) {
    pthread_mutex_lock(&catalog->lock);
    tn_status status = commit_locked(catalog, plugin);
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

/* -------------------------------------------------------------------- remove */

static TN_MUST_USE tn_status in_use(const tn_catalog_plugin *plugin, uint64_t references) {
    const tn_catalog_op *most = &plugin->ops[0];
    uint64_t most_references = 0;
    for (uint32_t i = 0; i < plugin->n_ops; i++) {
        uint64_t n = atomic_load_explicit(&plugin->ops[i].references, memory_order_relaxed);
        if (n > most_references) {
            most = &plugin->ops[i];
            most_references = n;
        }
    }
    return tn_status_make(TN_BUSY,
                          "plugin %s %s (%s) is in use: its ops are held by %llu reference%s of "
                          "graphs, executables and handles, %llu of them to %s; release those "
                          "first",
                          plugin->owner.plugin_name, plugin->owner.plugin_version,
                          plugin->owner.plugin_path, (unsigned long long)references,
                          references == 1 ? "" : "s", (unsigned long long)most_references,
                          most->schema->full_name);
}

static TN_MUST_USE tn_status remove_locked(tn_catalog *catalog, tn_catalog_plugin *plugin) {
    if (!plugin->is_active) return NULL;
    uint64_t references = tn__entry_references(plugin);
    if (references) return in_use(plugin, references);
    return set_active(catalog, plugin, false);
}

tn_status tn_catalog_remove(tn_catalog *catalog, tn_catalog_plugin *plugin) {
    pthread_mutex_lock(&catalog->lock);
    tn_status status = remove_locked(catalog, plugin);
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

static TN_MUST_USE tn_status find_plugin_locked(tn_catalog *catalog, const char *name,
                                                tn_catalog_plugin **out_plugin) {
    size_t length = strcspn(name, "@");
    const char *version = name[length] == '@' ? name + length + 1 : NULL;
    tn_catalog_plugin *found = NULL;
    tn_near near;
    tn_near_init(&near, name, length);
    for (tn_catalog_plugin *p = catalog->plugins; p; p = p->next) {
        if (!p->is_active) continue;
        const tn_op_owner *owner = &p->owner;
        tn_near_offer(&near, owner->plugin_name);
        if (strlen(owner->plugin_name) != length || memcmp(owner->plugin_name, name, length) ||
            (version && strcmp(version, owner->plugin_version) != 0)) {
            continue;
        }
        if (found) {
            return tn_status_make(
                TN_INVALID, "there are several plugins called %s; say which: %s@%s or %s@%s", name,
                name, found->owner.plugin_version, name, owner->plugin_version);
        }
        found = p;
    }
    if (!found) {
        char hint[TN_NEAR_TEXT];
        return tn_status_make(TN_NOT_FOUND, "no plugin called '%s' is loaded%s", name,
                              tn_near_hint(&near, hint));
    }
    *out_plugin = found;
    return NULL;
}

tn_status tn_catalog_find_plugin(tn_catalog *catalog, const char *name,
                                 tn_catalog_plugin **out_plugin) {
    *out_plugin = NULL;
    pthread_mutex_lock(&catalog->lock);
    tn_status status = find_plugin_locked(catalog, name, out_plugin);
    pthread_mutex_unlock(&catalog->lock);
    return status;
}
