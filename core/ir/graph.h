/* The graph: SSA values and nodes in one arena.
 *
 * Invariants (tn_ir_verify checks them all):
 *  - nodes are in an order where every value is defined before it is used;
 *  - a node's args follow its schema, one per parameter, defaults filled in;
 *    a tensor argument is TN_TAG_VALUE with v.value.id == 1 + its slot in
 *    operands, so that a rewrite changes operands[slot] and nothing else; an int
 *    argument that is a named size is TN_TAG_DIM with v.dim.id == 1 + symbol;
 *  - names of values are unique; names are data and never generated code;
 *  - an extent is >= 0, or tn_sym(k) for the named size symbols[k].
 *
 * A graph goes through three states:
 *   source   as parsed or built: extents may be symbols, and only inputs have
 *            types (type.known);
 *   bound    every extent and attribute concrete, every value typed (infer);
 *   lowered  as bound, and every node is a primitive or an op that the
 *            scheduler calls as it is.
 *
 * Passes do not edit: they read one graph and build the next (tn_ir_add_node
 * into a fresh graph), so an earlier state can always be printed. One thread
 * builds a graph; after that anyone may read it. */
#ifndef TN_IR_GRAPH_H
#define TN_IR_GRAPH_H

#include "base/arena.h"
#include "base/hash.h"
#include "ir/dtype.h"
#include "ir/op.h"
#include "ir/prim.h"

#define TN_MAX_RANK 16

typedef uint32_t tn_vid; /* index into values */
#define TN_NO_VALUE UINT32_MAX
#define TN_NO_NODE UINT32_MAX

static inline int64_t tn_sym(uint32_t symbol) {
    return -1 - (int64_t)symbol;
}
static inline bool tn_is_sym(int64_t extent) {
    return extent < 0;
}
static inline uint32_t tn_sym_index(int64_t extent) {
    return (uint32_t)(-1 - extent);
}

typedef struct tn_type {
    bool known;
    tn_dt dt; /* TN_DT_NONE when dtype is none of ours */
    tn_dtype dtype;
    int32_t rank;
    int64_t *shape;
    /* NULL means contiguous. Set for strided inputs and for results that an
     * opaque op declares strided. Elements. */
    int64_t *strides;
} tn_type;

typedef struct tn_ir_value {
    const char *name; /* without the '%' */
    bool made_up;     /* no one gave it: whoever wants this name gets it */
    uint32_t def;     /* node, or TN_NO_NODE for an input */
    uint32_t index;   /* which result, or which input */
    tn_type type;
} tn_ir_value;

typedef struct tn_ir_node {
    uint32_t id;            /* index into nodes */
    uint32_t prim;          /* TN_PRIM_..., or TN_PRIM_NONE for an op */
    const struct tn_op *op; /* retained by the graph */
    const tn_schema *schema;
    tn_arg *args; /* schema order, schema->n_params of them */
    tn_vid *operands;
    uint32_t n_operands;
    /* Flattened: one per schema result, and of a Tensor[] result one per item. An
     * absent Tensor? result is a value that is never typed nor used. */
    tn_vid *results;
    uint32_t n_results;
    /* Source graphs only, where the one result is a Tensor[]: it may have more
     * items than these. */
    bool more_results;
    uint32_t origin;       /* node of the source graph this stands for: explain's key */
    uint32_t line, column; /* in the text, 0 when built */
} tn_ir_node;

typedef struct tn_ir_graph {
    const tn_allocator *allocator;
    const tn_prim_schemas *prim_schemas; /* borrowed from the context */
    tn_arena arena;
    const char *name;
    tn_ir_value *values;
    uint32_t n_values, values_cap;
    tn_ir_node **nodes;
    uint32_t n_nodes, nodes_cap;
    tn_vid *inputs;
    uint32_t n_inputs, inputs_cap;
    tn_vid *outputs;
    uint32_t n_outputs, outputs_cap;
    const char **symbols;
    uint32_t n_symbols, symbols_cap;
    tn_map names; /* of values */
    tn_map symbol_names;
} tn_ir_graph;

TN_MUST_USE tn_status tn_ir_create(const tn_allocator *allocator,
                                   const tn_prim_schemas *prim_schemas, const char *name,
                                   tn_ir_graph **out_graph);
void tn_ir_destroy(tn_ir_graph *graph); /* releases its ops; NULL is fine */

/* Finds or adds a named size. */
TN_MUST_USE tn_status tn_ir_symbol(tn_ir_graph *graph, const char *name, size_t length,
                                   uint32_t *out_symbol);
/* name is copied; an empty or NULL one is made up (v0, v1, ...), and makes way when
 * a later value is given that name. The type is copied. EXISTS when the name is
 * taken. */
TN_MUST_USE tn_status tn_ir_add_input(tn_ir_graph *graph, const char *name, const tn_type *type,
                                      tn_vid *out_value);
/* What a node is made from. args are in schema order with defaults filled in;
 * a tensor is TN_TAG_VALUE with v.value.id == 1 + vid. Everything is copied. */
typedef struct tn_ir_node_desc {
    uint32_t prim;
    const struct tn_op *op;
    const tn_arg *args;
    uint32_t n_results;
    const tn_type *result_types;     /* may be NULL: not known yet */
    const char *const *result_names; /* may be NULL, entries too */
    bool more_results;
    uint32_t origin; /* TN_NO_NODE: its own id */
    uint32_t line, column;
} tn_ir_node_desc;
TN_MUST_USE tn_status tn_ir_add_node(tn_ir_graph *graph, const tn_ir_node_desc *desc,
                                     tn_ir_node **out_node);
/* A node of another graph as it is, with its types, its origin and its place: what a
 * pass does with all that it leaves alone. map: by value of `from`, to values of
 * `graph`; of the operands it is read, for the results it is set. A name that is
 * taken here is replaced by a made-up one. */
TN_MUST_USE tn_status tn_ir_copy_node(tn_ir_graph *graph, const tn_ir_graph *from,
                                      const tn_ir_node *node, tn_vid *map);
/* Room for so many values and nodes in all; more may follow. */
TN_MUST_USE tn_status tn_ir_reserve(tn_ir_graph *graph, uint32_t n_values, uint32_t n_nodes);
/* Item `index` of the list that a node with more_results returns, which then has
 * at least index + 1 results. How many there really are is known when the graph is
 * bound. */
TN_MUST_USE tn_status tn_ir_add_item(tn_ir_graph *graph, tn_ir_node *node, uint32_t index,
                                     tn_vid *out_value);
TN_MUST_USE tn_status tn_ir_add_output(tn_ir_graph *graph, tn_vid value);

tn_vid tn_ir_find_value(const tn_ir_graph *graph, const char *name, size_t length);

/* A primitive, checked and typed at once: the way passes build lowered graphs.
 * attrs are by name as in its schema. n_outs must be what it returns. */
TN_MUST_USE tn_status tn_ir_emit(tn_ir_graph *graph, uint32_t prim, const tn_vid *operands,
                                 uint32_t n_operands, const tn_attr *attrs, uint32_t n_attrs,
                                 uint32_t origin, tn_vid *out_values, uint32_t n_outs);

/* Attributes of a primitive node by schema name: the parameter must exist. */
const tn_arg *tn_ir_attr(const tn_ir_node *node, const char *name);
int64_t tn_ir_attr_int(const tn_ir_node *node, const char *name);
/* Copies an int[] attribute; returns its length (at most TN_MAX_RANK). */
uint32_t tn_ir_attr_ints(const tn_ir_node *node, const char *name, int64_t out[TN_MAX_RANK]);
tn_dt tn_ir_attr_dtype(const tn_ir_node *node, const char *name);

/* How often each value is used (operands and outputs); n_values counters. */
void tn_ir_count_uses(const tn_ir_graph *graph, uint32_t *out_counts);
/* Product of extents; -1 when it does not fit an int64 or is symbolic. */
int64_t tn_type_numel(const tn_type *type);
bool tn_type_is_contiguous(const tn_type *type); /* axes of extent 0, 1 do not matter */
/* Row-major strides of a shape. */
void tn_shape_strides(const int64_t *shape, int32_t rank, int64_t *out_strides);

/* Types of a primitive's results from its operands' types and attributes: the
 * one rule that builder, infer and verifier use. Errors name primitive,
 * attribute or operand, expected and found. out_types: 2 slots; shapes come
 * from the arena. out_n receives how many. */
TN_MUST_USE tn_status tn_prim_infer(uint32_t prim, const tn_type *operands, uint32_t n_operands,
                                    const tn_schema *schema, const tn_arg *args, tn_arena *arena,
                                    tn_type *out_types, uint32_t *out_n);

/* Every invariant above; with `bound` also that types are known, concrete and
 * agree with tn_prim_infer. The error names node and value. */
TN_MUST_USE tn_status tn_ir_verify(const tn_ir_graph *graph, bool bound);

#endif
