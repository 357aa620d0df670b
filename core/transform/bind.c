#include <string.h>

#include "base/allocator.h"
#include "ir/node_args.h"
#include "transform/passes.h"
#include "transform/rewrite.h"

/* The state of one binding: what each named size turned out to be. */
typedef struct binder {
    const tn_ir_graph *in;
    const tn_pass_options *options;
    int64_t *sizes;       /* by symbol; -1 until seen */
    const char **seen_in; /* the input that fixed it */
    tn_rewrite rw;
    tn_arena scratch;
} binder;

static tn_status bind_axis(binder *b, const tn_ir_value *input, int32_t axis, int64_t found) {
    int64_t declared = input->type.shape[axis];
    if (found < 0) {
        return tn_status_make(TN_INVALID, "input %%%s: axis %d: extent %lld is negative",
                              input->name, axis, (long long)found);
    }
    if (!tn_is_sym(declared)) {
        if (declared == found) return NULL;
        return tn_status_make(TN_INVALID, "input %%%s: axis %d: expected extent %lld, found %lld",
                              input->name, axis, (long long)declared, (long long)found);
    }
    uint32_t k = tn_sym_index(declared);
    if (b->sizes[k] < 0) {
        b->sizes[k] = found;
        b->seen_in[k] = input->name;
        return NULL;
    }
    if (b->sizes[k] == found) return NULL;
    return tn_status_make(
        TN_INVALID, "input %%%s: axis %d: size %s is %lld in input %%%s, found %lld", input->name,
        axis, b->in->symbols[k], (long long)b->sizes[k], b->seen_in[k], (long long)found);
}

static tn_status bind_input(binder *b, uint32_t index, const tn_tensor *tensor) {
    const tn_ir_value *input = &b->in->values[b->in->inputs[index]];
    const tn_type *declared = &input->type;
    tn_type type = {.known = true, .dt = declared->dt, .dtype = declared->dtype};
    if (tensor == NULL) {
        return tn_status_make(TN_INVALID, "input %%%s: no tensor was given", input->name);
    }
    if (memcmp(&tensor->dtype, &declared->dtype, sizeof tensor->dtype) != 0) {
        return tn_status_make(TN_INVALID, "input %%%s: expected dtype %s, found %s", input->name,
                              tn_dt_text(declared->dt),
                              tn_dt_text(tn_dt_from_dtype(tensor->dtype)));
    }
    if (tensor->ndim != declared->rank) {
        return tn_status_make(TN_INVALID, "input %%%s: expected rank %d, found %d", input->name,
                              declared->rank, tensor->ndim);
    }
    type.rank = tensor->ndim;
    type.shape = tensor->shape;
    type.strides = tensor->strides;
    for (int32_t i = 0; i < type.rank; i++) {
        TN_TRY(bind_axis(b, input, i, tensor->shape[i]));
        bool matters = tensor->shape[i] > 1;
        if (declared->strides != NULL && tensor->strides != NULL && matters &&
            declared->strides[i] != tensor->strides[i]) {
            return tn_status_make(
                TN_INVALID, "input %%%s: axis %d: expected stride %lld, found %lld", input->name, i,
                (long long)declared->strides[i], (long long)tensor->strides[i]);
        }
    }
    if (type.strides == NULL) type.strides = declared->strides;
    if (tn_type_numel(&type) < 0) {
        return tn_status_make(TN_INVALID, "input %%%s: its elements do not fit in 64 bits",
                              input->name);
    }
    if (tn_type_is_contiguous(&type)) type.strides = NULL;
    return tn_ir_add_input(b->rw.out, input->name, &type, &b->rw.map[b->in->inputs[index]]);
}

/* Replaces named sizes by their numbers, in place, in copied arguments. */
static tn_status bind_arg(binder *b, tn_arg *arg) {
    if (arg->tag == TN_TAG_DIM) {
        uint32_t k = (uint32_t)(arg->v.dim.id - 1);
        if (b->sizes[k] < 0) {
            return tn_status_make(TN_INVALID, "size %s is not the size of any input",
                                  b->in->symbols[k]);
        }
        *arg = (tn_arg){.tag = TN_TAG_INT, .v.i = b->sizes[k]};
    } else if (arg->tag == TN_TAG_LIST) {
        tn_arg *items = tn_arena_copy(&b->scratch, arg->v.list, arg->count * sizeof *items);
        if (items == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < arg->count; i++)
            TN_TRY(bind_arg(b, &items[i]));
        arg->v.list = items;
    }
    return NULL;
}

static tn_status bind_node(binder *b, const tn_ir_node *node) {
    tn_arena_reset(&b->scratch);
    uint32_t n = node->schema->n_params, n_types = 0;
    tn_arg *args = tn_arena_array(&b->scratch, n, sizeof *args);
    if (args == NULL) return tn_status_no_memory();
    TN_TRY(tn_rewrite_args(&b->rw, node, args));
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(bind_arg(b, &args[i]));
    tn_type prim_types[2], *types = prim_types;
    if (node->op != NULL) {
        TN_TRY(tn_ir_op_types(b->rw.out, node->op, args, b->options->device, &b->scratch, &types,
                              &n_types));
    } else {
        tn_type *operands = tn_arena_array(&b->scratch, node->n_operands, sizeof *operands);
        if (operands == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < node->n_operands; i++) {
            operands[i] = b->rw.out->values[b->rw.map[node->operands[i]]].type;
        }
        TN_TRY(tn_prim_infer(node->prim, operands, node->n_operands, node->schema, args,
                             &b->scratch, types, &n_types));
    }
    if (node->more_results ? n_types < node->n_results : n_types != node->n_results) {
        return tn_status_make(TN_UNSUPPORTED, "%s gives %u results here, the graph names %u",
                              node->schema->full_name, n_types, node->n_results);
    }
    const char **names = tn_arena_array(&b->scratch, n_types, sizeof *names);
    if (names == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < node->n_results; i++)
        names[i] = b->in->values[node->results[i]].name;
    tn_ir_node *copy;
    TN_TRY(tn_ir_add_node(b->rw.out,
                          &(tn_ir_node_desc){.prim = node->prim,
                                             .op = node->op,
                                             .args = args,
                                             .n_results = n_types,
                                             .result_types = types,
                                             .result_names = names,
                                             .origin = node->origin,
                                             .line = node->line,
                                             .column = node->column},
                          &copy));
    for (uint32_t i = 0; i < node->n_results; i++)
        b->rw.map[node->results[i]] = copy->results[i];
    return NULL;
}

static tn_status bind_all(binder *b, const tn_tensor *const *inputs, uint32_t n_inputs,
                          tn_ir_graph **out_graph) {
    const tn_ir_graph *in = b->in;
    if (n_inputs != in->n_inputs) {
        return tn_status_make(TN_INVALID, "graph @%s: expected %u inputs, found %u", in->name,
                              in->n_inputs, n_inputs);
    }
    b->sizes = tn_alloc_array(b->options->allocator, in->n_symbols + 1, sizeof *b->sizes);
    b->seen_in = tn_alloc_array(b->options->allocator, in->n_symbols + 1, sizeof *b->seen_in);
    if (b->sizes == NULL || b->seen_in == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < in->n_symbols; i++)
        b->sizes[i] = -1;
    TN_TRY(tn_rewrite_begin_empty(&b->rw, in, b->options->allocator));
    for (uint32_t i = 0; i < n_inputs; i++)
        TN_TRY(bind_input(b, i, inputs[i]));
    for (uint32_t i = 0; i < in->n_nodes; i++) {
        const tn_ir_node *node = in->nodes[i];
        tn_status status = bind_node(b, node);
        if (status == NULL) continue;
        if (node->n_results == 0) return status;
        return tn_status_annotate(status, "%%%s: ", in->values[node->results[0]].name);
    }
    return tn_rewrite_finish(&b->rw, out_graph);
}

tn_status tn_pass_bind(const tn_ir_graph *graph, const tn_pass_options *options,
                       const tn_tensor *const *inputs, uint32_t n_inputs, tn_ir_graph **out_graph) {
    binder b = {.in = graph, .options = options};
    tn_arena_init(&b.scratch, options->allocator);
    tn_status status = bind_all(&b, inputs, n_inputs, out_graph);
    tn_rewrite_end(&b.rw);
    tn_arena_deinit(&b.scratch);
    tn_free(options->allocator, b.sizes, (graph->n_symbols + 1) * sizeof *b.sizes);
    tn_free(options->allocator, b.seen_in, (graph->n_symbols + 1) * sizeof *b.seen_in);
    return status;
}
