/* A template's kernel in a plan: its state and what configure answered. */
#ifndef TN_RUNTIME_TEMPLATE_H
#define TN_RUNTIME_TEMPLATE_H

#include "runtime/invoke.h"
#include "schedule/schedule.h"

typedef struct tn_template_plan {
    const tn_template *template_; /* NULL: the step is none */
    const struct tn_op *op;
    void *state;
    tn_launch launch; /* params copied to the plan's arena */
} tn_template_plan;

/* Asks accept, prepare and configure for the step's configuration. */
TN_MUST_USE tn_status tn_template_plan_init(tn_template_plan *plan, tn_runtime *rt,
                                            const tn_schedule *schedule, const tn_step *step,
                                            uint32_t flags, tn_arena *arena);
void tn_template_plan_deinit(tn_template_plan *plan, tn_runtime *rt);

/* Answers the scheduler's question whether a template takes a node of the graph
 * (tn_template_judge): self is one of these. */
typedef struct tn_template_asker {
    tn_runtime *rt;
    const tn_ir_graph *graph;
    uint32_t flags; /* TN_RUN_... */
} tn_template_asker;
TN_MUST_USE tn_status tn_template_ask(void *self, const tn_ir_node *node,
                                      const tn_template *template_, uint32_t config,
                                      bool *out_accepted, char detail[256]);

#endif
