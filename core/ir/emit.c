/* A primitive from operands and attributes by name: bound, typed, added. */
#include <inttypes.h>
#include <string.h>

#include "ir/internal.h"

enum { MAX_PRIM_PARAMS = 8, MAX_PRIM_RESULTS = 2 };

static const tn_attr *find_attr(const tn_attr *attrs, uint32_t n_attrs, const char *name) {
    for (uint32_t i = 0; i < n_attrs; i++)
        if (strcmp(attrs[i].name, name) == 0) return &attrs[i];
    return NULL;
}

static tn_status bind_attr(const tn_schema_param *param, const tn_attr *attr, tn_arena *arena,
                           tn_arg *out) {
    if (!attr && param->has_default) {
        *out = param->default_value;
        return NULL;
    }
    if (!attr) return tn_status_make(TN_INVALID, "attribute %s is missing", param->name);
    tn_status bad = tn_schema_coerce(&param->type, &attr->value, arena, out);
    return bad ? tn_status_annotate(bad, "attribute %s: ", param->name) : NULL;
}

/* The attributes given that the schema does not have. */
static tn_status check_names(const tn_schema *schema, const tn_attr *attrs, uint32_t n_attrs) {
    for (uint32_t i = 0; i < n_attrs; i++) {
        int32_t p = tn_schema_find_param(schema, attrs[i].name);
        if (p < 0 || schema->params[p].type.kind == TN_SCHEMA_TENSOR)
            return tn_status_make(TN_INVALID, "there is no attribute %.64s; the primitive is %s",
                                  attrs[i].name, schema->text);
        if (find_attr(attrs, i, attrs[i].name))
            return tn_status_make(TN_INVALID, "attribute %s is given twice", attrs[i].name);
    }
    return NULL;
}

static tn_status bind(tn_ir_graph *graph, const tn_schema *schema, const tn_vid *operands,
                      uint32_t n_operands, const tn_attr *attrs, uint32_t n_attrs,
                      tn_arg args[MAX_PRIM_PARAMS]) {
    uint32_t used = 0;
    TN_TRY(check_names(schema, attrs, n_attrs));
    for (uint32_t i = 0; i < schema->n_params; i++) {
        const tn_schema_param *param = &schema->params[i];
        if (param->type.kind != TN_SCHEMA_TENSOR) {
            const tn_attr *attr = find_attr(attrs, n_attrs, param->name);
            TN_TRY(bind_attr(param, attr, &graph->arena, &args[i]));
        } else if (param->type.is_list) {
            tn_arg *items = tn_arena_array(&graph->arena, n_operands - used, sizeof *items);
            if (!items) return tn_status_no_memory();
            args[i] = (tn_arg){TN_TAG_LIST, n_operands - used, {.list = items}};
            while (used < n_operands)
                *items++ = (tn_arg){TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)operands[used++]}}};
        } else if (used < n_operands) {
            args[i] = (tn_arg){TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)operands[used++]}}};
        } else {
            return tn_status_make(TN_INVALID,
                                  "operand %s is missing: %" PRIu32 " were given; the primitive is "
                                  "%s",
                                  param->name, n_operands, schema->text);
        }
    }
    if (used < n_operands)
        return tn_status_make(TN_INVALID, "expected %" PRIu32 " operands, found %" PRIu32, used,
                              n_operands);
    return NULL;
}

/* The types of the tensors among args. */
static uint32_t collect_types(const tn_ir_graph *graph, const tn_arg *args, uint32_t n,
                              tn_type *out, uint32_t used) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_VALUE)
            out[used++] = graph->values[args[i].v.value.id - 1].type;
        else if (args[i].tag == TN_TAG_LIST)
            used = collect_types(graph, args[i].v.list, args[i].count, out, used);
    }
    return used;
}

tn_status tn__ir_add_prim(tn_ir_graph *graph, const tn_ir_node_desc *desc, tn_ir_node **out_node) {
    const tn_schema *schema = tn_prim_schemas_get(graph->prim_schemas, desc->prim);
    tn_type small[8], results[MAX_PRIM_RESULTS], *types = small;
    uint32_t most = 0, n_results;
    for (uint32_t i = 0; i < schema->n_params; i++)
        most += desc->args[i].tag == TN_TAG_LIST ? desc->args[i].count : 1;
    if (most > 8) types = tn_arena_array(&graph->arena, most, sizeof *types);
    if (!types) return tn_status_no_memory();
    uint32_t n = collect_types(graph, desc->args, schema->n_params, types, 0);
    TN_TRY(tn_prim_infer(desc->prim, types, n, schema, desc->args, &graph->arena, results,
                         &n_results));
    tn_ir_node_desc typed = *desc;
    typed.n_results = n_results;
    typed.result_types = results;
    return tn__ir_add_node(graph, &typed, true, out_node);
}

tn_status tn_ir_emit(tn_ir_graph *graph, uint32_t prim, const tn_vid *operands, uint32_t n_operands,
                     const tn_attr *attrs, uint32_t n_attrs, uint32_t origin, tn_vid *out_values,
                     uint32_t n_outs) {
    tn_arg args[MAX_PRIM_PARAMS];
    const tn_schema *schema = tn_prim_schemas_get(graph->prim_schemas, prim);
    if (!schema || schema->n_params > MAX_PRIM_PARAMS || schema->n_results > MAX_PRIM_RESULTS)
        return tn_status_make(TN_INVALID, "there is no primitive number %" PRIu32 " in opset %d",
                              prim, TN_OPSET_VERSION);
    if (n_outs != schema->n_results)
        return tn_status_make(TN_INVALID, "%s: it returns %" PRIu32 " values, not %" PRIu32,
                              schema->full_name, schema->n_results, n_outs);
    for (uint32_t i = 0; i < n_operands; i++)
        if (operands[i] >= graph->n_values)
            return tn_status_make(
                TN_INVALID, "%s: operand %" PRIu32 " is value %" PRIu32 ", but there are %" PRIu32,
                schema->full_name, i, operands[i], graph->n_values);
    tn_status bad = bind(graph, schema, operands, n_operands, attrs, n_attrs, args);
    if (bad) return tn_status_annotate(bad, "%s: ", schema->full_name);
    tn_ir_node *node;
    tn_ir_node_desc desc = {.prim = prim, .args = args, .origin = origin};
    TN_TRY(tn__ir_add_prim(graph, &desc, &node));
    memcpy(out_values, node->results, n_outs * sizeof *out_values);
    return NULL;
}
