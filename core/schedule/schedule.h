/* What will run, in what order, on which memory, and why.
 *
 * tn_schedule_build reads a lowered graph (ir/graph.h) and produces steps over
 * buffers. Everything lives in the schedule's arena and is immutable after
 * tn_schedule_plan_memory; it borrows the graph it was made from. */
#ifndef TN_SCHEDULE_SCHEDULE_H
#define TN_SCHEDULE_SCHEDULE_H

#include "ir/decision.h"
#include "ir/judge.h"
#include "schedule/loop.h"

typedef enum tn_buffer_kind { TN_BUFFER_INPUT, TN_BUFFER_OUTPUT, TN_BUFFER_TEMP } tn_buffer_kind;
typedef struct tn_buffer {
    tn_buffer_kind kind;
    uint32_t index; /* which input or output */
    tn_vid value;   /* the graph value it holds */
    tn_dtype dtype;
    int32_t rank;
    const int64_t *shape;
    const int64_t *strides; /* elements. INPUT: as bound; OUTPUT: contiguous; TEMP:
                               contiguous unless the op that writes it said else */
    uint64_t bytes;         /* TEMP: what it needs; 0 for zero elements */
    uint64_t offset;        /* TEMP: into the plan's arena, set by memory planning */
    uint32_t first_step, last_step;
} tn_buffer;

/* A tensor handed to an op: a buffer seen through strides. */
typedef struct tn_operand {
    uint32_t buffer; /* TN_NONE: an absent optional (shape NULL), or what a prologue
                        computes, described as if contiguous */
    int32_t rank;
    const int64_t *shape;
    const int64_t *strides;
    int64_t offset; /* elements */
} tn_operand;

/* Operands of a template that can be computed as it loads them: the first ones. */
#define TN_MAX_PROLOGUES 3

typedef enum tn_step_kind {
    TN_STEP_LOOP,    /* `loop` */
    TN_STEP_CALL,    /* the op's own kernel for the device */
    TN_STEP_TEMPLATE /* `template_`, with `loop` as its epilogue */
} tn_step_kind;
typedef struct tn_step {
    tn_step_kind kind;
    tn_loop *loop;          /* LOOP: the kernel. TEMPLATE: the epilogue, over the
                          logical coordinates of the result; its TN_KX_ACC is the
                          accumulator. It always stores something. */
    const tn_ir_node *node; /* CALL, TEMPLATE */
    const tn_template *template_;
    uint32_t config;
    /* TEMPLATE: by operand, a pointwise kernel over the operand's coordinates whose single
     * store (to slot TN_NONE) is the element; NULL: the operand as it is in memory. */
    tn_loop *prologues[TN_MAX_PROLOGUES];
    /* CALL: a library's call instead of the op's kernel, with this work built in, whose
     * operands follow the node's. Its one result is that of the chain. NULL: none. */
    const tn_native *native;
    const tn_chain *chain;
    tn_operand *operands; /* CALL, TEMPLATE: one per node operand */
    uint32_t n_operands;
    tn_operand *results; /* CALL: one per node result. TEMPLATE: none (see stores) */
    uint32_t n_results;
    uint64_t bytes_moved;
} tn_step;

typedef struct tn_schedule {
    const tn_allocator *allocator;
    tn_arena arena;
    const tn_ir_graph *graph;
    tn_buffer *buffers;
    uint32_t n_buffers;
    tn_step *steps;
    uint32_t n_steps;
    tn_decision_log *log;   /* borrowed */
    uint64_t arena_bytes;   /* of TEMP buffers together, after planning */
    uint64_t arena_bound;   /* most bytes alive at one step: no plan needs less */
    uint64_t bytes_moved;   /* sum over steps */
    uint64_t bytes_minimum; /* inputs used, read once; outputs written once */
} tn_schedule;

typedef struct tn_schedule_options {
    int32_t device_type; /* TN_DEVICE_... */
    bool strict;
    bool fuse;     /* false: every op of the source graph by itself (eager) */
    bool no_reuse; /* every TEMP has its own memory */
    const tn_rules *rules;
    /* The graph whose nodes are the origins, and the log that lowering began: both
     * must outlive the schedule. */
    const tn_ir_graph *source;
    tn_decision_log *log;
    uint32_t threads;
    uint64_t cache_bytes;  /* per core, for block and hold decisions; 0: 1 MiB */
    uint64_t launch_work;  /* element operations that cost as much as starting a kernel;
                              0: 32768. Smaller makes more and smaller kernels. */
    const tn_judge *judge; /* NULL: kernels and templates accept everything */
} tn_schedule_options;

TN_MUST_USE tn_status tn_schedule_build(const tn_allocator *allocator, const tn_ir_graph *graph,
                                        const tn_schedule_options *options,
                                        tn_schedule **out_schedule);
/* Gives TEMP buffers their offsets (aligned to 64 bytes): lifetimes from first
 * to last step, greatest first, best fit. */
TN_MUST_USE tn_status tn_schedule_plan_memory(tn_schedule *schedule, bool no_reuse);
void tn_schedule_destroy(tn_schedule *schedule);
void tn_schedule_print(const tn_schedule *schedule, tn_strbuf *out);
/* Steps use defined buffers, lifetimes do not overlap in memory, kernels verify. */
TN_MUST_USE tn_status tn_schedule_verify(const tn_schedule *schedule);

#endif
