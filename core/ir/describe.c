/* Types, values and nodes as error messages name them: in fixed buffers, so that
 * an error about memory needs none. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/internal.h"
#include "schema/value_names.h"

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

/* An allocator of one block that is there already. */
typedef struct fixed_block {
    char bytes[256];
} fixed_block;

static void *fixed_reallocate(void *self, void *ptr, size_t old_size, size_t new_size,
                              size_t alignment) {
    (void)ptr, (void)old_size, (void)alignment;
    return new_size && new_size <= sizeof(fixed_block) ? self : NULL;
}

static void line_dtype(line *l, tn_dtype dtype) {
    fixed_block block;
    tn_allocator fixed = {&block, fixed_reallocate};
    tn_strbuf text;
    tn_strbuf_init(&text, &fixed);
    tn_dtype_write(dtype, &text);
    line_add(l, tn_strbuf_cstr(&text));
    tn_strbuf_deinit(&text);
}

const char *tn__type_text(const tn_ir_graph *graph, const tn_type *type, char out[TN__TYPE_TEXT]) {
    line l = {out, TN__TYPE_TEXT, 0};
    out[0] = 0;
    if (!type->known) {
        line_add(&l, "a value without a type");
        return out;
    }
    line_dtype(&l, type->dtype);
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
