#include "runtime/template.h"

#include "ir/node_args.h"
#include "runtime/call.h"

/* The epilogue, and the prologues of arguments that are computed. */
static uint64_t filled_slots(const tn_step *step) {
    const tn_template *t = step->template_;
    uint64_t filled = 0;
    for (uint32_t i = 0; i < t->n_slots && i < 64; i++) {
        const tn_slot *slot = t->slots[i];
        bool fills = slot->kind == TN_SLOT_EPILOGUE && slot->operand == 0;
        for (uint32_t k = 0; k < TN_MAX_PROLOGUES && slot->kind == TN_SLOT_PROLOGUE; k++) {
            const tn_arg *arg = (uint32_t)slot->operand < step->node->schema->n_params
                                    ? &step->node->args[slot->operand]
                                    : NULL;
            fills |= step->prologues[k] != NULL && arg != NULL && arg->tag == TN_TAG_VALUE &&
                     arg->v.value.id == k + UINT64_C(1);
        }
        if (fills) filled |= UINT64_C(1) << i;
    }
    return filled;
}

static tn_status configure(tn_template_plan *plan, tn_invocation *inv, const tn_schedule *schedule,
                           const tn_step *step, uint32_t flags, tn_arena *arena) {
    const tn_template *t = plan->template_;
    tn_arg *args, *unused;
    tn_tensor *tensors;
    TN_TRY(tn_call_describe(schedule, step, arena, &args, &unused, &tensors));
    tn_arg *results;
    TN_TRY(tn_ir_node_results(schedule->graph, step->node, inv->ctx.device, arena, &results));
    tn_problem problem = {.struct_size = sizeof problem,
                          .args = args,
                          .n_args = step->node->schema->n_params,
                          .n_results = step->node->n_results,
                          .results = results,
                          .flags = flags};
    uint32_t config = step->config;
    if (t->accept != NULL) {
        TN_TRY(
            tn_invocation_status(inv, "template accept", t->accept(&inv->ctx, &problem, config)));
    }
    problem.slots = filled_slots(step);
    if (t->prepare != NULL) {
        void *state = NULL; /* of no meaning when prepare fails */
        tn_code code = t->prepare(&inv->ctx, &problem, config, &state);
        TN_TRY(tn_invocation_status(inv, "template prepare", code));
        plan->state = state;
    }
    plan->launch.struct_size = sizeof plan->launch;
    TN_TRY(tn_invocation_status(
        inv, "template configure",
        t->configure(&inv->ctx, &problem, config, plan->state, &plan->launch)));
    if (plan->launch.n_params == 0) return NULL;
    plan->launch.params = tn_arena_copy(arena, plan->launch.params,
                                        plan->launch.n_params * sizeof *plan->launch.params);
    return plan->launch.params != NULL ? NULL : tn_status_no_memory();
}

tn_status tn_template_plan_init(tn_template_plan *plan, tn_runtime *rt, const tn_schedule *schedule,
                                const tn_step *step, uint32_t flags, tn_arena *arena) {
    *plan = (tn_template_plan){.template_ = step->template_, .op = step->node->op};
    tn_invocation inv;
    tn_invocation_init(&inv, rt, plan->op, flags);
    tn_status status = configure(plan, &inv, schedule, step, flags, arena);
    tn_invocation_deinit(&inv);
    return tn_status_annotate(status, "template %s: ", step->template_->name);
}

void tn_template_plan_deinit(tn_template_plan *plan, tn_runtime *rt) {
    if (plan->template_ == NULL || plan->template_->release == NULL || plan->state == NULL) return;
    tn_invocation inv;
    tn_invocation_init(&inv, rt, plan->op, 0);
    plan->template_->release(&inv.ctx, plan->state);
    tn_invocation_deinit(&inv);
    plan->state = NULL;
}
