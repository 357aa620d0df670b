/* Whether arguments and results that are there follow a schema exactly, without
 * any conversion: the invariant of a node. */
#include <inttypes.h>
#include <stdio.h>

#include "ir/internal.h"

static bool scalar_fits(const tn_schema_type *type, const tn_arg *arg) {
    switch (type->kind) {
    case TN_SCHEMA_TENSOR: return arg->tag == TN_TAG_VALUE;
    case TN_SCHEMA_INT: return arg->tag == TN_TAG_INT || arg->tag == TN_TAG_DIM;
    case TN_SCHEMA_FLOAT: return arg->tag == TN_TAG_FLOAT;
    case TN_SCHEMA_BOOL: return arg->tag == TN_TAG_BOOL;
    case TN_SCHEMA_STR: return arg->tag == TN_TAG_STRING;
    case TN_SCHEMA_SCALAR:
        return arg->tag == TN_TAG_INT || arg->tag == TN_TAG_FLOAT || arg->tag == TN_TAG_BOOL;
    case TN_SCHEMA_DTYPE: return arg->tag == TN_TAG_DTYPE;
    case TN_SCHEMA_DEVICE: return arg->tag == TN_TAG_DEVICE;
    case TN_SCHEMA_HANDLE: return arg->tag == TN_TAG_HANDLE;
    }
    return false;
}

bool tn__arg_fits(const tn_schema_type *type, const tn_arg *arg) {
    if (arg->tag == TN_TAG_NONE) return type->is_optional;
    if (!type->is_list) return scalar_fits(type, arg);
    if (arg->tag != TN_TAG_LIST) return false;
    if (type->list_length != TN_SCHEMA_LIST_ANY && (uint32_t)type->list_length != arg->count)
        return false;
    for (uint32_t i = 0; i < arg->count; i++) {
        const tn_arg *item = &arg->v.list[i];
        if (item->tag == TN_TAG_NONE ? !type->element_is_optional : !scalar_fits(type, item))
            return false;
    }
    return true;
}

bool tn__results_fit(const tn_schema *schema, uint32_t n_results, char out_expected[48]) {
    uint64_t least = 0;
    bool open = false;
    for (uint32_t i = 0; i < schema->n_results; i++) {
        const tn_schema_type *type = &schema->results[i].type;
        if (!type->is_list)
            least++;
        else if (type->list_length == TN_SCHEMA_LIST_ANY)
            open = true;
        else
            least += (uint64_t)type->list_length;
    }
    snprintf(out_expected, 48, "%s%" PRIu64, open ? "at least " : "", least);
    return open ? n_results >= least : n_results == least;
}

bool tn__returns_list(const tn_schema *schema) {
    return schema->n_results == 1 && schema->results[0].type.is_list &&
           schema->results[0].type.list_length == TN_SCHEMA_LIST_ANY;
}
