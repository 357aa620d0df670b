/* What a meta function says of one result, checked and completed. Private to
 * ir: op.c collects the answers, this judges each. */
#ifndef TN_IR_OP_SPEC_H
#define TN_IR_OP_SPEC_H

#include "ir/op.h"

/* Reads the spec of result `index` of the op, as much of it as its author knew,
 * and completes its strides and device (type 0: `device`). Shapes and strides
 * come from the arena. An error says what is wrong with the spec, without naming
 * op or result. */
TN_MUST_USE tn_status tn__op_spec_read(const tn_schema *schema, uint32_t index, const tn_arg *args,
                                       const tn_spec *spec, tn_device device, tn_arena *arena,
                                       tn_op_result *out_result);

/* The result that is tensor `t`: argument `argument`, item `item` of a list. */
TN_MUST_USE tn_status tn__op_result_same(const tn_tensor *t, int32_t argument, int32_t item,
                                         tn_arena *arena, tn_op_result *out_result);

#endif
