#include "schedule/plan.h"

static tn_status add_outputs(tn__plan *plan) {
    const tn_ir_graph *graph = plan->graph;
    plan->output_buffers = tn_arena_array(&plan->arena, graph->n_outputs,
                                          sizeof *plan->output_buffers);
    if (!plan->output_buffers) return tn_status_no_memory();
    /* Wants are a stack: the first output becomes the first want. */
    for (uint32_t i = graph->n_outputs; i-- > 0;) {
        tn_vid value = graph->outputs[i];
        tn_type type = *tn__type(plan, value);
        type.strides = NULL;
        TN_TRY(tn__buffer_add(plan, TN_BUFFER_OUTPUT, i, value, &type, &plan->output_buffers[i]));
        if (plan->values[value].numel == 0) continue;
        tn__want want = {.kind = TN__WANT_OUTPUT, .unit = TN_NONE, .index = i};
        TN_TRY(tn__want_add(plan, value, want));
    }
    return NULL;
}

static tn_status init_values(tn__plan *plan) {
    const tn_ir_graph *graph = plan->graph;
    plan->values = tn_arena_array(&plan->arena, graph->n_values, sizeof *plan->values);
    if (!plan->values) return tn_status_no_memory();
    for (uint32_t i = 0; i < graph->n_values; i++) {
        tn__value *v = &plan->values[i];
        const tn_type *type = &graph->values[i].type;
        if (!type->known)
            return tn_status_make(TN_INVALID, "%%%s has no type: bind the graph before scheduling",
                                  graph->values[i].name);
        *v = (tn__value){.first_demand = TN_NONE,
                         .first_want = TN_NONE,
                         .home = {.buffer = TN_NONE},
                         .owner = TN_NONE,
                         .numel = tn_type_numel(type),
                         .reader = TN_NONE};
        if (v->numel < 0)
            return tn_status_make(TN_UNSUPPORTED,
                                  "%%%s has an unknown extent or more than 2^63 elements",
                                  graph->values[i].name);
    }
    return NULL;
}

static tn_status init_users(tn__plan *plan) {
    const tn_ir_graph *graph = plan->graph;
    size_t edges = 0;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        edges += graph->nodes[i]->n_operands;
    plan->first_user = tn_arena_array(&plan->arena, graph->n_values, sizeof *plan->first_user);
    plan->next_user = tn_arena_array(&plan->arena, edges, sizeof *plan->next_user);
    plan->users = tn_arena_array(&plan->arena, edges, sizeof *plan->users);
    if (!plan->first_user || !plan->next_user || !plan->users) return tn_status_no_memory();
    for (uint32_t i = 0; i < graph->n_values; i++)
        plan->first_user[i] = TN_NONE;
    uint32_t edge = 0;
    for (uint32_t i = graph->n_nodes; i-- > 0;)
        for (uint32_t k = 0; k < graph->nodes[i]->n_operands; k++, edge++) {
            tn_vid value = graph->nodes[i]->operands[k];
            plan->users[edge] = i;
            plan->next_user[edge] = plan->first_user[value];
            plan->first_user[value] = edge;
        }
    return NULL;
}

static tn_status run(tn__plan *plan) {
    TN_TRY(tn__space_init(&plan->space, plan->allocator, &plan->arena));
    plan->no_template = tn_arena_array(&plan->arena, plan->graph->n_nodes,
                                       sizeof *plan->no_template);
    if (!plan->no_template) return tn_status_no_memory();
    TN_TRY(init_values(plan));
    TN_TRY(init_users(plan));
    TN_TRY(add_outputs(plan));
    TN_TRY(tn__sweep(plan));
    TN_TRY(tn__order(plan));
    return tn__log_decisions(plan);
}

static void plan_deinit(tn__plan *plan) {
    const tn_allocator *a = plan->allocator;
    tn__space_deinit(&plan->space);
    tn_vec_free(a, &plan->exprs);
    tn_vec_free(a, &plan->units);
    tn_vec_free(a, &plan->wants);
    tn_vec_free(a, &plan->waits);
    tn_vec_free(a, &plan->stores);
    tn_vec_free(a, &plan->buffers);
    tn_vec_free(a, &plan->stack);
    tn_vec_free(a, &plan->needs);
    tn_arena_deinit(&plan->arena);
}

tn_status tn_schedule_build(const tn_allocator *allocator, const tn_ir_graph *graph,
                            const tn_schedule_options *options, tn_schedule **out_schedule) {
    *out_schedule = NULL;
    tn_schedule *schedule = tn_alloc_zero(allocator, sizeof *schedule);
    if (!schedule) return tn_status_no_memory();
    schedule->allocator = allocator;
    schedule->graph = graph;
    schedule->log = options->log;
    tn_arena_init(&schedule->arena, allocator);
    tn__plan plan = {.allocator = allocator,
                     .graph = graph,
                     .options = options,
                     .schedule = schedule,
                     .last_effect = TN_NONE,
                     .space.allocator = allocator};
    tn_arena_init(&plan.arena, allocator);
    tn_status status = run(&plan);
    /* Where there was no memory for coordinates, nothing that followed means anything. */
    if (status && plan.space.index.no_memory) {
        tn_status_ignore(status);
        status = tn_status_no_memory();
    }
    plan_deinit(&plan);
    if (!status) status = tn_schedule_plan_memory(schedule, options->no_reuse);
    if (status) {
        tn_schedule_destroy(schedule);
        return tn_status_annotate(status, "schedule of @%s: ", graph->name);
    }
    *out_schedule = schedule;
    return NULL;
}

void tn_schedule_destroy(tn_schedule *schedule) {
    if (!schedule) return;
    tn_arena_deinit(&schedule->arena);
    tn_free(schedule->allocator, schedule, sizeof *schedule);
}
