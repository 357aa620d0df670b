#include "catalog/op_check.h"

#include <string.h>

#include "base/number.h"

/* Of a flag word, the bits that a reader must know (plugin.h). */
#define MUST_KNOW 0xffffu
#define KERNEL_FLAGS                                                                               \
    (TN_KERNEL_EXCLUSIVE_STATE | TN_KERNEL_NO_CAPTURE | TN_KERNEL_STRIDED_INPUTS |                 \
     TN_KERNEL_STRIDED_OUTPUTS)
#define PAYLOAD_FLAGS                                                                              \
    (TN_PAYLOAD_NO_DUMP | TN_PAYLOAD_NO_SHARE | TN_PAYLOAD_SM_EXACT | TN_PAYLOAD_SM_FAMILY)
#define TRAITS                                                                                     \
    (TN_TRAIT_DETERMINISTIC | TN_TRAIT_CAPTURE_SAFE | TN_TRAIT_ZERO_SIZE_OK | TN_TRAIT_POINTWISE | \
     TN_TRAIT_COMMUTATIVE | TN_TRAIT_HAS_EFFECTS)
enum { MOST_NAME = 64 };

static TN_MUST_USE tn_status check_flags(uint32_t flags, uint32_t known, const char *what) {
    uint32_t unknown = flags & MUST_KNOW & ~known;
    if (!unknown) return NULL;
    return tn_status_make(TN_UNSUPPORTED,
                          "%s hold 0x%x, which this host does not know: it may be too old", what,
                          unknown);
}

/* ------------------------------------------------------------------ schema */

static TN_MUST_USE tn_status check_schema(const tn_schema *schema) {
    if (strcmp(schema->ns, "prim") == 0) {
        return tn_status_make(TN_INVALID, "the namespace prim is that of the primitives; choose "
                                          "one of your own");
    }
    for (uint32_t i = 0; i < schema->n_results; i++) {
        const tn_schema_type *type = &schema->results[i].type;
        if (type->kind != TN_SCHEMA_TENSOR) {
            return tn_status_make(TN_UNSUPPORTED,
                                  "result %u is not a Tensor; ops return tensors only (a number "
                                  "is a 0-d tensor)",
                                  i);
        }
        if (type->writes && tn_op_written_param(schema, i) < 0) {
            return tn_status_make(TN_INVALID,
                                  "result %u is marked (%s!), but no such argument is written", i,
                                  type->alias ? type->alias : "");
        }
    }
    return NULL;
}

/* ----------------------------------------------------------------- kernels */

static TN_MUST_USE tn_status check_kernels(const tn_op_desc *desc) {
    for (uint32_t i = 0; i < desc->n_kernels; i++) {
        const tn_kernel *kernel = desc->kernels[i];
        if (kernel->device_type != TN_DEVICE_CPU && kernel->device_type != TN_DEVICE_CUDA) {
            return tn_status_make(TN_UNSUPPORTED,
                                  "kernel %u is for device type %d; known are 1 "
                                  "(CPU) and 2 (CUDA)",
                                  i, kernel->device_type);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (desc->kernels[k]->device_type == kernel->device_type) {
                return tn_status_make(TN_INVALID,
                                      "kernels %u and %u are both for device type %d; one kernel a "
                                      "device, which chooses in prepare",
                                      k, i, kernel->device_type);
            }
        }
        if (!kernel->run) return tn_status_make(TN_INVALID, "kernel %u has no run function", i);
        tn_status status = check_flags(kernel->flags, KERNEL_FLAGS, "its flags");
        if (status) return tn_status_annotate(status, "kernel %u: ", i);
    }
    return NULL;
}

/* --------------------------------------------------------------- templates */

static TN_MUST_USE tn_status check_slots(const tn_template *t) {
    for (uint32_t i = 0; i < t->n_slots; i++) {
        const tn_slot *slot = t->slots[i];
        if (!slot->name || !slot->name[0]) {
            return tn_status_make(TN_INVALID, "slot %u has no name", i);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(t->slots[k]->name, slot->name) == 0) {
                return tn_status_make(TN_INVALID, "two slots are called '%s'", slot->name);
            }
        }
        if (slot->kind < TN_SLOT_PROLOGUE || slot->kind > TN_SLOT_SCORE) {
            return tn_status_make(TN_UNSUPPORTED,
                                  "slot '%s' is of kind %d, which this host does "
                                  "not know",
                                  slot->name, slot->kind);
        }
        if (slot->rank < 0 || slot->vector_width < 0 || slot->accumulators < 0 ||
            slot->operand < 0) {
            return tn_status_make(TN_INVALID,
                                  "slot '%s': operand %d, rank %d, vector width %d and "
                                  "accumulators %d cannot be negative",
                                  slot->name, slot->operand, slot->rank, slot->vector_width,
                                  slot->accumulators);
        }
    }
    return NULL;
}

static TN_MUST_USE tn_status check_payloads(const tn_template *t) {
    for (uint32_t i = 0; i < t->n_payloads; i++) {
        const tn_payload *payload = t->payloads[i];
        if (!payload->data || payload->bytes == 0) {
            return tn_status_make(TN_INVALID, "payload %u is empty", i);
        }
        tn_status status = check_flags(payload->flags, PAYLOAD_FLAGS, "its flags");
        if (status) return tn_status_annotate(status, "payload %u: ", i);
    }
    return NULL;
}

static TN_MUST_USE tn_status check_template(const tn_template *t) {
    if (!t->name || !t->name[0]) return tn_status_make(TN_INVALID, "it has no name");
    if (t->n_configs == 0) return tn_status_make(TN_INVALID, "it has no configuration");
    if (!t->accept || !t->configure) {
        return tn_status_make(TN_INVALID, "it has no %s function",
                              t->accept ? "configure" : "accept");
    }
    if (t->native && (!t->native->accept || !t->native->prepare || !t->native->run)) {
        return tn_status_make(TN_INVALID, "its native call has no %s function",
                              !t->native->accept    ? "accept"
                              : !t->native->prepare ? "prepare"
                                                    : "run");
    }
    TN_TRY(check_flags(t->flags, 0, "its flags"));
    TN_TRY(check_payloads(t));
    return check_slots(t);
}

static tn_status name_template(tn_status status, const tn_template *t) {
    return tn_status_annotate(status, "template '%s': ", t->name ? t->name : "");
}

static TN_MUST_USE tn_status check_templates(const tn_schema *schema, const tn_op_desc *desc) {
    for (uint32_t i = 0; i < desc->n_templates; i++) {
        const tn_template *t = desc->templates[i];
        TN_TRY(name_template(check_template(t), t));
        if (t->op && strcmp(t->op, schema->full_name) != 0) {
            return name_template(tn_status_make(TN_INVALID,
                                                "it is for op '%s', but is listed under this one",
                                                t->op),
                                 t);
        }
    }
    return NULL;
}

tn_status tn__prim_template_check(const tn_template *t) {
    TN_TRY(name_template(check_template(t), t));
    static const char prefix[] = "prim::";
    size_t skip = sizeof prefix - 1;
    if (!t->op || strncmp(t->op, prefix, skip) != 0 ||
        !tn_prim_find(t->op + skip, strlen(t->op + skip))) {
        return name_template(tn_status_make(TN_INVALID,
                                            "it is for '%s'; a plugin's own list is for templates "
                                            "of primitives, such as prim::matmul",
                                            t->op ? t->op : ""),
                             t);
    }
    return NULL;
}

/* ---------------------------------------------------------------------- op */

static TN_MUST_USE tn_status check_layouts(const tn_schema *schema, const tn_op_desc *desc) {
    if (desc->n_layouts > schema->n_params) {
        return tn_status_make(TN_INVALID, "there are %u layouts for %u arguments", desc->n_layouts,
                              schema->n_params);
    }
    for (uint32_t i = 0; i < desc->n_layouts; i++) {
        if (desc->layouts[i] > TN_LAYOUT_LAST_UNIT) {
            return tn_status_make(TN_UNSUPPORTED, "argument '%s': layout %u is not known",
                                  schema->params[i].name, desc->layouts[i]);
        }
    }
    return NULL;
}

tn_status tn__op_check(const tn_schema *schema, const tn_op_desc *desc) {
    TN_TRY(check_schema(schema));
    if (!desc->meta) {
        return tn_status_make(TN_INVALID, "it has no meta function; every op needs one");
    }
    if (desc->lower && desc->lowering_text) {
        return tn_status_make(TN_INVALID,
                              "it has a lowering function and a lowering text; give one");
    }
    TN_TRY(check_kernels(desc));
    TN_TRY(check_templates(schema, desc));
    TN_TRY(check_layouts(schema, desc));
    TN_TRY(check_flags(desc->traits, TRAITS, "its traits"));
    bool can_run = desc->n_kernels || desc->n_templates || desc->lower || desc->lowering_text ||
                   desc->decompose;
    if (!can_run) {
        return tn_status_make(TN_INVALID, "it cannot run: it has no kernel, lowering, "
                                          "decomposition or template that this host knows");
    }
    return NULL;
}

/* ------------------------------------------------------------------ plugin */

static bool name_is_valid(const char *name) {
    size_t length = 0;
    for (; name[length]; length++) {
        char c = name[length];
        bool letter = c >= 'a' && c <= 'z';
        if (!letter && (length == 0 || !((c >= '0' && c <= '9') || c == '_'))) return false;
    }
    return length > 0 && length <= MOST_NAME;
}

bool tn__version_parse(const char *text, uint32_t out_version[3]) {
    for (int i = 0; i < 3; i++) {
        size_t length = strspn(text, "0123456789");
        int64_t value;
        if (length == 0 || (length > 1 && text[0] == '0') || !tn_int_parse(text, length, &value) ||
            value > UINT32_MAX) {
            return false;
        }
        out_version[i] = (uint32_t)value;
        text += length;
        if (*text != (i < 2 ? '.' : '\0')) return false;
        text++;
    }
    return true;
}

tn_status tn__plugin_check(const tn_plugin *plugin, uint32_t out_version[3]) {
    if (!plugin->name || !name_is_valid(plugin->name)) {
        return tn_status_make(TN_INVALID,
                              "its name is '%s', expected [a-z][a-z0-9_]*, at most %d long",
                              plugin->name ? plugin->name : "", MOST_NAME);
    }
    if (!plugin->version || !tn__version_parse(plugin->version, out_version)) {
        return tn_status_make(TN_INVALID, "its version is '%s', expected major.minor.patch",
                              plugin->version ? plugin->version : "");
    }
    if (plugin->abi_needed == 0 || plugin->abi_needed > TN_ABI_VERSION) {
        return tn_status_make(TN_UNSUPPORTED,
                              "it needs ABI %u, this host offers 1 to %u: use a newer host, or "
                              "build the plugin for an older ABI",
                              plugin->abi_needed, TN_ABI_VERSION);
    }
    return NULL;
}
