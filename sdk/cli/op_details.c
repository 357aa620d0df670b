#include <stdio.h>
#include <string.h>

#include "listing.h"

typedef struct bit {
    uint32_t bit;
    const char *text;
} bit;

static const bit traits[] = {
    {TN_TRAIT_DETERMINISTIC, "deterministic"}, {TN_TRAIT_CAPTURE_SAFE, "capture-safe"},
    {TN_TRAIT_ZERO_SIZE_OK, "zero-size-ok"},   {TN_TRAIT_POINTWISE, "pointwise"},
    {TN_TRAIT_COMMUTATIVE, "commutative"},     {TN_TRAIT_HAS_EFFECTS, "has-effects"}};
static const bit kernel_flags[] = {{TN_KERNEL_STRIDED_INPUTS, "inputs of any strides"},
                                   {TN_KERNEL_STRIDED_OUTPUTS, "results of any strides"},
                                   {TN_KERNEL_EXCLUSIVE_STATE, "one run at a time"},
                                   {TN_KERNEL_NO_CAPTURE, "not while capturing"}};

static const char *device_text(int32_t type) {
    return type == TN_DEVICE_CPU ? "cpu" : type == TN_DEVICE_CUDA ? "cuda" : "unknown";
}

static const char *slot_text(int32_t kind) {
    switch (kind) {
    case TN_SLOT_PROLOGUE: return "prologue";
    case TN_SLOT_EPILOGUE: return "epilogue";
    case TN_SLOT_SCORE: return "score";
    default: return "unknown";
    }
}

static const char *lowering_text(const tn_op_desc *d) {
    if (d->lower != NULL) return "a function";
    return d->lowering_text != NULL ? "text:" : "none";
}

static void print_bits(const bit *bits, size_t n, uint32_t set, const char *before) {
    for (size_t i = 0; i < n; i++) {
        if (!(set & bits[i].bit)) continue;
        printf("%s%s", before, bits[i].text);
        before = ", ";
    }
}
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void print_lines(const char *text) {
    while (*text != 0) {
        size_t n = strcspn(text, "\n");
        printf("      %.*s\n", (int)n, text);
        text += text[n] != 0 ? n + 1 : n;
    }
}

static void print_kernel(const tn_kernel *k) {
    printf("  kernel         %s", device_text(k->device_type));
    if (k->accept != NULL) printf(", may decline");
    if (k->workspace != NULL) printf(", with a workspace");
    print_bits(kernel_flags, COUNT(kernel_flags), k->flags, ", ");
    printf("\n");
}

static void print_template(const tn_template *t) {
    printf("  template       %s: %s, %u configuration%s\n", t->name, device_text(t->device_type),
           t->n_configs, t->n_configs == 1 ? "" : "s");
    for (uint32_t i = 0; i < t->n_slots; i++) {
        const tn_slot *s = t->slots[i];
        printf("    slot         %s: %s of %s %d, rank %d, %s\n", s->name, slot_text(s->kind),
               s->kind == TN_SLOT_PROLOGUE ? "argument" : "result", s->operand, s->rank,
               tn_dtype_text(s->dtype));
    }
}

void cli_op_print(const tn_op_info *op) {
    const tn_op_desc *d = op->desc;
    printf("%s\n", op->schema);
    if (op->doc[0] != 0) printf("  %s\n", op->doc);
    printf("  plugin         %s %s\n  file           %s\n  sha256         %s\n", op->plugin_name,
           op->plugin_version, op->plugin_path, op->plugin_sha256);
    printf("  lowering       %s\n", lowering_text(d));
    if (d->lowering_text != NULL) print_lines(d->lowering_text);
    if (d->decompose != NULL) printf("  decomposition  a function\n");
    for (uint32_t i = 0; i < d->n_kernels; i++)
        print_kernel(d->kernels[i]);
    if (d->n_kernels == 0) printf("  kernel         none\n");
    for (uint32_t i = 0; i < d->n_templates; i++)
        print_template(d->templates[i]);
    printf("  traits         ");
    print_bits(traits, COUNT(traits), op->traits, "");
    printf(op->traits != 0 ? "\n" : "none stated\n");
}

static cJSON *bits_json(const bit *bits, size_t n, uint32_t set) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        if (set & bits[i].bit) cJSON_AddItemToArray(array, cJSON_CreateString(bits[i].text));
    }
    return array;
}

static cJSON *kernel_json(const tn_kernel *k) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "device", device_text(k->device_type));
    cJSON_AddBoolToObject(o, "may_decline", k->accept != NULL);
    cJSON_AddBoolToObject(o, "workspace", k->workspace != NULL);
    cJSON_AddItemToObject(o, "flags", bits_json(kernel_flags, COUNT(kernel_flags), k->flags));
    return o;
}

static cJSON *template_json(const tn_template *t) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", t->name);
    cJSON_AddStringToObject(o, "device", device_text(t->device_type));
    cJSON_AddNumberToObject(o, "configurations", t->n_configs);
    cJSON *slots = cJSON_AddArrayToObject(o, "slots");
    for (uint32_t i = 0; i < t->n_slots; i++) {
        const tn_slot *s = t->slots[i];
        cJSON *slot = cJSON_CreateObject();
        cJSON_AddStringToObject(slot, "name", s->name);
        cJSON_AddStringToObject(slot, "kind", slot_text(s->kind));
        cJSON_AddNumberToObject(slot, "operand", s->operand);
        cJSON_AddNumberToObject(slot, "rank", s->rank);
        cJSON_AddStringToObject(slot, "dtype", tn_dtype_text(s->dtype));
        cJSON_AddItemToArray(slots, slot);
    }
    return o;
}

cJSON *cli_op_json(const tn_op_info *op) {
    const tn_op_desc *d = op->desc;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", op->name);
    cJSON_AddStringToObject(o, "schema", op->schema);
    cJSON_AddStringToObject(o, "doc", op->doc);
    cJSON_AddStringToObject(o, "plugin", op->plugin_name);
    cJSON_AddStringToObject(o, "version", op->plugin_version);
    cJSON_AddStringToObject(o, "file", op->plugin_path);
    cJSON_AddStringToObject(o, "sha256", op->plugin_sha256);
    cJSON_AddBoolToObject(o, "lowering", (op->flags & TN_OP_HAS_LOWERING) != 0);
    if (d->lowering_text != NULL) cJSON_AddStringToObject(o, "lowering_text", d->lowering_text);
    cJSON_AddBoolToObject(o, "decomposition", (op->flags & TN_OP_HAS_DECOMPOSITION) != 0);
    cJSON *kernels = cJSON_AddArrayToObject(o, "kernels");
    for (uint32_t i = 0; i < d->n_kernels; i++)
        cJSON_AddItemToArray(kernels, kernel_json(d->kernels[i]));
    cJSON *templates = cJSON_AddArrayToObject(o, "templates");
    for (uint32_t i = 0; i < d->n_templates; i++)
        cJSON_AddItemToArray(templates, template_json(d->templates[i]));
    cJSON_AddItemToObject(o, "traits", bits_json(traits, COUNT(traits), op->traits));
    return o;
}
