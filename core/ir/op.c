#include "ir/op.h"

#include <string.h>

#include "ir/op_spec.h"

/* ---------------------------------------------------------------- callback */

enum { SCRATCH_ALIGNMENT = 64 };

static tn_code callback_fail(const tn_callback *cb, tn_code code, const char *message) {
    tn_op_callback *c = cb->self;
    size_t length = message ? strnlen(message, sizeof c->message - 1) : 0;
    /* The message may be our own, when a plugin passes it on. */
    if (length) memmove(c->message, message, length);
    c->message[length] = '\0';
    c->code = code;
    return code;
}

static void *callback_scratch(const tn_callback *cb, size_t bytes) {
    tn_op_callback *c = cb->self;
    size_t padded;
    if (__builtin_add_overflow(bytes, (size_t)SCRATCH_ALIGNMENT - 1, &padded)) return NULL;
    char *ptr = tn_arena_alloc(&c->arena, padded);
    if (!ptr) return NULL;
    return ptr + (-(uintptr_t)ptr & (SCRATCH_ALIGNMENT - 1));
}

void tn_op_callback_init(tn_op_callback *c, const tn_allocator *allocator) {
    c->cb = (tn_callback){
        .struct_size = sizeof c->cb, .self = c, .fail = callback_fail, .scratch = callback_scratch};
    c->code = TN_OK;
    c->message[0] = '\0';
    tn_arena_init(&c->arena, allocator);
}

void tn_op_callback_deinit(tn_op_callback *c) {
    tn_arena_deinit(&c->arena);
}

/* "plugin acme 1.0 (/opt/acme.so): op acme::swish: meta: ..." */
static TN_MUST_USE tn_status annotate(tn_status status, const struct tn_op *op, const char *what) {
    const tn_op_owner *owner = op->owner;
    return tn_status_annotate(status, "plugin %s %s (%s): op %s: %s: ", owner->plugin_name,
                              owner->plugin_version, owner->plugin_path, op->schema->full_name,
                              what);
}

static bool code_is_known(tn_code code) {
    switch (code) {
#define KNOWN_CODE(name, value, text) case value:
        TN_CODE_LIST(KNOWN_CODE)
#undef KNOWN_CODE
        return true;
    default: return false;
    }
}

tn_status tn_op_callback_result(const tn_op_callback *c, tn_code code) {
    if (code == TN_OK) return NULL;
    const char *reason = c->message[0] ? c->message : "it gave no reason";
    if (code_is_known(code)) return tn_status_make(code, "%s", reason);
    return tn_status_make(TN_PLUGIN, "returned %d, which is no code of Tenon's: %s", code, reason);
}

tn_status tn_op_callback_status(const tn_op_callback *c, const struct tn_op *op, const char *what,
                                tn_code code) {
    return annotate(tn_op_callback_result(c, code), op, what);
}

/* ------------------------------------------------------------------- infer */

/* More results than any list has; keeps a wild count from eating the memory. */
enum { MOST_ITEMS = 1 << 16 };

typedef struct slot {
    bool is_set;     /* set, set_none or set_count was called */
    bool is_written; /* an argument: described before meta was called */
    uint32_t count;
    tn_op_result *items;
    bool *item_is_set;
} slot;

typedef struct inference {
    tn_meta_context m;
    tn_op_callback callback;
    const struct tn_op *op;
    tn_arena *arena;
    slot *slots;     /* one per schema result */
    tn_status first; /* the first wrong answer; sticks whatever meta returns */
} inference;

static inference *inference_of(const tn_meta_context *m) {
    tn_op_callback *c = m->cb->self;
    return (inference *)(void *)((char *)c - offsetof(inference, callback));
}

/* Keeps the failure, tells the plugin. Takes ownership. */
static tn_code refuse(inference *in, uint32_t index, tn_status status) {
    status = tn_status_annotate(status, "result %u: ", index);
    tn_code code = tn_status_code(status);
    callback_fail(&in->callback.cb, code, tn_status_message(status));
    in->first = tn_status_join(in->first, status);
    return code;
}

static TN_MUST_USE tn_status result_type(const inference *in, uint32_t index,
                                         const tn_schema_type **out_type) {
    const tn_schema *schema = in->op->schema;
    if (index >= schema->n_results) {
        return tn_status_make(TN_PLUGIN, "there is no such result, the schema returns %u",
                              schema->n_results);
    }
    *out_type = &schema->results[index].type;
    return NULL;
}

static TN_MUST_USE tn_status describe(inference *in, uint32_t index, uint32_t item,
                                      const tn_spec *spec) {
    slot *s = &in->slots[index];
    if (s->item_is_set[item]) return tn_status_make(TN_PLUGIN, "it was described twice");
    TN_TRY(tn__op_spec_read(in->op->schema, index, in->m.args, spec, in->m.device, in->arena,
                            &s->items[item]));
    s->item_is_set[item] = true;
    return NULL;
}

static TN_MUST_USE tn_status make_items(inference *in, uint32_t index, uint32_t count) {
    slot *s = &in->slots[index];
    if (s->is_set) {
        return tn_status_make(TN_PLUGIN, s->is_written
                                             ? "the schema marks it '!': it is an argument, which "
                                               "the host describes and meta must not set"
                                             : "it was described twice");
    }
    s->items = tn_arena_array(in->arena, count, sizeof *s->items);
    s->item_is_set = tn_arena_array(in->arena, count, sizeof *s->item_is_set);
    if (!s->items || !s->item_is_set) return tn_status_no_memory();
    s->count = count;
    s->is_set = true;
    return NULL;
}

static TN_MUST_USE tn_status set_one(inference *in, uint32_t index, const tn_spec *spec) {
    const tn_schema_type *type;
    TN_TRY(result_type(in, index, &type));
    if (type->is_list) {
        return tn_status_make(TN_PLUGIN, "it is a list: use set_count, then set_item");
    }
    TN_TRY(make_items(in, index, 1));
    return describe(in, index, 0, spec);
}

static TN_MUST_USE tn_status set_absent(inference *in, uint32_t index) {
    const tn_schema_type *type;
    TN_TRY(result_type(in, index, &type));
    if (!type->is_optional) {
        return tn_status_make(TN_PLUGIN, "None is only allowed where the schema says Tensor?");
    }
    TN_TRY(make_items(in, index, 1));
    in->slots[index].item_is_set[0] = true;
    in->slots[index].items[0] = (tn_op_result){.alias_argument = -1};
    return NULL;
}

static TN_MUST_USE tn_status set_length(inference *in, uint32_t index, uint32_t count) {
    const tn_schema_type *type;
    TN_TRY(result_type(in, index, &type));
    if (!type->is_list) {
        return tn_status_make(TN_PLUGIN, "set_count is for Tensor[] results only");
    }
    if (count > MOST_ITEMS) {
        return tn_status_make(TN_PLUGIN, "a list of %u tensors is too long, at most %d are allowed",
                              count, MOST_ITEMS);
    }
    if (type->list_length != TN_SCHEMA_LIST_ANY && (uint32_t)type->list_length != count) {
        return tn_status_make(TN_PLUGIN, "set_count said %u, the schema says Tensor[%d]", count,
                              type->list_length);
    }
    return make_items(in, index, count);
}

static TN_MUST_USE tn_status set_element(inference *in, uint32_t index, uint32_t item,
                                         const tn_spec *spec) {
    const tn_schema_type *type;
    TN_TRY(result_type(in, index, &type));
    if (!type->is_list) return tn_status_make(TN_PLUGIN, "set_item is for Tensor[] results only");
    if (item >= in->slots[index].count) {
        return tn_status_make(TN_PLUGIN, "item %u is out of range, set_count said %u", item,
                              in->slots[index].count);
    }
    return tn_status_annotate(describe(in, index, item, spec), "item %u: ", item);
}

static tn_code meta_set(const tn_meta_context *m, uint32_t index, const tn_spec *spec) {
    inference *in = inference_of(m);
    tn_status status = set_one(in, index, spec);
    return status ? refuse(in, index, status) : TN_OK;
}

static tn_code meta_set_none(const tn_meta_context *m, uint32_t index) {
    inference *in = inference_of(m);
    tn_status status = set_absent(in, index);
    return status ? refuse(in, index, status) : TN_OK;
}

static tn_code meta_set_count(const tn_meta_context *m, uint32_t index, uint32_t count) {
    inference *in = inference_of(m);
    tn_status status = set_length(in, index, count);
    return status ? refuse(in, index, status) : TN_OK;
}

static tn_code meta_set_item(const tn_meta_context *m, uint32_t index, uint32_t item,
                             const tn_spec *spec) {
    inference *in = inference_of(m);
    tn_status status = set_element(in, index, item, spec);
    return status ? refuse(in, index, status) : TN_OK;
}

/* Describes result `index` when it is an argument. */
static TN_MUST_USE tn_status set_written(inference *in, uint32_t index) {
    int32_t param = tn_op_written_param(in->op->schema, index);
    if (param < 0) return NULL;
    const tn_arg *arg = &in->m.args[param];
    const tn_arg *items = arg->tag == TN_TAG_LIST ? arg->v.list : arg;
    uint32_t count = arg->tag == TN_TAG_LIST ? arg->count : 1;
    TN_TRY(make_items(in, index, count));
    slot *s = &in->slots[index];
    s->is_written = true;
    for (uint32_t k = 0; k < count; k++) {
        s->item_is_set[k] = true;
        if (items[k].tag == TN_TAG_TENSOR) {
            TN_TRY(
                tn__op_result_same(items[k].v.tensor, param, (int32_t)k, in->arena, &s->items[k]));
        } else {
            s->items[k] = (tn_op_result){.alias_argument = -1};
        }
    }
    return NULL;
}

/* Everything the schema returns was described; the answers in one row. */
static TN_MUST_USE tn_status collect(const inference *in, tn_op_results *out_results) {
    uint32_t n_results = in->op->schema->n_results;
    uint32_t total = 0;
    for (uint32_t i = 0; i < n_results; i++) {
        const slot *s = &in->slots[i];
        if (!s->is_set) {
            return tn_status_make(TN_PLUGIN, "returned ok without describing result %u", i);
        }
        for (uint32_t k = 0; k < s->count; k++) {
            if (!s->item_is_set[k]) {
                return tn_status_make(TN_PLUGIN,
                                      "returned ok without describing item %u of result %u", k, i);
            }
        }
        total += s->count;
    }
    tn_op_results results = {
        .n = total,
        .items = tn_arena_array(in->arena, total, sizeof *results.items),
        .counts = tn_arena_array(in->arena, n_results, sizeof *results.counts)};
    if (!results.items || !results.counts) return tn_status_no_memory();
    uint32_t at = 0;
    for (uint32_t i = 0; i < n_results; i++) {
        const slot *s = &in->slots[i];
        results.counts[i] = s->count;
        if (s->count) memcpy(&results.items[at], s->items, s->count * sizeof *s->items);
        at += s->count;
    }
    *out_results = results;
    return NULL;
}

static TN_MUST_USE tn_status call_meta(inference *in, tn_op_results *out_results) {
    tn_code code = in->op->desc->meta(&in->m);
    if (in->first) return annotate(in->first, in->op, "meta");
    if (code != TN_OK) return tn_op_callback_status(&in->callback, in->op, "meta", code);
    tn_status status = collect(in, out_results);
    return tn_status_code(status) == TN_PLUGIN ? annotate(status, in->op, "meta") : status;
}

tn_status tn_op_infer(const struct tn_op *op, const tn_arg *args, tn_device device, tn_arena *arena,
                      tn_op_results *out_results) {
    *out_results = (tn_op_results){0};
    const tn_schema *schema = op->schema;
    inference in = {.op = op, .arena = arena};
    in.slots = tn_arena_array(arena, schema->n_results, sizeof *in.slots);
    if (!in.slots) return tn_status_no_memory();
    tn_op_callback_init(&in.callback, arena->allocator);
    in.m = (tn_meta_context){.struct_size = sizeof in.m,
                             .cb = &in.callback.cb,
                             .args = args,
                             .n_args = schema->n_params,
                             .n_results = schema->n_results,
                             .device = device,
                             .set = meta_set,
                             .set_none = meta_set_none,
                             .set_count = meta_set_count,
                             .set_item = meta_set_item};
    tn_status status = NULL;
    for (uint32_t i = 0; i < schema->n_results && !status; i++) {
        status = set_written(&in, i);
    }
    if (!status) status = call_meta(&in, out_results);
    tn_op_callback_deinit(&in.callback);
    return status;
}
