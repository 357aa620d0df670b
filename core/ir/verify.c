/* One walk over the graph, that trusts nothing but that pointers point to what
 * they should. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "ir/internal.h"

typedef struct verifier {
    const tn_ir_graph *graph;
    bool bound;
    uint32_t n_values; /* seen so far: inputs, then results in order */
    tn_arena scratch;
} verifier;

static tn_status fail(const verifier *v, const char *fmt, ...) TN_PRINTF(2, 3);
static tn_status fail(const verifier *v, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    tn_status status = tn_status_makev(TN_INVALID, fmt, args);
    va_end(args);
    return tn_status_annotate(status, "graph @%s: ", v->graph->name);
}

static tn_status fail_node(const verifier *v, const tn_ir_node *node, const char *fmt, ...)
    TN_PRINTF(3, 4);
static tn_status fail_node(const verifier *v, const tn_ir_node *node, const char *fmt, ...) {
    char text[TN__NODE_TEXT];
    va_list args;
    va_start(args, fmt);
    tn_status status = tn_status_makev(TN_INVALID, fmt, args);
    va_end(args);
    return tn_status_annotate(status, "graph @%s: node %" PRIu32 ", %s: ", v->graph->name, node->id,
                              tn__node_text(v->graph, node, text));
}

static tn_status verify_type(const verifier *v, const tn_ir_value *value) {
    const tn_type *type = &value->type;
    tn_status bad = tn__type_check(type);
    if (bad) return tn_status_annotate(bad, "graph @%s: %%%s: ", v->graph->name, value->name);
    if (type->dt != tn_dt_from_dtype(type->dtype))
        return fail(v, "%%%s: its two dtypes differ", value->name);
    for (int32_t i = 0; i < type->rank; i++) {
        if (!tn_is_sym(type->shape[i])) continue;
        if (v->bound)
            return fail(v, "%%%s: axis %d has no number, but the graph is bound", value->name,
                        (int)i);
        if (tn_sym_index(type->shape[i]) >= v->graph->n_symbols)
            return fail(v, "%%%s: axis %d is no size of the graph", value->name, (int)i);
    }
    return NULL;
}

/* Value `id` is result (or input) `index` of `def`, and the next in order. */
static tn_status verify_value(verifier *v, tn_vid id, uint32_t def, uint32_t index,
                              bool may_be_untyped) {
    const tn_ir_graph *g = v->graph;
    if (id >= g->n_values)
        return fail(v, "there is no value %" PRIu32 ", only %" PRIu32, id, g->n_values);
    const tn_ir_value *value = &g->values[id];
    if (!value->name || !tn__is_value_name(value->name, strlen(value->name)))
        return fail(v, "value %" PRIu32 " has no name that text could show", id);
    if (value->def != def || value->index != index)
        return fail(v, "%%%s is not known as the value that defines it", value->name);
    if (tn_ir_find_value(g, value->name, strlen(value->name)) != id)
        return fail(v, "%%%s: another value has the same name", value->name);
    v->n_values++;
    if (value->type.known) return verify_type(v, value);
    if (may_be_untyped) return NULL;
    return fail(v, "%%%s has no type", value->name);
}

static tn_status verify_operand(const verifier *v, const tn_ir_node *node, uint32_t slot) {
    const tn_ir_graph *g = v->graph;
    tn_vid id = node->operands[slot];
    if (id >= g->n_values)
        return fail_node(v, node,
                         "operand %" PRIu32 " is value %" PRIu32 ", but there are %" PRIu32, slot,
                         id, g->n_values);
    const tn_ir_value *value = &g->values[id];
    if (value->def != TN_NO_NODE && value->def >= node->id)
        return fail_node(v, node, "%%%s is used before it is defined", value->name);
    if (v->bound && !value->type.known)
        return fail_node(v, node, "%%%s has no type, but the graph is bound", value->name);
    return NULL;
}

/* Slots count up in the order of the arguments. */
static tn_status verify_slots(const verifier *v, const tn_ir_node *node, const tn_arg *args,
                              uint32_t n, uint32_t *slot) {
    for (uint32_t i = 0; i < n; i++) {
        const tn_arg *arg = &args[i];
        if (arg->tag == TN_TAG_LIST) {
            TN_TRY(verify_slots(v, node, arg->v.list, arg->count, slot));
        } else if (arg->tag == TN_TAG_VALUE) {
            if (*slot >= node->n_operands || arg->v.value.id != (uint64_t)*slot + 1)
                return fail_node(v, node,
                                 "a tensor argument stands for operand %" PRIu64
                                 ", expected %" PRIu32 " of %" PRIu32,
                                 arg->v.value.id, *slot + 1, node->n_operands);
            TN_TRY(verify_operand(v, node, (*slot)++));
        } else if (arg->tag == TN_TAG_DIM) {
            if (v->bound)
                return fail_node(v, node, "an argument has no number, but the graph is bound");
            if (arg->v.dim.id == 0 || arg->v.dim.id > v->graph->n_symbols)
                return fail_node(v, node, "an argument is no size of the graph");
        }
    }
    return NULL;
}

static tn_status verify_args(const verifier *v, const tn_ir_node *node) {
    const tn_schema *schema = node->schema;
    for (uint32_t i = 0; i < schema->n_params; i++) {
        if (tn__arg_fits(&schema->params[i].type, &node->args[i])) continue;
        return fail_node(v, node, "argument %s does not fit %s", schema->params[i].name,
                         schema->text);
    }
    uint32_t slot = 0;
    TN_TRY(verify_slots(v, node, node->args, schema->n_params, &slot));
    if (slot != node->n_operands)
        return fail_node(v, node, "the arguments use %" PRIu32 " operands of %" PRIu32, slot,
                         node->n_operands);
    return NULL;
}

/* The types that a primitive's results have by its rule. */
static tn_status verify_prim(verifier *v, const tn_ir_node *node) {
    const tn_ir_graph *g = v->graph;
    tn_type results[2];
    uint32_t n;
    tn_arena_reset(&v->scratch);
    tn_type *operands = tn_arena_array(&v->scratch, node->n_operands, sizeof *operands);
    if (!operands) return tn_status_no_memory();
    for (uint32_t i = 0; i < node->n_operands; i++)
        operands[i] = g->values[node->operands[i]].type;
    tn_status bad = tn_prim_infer(node->prim, operands, node->n_operands, node->schema, node->args,
                                  &v->scratch, results, &n);
    if (bad) return tn_status_annotate(bad, "graph @%s: node %" PRIu32 ": ", g->name, node->id);
    if (n != node->n_results)
        return fail_node(v, node, "expected %" PRIu32 " results, found %" PRIu32, n,
                         node->n_results);
    for (uint32_t i = 0; i < n; i++) {
        const tn_ir_value *value = &g->values[node->results[i]];
        char expected[TN__TYPE_TEXT], found[TN__TYPE_TEXT];
        if (!tn__type_equal(&results[i], &value->type))
            return fail_node(v, node, "%%%s: expected %s, found %s", value->name,
                             tn__type_text(g, &results[i], expected),
                             tn__type_text(g, &value->type, found));
        if (value->type.strides)
            return fail_node(v, node, "%%%s: results of primitives have no strides", value->name);
    }
    return NULL;
}

/* Whether result `index` can be an absent Tensor?. */
static bool can_be_absent(const tn_schema *schema, uint32_t index) {
    for (uint32_t i = 0; i < schema->n_results && i <= index; i++) {
        if (schema->results[i].type.is_list) return schema->results[i].type.element_is_optional;
        if (i == index) return schema->results[i].type.is_optional;
    }
    return false;
}

static tn_status verify_node(verifier *v, uint32_t index) {
    const tn_ir_graph *g = v->graph;
    const tn_ir_node *node = g->nodes[index];
    if (node->id != index)
        return fail(v, "node %" PRIu32 " says it is node %" PRIu32, index, node->id);
    bool is_op = node->op != NULL;
    if (is_op == (node->prim != TN_PRIM_NONE) ||
        node->schema !=
            (is_op ? node->op->schema : tn_prim_schemas_get(g->prim_schemas, node->prim)))
        return fail(v, "node %" PRIu32 " is neither a primitive nor an op with its schema", index);
    TN_TRY(verify_args(v, node));
    char expected[48];
    if (node->more_results && (v->bound || !tn__returns_list(node->schema)))
        return fail_node(v, node, "it cannot have more results than it has here");
    if (!node->more_results && !tn__results_fit(node->schema, node->n_results, expected))
        return fail_node(v, node, "expected %s results, found %" PRIu32, expected, node->n_results);
    for (uint32_t i = 0; i < node->n_results; i++)
        TN_TRY(verify_value(v, node->results[i], index, i,
                            !v->bound || can_be_absent(node->schema, i)));
    return v->bound && !is_op ? verify_prim(v, node) : NULL;
}

static tn_status verify(verifier *v) {
    const tn_ir_graph *g = v->graph;
    for (uint32_t i = 0; i < g->n_inputs; i++)
        TN_TRY(verify_value(v, g->inputs[i], TN_NO_NODE, i, false));
    for (uint32_t i = 0; i < g->n_nodes; i++)
        TN_TRY(verify_node(v, i));
    if (v->n_values != g->n_values)
        return fail(v, "%" PRIu32 " of %" PRIu32 " values are defined", v->n_values, g->n_values);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        tn_vid id = g->outputs[i];
        if (id >= g->n_values) return fail(v, "output %" PRIu32 " is no value", i);
        if (v->bound && !g->values[id].type.known)
            return fail(v, "output %%%s has no type", g->values[id].name);
    }
    return NULL;
}

tn_status tn_ir_verify(const tn_ir_graph *graph, bool bound) {
    verifier v = {.graph = graph, .bound = bound};
    tn_arena_init(&v.scratch, graph->allocator);
    tn_status status = verify(&v);
    tn_arena_deinit(&v.scratch);
    return status;
}
