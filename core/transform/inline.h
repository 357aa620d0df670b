/* What lower and decompose share: one node replaced by what its plugin builds, and
 * rounds until nothing is replaced any more. */
#ifndef TN_TRANSFORM_INLINE_H
#define TN_TRANSFORM_INLINE_H

#include "transform/passes.h"
#include "transform/rewrite.h"

/* Runs the node's lowering, or its decomposition, into the output graph and maps its
 * results; nothing is mapped when it declined, and detail says why. Sets *made_ops when
 * what was built calls ops, which then need a round of their own. */
TN_MUST_USE tn_status tn__inline_node(tn_rewrite *rw, const tn_pass_options *o,
                                      const tn_ir_node *node, bool decompose, bool *out_declined,
                                      bool *made_ops, char detail[256]);

/* Whether the user wrote this node: only such are explained, not what a lowering calls. */
bool tn__is_source_node(const tn_pass_options *o, const tn_ir_node *node);

/* One walk over a graph; sets *again when it made ops that it has not looked at. */
typedef tn_status (*tn__round_fn)(const tn_ir_graph *graph, const tn_pass_options *o, bool *again,
                                  tn_ir_graph **out_graph);
/* Repeats the round on its own result until it makes no more ops. A cycle among them
 * ends after 16 rounds, as a PLUGIN error that says `cycle`. */
TN_MUST_USE tn_status tn__until_settled(const tn_ir_graph *graph, const tn_pass_options *o,
                                        tn__round_fn round, const char *cycle,
                                        tn_ir_graph **out_graph);

#endif
