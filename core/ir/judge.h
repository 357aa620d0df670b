/* Asking a plugin whether it can run a node's problem, for the passes that decide:
 * *out_accepted, or why not in detail. Nodes are of a typed graph, and operands are
 * described contiguous: which strides a kernel takes is what its flags say. A failure
 * is an error of planning. Whoever plans (runtime) fills the table in. */
#ifndef TN_IR_JUDGE_H
#define TN_IR_JUDGE_H

#include "ir/graph.h"

typedef struct tn_judge {
    void *self;
    tn_status (*kernel)(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                        const tn_kernel *kernel, bool *out_accepted, char detail[256]);
    tn_status (*template_)(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                           const tn_template *template_, uint32_t config, bool *out_accepted,
                           char detail[256]);
    /* What a template costs with these of its slots filled; *out_known false: it does not say. */
    tn_status (*estimate)(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                          const tn_template *template_, uint32_t config, uint64_t slots,
                          tn_estimate *out, bool *out_known);
    /* What a library's call with a chain costs, when it takes that (detail: why not). extra:
     * types of the chain's operands, in the shape of the result; result: what is stored. */
    tn_status (*native)(void *self, const tn_ir_graph *graph, const tn_ir_node *node,
                        const tn_native *native, const tn_chain *chain, const tn_type *extra,
                        uint32_t n_extra, const tn_type *result, tn_estimate *out,
                        bool *out_accepted, char detail[256]);
} tn_judge;

/* Without a judge everything is accepted. */
TN_MUST_USE tn_status tn_judge_kernel(const tn_judge *judge, const tn_ir_graph *graph,
                                      const tn_ir_node *node, const tn_kernel *kernel,
                                      bool *out_accepted, char detail[256]);
TN_MUST_USE tn_status tn_judge_template(const tn_judge *judge, const tn_ir_graph *graph,
                                        const tn_ir_node *node, const tn_template *template_,
                                        uint32_t config, bool *out_accepted, char detail[256]);
TN_MUST_USE tn_status tn_judge_native(const tn_judge *judge, const tn_ir_graph *graph,
                                      const tn_ir_node *node, const tn_native *native,
                                      const tn_chain *chain, const tn_type *extra, uint32_t n_extra,
                                      const tn_type *result, tn_estimate *out, bool *out_accepted,
                                      char detail[256]);
/* out->times has an entry for each slot. Without a judge nothing is known. */
TN_MUST_USE tn_status tn_judge_estimate(const tn_judge *judge, const tn_ir_graph *graph,
                                        const tn_ir_node *node, const tn_template *template_,
                                        uint32_t config, uint64_t slots, tn_estimate *out,
                                        bool *out_known);

#endif
