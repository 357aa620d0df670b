/* Arguments' values, read by what the schema expects: a name is a size where an
 * int can stand, and a dtype or another literal elsewhere. */
#include "ir/parse.h"

#include <string.h>

#include "base/near.h"
#include "base/vec.h"
#include "schema/literal.h"

static bool is_int(const tn_schema_type *type) {
    return type && type->kind == TN_SCHEMA_INT;
}

static bool find_symbol(const tn__parser *p, const tn_token *name, uint32_t *out_symbol) {
    uint64_t found;
    if (!tn_map_get(&p->graph->symbol_names, name->text, name->length, &found)) return false;
    *out_symbol = (uint32_t)found;
    return true;
}

static tn_status unknown_size(const tn__parser *p, const tn_token *name) {
    const tn_ir_graph *g = p->graph;
    tn_near near;
    char hint[TN_NEAR_TEXT];
    tn_near_init(&near, name->text, name->length);
    for (uint32_t i = 0; i < g->n_symbols; i++)
        tn_near_offer(&near, g->symbols[i]);
    return tn_lexer_error(&p->lexer, name,
                          "expected an int or the name of a size that an input declares, found "
                          "'%.*s'%s",
                          (int)(name->length < 64 ? name->length : 64), name->text,
                          tn_near_hint(&near, hint));
}

/* A name that is no literal, in graph text. */
static tn_status parse_graph_name(tn__parser *p, const tn_schema_type *type, tn_arg *out) {
    tn_token name = p->lexer.token;
    uint32_t symbol = 0;
    bool is_symbol = find_symbol(p, &name, &symbol);
    if (is_int(type) && is_symbol) {
        *out = (tn_arg){TN_TAG_DIM, 0, {.dim = {1 + (uint64_t)symbol}}};
        return tn_lexer_next(&p->lexer);
    }
    if (is_int(type) && !tn__is_reserved_word(name.text, name.length))
        return unknown_size(p, &name);
    if (is_symbol && type && type->kind != TN_SCHEMA_DTYPE)
        return tn_lexer_error(&p->lexer, &name,
                              "the size %.*s can only stand where the schema has an int",
                              (int)(name.length < 64 ? name.length : 64), name.text);
    return tn_literal_atom(&p->lexer, &p->scratch, out);
}

static tn_status parse_lowering_name(tn__parser *p, const tn_schema_type *type, tn_arg *out) {
    tn_token name = p->lexer.token;
    if (type && type->kind == TN_SCHEMA_DTYPE) {
        tn_dtype dtype;
        if (tn__lowering_dtype(p, &name, &dtype)) {
            *out = (tn_arg){TN_TAG_DTYPE, 0, {.dtype = dtype}};
            return tn_lexer_next(&p->lexer);
        }
    }
    return tn_literal_atom(&p->lexer, &p->scratch, out);
}

static tn_status parse_atom(tn__parser *p, const tn_schema_type *type, tn_arg *out) {
    tn_lexer *lexer = &p->lexer;
    bool is_name = lexer->token.kind == TN_TOKEN_NAME;
    if (tn_lexer_at(lexer, "%")) {
        tn_vid value;
        TN_TRY(tn__parse_use(p, &value));
        *out = (tn_arg){TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)value}}};
        return NULL;
    }
    if (!p->lowering && tn_lexer_at(lexer, "$"))
        return tn_lexer_error(lexer, &lexer->token,
                              "'$' names an argument of the op that lowering text is for; graph "
                              "text has no such op");
    if (!p->lowering)
        return is_name ? parse_graph_name(p, type, out) : tn_literal_atom(lexer, &p->scratch, out);
    bool is_none = is_name && (tn_lexer_at_name(lexer, "none") || tn_lexer_at_name(lexer, "None"));
    if (is_int(type) && !is_none) {
        int64_t value;
        TN_TRY(tn__lowering_int(p, &value));
        *out = (tn_arg){TN_TAG_INT, 0, {.i = value}};
        return NULL;
    }
    if (tn_lexer_at(lexer, "$")) return tn__lowering_attr(p, out);
    return is_name ? parse_lowering_name(p, type, out) : tn_literal_atom(lexer, &p->scratch, out);
}

typedef TN_VEC(tn_arg) arg_vec;

static tn_status parse_items(tn__parser *p, const tn_schema_type *type, arg_vec *items) {
    tn_lexer *lexer = &p->lexer;
    bool more = !tn_lexer_at(lexer, "]");
    while (more) {
        tn_arg item;
        if (tn_lexer_at(lexer, "["))
            return tn_lexer_error(lexer, &lexer->token, "a list cannot hold a list");
        TN_TRY(parse_atom(p, type, &item));
        if (!tn_vec_push(p->scratch.allocator, items, item)) return tn_status_no_memory();
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    return tn_lexer_expect(lexer, "]", "or ',' after an item");
}

static tn_status parse_list(tn__parser *p, const tn_schema_type *type, tn_arg *out) {
    tn_token open = p->lexer.token;
    arg_vec items = {0};
    TN_TRY(tn_lexer_next(&p->lexer));
    tn_status status = parse_items(p, type, &items);
    if (!status && items.len > UINT32_MAX)
        status = tn_lexer_error(&p->lexer, &open, "this list is too long");
    tn_arg *list = NULL;
    if (!status) {
        list = tn_arena_array(&p->scratch, items.len, sizeof *list);
        if (!list) status = tn_status_no_memory();
    }
    if (!status) {
        if (items.len) memcpy(list, items.data, items.len * sizeof *list);
        *out = (tn_arg){TN_TAG_LIST, (uint32_t)items.len, {.list = list}};
    }
    tn_vec_free(p->scratch.allocator, &items);
    return status;
}

tn_status tn__parse_value(tn__parser *p, const tn_schema_type *type, tn_arg *out) {
    bool is_attr = p->lowering && tn_lexer_at(&p->lexer, "$");
    if (is_attr && type && type->is_list) return tn__lowering_attr(p, out);
    if (!tn_lexer_at(&p->lexer, "[")) return parse_atom(p, type, out);
    if (p->lowering && is_int(type)) return tn__lowering_ints(p, out);
    return parse_list(p, type, out);
}
