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

#endif
