/* mean_var and matmul in terms of what a loop nest knows. */
#include "ir/slot.h"
#include "transform/emit.h"
#include "transform/passes.h"
#include "transform/rewrite.h"

/* Two passes: the mean, then the squared distances from it. The rows a CPU or a
 * block works on stay in its cache, so the second pass costs no memory traffic, and
 * unlike E[x^2] - E[x]^2 nothing cancels. */
static tn_status mean_var(tn_rewrite *rw, const tn_ir_node *node) {
    tn_emitter e = {rw->out, node->origin, NULL};
    tn_vid x = rw->map[node->operands[0]];
    const tn_type *type = &rw->out->values[x].type;
    tn_dt dt = type->dt, compute = tn_dt_compute(dt);
    int64_t axes[TN_MAX_RANK], kept[TN_MAX_RANK], n = 1;
    uint32_t n_axes = tn_ir_attr_ints(node, "axes", axes), n_kept = 0;
    int32_t rank = type->rank;
    int64_t shape[TN_MAX_RANK];
    uint32_t reduced = 0;
    for (uint32_t i = 0; i < n_axes; i++)
        reduced |= 1u << axes[i];
    for (int32_t i = 0; i < rank; i++) {
        shape[i] = type->shape[i];
        if (reduced & 1u << i) {
            n *= shape[i];
        } else {
            kept[n_kept++] = i;
        }
    }
    int64_t free = n - tn_ir_attr_int(node, "correction");
    tn_vid wide = tn_emit_cast(&e, x, compute);
    tn_vid sum = tn_emit_sum(&e, wide, axes, n_axes);
    if (e.status != NULL) return e.status;
    const tn_type *row = &rw->out->values[sum].type;
    int64_t row_shape[TN_MAX_RANK];
    int32_t row_rank = row->rank;
    for (int32_t i = 0; i < row_rank; i++)
        row_shape[i] = row->shape[i];
    tn_vid count = tn_emit_size(&e, n, compute);
    tn_vid divisor = tn_emit_size(&e, free > 0 ? free : 0, compute);
    count = tn_emit_broadcast(&e, count, row_shape, row_rank, NULL, 0);
    divisor = tn_emit_broadcast(&e, divisor, row_shape, row_rank, NULL, 0);
    tn_vid mean = tn_emit_binary(&e, TN_PRIM_DIV, sum, count);
    tn_vid spread = tn_emit_broadcast(&e, mean, shape, rank, kept, n_kept);
    tn_vid centred = tn_emit_binary(&e, TN_PRIM_SUB, wide, spread);
    tn_vid squares = tn_emit_binary(&e, TN_PRIM_MUL, centred, centred);
    tn_vid m2 = tn_emit_sum(&e, squares, axes, n_axes);
    tn_vid var = tn_emit_binary(&e, TN_PRIM_DIV, m2, divisor);
    rw->map[node->results[0]] = tn_emit_cast(&e, mean, dt);
    rw->map[node->results[1]] = tn_emit_cast(&e, var, dt);
    return e.status;
}

/* [..., m, k] by [..., k, n] as a sum over the last axis of [..., m, n, k]. */
static tn_status matmul(tn_rewrite *rw, const tn_ir_node *node) {
    tn_emitter e = {rw->out, node->origin, NULL};
    tn_vid a = rw->map[node->operands[0]], b = rw->map[node->operands[1]];
    const tn_type *ta = &rw->out->values[a].type, *tb = &rw->out->values[b].type;
    tn_dt dt = ta->dt, compute = tn_dt_compute(dt);
    int32_t rank = ta->rank, batch = rank - 2;
    if (rank + 1 > TN_MAX_RANK) {
        return tn_status_make(TN_UNSUPPORTED, "prim::matmul: rank %d is above %d", rank,
                              TN_MAX_RANK - 1);
    }
    int64_t shape[TN_MAX_RANK], a_axes[TN_MAX_RANK], b_axes[TN_MAX_RANK], perm[TN_MAX_RANK];
    for (int32_t i = 0; i < batch; i++) {
        shape[i] = ta->shape[i];
        a_axes[i] = b_axes[i] = perm[i] = i;
    }
    shape[batch] = ta->shape[batch];
    shape[batch + 1] = tb->shape[batch + 1];
    shape[batch + 2] = ta->shape[batch + 1];
    a_axes[batch] = batch;
    a_axes[batch + 1] = b_axes[batch + 1] = batch + 2;
    b_axes[batch] = batch + 1;
    perm[batch] = batch + 1;
    perm[batch + 1] = batch;
    tn_vid wide_a = tn_emit_cast(&e, a, compute), wide_b = tn_emit_cast(&e, b, compute);
    tn_vid turned = tn_emit_permute(&e, wide_b, perm, rank);
    tn_vid full_a = tn_emit_broadcast(&e, wide_a, shape, rank + 1, a_axes, (uint32_t)rank);
    tn_vid full_b = tn_emit_broadcast(&e, turned, shape, rank + 1, b_axes, (uint32_t)rank);
    tn_vid products = tn_emit_binary(&e, TN_PRIM_MUL, full_a, full_b);
    int64_t last = rank;
    tn_vid sum = tn_emit_sum(&e, products, &last, 1);
    rw->map[node->results[0]] = tn_emit_cast(&e, sum, dt);
    return e.status;
}

/* ---------------------------------------------------------------- templates */

/* Whether a template that is attached to the primitive takes the node's problem. */
static tn_status ask(const tn_ir_graph *graph, const tn_pass_options *o, const tn_ir_node *node,
                     const struct tn_op *op, bool *out) {
    const tn_template *t = op->desc->templates[0];
    char detail[256];
    tn_ir_node as_op = *node;
    as_op.prim = 0;
    as_op.op = op;
    as_op.schema = op->schema;
    *out = false;
    if (t->device_type != o->device.type) return NULL;
    bool fits = tn_slot_stores(t, graph->values[node->results[0]].type.dt, detail);
    for (uint32_t k = 0; k < t->n_configs && fits && !*out; k++)
        TN_TRY(tn_judge_template(o->judge, graph, &as_op, t, k, out, detail));
    if (*out || !o->log || node->origin >= o->log->n) return NULL;
    return tn_decision_refuse(o->log, node->origin, TN_DECISION_TEMPLATE,
                              fits ? TN_REASON_TEMPLATE_DECLINED : TN_REASON_SLOT_UNFIT, detail);
}

/* Of contractions a template is worth more than generated loops; of what loops do well
 * only where it is asked for. */
static tn_status find_template(const tn_ir_graph *graph, const tn_pass_options *o,
                               const tn_ir_node *node, const struct tn_op **out) {
    *out = NULL;
    if (node->op || node->n_results != 1 || o->interpret || !o->ops || !o->ops->primitive)
        return NULL;
    int wish = tn_rules_ask(o->rules, o->source, node->origin, TN_DECISION_TEMPLATE);
    bool contraction = tn_prim_get(node->prim)->klass == TN_PRIM_CLASS_CONTRACT;
    if (wish < 0 || (wish == 0 && !contraction)) return NULL;
    const struct tn_op *op;
    for (uint32_t i = 0; (op = o->ops->primitive(o->ops->self, node->prim, i)) != NULL; i++) {
        bool accepted;
        TN_TRY(ask(graph, o, node, op, &accepted));
        if (accepted) {
            *out = op;
            return NULL;
        }
    }
    return NULL;
}

/* The same node as a call of the op that stands for the template. */
static tn_status host(tn_rewrite *rw, const tn_ir_node *node, const struct tn_op *op) {
    tn_arg *args = tn_arena_array(&rw->out->arena, node->schema->n_params, sizeof *args);
    tn_ir_node *made;
    if (args == NULL) return tn_status_no_memory();
    TN_TRY(tn_rewrite_args(rw, node, args));
    const tn_ir_node_desc desc = {.op = op,
                                  .args = args,
                                  .n_results = 1,
                                  .result_types = &rw->in->values[node->results[0]].type,
                                  .origin = node->origin};
    TN_TRY(tn_ir_add_node(rw->out, &desc, &made));
    rw->map[node->results[0]] = made->results[0];
    return NULL;
}

static tn_status legalize(tn_rewrite *rw, const tn_pass_options *o, const tn_ir_node *node) {
    const struct tn_op *op;
    TN_TRY(find_template(rw->in, o, node, &op));
    if (op != NULL) return host(rw, node, op);
    switch (node->prim) {
    case TN_PRIM_MEAN_VAR: return mean_var(rw, node);
    case TN_PRIM_MATMUL: return matmul(rw, node);
    default: return tn_rewrite_copy(rw, node);
    }
}

static bool any_to_legalize(const tn_ir_graph *graph, const tn_pass_options *o) {
    bool rules = o->rules && o->rules->n > 0 && o->ops && o->ops->primitive;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        uint32_t prim = graph->nodes[i]->prim;
        if (prim == TN_PRIM_MEAN_VAR || prim == TN_PRIM_MATMUL || (rules && prim)) return true;
    }
    return false;
}

tn_status tn_pass_legalize(const tn_ir_graph *graph, const tn_pass_options *options,
                           tn_ir_graph **out_graph) {
    tn_rewrite rw;
    *out_graph = NULL;
    if (!any_to_legalize(graph, options)) return NULL;
    tn_status status = tn_rewrite_begin(&rw, graph, options->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        status = legalize(&rw, options, graph->nodes[i]);
    }
    if (status == NULL) status = tn_rewrite_finish(&rw, out_graph);
    tn_rewrite_end(&rw);
    return status;
}
