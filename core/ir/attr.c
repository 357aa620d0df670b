/* Attributes of a primitive node, by schema name. */
#include <assert.h>
#include <stddef.h>

#include "ir/graph.h"

const tn_arg *tn_ir_attr(const tn_ir_node *node, const char *name) {
    int32_t index = tn_schema_find_param(node->schema, name);
    assert(index >= 0);
    return &node->args[index];
}

int64_t tn_ir_attr_int(const tn_ir_node *node, const char *name) {
    const tn_arg *arg = tn_ir_attr(node, name);
    assert(arg->tag == TN_TAG_INT);
    return arg->v.i;
}

uint32_t tn_ir_attr_ints(const tn_ir_node *node, const char *name, int64_t out[TN_MAX_RANK]) {
    const tn_arg *arg = tn_ir_attr(node, name);
    assert(arg->tag == TN_TAG_LIST && arg->count <= TN_MAX_RANK);
    for (uint32_t i = 0; i < arg->count; i++)
        out[i] = arg->v.list[i].v.i;
    return arg->count;
}

tn_dt tn_ir_attr_dtype(const tn_ir_node *node, const char *name) {
    const tn_arg *arg = tn_ir_attr(node, name);
    assert(arg->tag == TN_TAG_DTYPE);
    return tn_dt_from_dtype(arg->v.dtype);
}
