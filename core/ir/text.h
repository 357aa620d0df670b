/* The text form: the language of tests, bug reports, program and benchmarks.
 *
 *   # comment to the end of the line
 *   graph @mlp(%x: bf16[B,4096], %w: bf16[4096,14336] strides=[1,4096],
 *              %b: bf16[14336], %s: f32[]) {
 *     %h = tn::matmul(%x, %w)
 *     %a = tn::add(%h, %b, alpha=2)
 *     %v, %i = tn::max.dim(%a, dim=1, keepdim=true)
 *     %p = prim::reshape(%v, shape=[B, 1])
 *     return %p, %i
 *   }
 *
 * Sizes in attributes may be names declared by an input. Literals: integers,
 * floats (always with '.', exponent, inf or nan), true false none (True False
 * None too), "strings", dtypes (f32), devices (cpu, cuda:1), lists, %values.
 * print(parse(print(g))) == print(g); printing is canonical: arguments after the
 * tensors by keyword, defaults left out.
 *
 * Lowering text is the same language, with a first line `opset 1`, and more
 * freedom, used only through tn_ir_parse_lowering: dtype variables (T),
 * `...` for leading dims, named dims that match any extent, and `$attr` for an
 * argument of the op that is lowered. Its inputs are the op's tensor arguments
 * in order; None arguments are not allowed there. */
#ifndef TN_IR_TEXT_H
#define TN_IR_TEXT_H

#include "base/strbuf.h"
#include "ir/graph.h"

/* file is for messages: "file:line:column: message", then the line and a caret. */
TN_MUST_USE tn_status tn_ir_parse(const tn_allocator *allocator,
                                  const tn_prim_schemas *prim_schemas, const tn_op_table *ops,
                                  const char *text, size_t length, const char *file,
                                  tn_ir_graph **out_graph);
void tn_ir_print(const tn_ir_graph *graph, tn_strbuf *out);
/* One node as a line of text, and a type as f32[2,3]. */
void tn_ir_print_node(const tn_ir_graph *graph, const tn_ir_node *node, tn_strbuf *out);
void tn_ir_print_type(const tn_ir_graph *graph, const tn_type *type, tn_strbuf *out);

/* Instantiates lowering text for one call and appends its nodes to `graph`.
 * operands are the op's tensor arguments (values of graph, typed), attrs its
 * schema and bound arguments. Op calls in the text are added as op nodes, typed
 * by their meta function. out_values receives what the text returns. */
TN_MUST_USE tn_status tn_ir_parse_lowering(tn_ir_graph *graph, const tn_op_table *ops,
                                           const char *text, size_t length, const char *file,
                                           const tn_schema *schema, const tn_arg *args,
                                           const tn_vid *operands, uint32_t n_operands,
                                           uint32_t origin, tn_vid *out_values,
                                           uint32_t n_outs);

#endif
