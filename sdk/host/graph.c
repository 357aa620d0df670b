#include <stdio.h>
#include <string.h>

#include "host/host.h"
#include "ir/text.h"

static tn_status wrap(tn_context *context, tn_ir_graph *ir, tn_graph **out_graph) {
    tn_graph *g = tn_alloc_zero(&context->allocator, sizeof *g);
    if (g == NULL) {
        tn_ir_destroy(ir);
        return tn_status_no_memory();
    }
    atomic_init(&g->references, 1);
    g->context = context;
    g->ir = ir;
    tn_context_retain(context);
    *out_graph = g;
    return NULL;
}

tn_status tn_graph_parse(tn_context *context, const char *text, size_t length, const char *name,
                         tn_graph **out_graph) {
    tn_ir_graph *ir;
    *out_graph = NULL;
    TN_TRY(tn_ir_parse(&context->allocator, context->prim_schemas, &context->rt.ops, text, length,
                       name != NULL ? name : "graph", &ir));
    TN_TRY(wrap(context, ir, out_graph));
    tn_status status = tn_graph_finish(*out_graph);
    if (status != NULL) {
        tn_graph_release(*out_graph);
        *out_graph = NULL;
    }
    return status;
}

tn_status tn_graph_create(tn_context *context, const char *name, tn_graph **out_graph) {
    tn_ir_graph *ir;
    *out_graph = NULL;
    if (name == NULL || name[0] == 0) return tn_status_make(TN_INVALID, "a graph needs a name");
    TN_TRY(tn_ir_create(&context->allocator, context->prim_schemas, name, &ir));
    return wrap(context, ir, out_graph);
}

void tn_graph_retain(tn_graph *graph) {
    atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
}

void tn_graph_release(tn_graph *graph) {
    if (graph == NULL) return;
    if (atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) != 1) return;
    tn_context *context = graph->context;
    if (graph->input_specs != NULL) {
        tn_free(&context->allocator, graph->input_specs,
                graph->ir->n_inputs * sizeof *graph->input_specs);
    }
    tn_ir_destroy(graph->ir);
    tn_free(&context->allocator, graph, sizeof *graph);
    tn_context_release(context);
}

tn_status tn_graph_print(const tn_graph *graph, tn_sink sink, void *self) {
    tn_strbuf text;
    tn_strbuf_init(&text, &graph->context->allocator);
    tn_ir_print(graph->ir, &text);
    tn_status status = tn_strbuf_status(&text);
    if (status == NULL) sink(self, text.data, text.length);
    tn_strbuf_deinit(&text);
    return status;
}

static tn_status check_open(const tn_graph *graph) {
    if (!graph->finished) return NULL;
    return tn_status_make(TN_INVALID, "graph @%s is finished: nothing can be added",
                          graph->ir->name);
}

static tn_status check_value(const tn_graph *graph, tn_value value) {
    if (value.id != 0 && value.id <= graph->ir->n_values) return NULL;
    return tn_status_make(TN_INVALID, "graph @%s: value %llu is not one of it", graph->ir->name,
                          (unsigned long long)value.id);
}

tn_status tn_graph_input(tn_graph *graph, const char *name, tn_dtype dtype, int32_t ndim,
                         const int64_t *shape, const char *const *dim_names, const int64_t *strides,
                         tn_value *out_value) {
    int64_t extents[TN_MAX_RANK], steps[TN_MAX_RANK];
    out_value->id = 0;
    TN_TRY(check_open(graph));
    if (ndim < 0 || ndim > TN_MAX_RANK) {
        return tn_status_make(TN_INVALID, "input %s: rank %d is not between 0 and %d",
                              name != NULL ? name : "", ndim, TN_MAX_RANK);
    }
    for (int32_t i = 0; i < ndim; i++) {
        if (dim_names != NULL && dim_names[i] != NULL) {
            uint32_t symbol;
            TN_TRY(tn_ir_symbol(graph->ir, dim_names[i], strlen(dim_names[i]), &symbol));
            extents[i] = tn_sym(symbol);
        } else if (shape[i] < 0) {
            return tn_status_make(TN_INVALID, "input %s: axis %d: extent %lld is negative",
                                  name != NULL ? name : "", i, (long long)shape[i]);
        } else {
            extents[i] = shape[i];
        }
        if (strides != NULL) steps[i] = strides[i];
    }
    const tn_type type = {.known = true,
                          .dt = tn_dt_from_dtype(dtype),
                          .dtype = dtype,
                          .rank = ndim,
                          .shape = extents,
                          .strides = strides != NULL ? steps : NULL};
    tn_vid vid;
    TN_TRY(tn_ir_add_input(graph->ir, name, &type, &vid));
    out_value->id = 1 + (uint64_t)vid;
    return NULL;
}

/* "prim::add" names a primitive, anything else an op or one of its overloads. */
static tn_status bind_call(const tn_graph *graph, const char *name, const tn_arg *args,
                           uint32_t n_args, const tn_attr *named, uint32_t n_named, tn_arena *arena,
                           tn_ir_node_desc *out_desc, const tn_schema **out_schema) {
    tn_arg *bound;
    *out_desc = (tn_ir_node_desc){.prim = TN_PRIM_NONE, .origin = TN_NO_NODE};
    if (strncmp(name, "prim::", 6) != 0) {
        TN_TRY(tn_op_bind_call(&graph->context->rt.ops, name, args, n_args, named, n_named, arena,
                               &out_desc->op, &bound));
        *out_schema = out_desc->op->schema;
        out_desc->args = bound;
        return NULL;
    }
    const tn_prim_info *prim = tn_prim_find(name + 6, strlen(name + 6));
    if (prim == NULL) return tn_status_make(TN_NOT_FOUND, "primitive %s is unknown", name);
    const tn_schema *schema = tn_prim_schemas_get(graph->context->prim_schemas, prim->id);
    bound = tn_arena_array(arena, schema->n_params, sizeof *bound);
    if (bound == NULL) return tn_status_no_memory();
    TN_TRY(tn_schema_bind(schema, args, n_args, named, n_named, arena, bound));
    out_desc->prim = prim->id;
    out_desc->args = bound;
    *out_schema = schema;
    return NULL;
}

static tn_status check_values(const tn_graph *graph, const tn_arg *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag == TN_TAG_VALUE) TN_TRY(check_value(graph, args[i].v.value));
        if (args[i].tag == TN_TAG_TENSOR) {
            return tn_status_make(TN_INVALID, "a graph takes values, found a tensor");
        }
        if (args[i].tag == TN_TAG_LIST) {
            TN_TRY(check_values(graph, args[i].v.list, args[i].count));
        }
    }
    return NULL;
}

/* How many values a call may take: one a result, but any number of a list's items. */
static tn_status check_results(const tn_schema *schema, uint32_t n) {
    uint32_t lists = 0;
    for (uint32_t i = 0; i < schema->n_results; i++)
        lists += schema->results[i].type.is_list;
    if (lists > 0 ? n >= schema->n_results - lists : n == schema->n_results) return NULL;
    return tn_status_make(TN_INVALID, "%s: expected room for %s%u results, found %u",
                          schema->full_name, lists > 0 ? "at least " : "",
                          schema->n_results - lists, n);
}

static tn_status add_call(tn_graph *graph, const char *op_name, const tn_arg *args, uint32_t n_args,
                          const tn_attr *named, uint32_t n_named, tn_arena *arena,
                          tn_value *out_values, uint32_t n_results) {
    tn_ir_node_desc desc;
    const tn_schema *schema;
    tn_ir_node *node;
    TN_TRY(check_open(graph));
    TN_TRY(check_values(graph, args, n_args));
    for (uint32_t i = 0; i < n_named; i++)
        TN_TRY(check_values(graph, &named[i].value, 1));
    TN_TRY(bind_call(graph, op_name, args, n_args, named, n_named, arena, &desc, &schema));
    TN_TRY(check_results(schema, n_results));
    desc.n_results = n_results;
    desc.more_results = schema->n_results == 1 && schema->results[0].type.is_list;
    TN_TRY(tn_ir_add_node(graph->ir, &desc, &node));
    for (uint32_t i = 0; i < n_results; i++)
        out_values[i].id = 1 + (uint64_t)node->results[i];
    return NULL;
}

tn_status tn_graph_call(tn_graph *graph, const char *op, const tn_arg *args, uint32_t n_args,
                        const tn_attr *named, uint32_t n_named, tn_value *out_values,
                        uint32_t n_results) {
    tn_arena arena;
    tn_arena_init(&arena, &graph->context->allocator);
    for (uint32_t i = 0; i < n_results; i++)
        out_values[i].id = 0;
    tn_status status = add_call(graph, op, args, n_args, named, n_named, &arena, out_values,
                                n_results);
    tn_arena_deinit(&arena);
    return status;
}

tn_status tn_graph_output(tn_graph *graph, tn_value value) {
    TN_TRY(check_open(graph));
    TN_TRY(check_value(graph, value));
    return tn_ir_add_output(graph->ir, (tn_vid)(value.id - 1));
}

tn_status tn_graph_finish(tn_graph *graph) {
    tn_ir_graph *ir = graph->ir;
    if (graph->finished) return NULL;
    TN_TRY(tn_ir_verify(ir, false));
    if (ir->n_outputs == 0) {
        return tn_status_make(TN_INVALID, "graph @%s returns nothing", ir->name);
    }
    tn_tensor *specs = tn_alloc_array(&graph->context->allocator, ir->n_inputs,
                                      sizeof *graph->input_specs);
    if (specs == NULL && ir->n_inputs > 0) return tn_status_no_memory();
    for (uint32_t i = 0; i < ir->n_inputs; i++) {
        const tn_type *type = &ir->values[ir->inputs[i]].type;
        size_t bytes = (size_t)type->rank * sizeof(int64_t);
        specs[i] = (tn_tensor){
            .device = {TN_DEVICE_CPU, 0}, .ndim = type->rank, .dtype = type->dtype};
        specs[i].shape = tn_arena_copy(&ir->arena, type->shape, bytes);
        specs[i].strides = tn_arena_alloc(&ir->arena, bytes);
        if (specs[i].shape == NULL || specs[i].strides == NULL) {
            tn_free(&graph->context->allocator, specs, ir->n_inputs * sizeof *specs);
            return tn_status_no_memory();
        }
        bool fixed = true;
        for (int32_t k = 0; k < type->rank; k++) {
            if (tn_is_sym(specs[i].shape[k])) {
                specs[i].shape[k] = -1;
                fixed = false;
            }
        }
        if (type->strides != NULL) {
            memcpy(specs[i].strides, type->strides, bytes);
        } else if (fixed) {
            tn_shape_strides(specs[i].shape, type->rank, specs[i].strides);
        }
    }
    graph->input_specs = specs;
    graph->finished = true;
    return NULL;
}

uint32_t tn_graph_input_count(const tn_graph *graph) {
    return graph->ir->n_inputs;
}

uint32_t tn_graph_output_count(const tn_graph *graph) {
    return graph->ir->n_outputs;
}

const char *tn_graph_input_name(const tn_graph *graph, uint32_t index) {
    if (index >= graph->ir->n_inputs) return NULL;
    return graph->ir->values[graph->ir->inputs[index]].name;
}

const char *tn_graph_output_name(const tn_graph *graph, uint32_t index) {
    if (index >= graph->ir->n_outputs) return NULL;
    return graph->ir->values[graph->ir->outputs[index]].name;
}

const tn_tensor *tn_graph_input_spec(const tn_graph *graph, uint32_t index) {
    if (index >= graph->ir->n_inputs || graph->input_specs == NULL) return NULL;
    return &graph->input_specs[index];
}

const char *tn_graph_input_dim_name(const tn_graph *graph, uint32_t index, int32_t axis) {
    if (index >= graph->ir->n_inputs) return NULL;
    const tn_type *type = &graph->ir->values[graph->ir->inputs[index]].type;
    if (axis < 0 || axis >= type->rank || !tn_is_sym(type->shape[axis])) return NULL;
    return graph->ir->symbols[tn_sym_index(type->shape[axis])];
}
