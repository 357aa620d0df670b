/* Plans that the reference interpreter runs. Ops that have no lowering are called
 * as in any other plan, through a schedule that holds nothing but those calls. Each
 * has buffers of its own: its operands, then its results. */
#include "ir/interp.h"
#include "ir/tensor.h"
#include "runtime/plan.h"

/* Operands are handed over contiguous (run_op sees to it), results as declared. */
static tn_status describe_value(tn_run_plan *plan, tn_vid vid, bool result, uint32_t buffer,
                                tn_operand *out) {
    const tn_type *type = &plan->graph->values[vid].type;
    *out = (tn_operand){.buffer = TN_NONE};
    if (!type->known) return NULL; /* None, of a Tensor? result */
    int64_t *strides = tn_arena_array(&plan->schedule->arena, (size_t)type->rank, sizeof *strides);
    if (strides == NULL) return tn_status_no_memory();
    tn_shape_strides(type->shape, type->rank, strides);
    if (result && type->strides != NULL) {
        for (int32_t i = 0; i < type->rank; i++)
            strides[i] = type->strides[i];
    }
    *out = (tn_operand){
        .buffer = buffer, .rank = type->rank, .shape = type->shape, .strides = strides};
    return NULL;
}

static tn_status add_step(tn_run_plan *plan, const tn_ir_node *node) {
    tn_schedule *s = plan->schedule;
    tn_step *step = &s->steps[node->id];
    *step = (tn_step){.kind = TN_STEP_CALL,
                      .node = node,
                      .n_operands = node->n_operands,
                      .n_results = node->n_results};
    step->operands = tn_arena_array(&s->arena, node->n_operands, sizeof *step->operands);
    step->results = tn_arena_array(&s->arena, node->n_results, sizeof *step->results);
    if (step->operands == NULL || step->results == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < node->n_operands; i++) {
        TN_TRY(describe_value(plan, node->operands[i], false, i, &step->operands[i]));
    }
    for (uint32_t i = 0; i < node->n_results; i++) {
        TN_TRY(
            describe_value(plan, node->results[i], true, node->n_operands + i, &step->results[i]));
    }
    if (node->op->cpu == NULL) {
        return tn_status_make(TN_UNSUPPORTED, "plugin %s: op %s: %s", node->op->owner->plugin_name,
                              node->schema->full_name, tn_reason_text(TN_REASON_NO_KERNEL));
    }
    return tn_call_plan_init(&plan->calls[node->id], plan->rt, s, step, tn__plan_run_flags(plan));
}

tn_status tn__plan_interpret_init(tn_run_plan *plan) {
    const tn_ir_graph *g = plan->graph;
    tn_schedule *s = tn_alloc_zero(plan->rt->allocator, sizeof *s);
    if (s == NULL) return tn_status_no_memory();
    plan->schedule = s;
    s->allocator = plan->rt->allocator;
    s->graph = g;
    s->log = &plan->log;
    tn_arena_init(&s->arena, s->allocator);
    s->steps = tn_arena_array(&s->arena, g->n_nodes, sizeof *s->steps);
    plan->calls = tn_arena_array(&plan->arena, g->n_nodes, sizeof *plan->calls);
    if (s->steps == NULL || plan->calls == NULL) return tn_status_no_memory();
    s->n_steps = g->n_nodes;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (g->nodes[i]->op != NULL) TN_TRY(add_step(plan, g->nodes[i]));
    }
    return NULL;
}

static tn_status run_op(void *self, const tn_ir_node *node, const tn_tensor *const *operands,
                        tn_tensor *const *results) {
    tn_run_plan *plan = self;
    tn_call_plan *call = &plan->calls[node->id];
    tn_arena arena;
    tn_call_frame frame = {0};
    tn_arena_init(&arena, plan->rt->allocator);
    tn_status status = NULL;
    char **buffers = tn_arena_array(&arena, node->n_operands + node->n_results, sizeof *buffers);
    if (buffers == NULL) status = tn_status_no_memory();
    for (uint32_t i = 0; status == NULL && i < node->n_operands; i++) {
        buffers[i] = tn_tensor_first(operands[i]);
        if (tn_tensor_is_contiguous(operands[i])) continue;
        char *copy = tn_arena_array(&arena, (size_t)tn_tensor_numel(operands[i]),
                                    tn_dtype_bytes(operands[i]->dtype));
        if (copy == NULL) {
            status = tn_status_no_memory();
            break;
        }
        tn_tensor_gather(operands[i], copy);
        buffers[i] = copy;
    }
    for (uint32_t i = 0; status == NULL && i < node->n_results; i++) {
        if (results[i] != NULL) buffers[node->n_operands + i] = tn_tensor_first(results[i]);
    }
    if (status == NULL) status = tn_call_frame_init(&frame, call, plan->rt, &arena);
    if (status == NULL) {
        status = tn_call_run(call, &frame, plan->rt, buffers);
        tn_call_frame_deinit(&frame, call, plan->rt);
    }
    tn_arena_deinit(&arena);
    return status;
}

tn_status tn__plan_interpret(tn_run_plan *plan, const tn_tensor *const *inputs,
                             tn_tensor *const *outputs) {
    tn_interp_options options = {.strict = plan->options.strict, .run_op = run_op, .self = plan};
    return tn_interp_run(plan->graph, &options, inputs, plan->graph->n_inputs, outputs,
                         plan->graph->n_outputs);
}
