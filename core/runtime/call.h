/* An op's own kernel in a plan: what was prepared once, and what each concurrent run
 * has of its own. */
#ifndef TN_RUNTIME_CALL_H
#define TN_RUNTIME_CALL_H

#include <pthread.h>

#include "runtime/invoke.h"
#include "schedule/schedule.h"

/* Made with the plan; immutable but for the lock. */
typedef struct tn_call_plan {
    const tn_schedule *schedule;
    const tn_step *step;
    const tn_kernel *kernel;
    tn_kernel native; /* of a library's call: what kernel points to then */
    const struct tn_op *op;
    void *state;
    tn_workspace workspace;
    pthread_mutex_t lock; /* held over run for TN_KERNEL_EXCLUSIVE_STATE */
    uint32_t flags;       /* TN_RUN_... */
} tn_call_plan;

TN_MUST_USE tn_status tn_call_plan_init(tn_call_plan *call, tn_runtime *rt,
                                        const tn_schedule *schedule, const tn_step *step,
                                        uint32_t flags);
void tn_call_plan_deinit(tn_call_plan *call, tn_runtime *rt);

/* One run's own arguments, results and workspace. */
typedef struct tn_call_frame {
    tn_arg *args, *results;
    tn_tensor *tensors; /* operands, then results; data filled for each run */
    void *workspace;
} tn_call_frame;
TN_MUST_USE tn_status tn_call_frame_init(tn_call_frame *frame, const tn_call_plan *call,
                                         tn_runtime *rt, tn_arena *arena);
void tn_call_frame_deinit(tn_call_frame *frame, const tn_call_plan *call, tn_runtime *rt);

/* buffers: the first element of each buffer of the schedule. */
TN_MUST_USE tn_status tn_call_run(tn_call_plan *call, tn_call_frame *frame, tn_runtime *rt,
                                  char *const *buffers);

/* The arguments of a node with tensors as the step sees them: descriptions in
 * `tensors` (operands, then results), all in the arena. */
TN_MUST_USE tn_status tn_call_describe(const tn_schedule *schedule, const tn_step *step,
                                       tn_arena *arena, tn_arg **out_args, tn_arg **out_results,
                                       tn_tensor **out_tensors);

/* Checked mode (check.c): runs the kernel on guarded, poisoned results, and reports
 * writes outside them, elements left unwritten and inputs that changed. */
TN_MUST_USE tn_status tn__call_run_checked(tn_call_plan *call, tn_call_frame *frame,
                                           tn_invocation *inv, const tn_call *arguments);

#endif
