/* What crosses files inside core/ir and nobody else may use. */
#ifndef TN_IR_INTERNAL_H
#define TN_IR_INTERNAL_H

#include "ir/graph.h"

/* "f32[2,B]" into a fixed buffer, cut when longer: for messages. graph may be
 * NULL, and then named sizes print as '?'. */
#define TN__TYPE_TEXT 96
const char *tn__type_text(const tn_ir_graph *graph, const tn_type *type, char out[TN__TYPE_TEXT]);

/* Bytes of an element of any dtype, at least 1. */
size_t tn__dtype_size(tn_dtype dtype);
/* Whether sizes computed from the type fit: rank within TN_MAX_RANK, and the
 * bytes of the product of extents (0 and named sizes count as 1) and the span
 * that strides cover within an int64. The error says what does not fit. */
TN_MUST_USE tn_status tn__type_check(const tn_type *type);
/* A deep copy in the arena. False: no memory. */
bool tn__type_copy(tn_arena *arena, const tn_type *from, tn_type *out);
bool tn__type_equal(const tn_type *a, const tn_type *b); /* but for strides */

/* [A-Za-z_0-9.]+, what may follow '%' and '@'. */
bool tn__is_value_name(const char *name, size_t length);
/* [A-Za-z_][A-Za-z_0-9]* and none of the words that mean something else where a
 * size may stand (true, none, inf, f32, cpu...). */
bool tn__is_symbol_name(const char *name, size_t length);
bool tn__is_reserved_word(const char *name, size_t length);

/* As tn_ir_add_node; with adopt_types the shapes and strides of result_types
 * already live in the graph's arena and are not copied. */
TN_MUST_USE tn_status tn__ir_add_node(tn_ir_graph *graph, const tn_ir_node_desc *desc,
                                      bool adopt_types, tn_ir_node **out_node);
/* A primitive with its arguments bound, values as 1 + vid of typed values: its
 * results are typed here, and desc's are not looked at. */
TN_MUST_USE tn_status tn__ir_add_prim(tn_ir_graph *graph, const tn_ir_node_desc *desc,
                                      tn_ir_node **out_node);
/* Names and types one more value; name NULL or empty makes one up. */
TN_MUST_USE tn_status tn__ir_add_value(tn_ir_graph *graph, const char *name, const tn_type *type,
                                       bool adopt_type, uint32_t def, uint32_t index,
                                       tn_vid *out_value);
/* A value of another graph, with its type, and its name unless that is taken here. */
TN_MUST_USE tn_status tn__ir_copy_value(tn_ir_graph *graph, const tn_ir_value *from, uint32_t def,
                                        uint32_t index, tn_vid *out_value);
/* Whether an argument is what the type says, with no conversion left to do. */
bool tn__arg_fits(const tn_schema_type *type, const tn_arg *arg);
/* Whether a node of the schema can have this many results, a Tensor[] result
 * counting once for each item; how many it can have, in words. */
bool tn__results_fit(const tn_schema *schema, uint32_t n_results, char out_expected[48]);
/* Whether its one result is a Tensor[] of any length. */
bool tn__returns_list(const tn_schema *schema);
/* Makes room for one more element. */
bool tn__ir_grow(const tn_allocator *allocator, void **data, uint32_t *cap, uint32_t len,
                 size_t size);
/* A node as messages name it: "%h = tn::matmul" or "tn::fill_". */
#define TN__NODE_TEXT 128
const char *tn__node_text(const tn_ir_graph *graph, const tn_ir_node *node,
                          char out[TN__NODE_TEXT]);

#endif
