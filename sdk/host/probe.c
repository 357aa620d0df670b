#include "host/probe.h"

#include <string.h>

#include "ir/node_args.h"
#include "ir/text.h"
#include "transform/passes.h"

/* Tensor k of a call has dtype k of these, or the last, and likewise its shape. */
typedef struct probe {
    uint8_t dtypes[2];
    uint8_t shapes[2][5]; /* rank, extents */
    bool flip;            /* flags that are off by default are on, and the reverse */
    bool full;            /* optional tensors are given */
} probe;

static const probe probes[] = {
    {{TN_DT_F32, TN_DT_F32}, {{2, 2, 3}, {2, 2, 3}}, false, false},
    {{TN_DT_F16, TN_DT_F32}, {{2, 2, 3}, {2, 2, 3}}, true, false},
    {{TN_DT_BOOL, TN_DT_F16}, {{2, 2, 3}, {1, 3}}, false, true},
    {{TN_DT_I64, TN_DT_F32}, {{2, 2, 3}, {2, 2, 3}}, true, true},
    {{TN_DT_BF16, TN_DT_BF16}, {{2, 3, 3}, {2, 3, 3}}, false, true},
    {{TN_DT_U8, TN_DT_I8}, {{2, 3, 3}, {2, 3, 3}}, true, false},
    {{TN_DT_F32, TN_DT_F32}, {{3, 2, 3, 3}, {1, 3}}, false, true},
    {{TN_DT_F64, TN_DT_F32}, {{1, 3}, {0}}, true, false},
    {{TN_DT_F32, TN_DT_F64}, {{0}, {0}}, false, false},
    {{TN_DT_F32, TN_DT_F32}, {{2, 0, 3}, {1, 3}}, true, true},
    {{TN_DT_F32, TN_DT_I64}, {{2, 3, 3}, {1, 3}}, false, false},
    {{TN_DT_I32, TN_DT_I32}, {{4, 1, 2, 3, 3}, {4, 1, 2, 3, 3}}, true, true},
    {{TN_DT_F16, TN_DT_F16}, {{4, 1, 2, 3, 3}, {4, 1, 2, 3, 3}}, false, false},
    {{TN_DT_F32, TN_DT_BOOL}, {{2, 2, 3}, {2, 2, 3}}, false, false},
    {{TN_DT_BF16, TN_DT_BF16}, {{3, 2, 3, 3}, {3, 2, 3, 3}}, true, false},
    {{TN_DT_F32, TN_DT_F32}, {{1, 3}, {1, 3}}, false, true},
};
#define N_PROBES (sizeof probes / sizeof probes[0])

/* What a required int or int[] is: the first that meta accepts. */
static const int64_t lists[][2] = {{-1, 0}, {3, 0}, {1, 0}, {3, 3}, {0, 0}};
static const uint32_t list_lengths[] = {1, 1, 2, 2, 0};
#define N_LISTS (sizeof list_lengths / sizeof list_lengths[0])

typedef struct trial {
    tn_runtime *rt;
    const struct tn_op *op;
    const probe *probe;
    uint32_t list;
    uint32_t n_tensors;
    tn_ir_graph *graph; /* its inputs are the tensors of all trials */
    tn_arena arena;
} trial;

static tn_status make_tensor(trial *t, tn_arg *out) {
    uint32_t k = t->n_tensors < 2 ? t->n_tensors : 1;
    int64_t shape[4];
    tn_dt dt = (tn_dt)t->probe->dtypes[k];
    const uint8_t *described = t->probe->shapes[k];
    tn_vid value;
    for (uint8_t i = 0; i < described[0]; i++)
        shape[i] = described[1 + i];
    const tn_type type = {
        .known = true, .dt = dt, .dtype = tn_dt_to_dtype(dt), .rank = described[0], .shape = shape};
    TN_TRY(tn_ir_add_input(t->graph, NULL, &type, &value));
    t->n_tensors++;
    *out = (tn_arg){.tag = TN_TAG_VALUE, .v.value.id = 1 + (uint64_t)value};
    return NULL;
}

static tn_arg make_atom(const trial *t, const tn_schema_type *type) {
    bool odd = (t->probe - probes) % 2 != 0;
    switch (type->kind) {
    case TN_SCHEMA_INT: return (tn_arg){.tag = TN_TAG_INT, .v.i = lists[t->list][0]};
    case TN_SCHEMA_FLOAT: return (tn_arg){.tag = TN_TAG_FLOAT, .v.f = 0.5};
    case TN_SCHEMA_BOOL: return (tn_arg){.tag = TN_TAG_BOOL, .v.i = odd};
    case TN_SCHEMA_SCALAR:
        return odd ? (tn_arg){.tag = TN_TAG_FLOAT, .v.f = 0.5}
                   : (tn_arg){.tag = TN_TAG_INT, .v.i = 2};
    case TN_SCHEMA_DTYPE:
        return (tn_arg){.tag = TN_TAG_DTYPE, .v.dtype = tn_dt_to_dtype(TN_DT_F64)};
    case TN_SCHEMA_DEVICE: return (tn_arg){.tag = TN_TAG_DEVICE, .v.device = {TN_DEVICE_CPU, 0}};
    case TN_SCHEMA_STR: return (tn_arg){.tag = TN_TAG_STRING, .v.str = ""};
    default: return (tn_arg){.tag = TN_TAG_NONE};
    }
}

static tn_status make_list(trial *t, const tn_schema_type *type, tn_arg *out) {
    bool ints = type->kind == TN_SCHEMA_INT;
    uint32_t n = type->list_length >= 0 ? (uint32_t)type->list_length
                 : ints                 ? list_lengths[t->list]
                                        : 2;
    tn_arg *items = tn_arena_array(&t->arena, n, sizeof *items);
    if (items == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++) {
        if (type->kind == TN_SCHEMA_TENSOR) {
            TN_TRY(make_tensor(t, &items[i]));
        } else {
            items[i] = make_atom(t, type);
            if (ints) items[i].v.i = lists[t->list][i < 2 ? i : 1];
        }
    }
    *out = (tn_arg){.tag = TN_TAG_LIST, .count = n, .v.list = items};
    return NULL;
}

static tn_status make_arg(trial *t, const tn_schema_param *param, tn_arg *out) {
    const tn_schema_type *type = &param->type;
    bool tensor = type->kind == TN_SCHEMA_TENSOR;
    if (param->has_default && !(tensor && t->probe->full)) {
        *out = param->default_value;
        if (out->tag == TN_TAG_BOOL && t->probe->flip) out->v.i = !out->v.i;
        bool dtype = type->kind == TN_SCHEMA_DTYPE && !type->is_list;
        bool absent = out->tag == TN_TAG_NONE && !type->is_list && !dtype && !tensor;
        if (dtype ? t->probe->flip : absent && t->probe->full) *out = make_atom(t, type);
        return NULL;
    }
    if (type->is_optional && !t->probe->full) {
        *out = (tn_arg){.tag = TN_TAG_NONE};
        return NULL;
    }
    if (type->is_list) return make_list(t, type, out);
    if (tensor) return make_tensor(t, out);
    *out = make_atom(t, type);
    return NULL;
}

/* The call as graph text has it, with types for tensors. */
static void print_call(const trial *t, const tn_arg *args, tn_strbuf *out) {
    const tn_schema *schema = t->op->schema;
    for (uint32_t i = 0; i < schema->n_params; i++) {
        const tn_arg *list = args[i].tag == TN_TAG_LIST ? args[i].v.list : &args[i];
        uint32_t n = args[i].tag == TN_TAG_LIST ? args[i].count : 1;
        tn_strbuf_printf(out, "%s%s=", i > 0 ? ", " : "", schema->params[i].name);
        if (n == 0 || list->tag != TN_TAG_VALUE) {
            tn_schema_print_value(&args[i], out);
            continue;
        }
        for (uint32_t k = 0; k < n; k++) {
            tn_strbuf_text(out, k > 0 ? ", " : list == &args[i] ? "" : "[");
            tn_ir_print_type(t->graph, &t->graph->values[list[k].v.value.id - 1].type, out);
        }
        if (list != &args[i]) tn_strbuf_char(out, ']');
    }
}

static tn_status judge(const trial *t, const tn_arg *args, tn_status found) {
    tn_strbuf call;
    tn_code code = tn_status_code(found);
    if (code == TN_OK || code == TN_NO_MEMORY) return found;
    tn_strbuf_init(&call, t->rt->allocator);
    print_call(t, args, &call);
    tn_status status = tn_strbuf_status(&call);
    if (status == NULL && code == TN_PLUGIN) {
        status = tn_status_make(TN_PLUGIN, "%s, when called with (%s)", tn_status_message(found),
                                tn_strbuf_cstr(&call));
    } else if (status == NULL) {
        tn_runtime_log(t->rt, TN_LOG_WARN,
                       "%s, when called with (%s), which its meta function accepts",
                       tn_status_message(found), tn_strbuf_cstr(&call));
    }
    tn_status_free(found);
    tn_strbuf_deinit(&call);
    return status;
}

static tn_status lower(trial *t, const tn_arg *args, const tn_type *types, uint32_t n) {
    const tn_pass_options options = {
        .allocator = t->rt->allocator, .ops = &t->rt->ops, .device = {TN_DEVICE_CPU, 0}};
    const tn_op_desc *desc = t->op->desc;
    char detail[256];
    bool declined;
    tn_vid *values = tn_arena_array(&t->arena, n, sizeof *values);
    if (values == NULL) return tn_status_no_memory();
    if (desc->lower != NULL || desc->lowering_text != NULL) {
        TN_TRY(judge(t, args,
                     tn_lowering_run(t->graph, &options, t->op, args, false, 0, types, n, values,
                                     &declined, detail)));
    }
    if (desc->decompose == NULL) return NULL;
    return judge(t, args,
                 tn_lowering_run(t->graph, &options, t->op, args, true, 0, types, n, values,
                                 &declined, detail));
}

/* *out_accepted: whether meta took the call. */
static tn_status try_call(trial *t, bool *out_accepted) {
    const tn_schema *schema = t->op->schema;
    tn_arg *args = tn_arena_array(&t->arena, schema->n_params, sizeof *args);
    tn_type *types;
    uint32_t n;
    if (args == NULL) return tn_status_no_memory();
    t->n_tensors = 0;
    for (uint32_t i = 0; i < schema->n_params; i++)
        TN_TRY(make_arg(t, &schema->params[i], &args[i]));
    tn_status status = tn_ir_op_types(t->graph, t->op, args, (tn_device){TN_DEVICE_CPU, 0},
                                      &t->arena, &types, &n);
    *out_accepted = status == NULL;
    if (status == NULL) return lower(t, args, types, n);
    if (tn_status_code(status) == TN_NO_MEMORY) return status;
    tn_status_ignore(status);
    return NULL;
}

static bool takes_ints(const tn_schema *schema) {
    for (uint32_t i = 0; i < schema->n_params; i++) {
        const tn_schema_param *p = &schema->params[i];
        if (p->type.kind == TN_SCHEMA_INT && !p->has_default) return true;
    }
    return false;
}

static bool is_lowered(const struct tn_op *op) {
    const tn_op_desc *d = op->desc;
    return (d->lower != NULL || d->lowering_text != NULL || d->decompose != NULL) &&
           !tn_schema_mutates(op->schema);
}

tn_status tn__probe_op(tn_runtime *rt, const struct tn_op *op) {
    trial t = {.rt = rt, .op = op};
    if (!is_lowered(op)) return NULL;
    TN_TRY(tn_ir_create(rt->allocator, rt->prim_schemas, "probe", &t.graph));
    tn_arena_init(&t.arena, rt->allocator);
    tn_status status = NULL;
    size_t n_lists = takes_ints(op->schema) ? N_LISTS : 1;
    for (size_t i = 0; status == NULL && i < N_PROBES; i++) {
        bool accepted = false;
        t.probe = &probes[i];
        for (t.list = 0; status == NULL && !accepted && t.list < n_lists; t.list++)
            status = try_call(&t, &accepted);
        tn_arena_reset(&t.arena);
    }
    tn_arena_deinit(&t.arena);
    tn_ir_destroy(t.graph);
    return status;
}
