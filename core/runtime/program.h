/* A compiled graph: its options, and a plan for each signature of inputs seen
 * lately. Any number of threads at once; a signature is planned once, and who asks
 * for it meanwhile waits. No lock is held while a plan is made: other signatures
 * are found, run and made at the same time. */
#ifndef TN_RUNTIME_PROGRAM_H
#define TN_RUNTIME_PROGRAM_H

#include "runtime/plan.h"

#define TN_PROGRAM_PLANS 64 /* kept; the one used longest ago goes */

typedef struct tn_program tn_program;

/* source outlives the program; options are copied, rules with them given away. */
TN_MUST_USE tn_status tn_program_create(tn_runtime *rt, const tn_ir_graph *source,
                                        const tn_run_plan_options *options, tn_rules *rules,
                                        tn_program **out_program);
void tn_program_destroy(tn_program *program); /* plans that others hold live on */

/* Finds or makes the plan; the caller gets a reference (tn_run_plan_unref). */
TN_MUST_USE tn_status tn_program_plan(tn_program *program, const tn_tensor *const *inputs,
                                      uint32_t n_inputs, tn_run_plan **out_plan);
/* Checks inputs and outputs, and runs. */
TN_MUST_USE tn_status tn_program_run(tn_program *program, const tn_tensor *const *inputs,
                                     uint32_t n_inputs, tn_tensor *const *outputs,
                                     uint32_t n_outputs);

/* How many references its plans hold to ops of this owner. */
uint64_t tn_program_op_references(tn_program *program, const tn_op_owner *owner);

typedef struct tn_program_stats {
    uint64_t plans, runs;
} tn_program_stats;
void tn_program_get_stats(tn_program *program, tn_program_stats *out_stats);

#endif
