/* A bound graph with random inputs, run by the reference interpreter and by its
 * schedule: what tests of the scheduler are made of. */
#ifndef TN_TESTS_SCHEDULE_CASE_H
#define TN_TESTS_SCHEDULE_CASE_H

#include "ir/interp.h"
#include "schedule/schedule.h"

typedef struct tn_case {
    const tn_allocator *allocator;
    tn_ir_graph *source; /* as parsed or built; owned */
    tn_ir_graph *graph;  /* bound; owned */
    tn_tensor *inputs;
    const tn_tensor **input_ptrs;
    tn_arena arena; /* of everything else */
    uint32_t n_inputs;
} tn_case;

/* Takes the graph (also on failure). Inputs get random data of their dtype; named
 * sizes are not allowed. */
TN_MUST_USE tn_status tn_case_open(const tn_allocator *allocator, tn_ir_graph *source,
                                   uint64_t seed, tn_case *out);
void tn_case_close(tn_case *c);

/* Zeroed options for the CPU, with fusion, and a log if given. */
tn_schedule_options tn_case_options(const tn_case *c, tn_decision_log *log);

/* Runs a schedule on memory: tn_loop_interp_run, or something that stands on
 * generated code. */
typedef tn_status (*tn_case_run)(void *self, const tn_schedule *schedule,
                                 const tn_interp_options *options, const tn_tensor *const *inputs,
                                 tn_tensor *const *outputs);

/* Runs the interpreter and the schedule, and compares all outputs: to the bit with
 * `exact` (but zeros of both signs are equal, and NaNs too), or within what fused
 * runs are allowed. An error says which output differs, where, and shows graph and
 * schedule. run_op may be NULL. */
TN_MUST_USE tn_status tn_case_check(const tn_case *c, const tn_schedule *schedule,
                                    const tn_interp_options *options, bool exact);
/* The same with another way to run it. */
TN_MUST_USE tn_status tn_case_check_with(const tn_case *c, const tn_schedule *schedule,
                                         const tn_interp_options *options, bool exact,
                                         tn_case_run run, void *self);

#endif
