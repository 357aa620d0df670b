/* The passes, in the order they run. Each is one file and one function; each
 * reads a graph and makes the next, which tn_ir_verify accepts; one that finds
 * nothing to change leaves *out_graph NULL, and its input stands. The table
 * (passes.c) names them for --dump.
 *
 *   bind       source graph + descriptions of the inputs -> symbols replaced,
 *              every value typed by meta and primitive rules
 *   decompose  ops that state a decomposition -> other ops
 *   lower      each op: keep it (opaque, or host of a template) or inline its
 *              lowering; what its kernel and templates decline counts, and the
 *              decision and its reasons go to the log
 *   prune      nodes whose results nobody uses are gone
 *   legalize   primitives the loop nest does not know -> those it does:
 *              mean_var and matmul become elementwise, broadcast and sum;
 *              contractions accumulate as the opset says
 *   simplify   only what is exact under its stated condition: constants folded
 *              by the interpreter, casts that change nothing, x*1, x-0.0,
 *              moves that undo each other, the same primitive on the same
 *              operands once, dead nodes
 *   split      reductions of very much to very little -> one to parts and one of
 *              the parts, by extents alone
 */
#ifndef TN_TRANSFORM_PASSES_H
#define TN_TRANSFORM_PASSES_H

#include "ir/decision.h"
#include "ir/graph.h"
#include "ir/judge.h"

typedef struct tn_pass_options {
    const tn_allocator *allocator;
    const tn_op_table *ops;
    tn_device device;
    bool strict;
    bool interpret;            /* for the reference: inline all that can be, legalize nothing */
    const tn_rules *rules;     /* may be NULL */
    const tn_ir_graph *source; /* whose nodes are the origins; set after bind */
    tn_decision_log *log;
    const tn_judge *judge; /* NULL: kernels and templates accept everything */
} tn_pass_options;

/* inputs: descriptions in the graph's order; data is not read, NULL strides mean
 * contiguous. Named sizes get their value at first sight and must agree after;
 * the error names input, axis, expected and found. */
TN_MUST_USE tn_status tn_pass_bind(const tn_ir_graph *graph, const tn_pass_options *options,
                                   const tn_tensor *const *inputs, uint32_t n_inputs,
                                   tn_ir_graph **out_graph);
TN_MUST_USE tn_status tn_pass_decompose(const tn_ir_graph *graph, const tn_pass_options *options,
                                        tn_ir_graph **out_graph);
TN_MUST_USE tn_status tn_pass_lower(const tn_ir_graph *graph, const tn_pass_options *options,
                                    tn_ir_graph **out_graph);
TN_MUST_USE tn_status tn_pass_prune(const tn_ir_graph *graph, const tn_pass_options *options,
                                    tn_ir_graph **out_graph);
TN_MUST_USE tn_status tn_pass_legalize(const tn_ir_graph *graph, const tn_pass_options *options,
                                       tn_ir_graph **out_graph);
TN_MUST_USE tn_status tn_pass_simplify(const tn_ir_graph *graph, const tn_pass_options *options,
                                       tn_ir_graph **out_graph);
TN_MUST_USE tn_status tn_pass_split(const tn_ir_graph *graph, const tn_pass_options *options,
                                    tn_ir_graph **out_graph);

typedef tn_status (*tn_pass_fn)(const tn_ir_graph *, const tn_pass_options *, tn_ir_graph **);
typedef struct tn_pass {
    const char *name;
    const char *doc;
    tn_pass_fn run;       /* NULL for bind, which needs the inputs */
    bool for_interpreter; /* whether the reference runs it too */
} tn_pass;
/* In order. */
const tn_pass *tn_passes(uint32_t *out_count);

/* Runs an op's lowering (function or text) for one call and appends what it
 * builds to `graph`: the results are typed as meta says, or it is an error that
 * names plugin, op, result, expected and found. args are in schema order, values
 * as 1 + vid of `graph`. *out_declined with a detail when the lowering declined. */
TN_MUST_USE tn_status tn_lowering_run(tn_ir_graph *graph, const tn_pass_options *options,
                                      const struct tn_op *op, const tn_arg *args, bool decompose,
                                      uint32_t origin, const tn_type *result_types,
                                      uint32_t n_results, tn_vid *out_values, bool *out_declined,
                                      char detail[256]);

/* Files of this folder: an op that nobody needs goes to the log. */
TN_MUST_USE tn_status tn__note_dead(const tn_pass_options *options, const tn_ir_node *node);

#endif
