#include "transform/builder.h"

#include <stdio.h>
#include <string.h>

#include "ir/node_args.h"

void tn_builder_init(tn_builder *b, tn_ir_graph *graph, const tn_pass_options *options,
                     const struct tn_op *op, uint32_t origin) {
    *b = (tn_builder){.graph = graph, .options = options, .op = op, .origin = origin};
    b->ops = *options->ops;
    if (b->ops.scope != NULL) b->ops = b->ops.scope(b->ops.self, op);
    tn_arena_init(&b->scratch, options->allocator);
}

void tn_builder_deinit(tn_builder *b) {
    tn_status_free(b->error);
    tn_vec_free(b->options->allocator, &b->dims);
    tn_arena_deinit(&b->scratch);
}

static bool stopped(const tn_builder *b) {
    return b->error != NULL || b->declined;
}

static tn_code keep(tn_builder *b, tn_status status) {
    if (status == NULL) return TN_OK;
    b->error = tn_status_join(b->error, status);
    return tn_status_code(b->error);
}

static void decline(tn_builder *b, const char *what, const char *name) {
    b->declined = true;
    snprintf(b->detail, sizeof b->detail, "%s %s is not known to this host", what, name);
}

static tn_dim dim_make(tn_builder *b, int64_t n) {
    if (stopped(b)) return (tn_dim){0};
    if (!tn_vec_push(b->options->allocator, &b->dims, n)) {
        keep(b, tn_status_no_memory());
        return (tn_dim){0};
    }
    return (tn_dim){b->dims.len};
}

/* 1 after an error, as dim_value promises. */
static int64_t dim_read(tn_builder *b, tn_dim d) {
    if (stopped(b)) return 1;
    if (d.id == 0 || d.id > b->dims.len) {
        keep(b, tn_status_make(TN_PLUGIN, "size %llu was not made by this builder",
                               (unsigned long long)d.id));
        return 1;
    }
    return b->dims.data[d.id - 1];
}

static const tn_type *type_of(tn_builder *b, tn_value v) {
    if (stopped(b)) return NULL;
    if (v.id == 0 || v.id > b->graph->n_values) {
        keep(b, tn_status_make(TN_PLUGIN, "value %llu was not made by this builder",
                               (unsigned long long)v.id));
        return NULL;
    }
    return &b->graph->values[v.id - 1].type;
}

/* Sizes become ints; values are checked. Lists are copied to the scratch arena. */
static tn_status resolve(tn_builder *b, const tn_arg *in, tn_arg *out, int depth) {
    *out = *in;
    switch (in->tag) {
    case TN_TAG_DIM:
        *out = (tn_arg){.tag = TN_TAG_INT, .v.i = dim_read(b, in->v.dim)};
        return b->error == NULL ? NULL : tn_status_make(TN_PLUGIN, "an invalid size");
    case TN_TAG_VALUE:
    case TN_TAG_NUMBER:
        out->tag = TN_TAG_VALUE;
        return type_of(b, in->v.value) != NULL ? NULL
                                               : tn_status_make(TN_PLUGIN, "an invalid value");
    case TN_TAG_LIST: {
        if (depth > 4) return tn_status_make(TN_PLUGIN, "lists nested deeper than 4");
        tn_arg *items = tn_arena_array(&b->scratch, in->count, sizeof *items);
        if (items == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < in->count; i++) {
            TN_TRY(resolve(b, &in->v.list[i], &items[i], depth + 1));
        }
        out->v.list = items;
        return NULL;
    }
    default: return NULL;
    }
}

static tn_status emit(tn_builder *b, uint32_t prim, const tn_value *ins, uint32_t n_ins,
                      const tn_attr *attrs, uint32_t n_attrs, tn_value *outs, uint32_t n_outs) {
    const tn_schema *schema = tn_prim_schemas_get(b->graph->prim_schemas, prim);
    tn_vid *operands = tn_arena_array(&b->scratch, n_ins, sizeof *operands);
    tn_attr *resolved = tn_arena_array(&b->scratch, n_attrs, sizeof *resolved);
    if (operands == NULL || resolved == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < n_ins; i++) {
        if (type_of(b, ins[i]) == NULL) return NULL; /* kept already */
        operands[i] = (tn_vid)(ins[i].id - 1);
    }
    for (uint32_t i = 0; i < n_attrs; i++) {
        if (tn_schema_find_param(schema, attrs[i].name) < 0) {
            decline(b, "attribute", attrs[i].name);
            return NULL;
        }
        resolved[i].name = attrs[i].name;
        TN_TRY(resolve(b, &attrs[i].value, &resolved[i].value, 0));
    }
    tn_vid results[2] = {TN_NO_VALUE, TN_NO_VALUE};
    TN_TRY(tn_ir_emit(b->graph, prim, operands, n_ins, resolved, n_attrs, b->origin, results,
                      schema->n_results));
    for (uint32_t i = 0; i < n_outs; i++) {
        outs[i].id = i < schema->n_results ? 1 + (uint64_t)results[i] : 0;
    }
    return NULL;
}

/* Sets outs to no value, and says why nothing was done. outs may share storage with
 * the operands, so this comes after those were read. */
static tn_code give_nothing(const tn_builder *b, tn_value *outs, uint32_t n_outs) {
    for (uint32_t i = 0; i < n_outs; i++)
        outs[i].id = 0;
    return b->declined ? TN_DECLINED : tn_status_code(b->error);
}

static tn_code api_emit(tn_builder *b, uint32_t prim, const tn_value *ins, uint32_t n_ins,
                        const tn_attr *attrs, uint32_t n_attrs, tn_value *outs, uint32_t n_outs) {
    if (stopped(b)) return give_nothing(b, outs, n_outs);
    const tn_prim_info *info = tn_prim_get(prim);
    if (info == NULL) {
        char number[16];
        snprintf(number, sizeof number, "%u", prim);
        decline(b, "primitive", number);
        return give_nothing(b, outs, n_outs);
    }
    tn_status status = emit(b, prim, ins, n_ins, attrs, n_attrs, outs, n_outs);
    keep(b, tn_status_annotate(status, "prim::%s: ", info->name));
    return stopped(b) ? give_nothing(b, outs, n_outs) : TN_OK;
}

/* Adds a call of an op, typed by its meta function. */
static tn_status call(tn_builder *b, const char *name, const tn_arg *args, uint32_t n_args,
                      tn_value *outs, uint32_t n_outs) {
    const struct tn_op *op;
    tn_arg *given = tn_arena_array(&b->scratch, n_args, sizeof *given), *bound;
    if (given == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < n_args; i++)
        TN_TRY(resolve(b, &args[i], &given[i], 0));
    tn_status status = tn_op_bind_call(&b->ops, name, given, n_args, NULL, 0, &b->scratch, &op,
                                       &bound);
    if (tn_status_code(status) == TN_NOT_FOUND) {
        tn_status_ignore(status);
        decline(b, "op", name);
        return NULL;
    }
    TN_TRY(status);
    tn_type *types;
    uint32_t n_types;
    TN_TRY(tn_ir_op_types(b->graph, op, bound, b->options->device, &b->scratch, &types, &n_types));
    tn_ir_node *node;
    TN_TRY(tn_ir_add_node(b->graph,
                          &(tn_ir_node_desc){.op = op,
                                             .args = bound,
                                             .n_results = n_types,
                                             .result_types = types,
                                             .origin = b->origin},
                          &node));
    for (uint32_t i = 0; i < n_outs; i++)
        outs[i].id = i < n_types ? 1 + (uint64_t)node->results[i] : 0;
    return NULL;
}

static tn_code api_call(tn_builder *b, const char *name, const tn_arg *args, uint32_t n_args,
                        tn_value *outs, uint32_t n_outs) {
    if (stopped(b)) return give_nothing(b, outs, n_outs);
    keep(b, tn_status_annotate(call(b, name, args, n_args, outs, n_outs), "%s: ", name));
    return stopped(b) ? give_nothing(b, outs, n_outs) : TN_OK;
}

static tn_value api_constant(tn_builder *b, tn_dtype dtype, tn_arg value) {
    tn_value out = {0};
    if (value.tag == TN_TAG_NUMBER || value.tag == TN_TAG_VALUE) {
        tn_attr to = {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = dtype}};
        api_emit(b, TN_PRIM_CAST, &value.v.value, 1, &to, 1, &out, 1);
        return out;
    }
    bool size = value.tag == TN_TAG_DIM;
    tn_attr attrs[2] = {{"value", value}, {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = dtype}}};
    api_emit(b, size ? TN_PRIM_SIZE : TN_PRIM_CONSTANT, NULL, 0, attrs, 2, &out, 1);
    return out;
}

static int32_t api_rank(tn_builder *b, tn_value v) {
    const tn_type *type = type_of(b, v);
    return type == NULL ? 0 : type->rank;
}

static tn_dtype api_dtype(tn_builder *b, tn_value v) {
    const tn_type *type = type_of(b, v);
    return type == NULL ? (tn_dtype){0} : type->dtype;
}

static tn_dim api_dim(tn_builder *b, tn_value v, int32_t axis) {
    const tn_type *type = type_of(b, v);
    if (type == NULL) return (tn_dim){0};
    if (axis < 0 || axis >= type->rank) {
        keep(b, tn_status_make(TN_PLUGIN, "axis %d of a value of rank %d", axis, type->rank));
        return (tn_dim){0};
    }
    return dim_make(b, type->shape[axis]);
}

static int64_t floordiv(int64_t x, int64_t y) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static tn_status dim_compute(uint32_t op, int64_t x, int64_t y, int64_t *out) {
    bool overflow = false;
    switch (op) {
    case TN_DIM_ADD: overflow = __builtin_add_overflow(x, y, out); break;
    case TN_DIM_SUB: overflow = __builtin_sub_overflow(x, y, out); break;
    case TN_DIM_MUL: overflow = __builtin_mul_overflow(x, y, out); break;
    case TN_DIM_MIN: *out = x < y ? x : y; break;
    case TN_DIM_MAX: *out = x > y ? x : y; break;
    case TN_DIM_FLOORDIV:
    case TN_DIM_CEILDIV:
    case TN_DIM_MOD:
        if (y == 0) return tn_status_make(TN_PLUGIN, "size %lld divided by zero", (long long)x);
        overflow = x == INT64_MIN && y == -1;
        if (overflow) break;
        *out = floordiv(x, y);
        if (op == TN_DIM_CEILDIV) *out += x % y != 0;
        if (op == TN_DIM_MOD) *out = x - *out * y;
        break;
    default: return tn_status_make(TN_UNSUPPORTED, "operation %u on sizes is unknown", op);
    }
    if (overflow) return tn_status_make(TN_PLUGIN, "a size overflows 64 bits");
    return NULL;
}

static tn_dim api_dim_op(tn_builder *b, uint32_t op, tn_dim x, tn_dim y) {
    int64_t vx = dim_read(b, x), vy = dim_read(b, y), out = 0;
    if (stopped(b)) return (tn_dim){0};
    if (keep(b, dim_compute(op, vx, vy, &out)) != TN_OK) return (tn_dim){0};
    return dim_make(b, out);
}

static int32_t api_dim_equal(tn_builder *b, tn_dim x, tn_dim y) {
    return dim_read(b, x) == dim_read(b, y);
}

static tn_dim api_dim_arg(tn_builder *b, tn_arg value) {
    if (value.tag == TN_TAG_DIM) return value.v.dim;
    if (value.tag == TN_TAG_INT) return dim_make(b, value.v.i);
    if (!stopped(b)) keep(b, tn_status_make(TN_PLUGIN, "an argument taken as a size is no int"));
    return (tn_dim){0};
}

static double api_number_value(tn_builder *b, tn_arg value) {
    if (stopped(b)) return 1;
    switch (value.tag) {
    case TN_TAG_FLOAT: return value.v.f;
    case TN_TAG_INT:
    case TN_TAG_BOOL: return (double)value.v.i;
    case TN_TAG_DIM: return (double)dim_read(b, value.v.dim);
    default: keep(b, tn_status_make(TN_PLUGIN, "an argument taken as a number is none")); return 1;
    }
}

static tn_value api_apply(tn_builder *b, uint32_t function, const tn_value *ins, uint32_t n_ins) {
    (void)function, (void)ins, (void)n_ins;
    if (!stopped(b)) decline(b, "the builder function", "apply");
    return (tn_value){0};
}

const tn_builder_api *tn_builder_functions(void) {
    static const tn_builder_api api = {
        .struct_size = sizeof(tn_builder_api),
        .emit = api_emit,
        .call = api_call,
        .constant = api_constant,
        .rank = api_rank,
        .dtype = api_dtype,
        .dim = api_dim,
        .dim_const = dim_make,
        .dim_op = api_dim_op,
        .dim_value = dim_read,
        .dim_equal = api_dim_equal,
        .dim_arg = api_dim_arg,
        .number_value = api_number_value,
        .apply = api_apply,
    };
    return &api;
}
