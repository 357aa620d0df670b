/* From the name in a call to an op. */
#include <string.h>

#include "ir/op.h"
#include "schema/overload.h"

tn_status tn_op_candidates(const tn_op_table *table, const char *name, size_t length,
                           const struct tn_op **out, uint32_t *out_n) {
    *out_n = table->overloads != NULL
                 ? table->overloads(table->self, name, length, out, TN_MAX_OVERLOADS)
                 : 0;
    if (*out_n > TN_MAX_OVERLOADS) {
        return tn_status_make(TN_INVALID,
                              "%.*s has %u overloads, and at most %u are tried: name the one that "
                              "is meant",
                              length < 200 ? (int)length : 200, name, *out_n, TN_MAX_OVERLOADS);
    }
    if (*out_n > 0) return NULL;
    *out_n = 1;
    return table->find(table->self, name, length, out);
}

tn_status tn_op_bind_call(const tn_op_table *table, const char *name, const tn_arg *args,
                          uint32_t n_args, const tn_attr *named, uint32_t n_named, tn_arena *arena,
                          const struct tn_op **out_op, tn_arg **out_args) {
    const struct tn_op *ops[TN_MAX_OVERLOADS];
    const tn_schema *schemas[TN_MAX_OVERLOADS];
    uint32_t n, index;
    TN_TRY(tn_op_candidates(table, name, strlen(name), ops, &n));
    for (uint32_t i = 0; i < n; i++)
        schemas[i] = ops[i]->schema;
    TN_TRY(tn_overload_bind(schemas, n, args, n_args, named, n_named, arena, &index, out_args));
    *out_op = ops[index];
    return NULL;
}
