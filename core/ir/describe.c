/* Types, values and nodes as error messages name them: in fixed buffers, so that
 * an error about memory needs none. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/internal.h"

typedef struct line {
    char *text;
    size_t size, length; /* length == size: cut, and closed with "..." */
} line;

static void line_add(line *l, const char *text) {
    size_t n = strlen(text);
    if (l->length == l->size) return;
    if (l->length + n >= l->size) {
        size_t at = l->length + 4 > l->size ? l->size - 4 : l->length;
        memcpy(l->text + at, "...", 4);
        l->length = l->size;
        return;
    }
    memcpy(l->text + l->length, text, n + 1);
    l->length += n;
}

static void line_extent(line *l, const tn_ir_graph *graph, int64_t extent) {
    char number[32];
    if (tn_is_sym(extent)) {
        bool named = graph && tn_sym_index(extent) < graph->n_symbols;
        line_add(l, named ? graph->symbols[tn_sym_index(extent)] : "?");
        return;
    }
    snprintf(number, sizeof number, "%" PRId64, extent);
    line_add(l, number);
}

const char *tn__type_text(const tn_ir_graph *graph, const tn_type *type, char out[TN__TYPE_TEXT]) {
    line l = {out, TN__TYPE_TEXT, 0};
    out[0] = 0;
    if (!type->known) {
        line_add(&l, "a value without a type");
        return out;
    }
    if (type->dt != TN_DT_NONE) {
        line_add(&l, tn_dt_text(type->dt));
    } else {
        char text[40];
        snprintf(text, sizeof text, "dtype(%u,%u,%u)", type->dtype.code, type->dtype.bits,
                 type->dtype.lanes);
        line_add(&l, text);
    }
    line_add(&l, "[");
    for (int32_t i = 0; i < type->rank; i++) {
        if (i) line_add(&l, ",");
        line_extent(&l, graph, type->shape[i]);
    }
    line_add(&l, "]");
    return out;
}

const char *tn__node_text(const tn_ir_graph *graph, const tn_ir_node *node,
                          char out[TN__NODE_TEXT]) {
    line l = {out, TN__NODE_TEXT, 0};
    out[0] = 0;
    for (uint32_t i = 0; i < node->n_results; i++) {
        line_add(&l, i ? ", %" : "%");
        line_add(&l,
                 node->results[i] < graph->n_values ? graph->values[node->results[i]].name : "?");
    }
    if (node->n_results) line_add(&l, " = ");
    line_add(&l, node->schema->full_name);
    return out;
}
