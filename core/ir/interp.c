/* A whole graph, node by node, each value in memory of its own that is freed
 * after its last use. */
#include "ir/interp.h"

#include <inttypes.h>

#include "base/allocator.h"
#include "ir/internal.h"
#include "ir/interp_access.h"

/* What holds a value. */
typedef struct slot {
    tn_tensor tensor;
    void *buffer; /* NULL: not ours (an input) or not there */
    size_t size;
    uint32_t uses; /* left */
} slot;

typedef struct run {
    const tn_ir_graph *graph;
    const tn_interp_options *options;
    tn_arena arena; /* strides, and lists of tensors */
    slot *slots;    /* one per value */
    uint32_t *uses;
} run;

static tn_status check_tensor(const run *r, const char *what, tn_vid v, const tn_tensor *tensor) {
    const tn_ir_value *value = &r->graph->values[v];
    char expected[TN__TYPE_TEXT], text[TN__TYPE_TEXT];
    tn__type_text(r->graph, &value->type, expected);
    if (tensor == NULL)
        return tn_status_make(TN_INVALID, "%s %%%s: expected %s, found nothing", what, value->name,
                              expected);
    const tn_type found = {.known = true,
                           .dt = tn_dt_from_dtype(tensor->dtype),
                           .dtype = tensor->dtype,
                           .rank = tensor->ndim,
                           .shape = tensor->shape,
                           .strides = tensor->strides};
    if (tensor->ndim < 0 || tensor->ndim > TN_MAX_RANK || !tn__type_equal(&value->type, &found))
        return tn_status_make(TN_INVALID, "%s %%%s: expected %s, found %s", what, value->name,
                              expected, tn__type_text(NULL, &found, text));
    if (tensor->device.type != TN_DEVICE_CPU)
        return tn_status_make(TN_INVALID, "%s %%%s is not in the memory of the CPU", what,
                              value->name);
    if (tensor->data == NULL && tn_type_numel(&value->type) != 0)
        return tn_status_make(TN_INVALID, "%s %%%s: expected %s, found no data", what, value->name,
                              expected);
    tn_status status = tn__type_check(&found);
    return status == NULL ? NULL : tn_status_annotate(status, "%s %%%s: ", what, value->name);
}

static tn_status check_call(const run *r, const tn_tensor *const *inputs, uint32_t n_inputs,
                            tn_tensor *const *outputs, uint32_t n_outputs) {
    const tn_ir_graph *g = r->graph;
    if (n_inputs != g->n_inputs || n_outputs != g->n_outputs)
        return tn_status_make(TN_INVALID,
                              "graph %s: expected %" PRIu32 " inputs and %" PRIu32
                              " outputs, found %" PRIu32 " and %" PRIu32,
                              g->name, g->n_inputs, g->n_outputs, n_inputs, n_outputs);
    for (uint32_t i = 0; i < n_inputs; i++)
        TN_TRY(check_tensor(r, "input", g->inputs[i], inputs[i]));
    for (uint32_t i = 0; i < n_outputs; i++)
        TN_TRY(check_tensor(r, "output", g->outputs[i], outputs[i]));
    return NULL;
}

/* The bytes that the strides reach, and how far before element 0 they begin. */
static size_t tensor_bytes(const tn_tensor *t, uint64_t *out_before) {
    int64_t low = 0, high = 0;
    for (int32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0) return 0;
        const int64_t reach = (t->shape[i] - 1) * t->strides[i];
        *(reach < 0 ? &low : &high) += reach;
    }
    const size_t size = tn__dtype_size(t->dtype);
    *out_before = (uint64_t)-low * size;
    return (size_t)(high - low + 1) * size;
}

/* Memory for a value; held is the dtype its elements are kept in. */
static tn_status slot_init(run *r, slot *s, const tn_type *type, tn_dtype held) {
    s->tensor = (tn_tensor){.device = {TN_DEVICE_CPU, 0},
                            .ndim = type->rank,
                            .dtype = held,
                            .shape = type->shape,
                            .strides = type->strides};
    if (type->strides == NULL) {
        s->tensor.strides = tn_arena_array(&r->arena, (size_t)type->rank, sizeof(int64_t));
        if (s->tensor.strides == NULL) return tn_status_no_memory();
        tn_shape_strides(type->shape, type->rank, s->tensor.strides);
    }
    s->size = tensor_bytes(&s->tensor, &s->tensor.byte_offset) + 1; /* of nothing too */
    s->buffer = tn_alloc_aligned(r->graph->allocator, s->size, 64);
    if (s->buffer == NULL) return tn_status_no_memory();
    s->tensor.data = s->buffer;
    return NULL;
}

static void slot_deinit(const run *r, slot *s) {
    tn_free(r->graph->allocator, s->buffer, s->size);
    s->buffer = NULL;
}

/* Floats narrower than f32 stay in f32 between primitives, unless strict. */
static tn_dtype held_dtype(const run *r, const tn_ir_node *node, const tn_type *type) {
    if (node->op != NULL || r->options->strict || type->dt == TN_DT_NONE) return type->dtype;
    return tn_dt_to_dtype(tn_dt_compute(type->dt));
}

/* An op is given its operands in their own dtypes: a rounded copy of one that is
 * kept in f32. Primitives that use the value too go on with f32. */
static tn_status round_operand(run *r, tn_vid v, slot *copy) {
    const slot *s = &r->slots[v];
    const tn_type *type = &r->graph->values[v].type;
    *copy = (slot){.tensor = s->tensor};
    if (tn_dt_from_dtype(s->tensor.dtype) == type->dt) return NULL;
    TN_TRY(slot_init(r, copy, type, type->dtype));
    tn__strided from, to;
    tn__strided_init(&from, &s->tensor, type->dt);
    tn__strided_init(&to, &copy->tensor, type->dt);
    tn__copy_all(&to, &from);
    return NULL;
}

static tn_status run_op(run *r, const tn_ir_node *node, const tn_tensor **operands,
                        tn_tensor *const *results) {
    if (r->options->run_op == NULL)
        return tn_status_make(TN_UNSUPPORTED,
                              "the interpreter was given no way to run an op; lower the graph to "
                              "primitives first");
    slot *copies = tn_arena_array(&r->arena, node->n_operands, sizeof *copies);
    if (copies == NULL) return tn_status_no_memory();
    tn_status status = NULL;
    for (uint32_t i = 0; status == NULL && i < node->n_operands; i++) {
        status = round_operand(r, node->operands[i], &copies[i]);
        operands[i] = &copies[i].tensor;
    }
    if (status == NULL) status = r->options->run_op(r->options->self, node, operands, results);
    for (uint32_t i = 0; i < node->n_operands; i++)
        slot_deinit(r, &copies[i]);
    return status;
}

static tn_status run_node(run *r, const tn_ir_node *node) {
    const tn_ir_graph *g = r->graph;
    const tn_tensor **operands = tn_arena_array(&r->arena, node->n_operands,
                                                sizeof(const tn_tensor *));
    tn_tensor **results = tn_arena_array(&r->arena, node->n_results, sizeof(tn_tensor *));
    if (operands == NULL || results == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < node->n_operands; i++)
        operands[i] = &r->slots[node->operands[i]].tensor;
    for (uint32_t i = 0; i < node->n_results; i++) {
        const tn_type *type = &g->values[node->results[i]].type;
        if (!type->known) continue; /* None, of a Tensor? result */
        slot *s = &r->slots[node->results[i]];
        TN_TRY(slot_init(r, s, type, held_dtype(r, node, type)));
        results[i] = &s->tensor;
    }
    if (node->op != NULL) return run_op(r, node, operands, results);
    return tn_interp_prim(node, g, g->allocator, operands, results, r->options->strict);
}

static void release_used(run *r, const tn_ir_node *node) {
    for (uint32_t i = 0; i < node->n_operands; i++) {
        slot *s = &r->slots[node->operands[i]];
        if (--s->uses == 0) slot_deinit(r, s);
    }
    for (uint32_t i = 0; i < node->n_results; i++) {
        slot *s = &r->slots[node->results[i]];
        if (s->uses == 0) slot_deinit(r, s);
    }
}

static tn_status run_nodes(run *r) {
    char text[TN__NODE_TEXT];
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const tn_ir_node *node = r->graph->nodes[i];
        tn_status status = run_node(r, node);
        if (status != NULL)
            return tn_status_annotate(status, "%s: ", tn__node_text(r->graph, node, text));
        release_used(r, node);
    }
    return NULL;
}

static void write_outputs(run *r, tn_tensor *const *outputs) {
    for (uint32_t i = 0; i < r->graph->n_outputs; i++) {
        const tn_vid v = r->graph->outputs[i];
        const tn_dt dt = r->graph->values[v].type.dt;
        tn__strided from, to;
        tn__strided_init(&from, &r->slots[v].tensor, dt);
        tn__strided_init(&to, outputs[i], dt);
        tn__copy_all(&to, &from);
    }
}

static tn_status run_init(run *r, const tn_tensor *const *inputs) {
    const tn_ir_graph *g = r->graph;
    r->slots = tn_alloc_array(g->allocator, (size_t)g->n_values + 1, sizeof *r->slots);
    r->uses = tn_alloc_array(g->allocator, (size_t)g->n_values + 1, sizeof *r->uses);
    if (r->slots == NULL || r->uses == NULL) return tn_status_no_memory();
    tn_ir_count_uses(g, r->uses);
    for (uint32_t i = 0; i < g->n_values; i++)
        r->slots[i].uses = r->uses[i];
    for (uint32_t i = 0; i < g->n_inputs; i++)
        r->slots[g->inputs[i]].tensor = *inputs[i];
    return NULL;
}

static void run_deinit(run *r) {
    const tn_ir_graph *g = r->graph;
    for (uint32_t i = 0; r->slots != NULL && i < g->n_values; i++)
        slot_deinit(r, &r->slots[i]);
    tn_free(g->allocator, r->slots, ((size_t)g->n_values + 1) * sizeof *r->slots);
    tn_free(g->allocator, r->uses, ((size_t)g->n_values + 1) * sizeof *r->uses);
    tn_arena_deinit(&r->arena);
}

tn_status tn_interp_run(const tn_ir_graph *graph, const tn_interp_options *options,
                        const tn_tensor *const *inputs, uint32_t n_inputs,
                        tn_tensor *const *outputs, uint32_t n_outputs) {
    static const tn_interp_options defaults = {.strict = false};
    run r = {.graph = graph, .options = options == NULL ? &defaults : options};
    TN_TRY(check_call(&r, inputs, n_inputs, outputs, n_outputs));
    tn_arena_init(&r.arena, graph->allocator);
    tn_status status = run_init(&r, inputs);
    if (status == NULL) status = run_nodes(&r);
    if (status == NULL) write_outputs(&r, outputs);
    run_deinit(&r);
    return status;
}
