/* One graph planned for one signature of inputs, ready to run on any number of
 * threads at once: what was decided, the code, what opaque kernels prepared.
 * Immutable once made, but for the frames, which concurrent runs borrow. */
#ifndef TN_RUNTIME_PLAN_H
#define TN_RUNTIME_PLAN_H

#include "codegen/render.h"
#include "runtime/call.h"
#include "runtime/template.h"
#include "transform/passes.h"

typedef struct tn_run_plan_options {
    int32_t target; /* TN_TARGET_... */
    bool eager, strict;
    bool poison, no_reuse, checked;
    const tn_rules *rules; /* may be NULL; outlives the plan */
    const char *dump_pass; /* a pass's name or "all"; NULL: none */
    tn_sink dump;
    void *dump_self;
} tn_run_plan_options;

typedef struct tn_frame tn_frame;
enum { TN_PLAN_NEAR = 4 };

typedef struct tn_run_plan {
    tn_runtime *rt;
    const tn_ir_graph *source; /* retained by whoever retains the plan */
    tn_run_plan_options options;
    _Atomic uint32_t references;
    bool interpreted; /* the reference runs `graph`; nothing below was made */
    tn_arena arena;
    tn_decision_log log;
    tn_ir_graph *graph; /* lowered */
    tn_tensor *output_specs;
    tn_schedule *schedule;
    tn_rendered *rendered;
    tn_cpu_object *object;
    tn_render_fn *functions;     /* by entry */
    tn_call_plan *calls;         /* by step; kernel NULL where it is no CALL */
    tn_template_plan *templates; /* by step */
    /* Free frames: in a place near the thread, found without a lock, or in the list. */
    _Atomic(tn_frame *) near_frames[TN_PLAN_NEAR];
    pthread_mutex_t lock; /* over the list */
    tn_frame *frames;
    double plan_seconds, compile_seconds;
} tn_run_plan;

/* OK for NULL, "all" and what dumps are named after; otherwise the error lists them. */
TN_MUST_USE tn_status tn_run_plan_check_dump(const tn_allocator *allocator, const char *pass);
TN_MUST_USE tn_status tn_run_plan_create(tn_runtime *rt, const tn_ir_graph *source,
                                         const tn_run_plan_options *options,
                                         const tn_tensor *const *inputs, uint32_t n_inputs,
                                         tn_run_plan **out_plan);
void tn_run_plan_retain(tn_run_plan *plan);
void tn_run_plan_unref(tn_run_plan *plan); /* destroys with the last */

/* Whether outputs, as many as the graph has, are what the plan makes, every tensor has
 * host memory, and what is written lies apart from everything else. */
TN_MUST_USE tn_status tn_run_plan_check(const tn_run_plan *plan, const tn_tensor *const *inputs,
                                        uint32_t n_inputs, tn_tensor *const *outputs,
                                        uint32_t n_outputs);
/* Inputs fit the plan's signature by shape and dtype, and all is checked as above.
 * Outputs may have any strides. */
TN_MUST_USE tn_status tn_run_plan_run(tn_run_plan *plan, const tn_tensor *const *inputs,
                                      tn_tensor *const *outputs);

/* Files of this folder: the interpreter's side (interpret.c), runs (run.c). */
TN_MUST_USE tn_status tn__plan_interpret_init(tn_run_plan *plan);
TN_MUST_USE tn_status tn__plan_interpret(tn_run_plan *plan, const tn_tensor *const *inputs,
                                         tn_tensor *const *outputs);
void tn__plan_free_frames(tn_run_plan *plan);
uint32_t tn__plan_run_flags(const tn_run_plan *plan); /* TN_RUN_..., for its kernels */

#endif
