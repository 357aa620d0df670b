#include "ir/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/internal.h"

bool tn__ir_grow(const tn_allocator *allocator, void **data, uint32_t *cap, uint32_t len,
                 size_t size) {
    if (len < *cap) return true;
    uint32_t next = *cap ? *cap * 2 : 8;
    if (*cap > UINT32_MAX / 4) return false;
    void *grown = tn_realloc(allocator, *data, *cap * size, next * size);
    if (!grown) return false;
    *data = grown;
    *cap = next;
    return true;
}

#define GROW(graph, array)                                                                         \
    tn__ir_grow((graph)->allocator, (void **)&(graph)->array, &(graph)->array##_cap,               \
                (graph)->n_##array, sizeof *(graph)->array)

tn_status tn_ir_create(const tn_allocator *allocator, const tn_prim_schemas *prim_schemas,
                       const char *name, tn_ir_graph **out_graph) {
    *out_graph = NULL;
    if (!name || !*name) name = "main";
    if (!tn__is_value_name(name, strlen(name)))
        return tn_status_make(
            TN_INVALID, "graph name \"%.64s\": expected letters, digits, '_' and '.' only", name);
    tn_ir_graph *g = tn_alloc_zero(allocator, sizeof *g);
    if (!g) return tn_status_no_memory();
    g->allocator = allocator;
    g->prim_schemas = prim_schemas;
    tn_arena_init(&g->arena, allocator);
    tn_map_init(&g->names, allocator);
    tn_map_init(&g->symbol_names, allocator);
    g->name = tn_arena_strdup(&g->arena, name);
    if (!g->name) {
        tn_ir_destroy(g);
        return tn_status_no_memory();
    }
    *out_graph = g;
    return NULL;
}

static void release_handles(const tn_arg *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_LIST) release_handles(args[i].v.list, args[i].count);
        if (args[i].tag == TN_TAG_HANDLE && args[i].v.handle->release)
            args[i].v.handle->release(args[i].v.handle);
    }
}

void tn_ir_destroy(tn_ir_graph *graph) {
    if (!graph) return;
    const tn_allocator *a = graph->allocator;
    for (uint32_t i = graph->n_nodes; i-- > 0;) {
        tn_ir_node *node = graph->nodes[i];
        release_handles(node->args, node->schema->n_params);
        if (node->op) node->op->release(node->op);
    }
    tn_free(a, graph->values, graph->values_cap * sizeof *graph->values);
    tn_free(a, graph->nodes, graph->nodes_cap * sizeof(tn_ir_node *));
    tn_free(a, graph->inputs, graph->inputs_cap * sizeof *graph->inputs);
    tn_free(a, graph->outputs, graph->outputs_cap * sizeof *graph->outputs);
    tn_free(a, graph->symbols, graph->symbols_cap * sizeof(char *));
    tn_map_deinit(&graph->names);
    tn_map_deinit(&graph->symbol_names);
    tn_arena_deinit(&graph->arena);
    tn_free(a, graph, sizeof *graph);
}

tn_status tn_ir_symbol(tn_ir_graph *graph, const char *name, size_t length, uint32_t *out_symbol) {
    uint64_t found;
    if (tn_map_get(&graph->symbol_names, name, length, &found)) {
        *out_symbol = (uint32_t)found;
        return NULL;
    }
    if (!tn__is_symbol_name(name, length))
        return tn_status_make(
            TN_INVALID,
            "\"%.*s\" cannot name a size: expected a letter or '_', then letters, "
            "digits and '_', and no word of the language (true, inf, f32, ...)",
            (int)(length < 64 ? length : 64), name);
    const char *copy = tn_arena_strndup(&graph->arena, name, length);
    if (!copy || !GROW(graph, symbols) ||
        !tn_map_set(&graph->symbol_names, name, length, graph->n_symbols))
        return tn_status_no_memory();
    graph->symbols[graph->n_symbols] = copy;
    *out_symbol = graph->n_symbols++;
    return NULL;
}

enum { MADE_UP_NAME = 12 }; /* "v4294967295" and its end */

/* "v" and a number; the length. */
static size_t write_name(uint32_t k, char out[MADE_UP_NAME]) {
    char digits[MADE_UP_NAME];
    size_t n = 0, length = 1;
    do {
        digits[n++] = (char)('0' + k % 10);
    } while ((k /= 10) != 0);
    out[0] = 'v';
    while (n > 0)
        out[length++] = digits[--n];
    out[length] = 0;
    return length;
}

/* A name that no value had, now that of value `id`: v and the next value's id, or the
 * next number free. */
static const char *make_name(tn_ir_graph *graph, tn_vid id) {
    char *name = tn_arena_alloc(&graph->arena, MADE_UP_NAME);
    if (!name) return NULL;
    for (uint32_t k = graph->n_values;; k++) {
        size_t before = graph->names.count, n = write_name(k, name);
        uint64_t holder;
        if (!tn_map_add(&graph->names, name, n, id, &holder)) return NULL;
        if (graph->names.count > before) return name;
    }
}

/* Gives the value that has this made-up name another one, so that it is free. */
static tn_status yield_name(tn_ir_graph *graph, tn_vid id) {
    tn_ir_value *value = &graph->values[id];
    const char *other = make_name(graph, id);
    if (!other) return tn_status_no_memory();
    tn_map_remove(&graph->names, value->name, strlen(value->name));
    value->name = other;
    return NULL;
}

static tn_status claim_name(tn_ir_graph *graph, const char *name, size_t length) {
    if (!tn__is_value_name(name, length))
        return tn_status_make(
            TN_INVALID, "value name \"%.64s\": expected letters, digits, '_' and '.' only", name);
    tn_vid holder = tn_ir_find_value(graph, name, length);
    if (holder == TN_NO_VALUE) return NULL;
    if (graph->values[holder].made_up) return yield_name(graph, holder);
    return tn_status_make(TN_EXISTS, "value %%%.64s is defined already; each name is given once",
                          name);
}

tn_status tn__ir_add_value(tn_ir_graph *graph, const char *name, const tn_type *type,
                           bool adopt_type, uint32_t def, uint32_t index, tn_vid *out_value) {
    size_t length = name ? strlen(name) : 0;
    if (length) TN_TRY(claim_name(graph, name, length));
    tn_ir_value value = {.made_up = length == 0, .def = def, .index = index};
    if (type && adopt_type)
        value.type = *type;
    else if (type && !tn__type_copy(&graph->arena, type, &value.type))
        return tn_status_no_memory();
    if (!GROW(graph, values)) return tn_status_no_memory();
    if (length) {
        value.name = tn_arena_strndup(&graph->arena, name, length);
        if (!value.name || !tn_map_set(&graph->names, name, length, graph->n_values))
            return tn_status_no_memory();
    } else {
        value.name = make_name(graph, graph->n_values);
        if (!value.name) return tn_status_no_memory();
    }
    graph->values[graph->n_values] = value;
    *out_value = graph->n_values++;
    return NULL;
}

tn_status tn__ir_copy_value(tn_ir_graph *graph, const tn_ir_value *from, uint32_t def,
                            uint32_t index, tn_vid *out_value) {
    tn_ir_value value = {.def = def, .index = index};
    size_t length = strlen(from->name), before = graph->names.count;
    uint64_t holder;
    if (!tn__type_copy(&graph->arena, &from->type, &value.type) || !GROW(graph, values))
        return tn_status_no_memory();
    value.name = tn_arena_strndup(&graph->arena, from->name, length);
    if (!value.name || !tn_map_add(&graph->names, from->name, length, graph->n_values, &holder))
        return tn_status_no_memory();
    if (graph->names.count == before) { /* taken */
        value.made_up = true;
        value.name = make_name(graph, graph->n_values);
        if (!value.name) return tn_status_no_memory();
    }
    graph->values[graph->n_values] = value;
    *out_value = graph->n_values++;
    return NULL;
}

tn_status tn_ir_reserve(tn_ir_graph *graph, uint32_t n_values, uint32_t n_nodes) {
    const tn_allocator *a = graph->allocator;
    if (n_values > graph->values_cap) {
        void *grown = tn_realloc(a, graph->values, graph->values_cap * sizeof *graph->values,
                                 n_values * sizeof *graph->values);
        if (!grown) return tn_status_no_memory();
        graph->values = grown;
        graph->values_cap = n_values;
    }
    if (n_nodes > graph->nodes_cap) {
        void *grown = tn_realloc(a, graph->nodes, graph->nodes_cap * sizeof(tn_ir_node *),
                                 n_nodes * sizeof(tn_ir_node *));
        if (!grown) return tn_status_no_memory();
        graph->nodes = grown;
        graph->nodes_cap = n_nodes;
    }
    return tn_map_reserve(&graph->names, n_values) ? NULL : tn_status_no_memory();
}

tn_status tn_ir_add_input(tn_ir_graph *graph, const char *name, const tn_type *type,
                          tn_vid *out_value) {
    *out_value = TN_NO_VALUE;
    if (!type || !type->known)
        return tn_status_make(TN_INVALID, "graph @%s: input %%%.64s has no type", graph->name,
                              name ? name : "");
    tn_status bad = tn__type_check(type);
    if (bad) return tn_status_annotate(bad, "input %%%.64s: ", name ? name : "");
    for (int32_t i = 0; i < type->rank; i++)
        if (tn_is_sym(type->shape[i]) && tn_sym_index(type->shape[i]) >= graph->n_symbols)
            return tn_status_make(TN_INVALID,
                                  "input %%%.64s: extent %" PRId64
                                  " of axis %d is negative and no size of this graph",
                                  name ? name : "", type->shape[i], (int)i);
    if (!GROW(graph, inputs)) return tn_status_no_memory();
    TN_TRY(tn__ir_add_value(graph, name, type, false, TN_NO_NODE, graph->n_inputs, out_value));
    graph->inputs[graph->n_inputs++] = *out_value;
    return NULL;
}

tn_status tn_ir_add_output(tn_ir_graph *graph, tn_vid value) {
    if (value >= graph->n_values)
        return tn_status_make(
            TN_INVALID, "graph @%s: output %" PRIu32 " is no value of it (it has %" PRIu32 ")",
            graph->name, value, graph->n_values);
    if (!GROW(graph, outputs)) return tn_status_no_memory();
    graph->outputs[graph->n_outputs++] = value;
    return NULL;
}

tn_vid tn_ir_find_value(const tn_ir_graph *graph, const char *name, size_t length) {
    uint64_t found;
    return tn_map_get(&graph->names, name, length, &found) ? (tn_vid)found : TN_NO_VALUE;
}

void tn_ir_count_uses(const tn_ir_graph *graph, uint32_t *out_counts) {
    memset(out_counts, 0, graph->n_values * sizeof *out_counts);
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        for (uint32_t k = 0; k < graph->nodes[i]->n_operands; k++)
            out_counts[graph->nodes[i]->operands[k]]++;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        out_counts[graph->outputs[i]]++;
}
