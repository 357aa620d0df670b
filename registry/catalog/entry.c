#include "catalog/entry.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "base/number.h"
#include "catalog/op_check.h"

/* The catalog outlives every reference, so the last release frees nothing: the
 * count is only there to refuse the removal of a plugin in use. */
static void op_retain(const struct tn_op *op) {
    tn_catalog_op *self = (tn_catalog_op *)(uintptr_t)op;
    atomic_fetch_add_explicit(&self->references, 1, memory_order_relaxed);
}

static void op_release(const struct tn_op *op) {
    tn_catalog_op *self = (tn_catalog_op *)(uintptr_t)op;
    atomic_fetch_sub_explicit(&self->references, 1, memory_order_release);
}

static const tn_kernel *kernel_for(const tn_op_desc *desc, int32_t device_type) {
    for (uint32_t i = 0; i < desc->n_kernels; i++) {
        if (desc->kernels[i]->device_type == device_type) return desc->kernels[i];
    }
    return NULL;
}

static tn_digest identity_of(const tn_schema *schema, const tn_op_desc *desc, tn_digest content) {
    tn_hasher hasher;
    tn_hasher_init(&hasher);
    tn_hasher_text(&hasher, schema->text);
    tn_hasher_u64(&hasher, desc->traits);
    tn_hasher_text(&hasher, desc->lowering_text ? desc->lowering_text : "");
    tn_hasher_u64(&hasher, content.lo);
    tn_hasher_u64(&hasher, content.hi);
    return tn_hasher_digest(&hasher);
}

static TN_MUST_USE tn_status make_op(tn_catalog_plugin *plugin, const tn_op_desc *desc,
                                     tn_catalog_op *op) {
    if (!desc->schema) return tn_status_make(TN_INVALID, "its schema is NULL");
    TN_TRY(
        tn_schema_parse(plugin->arena.allocator, desc->schema, strlen(desc->schema), &op->schema));
    op->plugin = plugin;
    op->op = (struct tn_op){.schema = op->schema,
                            .desc = desc,
                            .cpu = kernel_for(desc, TN_DEVICE_CPU),
                            .cuda = kernel_for(desc, TN_DEVICE_CUDA),
                            .owner = &plugin->owner,
                            .identity = identity_of(op->schema, desc, plugin->owner.content),
                            .retain = op_retain,
                            .release = op_release};
    atomic_init(&op->references, 0);
    return tn_status_annotate(tn__op_check(op->schema, desc), "op %s: ", op->schema->full_name);
}

int tn__version_compare(const uint32_t a[3], const uint32_t b[3]) {
    for (int i = 0; i < 3; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

int tn__catalog_op_compare(const tn_catalog_op *a, const tn_catalog_op *b) {
    int order = strcmp(a->schema->full_name, b->schema->full_name);
    return order ? order : tn__version_compare(b->plugin->version, a->plugin->version);
}

static int compare_ops(const void *a, const void *b) {
    return tn__catalog_op_compare(a, b);
}

static TN_MUST_USE tn_status make_ops(tn_catalog_plugin *plugin) {
    const tn_plugin *source = plugin->owner.plugin;
    plugin->ops = tn_arena_array(&plugin->arena, source->n_ops, sizeof *plugin->ops);
    if (!plugin->ops) return tn_status_no_memory();
    for (uint32_t i = 0; i < source->n_ops; i++) {
        /* Counted first, so that a failure frees what there is of it. */
        plugin->n_ops = i + 1;
        tn_status status = make_op(plugin, source->ops[i], &plugin->ops[i]);
        if (status && !plugin->ops[i].schema) return tn_status_annotate(status, "op %u: ", i);
        TN_TRY(status);
    }
    if (plugin->n_ops) qsort(plugin->ops, plugin->n_ops, sizeof *plugin->ops, compare_ops);
    for (uint32_t i = 1; i < plugin->n_ops; i++) {
        const char *name = plugin->ops[i].schema->full_name;
        if (strcmp(plugin->ops[i - 1].schema->full_name, name) == 0) {
            return tn_status_make(TN_INVALID, "op %s is described twice", name);
        }
    }
    return NULL;
}

/* A template of a primitive is an op like it, which has nothing else to run it. */
static TN_MUST_USE tn_status make_prim_op(tn_catalog_plugin *plugin, const tn_template *const *t,
                                          tn_catalog_op *op) {
    TN_TRY(tn__prim_template_check(*t));
    const char *name = strchr((*t)->op, ':') + 2,
               *text = tn_prim_find(name, strlen(name))->schema_text;
    tn_op_desc *desc = tn_arena_alloc(&plugin->arena, sizeof *desc);
    if (!desc) return tn_status_no_memory();
    *desc = (tn_op_desc){
        .struct_size = sizeof *desc, .schema = text, .templates = t, .n_templates = 1};
    TN_TRY(tn_schema_parse(plugin->arena.allocator, text, strlen(text), &op->schema));
    op->plugin = plugin;
    op->op = (struct tn_op){.schema = op->schema,
                            .desc = desc,
                            .owner = &plugin->owner,
                            .identity = identity_of(op->schema, desc, plugin->owner.content),
                            .retain = op_retain,
                            .release = op_release};
    atomic_init(&op->references, 0);
    return NULL;
}

static TN_MUST_USE tn_status make_prim_ops(tn_catalog_plugin *plugin) {
    const tn_plugin *source = plugin->owner.plugin;
    plugin->prim_ops = tn_arena_array(&plugin->arena, source->n_templates,
                                      sizeof *plugin->prim_ops);
    if (!plugin->prim_ops) return tn_status_no_memory();
    for (uint32_t i = 0; i < source->n_templates; i++) {
        plugin->n_prim_ops = i + 1;
        TN_TRY(make_prim_op(plugin, &source->templates[i], &plugin->prim_ops[i]));
    }
    return NULL;
}

static TN_MUST_USE tn_status make_requires(tn_catalog_plugin *plugin,
                                           const tn_catalog_source *source) {
    plugin->requires_ns = tn_arena_array(&plugin->arena, source->n_requires,
                                         sizeof *plugin->requires_ns);
    if (!plugin->requires_ns) return tn_status_no_memory();
    for (uint32_t i = 0; i < source->n_requires; i++) {
        const char *text = source->requires_ns[i];
        size_t length = strcspn(text, " ");
        int64_t major;
        if (length == 0 || text[length] != ' ' ||
            !tn_int_parse(text + length + 1, strlen(text + length + 1), &major) || major < 0 ||
            major > UINT32_MAX) {
            return tn_status_make(TN_INVALID,
                                  "it requires '%s', expected a namespace and a major version, "
                                  "such as 'tn 1'",
                                  text);
        }
        char *ns = tn_arena_strndup(&plugin->arena, text, length);
        if (!ns) return tn_status_no_memory();
        plugin->requires_ns[i].ns = ns;
        plugin->requires_ns[i].major = (uint32_t)major;
        plugin->n_requires = i + 1;
    }
    return NULL;
}

static TN_MUST_USE tn_status fill(tn_catalog_plugin *plugin, const tn_catalog_source *source) {
    const tn_plugin *described = source->plugin;
    TN_TRY(tn__plugin_check(described, plugin->version));
    char *path = tn_arena_strdup(&plugin->arena, source->path);
    char *sha256 = tn_arena_strdup(&plugin->arena, source->sha256 ? source->sha256 : "");
    if (!path || !sha256) return tn_status_no_memory();
    plugin->owner = (tn_op_owner){.plugin_name = described->name,
                                  .plugin_version = described->version,
                                  .plugin_path = path,
                                  .plugin_sha256 = sha256,
                                  .content = source->content,
                                  .plugin = described};
    TN_TRY(make_requires(plugin, source));
    TN_TRY(make_ops(plugin));
    return make_prim_ops(plugin);
}

tn_status tn__entry_create(tn_catalog *catalog, const tn_allocator *allocator,
                           const tn_catalog_source *source, tn_catalog_plugin **out_plugin) {
    *out_plugin = NULL;
    tn_catalog_plugin *plugin = tn_alloc_zero(allocator, sizeof *plugin);
    if (!plugin) return tn_status_no_memory();
    plugin->catalog = catalog;
    tn_arena_init(&plugin->arena, allocator);
    tn_status status = fill(plugin, source);
    if (status) {
        tn__entry_destroy(plugin);
        return tn_status_annotate(status, "plugin %s: ", source->path);
    }
    *out_plugin = plugin;
    return NULL;
}

void tn__entry_destroy(tn_catalog_plugin *plugin) {
    if (!plugin) return;
    for (uint32_t i = 0; i < plugin->n_ops; i++) {
        tn_schema_free(plugin->ops[i].schema);
    }
    for (uint32_t i = 0; i < plugin->n_prim_ops; i++) {
        tn_schema_free(plugin->prim_ops[i].schema);
    }
    const tn_allocator *allocator = plugin->arena.allocator;
    tn_arena_deinit(&plugin->arena);
    tn_free(allocator, plugin, sizeof *plugin);
}

const tn_op_owner *tn_catalog_plugin_owner(const tn_catalog_plugin *plugin) {
    return &plugin->owner;
}

uint64_t tn_catalog_plugin_references(const tn_catalog_plugin *plugin) {
    return tn__entry_references(plugin);
}

uint32_t tn_catalog_plugin_op_count(const tn_catalog_plugin *plugin) {
    return plugin->n_ops;
}

const struct tn_op *tn_catalog_plugin_op(const tn_catalog_plugin *plugin, uint32_t index) {
    return &plugin->ops[index].op;
}

const struct tn_op *tn__entry_find(const tn_catalog_plugin *plugin, const char *name,
                                   size_t length) {
    uint32_t low = 0, high = plugin->n_ops;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *own = plugin->ops[middle].schema->full_name;
        size_t own_length = strlen(own);
        int order = memcmp(own, name, own_length < length ? own_length : length);
        if (order == 0) order = (own_length > length) - (own_length < length);
        if (order == 0) return &plugin->ops[middle].op;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

bool tn__is_overload(const tn_catalog_op *op, const char *name, size_t length) {
    const char *own = op->schema->full_name;
    return strncmp(own, name, length) == 0 && (own[length] == 0 || own[length] == '.');
}

uint64_t tn__entry_references(const tn_catalog_plugin *plugin) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < plugin->n_ops; i++) {
        total += atomic_load_explicit(&plugin->ops[i].references, memory_order_acquire);
    }
    for (uint32_t i = 0; i < plugin->n_prim_ops; i++) {
        total += atomic_load_explicit(&plugin->prim_ops[i].references, memory_order_acquire);
    }
    return total;
}

int64_t tn__entry_required_major(const tn_catalog_plugin *plugin, const char *ns, size_t length) {
    for (uint32_t i = 0; i < plugin->n_requires; i++) {
        const char *required = plugin->requires_ns[i].ns;
        if (strlen(required) == length && memcmp(required, ns, length) == 0) {
            return plugin->requires_ns[i].major;
        }
    }
    return -1;
}
