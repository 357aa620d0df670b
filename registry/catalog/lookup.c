#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "catalog/catalog.h"
#include "catalog/catalog_state.h"

/* The plugin an op went with; NULL when no removed plugin had it. */
static const tn_catalog_plugin *removed_with(const tn_catalog *catalog, const char *name,
                                             size_t length) {
    for (const tn_catalog_plugin *p = catalog->plugins; p; p = p->next) {
        if (p->is_active || !p->is_committed) continue;
        for (uint32_t i = 0; i < p->n_ops; i++) {
            const char *own = p->ops[i].schema->full_name;
            if (strlen(own) == length && memcmp(own, name, length) == 0) return p;
        }
    }
    return NULL;
}

/* The other ways to write what the user may have meant: an overload of that op,
 * or the name that differs least. */
static void suggest(tn_catalog *catalog, const char *name, size_t length, char hint[TN_NEAR_TEXT]) {
    const tn_snapshot *snapshot = tn__catalog_begin_read(catalog);
    tn_near near;
    tn_near_init(&near, name, length);
    const char *overload = NULL;
    for (uint32_t i = 0; i < snapshot->n_ops; i++) {
        const char *candidate = snapshot->ops[i]->schema->full_name;
        bool extends = strncmp(candidate, name, length) == 0 && candidate[length] == '.';
        if (extends && !overload) overload = candidate;
        tn_near_offer(&near, candidate);
    }
    if (overload) {
        snprintf(hint, TN_NEAR_TEXT, " (did you mean its overload %s?)", overload);
    } else {
        tn_near_hint(&near, hint);
    }
    tn__catalog_end_read(catalog);
}

static TN_MUST_USE tn_status not_found(tn_catalog *catalog, const char *name, size_t length) {
    int shown = length > 200 ? 200 : (int)length;
    pthread_mutex_lock(&catalog->lock);
    const tn_catalog_plugin *plugin = removed_with(catalog, name, length);
    tn_status status = NULL;
    if (plugin) {
        status = tn_status_make(TN_NOT_FOUND,
                                "op %.*s was removed with plugin %s %s; load %s again to use it",
                                shown, name, plugin->owner.plugin_name,
                                plugin->owner.plugin_version, plugin->owner.plugin_path);
    }
    pthread_mutex_unlock(&catalog->lock);
    if (status) return status;
    char hint[TN_NEAR_TEXT];
    suggest(catalog, name, length, hint);
    return tn_status_make(TN_NOT_FOUND, "no plugin that is loaded has an op %.*s%s", shown, name,
                          hint);
}

tn_status tn_catalog_find(tn_catalog *catalog, const char *name, size_t length,
                          const struct tn_op **out_op) {
    const tn_snapshot *snapshot = tn__catalog_begin_read(catalog);
    uint32_t index = tn__snapshot_find(snapshot, name, length);
    *out_op = index < snapshot->n_ops ? &snapshot->ops[index]->op : NULL;
    tn__catalog_end_read(catalog);
    return *out_op ? NULL : not_found(catalog, name, length);
}

/* The op that `plugin` means by a name that is not its own: of the major version
 * it requires of that namespace, else the highest. */
static const struct tn_op *find_as_meant(const tn_snapshot *snapshot,
                                         const tn_catalog_plugin *plugin, const char *name,
                                         size_t length) {
    uint32_t first = tn__snapshot_find(snapshot, name, length);
    const char *colons = memchr(name, ':', length);
    int64_t major = colons ? tn__entry_required_major(plugin, name, (size_t)(colons - name)) : -1;
    for (uint32_t i = first; major >= 0 && tn__snapshot_has(snapshot, i, name, length); i++) {
        if (snapshot->ops[i]->plugin->version[0] == major) return &snapshot->ops[i]->op;
    }
    return first < snapshot->n_ops ? &snapshot->ops[first]->op : NULL;
}

/* Versions of one name follow one another, the highest first. */
static bool is_new_name(const tn_snapshot *snapshot, uint32_t first, uint32_t i) {
    return i == first || strcmp(snapshot->ops[i]->schema->full_name,
                                snapshot->ops[i - 1]->schema->full_name) != 0;
}

/* plugin: whose meaning of names counts; NULL: the highest versions. */
static uint32_t list_overloads(tn_catalog *catalog, const tn_catalog_plugin *plugin,
                               const char *name, size_t length, const struct tn_op **out,
                               uint32_t capacity) {
    const tn_snapshot *snapshot = tn__catalog_begin_read(catalog);
    uint32_t first = tn__snapshot_find_any(snapshot, name, length), n = 0;
    for (uint32_t i = first; i < snapshot->n_ops; i++) {
        const struct tn_op *op = &snapshot->ops[i]->op;
        const char *full = op->schema->full_name;
        if (!tn__is_overload(snapshot->ops[i], name, length)) break;
        if (!is_new_name(snapshot, first, i)) continue;
        if (plugin != NULL) op = find_as_meant(snapshot, plugin, full, strlen(full));
        if (n < capacity) out[n] = op;
        n++;
    }
    tn__catalog_end_read(catalog);
    return n;
}

static bool names_overload(const char *name, size_t length) {
    return memchr(name, '.', length) != NULL;
}

static uint32_t table_overloads(void *self, const char *name, size_t length,
                                const struct tn_op **out, uint32_t capacity) {
    if (names_overload(name, length)) return 0;
    return list_overloads(self, NULL, name, length, out, capacity);
}

/* Its own, if it has any of the name. */
static uint32_t scoped_overloads(void *self, const char *name, size_t length,
                                 const struct tn_op **out, uint32_t capacity) {
    const tn_catalog_plugin *plugin = self;
    uint32_t n = 0;
    if (names_overload(name, length)) return 0;
    for (uint32_t i = 0; i < plugin->n_ops; i++) {
        if (!tn__is_overload(&plugin->ops[i], name, length)) continue;
        if (n < capacity) out[n] = &plugin->ops[i].op;
        n++;
    }
    return n > 0 ? n : list_overloads(plugin->catalog, plugin, name, length, out, capacity);
}

static tn_status table_find(void *self, const char *name, size_t length,
                            const struct tn_op **out_op) {
    return tn_catalog_find(self, name, length, out_op);
}

static tn_status scoped_find(void *self, const char *name, size_t length,
                             const struct tn_op **out_op) {
    const tn_catalog_plugin *plugin = self;
    *out_op = tn__entry_find(plugin, name, length);
    if (*out_op) return NULL;
    const tn_snapshot *snapshot = tn__catalog_begin_read(plugin->catalog);
    *out_op = find_as_meant(snapshot, plugin, name, length);
    tn__catalog_end_read(plugin->catalog);
    return *out_op ? NULL : not_found(plugin->catalog, name, length);
}

/* The plugin after `previous` (NULL: the first) that is active. Plugins leave
 * the list only when they were never active. */
static const tn_catalog_plugin *next_active(tn_catalog *catalog,
                                            const tn_catalog_plugin *previous) {
    pthread_mutex_lock(&catalog->lock);
    const tn_catalog_plugin *p = previous ? previous->next : catalog->plugins;
    while (p && !p->is_active) {
        p = p->next;
    }
    pthread_mutex_unlock(&catalog->lock);
    return p;
}

static const struct tn_op *table_primitive(void *self, uint32_t prim, uint32_t index) {
    const tn_catalog_plugin *p = NULL;
    const char *name = tn_prim_get(prim)->name;
    while ((p = next_active(self, p))) {
        for (uint32_t i = 0; i < p->n_prim_ops; i++) {
            if (strcmp(p->prim_ops[i].schema->full_name + 6, name) != 0) continue;
            if (index-- == 0) return &p->prim_ops[i].op;
        }
    }
    return NULL;
}

static tn_op_table table_scope(void *self, const struct tn_op *op) {
    (void)self;
    return (tn_op_table){
        .self = tn__catalog_op(op)->plugin, .find = scoped_find, .overloads = scoped_overloads};
}

tn_op_table tn_catalog_table(tn_catalog *catalog) {
    return (tn_op_table){.self = catalog,
                         .find = table_find,
                         .scope = table_scope,
                         .overloads = table_overloads,
                         .primitive = table_primitive};
}

void tn_catalog_visit(tn_catalog *catalog, bool (*visit)(void *self, const struct tn_op *op),
                      void *self) {
    const tn_snapshot *snapshot = tn__catalog_begin_read(catalog);
    for (uint32_t i = 0; i < snapshot->n_ops; i++) {
        if (!visit(self, &snapshot->ops[i]->op)) break;
    }
    tn__catalog_end_read(catalog);
}

void tn_catalog_visit_templates(tn_catalog *catalog,
                                bool (*visit)(void *self, const tn_template *template_,
                                              const tn_op_owner *owner),
                                void *self) {
    const tn_catalog_plugin *p = NULL;
    while ((p = next_active(catalog, p))) {
        for (uint32_t i = 0; i < p->owner.plugin->n_templates; i++) {
            if (!visit(self, p->owner.plugin->templates[i], &p->owner)) return;
        }
    }
}
