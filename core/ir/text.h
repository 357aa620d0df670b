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
 * An input is `%name: dtype[extents]`, an extent a number or the name of a size,
 * which is one run-time number wherever it stands; `strides=[...]` (elements, any
 * sign) says that the input is strided. A name after '%' or '@' is any of
 * [A-Za-z_0-9.]; a size is named like a variable, and not true, none, inf, f32 or
 * another word of the language. Arguments are bound as in Python; a call that names no
 * overload means the one that fits (schema/overload.h), and is printed with its name.
 *
 * Literals: integers, floats (always with '.', exponent, inf or nan), true false
 * none (True False None too), "strings" or 'strings' with the escapes of
 * schema/token.h, dtypes (f32), devices (cpu, cuda:1), lists of these, %values;
 * where the schema has an int the name of a size, too. A Tensor[] result takes as
 * many names as it has items, or the first of them and "...".
 *
 * print(parse(print(g))) == print(g). Printing is canonical: tensors by position,
 * the other arguments by keyword, and none that equals its default; more than
 * three inputs one to a line.
 *
 * Lowering text
 * -------------
 * The same language with more freedom, read by tn_ir_parse_lowering alone:
 *
 *   opset 1
 *   graph @swish(%x: T[...]) {
 *     %b = prim::constant(value=$beta, dtype=T)
 *     %bs = prim::broadcast(%b, shape=[...], axes=[])
 *     ...
 *     return %y
 *   }
 *
 * The first line states the opset. The inputs are the call's tensor arguments in
 * order, lists flattened, and their types are patterns, matched in order:
 *
 *   f32 or T      this dtype; or any, the same wherever T stands
 *   4 or n        this extent; or any, the same wherever n stands
 *   ...           first in the brackets: any number of leading dims, the same
 *                 wherever it stands
 *
 * A call that does not match, or has None for a tensor, is TN_DECLINED with the
 * reason: the text is not for it. Values in the statements:
 *
 *   $name         the call's argument of that name, whatever its type; in a list,
 *                 the items of a list
 *   T             where the schema has a ScalarType
 *   sizes         where it has an int: numbers, names of extents, $name, + - *,
 *                 parentheses, floordiv ceildiv mod min max(x, y), rank(%v),
 *                 numel(%v), dim(%v, axis), and rank(...), numel(...) of the
 *                 leading dims. prim::size makes such a number a 0-d tensor
 *   ...           in a list of ints: the leading extents
 *   range(a, b)   in a list of ints: a, a+1 .. b-1
 *   repeat(v, k)  in a list of ints: v, k times
 *
 * So the last axis of %x: T[..., n] is rank(...), and a vector %w: T[n] is
 * spread over %x by prim::broadcast(%w, shape=[..., n], axes=[rank(...)]).
 *
 * Errors of both are "file:line:column: expected ..., found ...", then the line
 * and a caret. */
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
/* The same with the types of results as comments, for dumps of bound graphs. */
void tn_ir_print_typed(const tn_ir_graph *graph, tn_strbuf *out);
/* One node as a line of text, and a type as f32[2,3]. */
void tn_ir_print_node(const tn_ir_graph *graph, const tn_ir_node *node, tn_strbuf *out);
void tn_ir_print_type(const tn_ir_graph *graph, const tn_type *type, tn_strbuf *out);

/* Instantiates lowering text for one call and appends its nodes, typed, to
 * `graph`. schema and args are of the op that is lowered, bound; operands are its
 * tensor arguments (typed values of graph). Op calls in the text become op nodes,
 * typed by their meta function for `device`. Every node gets `origin`. out_values
 * receives what the text returns: exactly n_outs values. On failure nodes without
 * users may be left in the graph, but none when an input does not match. */
TN_MUST_USE tn_status tn_ir_parse_lowering(tn_ir_graph *graph, const tn_op_table *ops,
                                           tn_device device, const char *text, size_t length,
                                           const char *file, const tn_schema *schema,
                                           const tn_arg *args, const tn_vid *operands,
                                           uint32_t n_operands, uint32_t origin, tn_vid *out_values,
                                           uint32_t n_outs);

#endif
