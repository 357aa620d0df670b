/* What is known of each primitive: made from the one list in tenon/opset.h.
 * Immutable; any thread. */
#ifndef TN_IR_PRIM_H
#define TN_IR_PRIM_H

#include "ir/dtype.h"
#include "schema/schema.h"
#include "tenon/opset.h"

typedef enum tn_prim_class {
    TN_PRIM_CLASS_ELEMENTWISE, /* those of TN_PRIM_ELEMENTWISE, select, cast, bitcast */
    TN_PRIM_CLASS_SOURCE,      /* constant, size, iota */
    TN_PRIM_CLASS_VIEW,        /* broadcast permute reshape slice flip window: an index map */
    TN_PRIM_CLASS_GATHER,      /* pad concat take: an index map and a choice */
    TN_PRIM_CLASS_REDUCE,      /* sum .. mean_var */
    TN_PRIM_CLASS_CONTRACT     /* matmul */
} tn_prim_class;

typedef struct tn_prim_info {
    uint32_t id;      /* TN_PRIM_... */
    const char *name; /* "add" */
    tn_prim_class klass;
    uint8_t arity;    /* tensor operands; 0 with concat's list */
    bool result_bool; /* elementwise: result is bool */
    bool on_float, on_int, on_bool;
    /* Elementwise bodies in the dialect of opset.h; NULL where undefined. */
    const char *body_float, *body_int, *body_bool;
    const char *schema_text; /* "prim::add(Tensor a, Tensor b) -> Tensor" */
    const char *doc;
} tn_prim_info;

const tn_prim_info *tn_prim_get(uint32_t id); /* NULL: unknown */
const tn_prim_info *tn_prim_find(const char *name, size_t length);
/* In order of number. */
uint32_t tn_prim_count(void);
const tn_prim_info *tn_prim_at(uint32_t index);

/* One element of an elementwise primitive of TN_PRIM_ELEMENTWISE, which must be
 * defined on dt (on_float, on_int, on_bool), computed from the body. Floats in
 * dt's compute type, as opset.h says: the caller rounds to dt where it wants
 * that, and operands are first rounded to the compute type. Integers wrap to dt.
 * The result is bool where result_bool says so. */
tn_scalar tn_prim_eval(uint32_t id, tn_dt dt, const tn_scalar *operands);

/* The parsed schemas of all primitives, for parser, printer and builder. */
typedef struct tn_prim_schemas tn_prim_schemas;
TN_MUST_USE tn_status tn_prim_schemas_create(const tn_allocator *allocator,
                                             tn_prim_schemas **out_schemas);
void tn_prim_schemas_destroy(tn_prim_schemas *schemas);
const tn_schema *tn_prim_schemas_get(const tn_prim_schemas *schemas, uint32_t id);

#endif
