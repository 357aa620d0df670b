/* One primitive being run: what the files of the interpreter share. Private to
 * ir. Types were checked: an operand and a result are what infer says. */
#ifndef TN_IR_INTERP_EXEC_H
#define TN_IR_INTERP_EXEC_H

#include "ir/interp_access.h"

enum { TN__EXEC_MAX_RESULTS = 2 };

typedef struct tn__exec {
    const tn_ir_node *node;
    const tn_prim_info *info;
    const tn_allocator *allocator;
    const tn__strided *in; /* node->n_operands */
    tn__strided out[TN__EXEC_MAX_RESULTS];
    bool strict; /* floats that are kept in f32 are rounded to their dtype still */
} tn__exec;

void tn__exec_elementwise(const tn__exec *e);
void tn__exec_source(const tn__exec *e);
void tn__exec_view(const tn__exec *e);
void tn__exec_gather(const tn__exec *e);
void tn__exec_reduce(const tn__exec *e);
TN_MUST_USE tn_status tn__exec_matmul(const tn__exec *e); /* may find no memory */

#endif
