/* Adding a node: its arguments are copied into the graph's arena, and the
 * tensors among them become slots of operands. */
#include <inttypes.h>
#include <string.h>

#include "ir/internal.h"

/* Counts the tensors among args, and refuses what a graph cannot hold. */
static tn_status scan_args(const tn_ir_graph *graph, const tn_arg *args, uint32_t n, bool nested,
                           uint32_t *n_operands) {
    for (uint32_t i = 0; i < n; i++) {
        const tn_arg *arg = &args[i];
        if (arg->tag == TN_TAG_VALUE) {
            if (arg->v.value.id == 0 || arg->v.value.id > graph->n_values)
                return tn_status_make(
                    TN_INVALID, "argument %" PRIu32 " is value %" PRIu64 ", but there are %" PRIu32,
                    i, arg->v.value.id, graph->n_values);
            ++*n_operands;
        } else if (arg->tag == TN_TAG_LIST) {
            if (nested)
                return tn_status_make(TN_INVALID, "argument %" PRIu32 " is a list in a list", i);
            TN_TRY(scan_args(graph, arg->v.list, arg->count, true, n_operands));
        } else if (arg->tag == TN_TAG_DIM) {
            if (arg->v.dim.id == 0 || arg->v.dim.id > graph->n_symbols)
                return tn_status_make(
                    TN_INVALID, "argument %" PRIu32 " is size %" PRIu64 ", but there are %" PRIu32,
                    i, arg->v.dim.id, graph->n_symbols);
        } else if (arg->tag == TN_TAG_HANDLE && !arg->v.handle) {
            return tn_status_make(TN_INVALID, "argument %" PRIu32 " is a NULL handle", i);
        } else if (arg->tag == TN_TAG_STRING && memchr(arg->v.str, 0, arg->count)) {
            return tn_status_make(TN_INVALID, "argument %" PRIu32 " is a string with a NUL byte",
                                  i);
        } else if (arg->tag == TN_TAG_TENSOR || arg->tag > TN_TAG_DIM) {
            return tn_status_make(TN_INVALID,
                                  "argument %" PRIu32 " has tag %" PRIu32
                                  ": a graph holds values, not tensors, and no other tags",
                                  i, arg->tag);
        }
    }
    return NULL;
}

/* Copies n args; false without memory. */
static bool copy_args(tn_arena *arena, const tn_arg *args, uint32_t n, tn_ir_node *node,
                      tn_arg *out) {
    for (uint32_t i = 0; i < n; i++) {
        out[i] = args[i];
        if (args[i].tag == TN_TAG_VALUE) {
            node->operands[node->n_operands] = (tn_vid)(args[i].v.value.id - 1);
            out[i].v.value.id = ++node->n_operands;
        } else if (args[i].tag == TN_TAG_STRING) {
            out[i].v.str = tn_arena_strndup(arena, args[i].v.str, args[i].count);
            if (!out[i].v.str) return false;
        } else if (args[i].tag == TN_TAG_LIST) {
            tn_arg *items = tn_arena_array(arena, args[i].count, sizeof *items);
            if (!items || !copy_args(arena, args[i].v.list, args[i].count, node, items))
                return false;
            out[i].v.list = items;
        }
    }
    return true;
}

static void retain_handles(const tn_arg *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_LIST) retain_handles(args[i].v.list, args[i].count);
        if (args[i].tag == TN_TAG_HANDLE && args[i].v.handle->retain)
            args[i].v.handle->retain(args[i].v.handle);
    }
}

/* Takes back the values added since there were n. */
static void drop_values(tn_ir_graph *graph, uint32_t n) {
    while (graph->n_values > n) {
        const char *name = graph->values[--graph->n_values].name;
        tn_map_remove(&graph->names, name, strlen(name));
    }
}

static tn_status add_results(tn_ir_graph *graph, const tn_ir_node_desc *desc, bool adopt_types,
                             tn_ir_node *node) {
    for (uint32_t i = 0; i < desc->n_results; i++) {
        const tn_type *type = desc->result_types ? &desc->result_types[i] : NULL;
        if (type && type->known && !adopt_types) TN_TRY(tn__type_check(type));
        TN_TRY(tn__ir_add_value(graph, desc->result_names ? desc->result_names[i] : NULL, type,
                                adopt_types, graph->n_nodes, i, &node->results[i]));
        node->n_results++;
    }
    return NULL;
}

static tn_status make_node(tn_ir_graph *graph, const tn_ir_node_desc *desc, const tn_schema *schema,
                           bool adopt_types, tn_ir_node **out_node) {
    uint32_t n_operands = 0, n_values = graph->n_values;
    tn_status bad = scan_args(graph, desc->args, schema->n_params, false, &n_operands);
    if (bad) return tn_status_annotate(bad, "%s: ", schema->full_name);
    tn_arena *arena = &graph->arena;
    tn_ir_node *node = tn_arena_alloc(arena, sizeof *node);
    if (!node) return tn_status_no_memory();
    *node = (tn_ir_node){
        .id = graph->n_nodes,
        .prim = desc->prim,
        .op = desc->op,
        .schema = schema,
        .args = tn_arena_array(arena, schema->n_params, sizeof(tn_arg)),
        .operands = tn_arena_array(arena, n_operands, sizeof(tn_vid)),
        .results = tn_arena_array(arena, desc->n_results, sizeof(tn_vid)),
        .more_results = desc->more_results,
        .origin = desc->origin == TN_NO_NODE ? graph->n_nodes : desc->origin,
        .line = desc->line,
        .column = desc->column,
    };
    if (!node->args || !node->operands || !node->results ||
        !copy_args(arena, desc->args, schema->n_params, node, node->args) ||
        !tn__ir_grow(graph->allocator, (void **)&graph->nodes, &graph->nodes_cap, graph->n_nodes,
                     sizeof(tn_ir_node *)))
        return tn_status_no_memory();
    bad = add_results(graph, desc, adopt_types, node);
    if (bad) {
        drop_values(graph, n_values);
        return tn_status_annotate(bad, "%s: ", schema->full_name);
    }
    /* Nothing fails from here on. */
    retain_handles(node->args, schema->n_params);
    if (node->op) node->op->retain(node->op);
    graph->nodes[graph->n_nodes++] = node;
    *out_node = node;
    return NULL;
}

tn_status tn__ir_add_node(tn_ir_graph *graph, const tn_ir_node_desc *desc, bool adopt_types,
                          tn_ir_node **out_node) {
    *out_node = NULL;
    if ((desc->prim == TN_PRIM_NONE) == (desc->op == NULL))
        return tn_status_make(TN_INVALID, "a node is a primitive or an op: give one of them");
    const tn_schema *schema = desc->op ? desc->op->schema
                                       : tn_prim_schemas_get(graph->prim_schemas, desc->prim);
    if (!schema)
        return tn_status_make(TN_INVALID, "there is no primitive number %" PRIu32 " in opset %d",
                              desc->prim, TN_OPSET_VERSION);
    return make_node(graph, desc, schema, adopt_types, out_node);
}

/* What args hold elsewhere, copied; tensors are slots, which stay the same. */
static bool own_args(tn_arena *arena, tn_arg *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_STRING) {
            args[i].v.str = tn_arena_strndup(arena, args[i].v.str, args[i].count);
            if (!args[i].v.str) return false;
        } else if (args[i].tag == TN_TAG_LIST) {
            tn_arg *items = tn_arena_copy(arena, args[i].v.list, args[i].count * sizeof *items);
            if (!items || !own_args(arena, items, args[i].count)) return false;
            args[i].v.list = items;
        }
    }
    return true;
}

tn_status tn_ir_copy_node(tn_ir_graph *graph, const tn_ir_graph *from, const tn_ir_node *node,
                          tn_vid *map) {
    tn_arena *arena = &graph->arena;
    uint32_t n_args = node->schema->n_params, n_values = graph->n_values;
    tn_ir_node *copy = tn_arena_copy(arena, node, sizeof *node);
    if (!copy) return tn_status_no_memory();
    copy->id = graph->n_nodes;
    copy->args = tn_arena_copy(arena, node->args, n_args * sizeof *node->args);
    copy->operands = tn_arena_copy(arena, node->operands, node->n_operands * sizeof(tn_vid));
    copy->results = tn_arena_copy(arena, node->results, node->n_results * sizeof(tn_vid));
    if (!copy->args || !copy->operands || !copy->results || !own_args(arena, copy->args, n_args) ||
        !tn__ir_grow(graph->allocator, (void **)&graph->nodes, &graph->nodes_cap, graph->n_nodes,
                     sizeof(tn_ir_node *)))
        return tn_status_no_memory();
    for (uint32_t i = 0; i < node->n_operands; i++)
        copy->operands[i] = map[node->operands[i]];
    for (uint32_t i = 0; i < node->n_results; i++) {
        tn_status bad = tn__ir_copy_value(graph, &from->values[node->results[i]], copy->id, i,
                                          &copy->results[i]);
        if (!bad) continue;
        drop_values(graph, n_values);
        return bad;
    }
    /* Nothing fails from here on. */
    retain_handles(copy->args, n_args);
    if (copy->op) copy->op->retain(copy->op);
    graph->nodes[graph->n_nodes++] = copy;
    for (uint32_t i = 0; i < node->n_results; i++)
        map[node->results[i]] = copy->results[i];
    return NULL;
}

tn_status tn_ir_add_item(tn_ir_graph *graph, tn_ir_node *node, uint32_t index, tn_vid *out_value) {
    enum { MAX_ITEMS = 1 << 16 }; /* as many as a meta function may count */
    *out_value = TN_NO_VALUE;
    if (index < node->n_results) {
        *out_value = node->results[index];
        return NULL;
    }
    if (!node->more_results || index >= MAX_ITEMS)
        return tn_status_make(TN_INVALID, "%s: there is no item %" PRIu32 ", it has %" PRIu32,
                              node->schema->full_name, index, node->n_results);
    tn_vid *results = tn_arena_array(&graph->arena, index + 1, sizeof *results);
    if (!results) return tn_status_no_memory();
    if (node->n_results) memcpy(results, node->results, node->n_results * sizeof *results);
    uint32_t n_values = graph->n_values;
    for (uint32_t i = node->n_results; i <= index; i++) {
        tn_status bad = tn__ir_add_value(graph, NULL, NULL, false, node->id, i, &results[i]);
        if (bad) {
            drop_values(graph, n_values);
            return bad;
        }
    }
    node->results = results;
    node->n_results = index + 1;
    *out_value = results[index];
    return NULL;
}

tn_status tn_ir_add_node(tn_ir_graph *graph, const tn_ir_node_desc *desc, tn_ir_node **out_node) {
    return tn__ir_add_node(graph, desc, false, out_node);
}
