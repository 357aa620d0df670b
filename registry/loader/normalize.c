#include "loader/normalize.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ir/prim.h"

/* Bounds that plugin.h states, and bounds beyond which a count is a mistake. */
enum { LEAST_STRUCT = 16, MOST_STRUCT = 65536, LONGEST_CHAIN = 64 };
enum {
    MOST_OPS = 65536,
    MOST_KERNELS = 64,
    MOST_TEMPLATES = 4096,
    MOST_PAYLOADS = 1024,
    MOST_SLOTS = 64,
    MOST_FUNCTIONS = 65536,
    MOST_PARAMS = 1024,
    MOST_LAYOUTS = 64
};
enum { KNOWN_DIALECT = 1 };

typedef struct reader {
    tn_arena *arena;
    const char *op; /* the schema of the op that is read; NULL outside of ops */
    tn_log_fn log;
    void *log_self;
} reader;

/* Reads on behalf of an item that was copied: its nested lists and strings. Sets
 * *out_unknown to what makes the item none of this build's business. */
typedef tn_status (*visit_fn)(reader *r, void *item, const char **out_unknown);

/* ------------------------------------------------------------------ structs */

static TN_MUST_USE tn_status check_extensions(const tn_extension *extension) {
    for (int length = 0; extension; extension = extension->next) {
        if (++length > LONGEST_CHAIN) {
            return tn_status_make(TN_PLUGIN, "its chain of extensions is longer than %d",
                                  LONGEST_CHAIN);
        }
        if (extension->struct_size < sizeof *extension || extension->struct_size > MOST_STRUCT) {
            return tn_status_make(TN_PLUGIN, "an extension has struct_size %u",
                                  extension->struct_size);
        }
        /* This build knows none. */
        if (extension->flags & TN_EXT_REQUIRED) {
            return tn_status_make(TN_UNSUPPORTED,
                                  "it requires the extension '%s', which this host does not know: "
                                  "use a newer one",
                                  extension->id ? extension->id : "");
        }
    }
    return NULL;
}

/* Copies what both sides know of an extensible struct. */
static TN_MUST_USE tn_status copy_struct(reader *r, const void *raw, size_t known, void **out) {
    struct header {
        TN_HEADER;
    } header;
    if (!raw) return tn_status_make(TN_PLUGIN, "it is NULL");
    if ((uintptr_t)raw % _Alignof(struct header) != 0) {
        return tn_status_make(TN_PLUGIN, "it lies at %p, which is not aligned for a struct", raw);
    }
    uint32_t given;
    memcpy(&given, raw, sizeof given);
    if (given < LEAST_STRUCT || given > MOST_STRUCT) {
        return tn_status_make(TN_PLUGIN,
                              "its struct_size is %u, expected %zu: set it to the sizeof of the "
                              "struct",
                              given, known);
    }
    memcpy(&header, raw, sizeof header);
    TN_TRY(check_extensions(header.extensions));
    char *copy = tn_arena_alloc(r->arena, known);
    if (!copy) return tn_status_no_memory();
    memcpy(copy, raw, given < known ? given : known);
    uint32_t own = (uint32_t)known;
    memcpy(copy, &own, sizeof own);
    *out = copy;
    return NULL;
}

static void report(reader *r, const char *what, uint32_t index, const char *unknown) {
    if (!r->log) return;
    char message[512];
    snprintf(message, sizeof message, "%s%s%s %u is left out: %s", r->op ? r->op : "",
             r->op ? ": " : "", what, index, unknown);
    r->log(r->log_self, TN_LOG_INFO, message);
}

/* Copies a list of pointers to structs and what they point to, but for items
 * that are unknown. `list` and `count` are those of the copied parent. */
static TN_MUST_USE tn_status copy_list(reader *r, const char *what, void *list, uint32_t *count,
                                       uint32_t most, size_t known, visit_fn visit) {
    const char *raw;
    memcpy(&raw, list, sizeof raw);
    if (*count > most) {
        return tn_status_make(TN_PLUGIN, "it has %u entries called %s, at most %u are allowed",
                              *count, what, most);
    }
    if (*count > 0 && !raw) {
        return tn_status_make(TN_PLUGIN, "it has %u entries called %s, but the list is NULL",
                              *count, what);
    }
    char *copy = tn_arena_array(r->arena, *count, sizeof(void *));
    if (!copy) return tn_status_no_memory();
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        const void *item;
        void *own = NULL;
        const char *unknown = NULL;
        memcpy(&item, raw + i * sizeof item, sizeof item);
        tn_status status = copy_struct(r, item, known, &own);
        if (!status) status = visit(r, own, &unknown);
        if (status) return tn_status_annotate(status, "%s %u: ", what, i);
        if (unknown) {
            report(r, what, i, unknown);
        } else {
            memcpy(copy + kept++ * sizeof own, &own, sizeof own);
        }
    }
    memcpy(list, &copy, sizeof copy);
    *count = kept;
    return NULL;
}

static TN_MUST_USE tn_status copy_text(reader *r, const char **text) {
    if (!*text) return NULL;
    *text = tn_arena_strdup(r->arena, *text);
    return *text ? NULL : tn_status_no_memory();
}

/* A plain array; `array` is the pointer in the copied parent. */
static TN_MUST_USE tn_status copy_array(reader *r, const char *what, void *array, uint32_t count,
                                        uint32_t most, size_t size) {
    const void *raw;
    memcpy(&raw, array, sizeof raw);
    if (count > most || (count > 0 && !raw)) {
        return tn_status_make(TN_PLUGIN, "it has %u %s%s, at most %u are allowed", count, what,
                              raw ? "" : " at NULL", most);
    }
    void *copy = tn_arena_copy(r->arena, raw, count * size);
    if (!copy) return tn_status_no_memory();
    memcpy(array, &copy, sizeof copy);
    return NULL;
}

/* ------------------------------------------------------------------ visitors */

static bool is_device(int32_t type) {
    return type == TN_DEVICE_CPU || type == TN_DEVICE_CUDA;
}

static tn_status visit_kernel(reader *r, void *item, const char **out_unknown) {
    (void)r;
    const tn_kernel *kernel = item;
    if (!is_device(kernel->device_type)) *out_unknown = "this host does not know its device type";
    return NULL;
}

static tn_status visit_payload(reader *r, void *item, const char **out_unknown) {
    tn_payload *payload = item;
    if (payload->kind < TN_CODE_C || payload->kind > TN_CODE_CUBIN) {
        *out_unknown = "this host does not know its kind";
    } else if (payload->dialect > KNOWN_DIALECT) {
        *out_unknown = "this host does not know its dialect";
    }
    /* The code itself stays where it is: it may be large, and is mapped for good. */
    return copy_text(r, &payload->entry);
}

static tn_status visit_slot(reader *r, void *item, const char **out_unknown) {
    (void)out_unknown;
    tn_slot *slot = item;
    return copy_text(r, &slot->name);
}

/* A template under an op, or of a primitive. */
static tn_status visit_template(reader *r, void *item, const char **out_unknown) {
    tn_template *t = item;
    if (!is_device(t->device_type)) {
        *out_unknown = "this host does not know its device type";
        return NULL;
    }
    TN_TRY(copy_text(r, &t->name));
    TN_TRY(copy_text(r, &t->op));
    if (t->native) {
        void *native;
        TN_TRY(tn_status_annotate(copy_struct(r, t->native, sizeof *t->native, &native),
                                  "its native call: "));
        t->native = native;
    }
    TN_TRY(copy_list(r, "payload", &t->payloads, &t->n_payloads, MOST_PAYLOADS, sizeof(tn_payload),
                     visit_payload));
    return copy_list(r, "slot", &t->slots, &t->n_slots, MOST_SLOTS, sizeof(tn_slot), visit_slot);
}

static tn_status visit_prim_template(reader *r, void *item, const char **out_unknown) {
    static const char prefix[] = "prim::";
    const tn_template *t = item;
    const char *name = t->op && strncmp(t->op, prefix, 6) == 0 ? t->op + 6 : NULL;
    if (name && !tn_prim_find(name, strlen(name))) {
        *out_unknown = "this host does not know the primitive it is for";
        return NULL;
    }
    return visit_template(r, item, out_unknown);
}

static tn_status visit_function(reader *r, void *item, const char **out_unknown) {
    (void)out_unknown;
    tn_function *function = item;
    TN_TRY(copy_text(r, &function->name));
    TN_TRY(copy_text(r, &function->reference));
    TN_TRY(copy_array(r, "parameters", &function->params, function->n_params, MOST_PARAMS,
                      sizeof(tn_dtype)));
    return copy_list(r, "payload", &function->payloads, &function->n_payloads, MOST_PAYLOADS,
                     sizeof(tn_payload), visit_payload);
}

static tn_status visit_op(reader *r, void *item, const char **out_unknown) {
    (void)out_unknown;
    tn_op_desc *op = item;
    TN_TRY(copy_text(r, &op->schema));
    r->op = op->schema;
    TN_TRY(copy_text(r, &op->doc));
    TN_TRY(copy_text(r, &op->lowering_text));
    TN_TRY(copy_array(r, "layouts", &op->layouts, op->n_layouts, MOST_LAYOUTS, 1));
    TN_TRY(copy_list(r, "kernel", &op->kernels, &op->n_kernels, MOST_KERNELS, sizeof(tn_kernel),
                     visit_kernel));
    return copy_list(r, "template", &op->templates, &op->n_templates, MOST_TEMPLATES,
                     sizeof(tn_template), visit_template);
}

tn_status tn__plugin_normalize(const tn_plugin *raw, tn_arena *arena, tn_log_fn log, void *log_self,
                               const tn_plugin **out_plugin) {
    reader r = {.arena = arena, .log = log, .log_self = log_self};
    void *copy = NULL;
    tn_status status = copy_struct(&r, raw, sizeof(tn_plugin), &copy);
    if (status) return tn_status_annotate(status, "its tn_plugin: ");
    tn_plugin *plugin = copy;
    TN_TRY(copy_text(&r, &plugin->name));
    TN_TRY(copy_text(&r, &plugin->version));
    TN_TRY(
        copy_list(&r, "op", &plugin->ops, &plugin->n_ops, MOST_OPS, sizeof(tn_op_desc), visit_op));
    r.op = NULL;
    TN_TRY(copy_list(&r, "template", &plugin->templates, &plugin->n_templates, MOST_TEMPLATES,
                     sizeof(tn_template), visit_prim_template));
    TN_TRY(copy_list(&r, "function", &plugin->functions, &plugin->n_functions, MOST_FUNCTIONS,
                     sizeof(tn_function), visit_function));
    *out_plugin = plugin;
    return NULL;
}
