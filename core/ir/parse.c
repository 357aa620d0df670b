/* Graph text: header, inputs, statements, outputs. */
#include "ir/parse.h"

#include <inttypes.h>
#include <string.h>

#include "base/near.h"
#include "base/number.h"
#include "ir/text.h"
#include "schema/value_names.h"

/* How much of a name a message shows. */
#define SHOWN(token) (int)((token)->length < 64 ? (token)->length : 64), (token)->text

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

tn_status tn__parse_name(tn__parser *p, const char *sigil, const char *what, tn_token *out_name) {
    tn_lexer *lexer = &p->lexer;
    if (!tn_lexer_at(lexer, sigil)) return tn_lexer_unexpected(lexer, what);
    size_t begin = lexer->position, end = begin;
    while (end < lexer->length && is_name_byte(lexer->text[end]))
        end++;
    if (end == begin)
        return tn_lexer_error(lexer, &lexer->token,
                              "expected a name right after '%s': letters, digits, '_' and '.'",
                              sigil);
    *out_name = (tn_token){TN_TOKEN_NAME, lexer->text + begin, end - begin};
    lexer->position = end;
    return tn_lexer_next(lexer);
}

tn_status tn__parse_copy(tn__parser *p, const tn_token *token, const char **out_text) {
    *out_text = tn_arena_strndup(&p->scratch, token->text, token->length);
    return *out_text ? NULL : tn_status_no_memory();
}

tn_status tn__parse_error(const tn__parser *p, const tn_token *at, tn_status cause) {
    tn_code code = tn_status_code(cause);
    if (code == TN_NO_MEMORY) return cause;
    tn_status error = tn_lexer_error(&p->lexer, at, "%s", tn_status_message(cause));
    tn_status_free(cause);
    /* What is wrong with the text is PARSE; a plugin's fault stays one. */
    if (code == TN_INVALID || code == TN_NOT_FOUND || code == TN_EXISTS) return error;
    return tn__parse_recode(error, code);
}

tn_status tn__parse_recode(tn_status status, tn_code code) {
    if (tn_status_code(status) == TN_NO_MEMORY) return status;
    tn_status recoded = tn_status_make(code, "%s", tn_status_message(status));
    tn_status_free(status);
    return recoded;
}

tn_status tn__parse_int(tn__parser *p, const char *what, int64_t *out) {
    tn_lexer *lexer = &p->lexer;
    tn_token first = lexer->token;
    bool negative;
    TN_TRY(tn_lexer_take(lexer, "-", &negative));
    tn_token digits = lexer->token;
    if (digits.kind != TN_TOKEN_INT) return tn_lexer_unexpected(lexer, what);
    /* With the sign, so that the smallest int64 can be written. */
    char text[24];
    size_t length = negative;
    text[0] = '-';
    bool fits = digits.length < sizeof text - 1;
    if (fits) {
        memcpy(text + length, digits.text, digits.length);
        fits = tn_int_parse(text, length + digits.length, out);
    }
    if (!fits) return tn_lexer_error(lexer, &first, "this integer does not fit 64 bits");
    return tn_lexer_next(lexer);
}

/* ------------------------------------------------------------------ inputs */

static tn_status parse_extent(tn__parser *p, int64_t *out) {
    tn_lexer *lexer = &p->lexer;
    tn_token token = lexer->token;
    if (token.kind == TN_TOKEN_NAME) {
        uint32_t symbol;
        tn_status bad = tn_ir_symbol(p->graph, token.text, token.length, &symbol);
        if (bad) return tn__parse_error(p, &token, bad);
        *out = tn_sym(symbol);
        return tn_lexer_next(lexer);
    }
    TN_TRY(tn__parse_int(p, "an extent: a number or the name of a size", out));
    if (*out < 0) return tn_lexer_error(lexer, &token, "an extent is 0 or more");
    return NULL;
}

static tn_status unknown_dtype(const tn__parser *p, const tn_token *token) {
    tn_near near;
    char hint[TN_NEAR_TEXT];
    tn_near_init(&near, token->text, token->length);
#define OFFER(name, text, code, bits) tn_near_offer(&near, text);
    TN_DTYPE_LIST(OFFER)
#undef OFFER
    return tn_lexer_error(&p->lexer, token, "expected a dtype like f32, found '%.*s'%s",
                          SHOWN(token), tn_near_hint(&near, hint));
}

static tn_status parse_dtype(tn__parser *p, tn_type *type) {
    tn_lexer *lexer = &p->lexer;
    tn_token token = lexer->token;
    if (token.kind != TN_TOKEN_NAME) return tn_lexer_unexpected(lexer, "a dtype like f32");
    if (!tn_dtype_read(token.text, token.length, &type->dtype)) return unknown_dtype(p, &token);
    type->dt = tn_dt_from_dtype(type->dtype);
    return tn_lexer_next(lexer);
}

static tn_status parse_shape(tn__parser *p, tn_type *type) {
    tn_lexer *lexer = &p->lexer;
    TN_TRY(tn_lexer_expect(lexer, "[", "and the extents of the tensor"));
    bool more = !tn_lexer_at(lexer, "]");
    while (more) {
        if (type->rank == TN_MAX_RANK)
            return tn_lexer_error(lexer, &lexer->token, "a tensor has at most %d axes",
                                  TN_MAX_RANK);
        TN_TRY(parse_extent(p, &type->shape[type->rank]));
        type->rank++;
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    return tn_lexer_expect(lexer, "]", "or ',' after an extent");
}

static tn_status parse_strides(tn__parser *p, tn_type *type, int64_t *strides) {
    tn_lexer *lexer = &p->lexer;
    tn_token word = lexer->token;
    int32_t n = 0;
    TN_TRY(tn_lexer_next(lexer));
    TN_TRY(tn_lexer_expect(lexer, "=", "after strides"));
    TN_TRY(tn_lexer_expect(lexer, "[", "and the strides in elements"));
    bool more = !tn_lexer_at(lexer, "]");
    while (more) {
        int64_t stride;
        TN_TRY(tn__parse_int(p, "a stride: a number of elements", &stride));
        if (n < type->rank) strides[n] = stride;
        n++;
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    TN_TRY(tn_lexer_expect(lexer, "]", "or ',' after a stride"));
    if (n != type->rank)
        return tn_lexer_error(lexer, &word, "expected %d strides, one for each axis, found %d",
                              (int)type->rank, (int)n);
    type->strides = strides;
    return NULL;
}

static tn_status parse_input(tn__parser *p) {
    tn_lexer *lexer = &p->lexer;
    int64_t shape[TN_MAX_RANK], strides[TN_MAX_RANK];
    tn_type type = {.known = true, .shape = shape};
    tn_token token;
    const char *name;
    tn_vid value;
    TN_TRY(tn__parse_name(p, "%", "an input like %x: f32[2,3]", &token));
    TN_TRY(tn_lexer_expect(lexer, ":", "and the type of the input"));
    if (p->lowering) return tn__lowering_input(p, &token);
    TN_TRY(parse_dtype(p, &type));
    TN_TRY(parse_shape(p, &type));
    if (tn_lexer_at_name(lexer, "strides")) TN_TRY(parse_strides(p, &type, strides));
    TN_TRY(tn__parse_copy(p, &token, &name));
    tn_status bad = tn_ir_add_input(p->graph, name, &type, &value);
    return bad ? tn__parse_error(p, &token, bad) : NULL;
}

static tn_status parse_inputs(tn__parser *p) {
    tn_lexer *lexer = &p->lexer;
    TN_TRY(tn_lexer_expect(lexer, "(", "and the inputs"));
    bool more = !tn_lexer_at(lexer, ")");
    while (more) {
        tn_arena_reset(&p->scratch);
        TN_TRY(parse_input(p));
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    return tn_lexer_expect(lexer, ")", "or ',' after an input");
}

/* -------------------------------------------------------------- statements */

/* "%a, %b =" or "%a, ... =" */
static tn_status parse_names(tn__parser *p, tn__names *names) {
    tn_lexer *lexer = &p->lexer;
    uint32_t cap = 0;
    bool more = true;
    while (more) {
        if (names->n == cap) {
            uint32_t grown = cap ? cap * 2 : 4;
            tn_token *copy = tn_arena_array(&p->scratch, grown, sizeof *copy);
            if (!copy) return tn_status_no_memory();
            if (names->n) memcpy(copy, names->tokens, names->n * sizeof *copy);
            names->tokens = copy;
            cap = grown;
        }
        TN_TRY(tn_lexer_take(lexer, "...", &names->more));
        if (names->more) break;
        TN_TRY(tn__parse_name(p, "%", "the name of a result, like %y", &names->tokens[names->n]));
        names->n++;
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    return tn_lexer_expect(lexer, "=", "after the names of the results");
}

static tn_status unknown_value(const tn__parser *p, const tn_token *name) {
    const tn_ir_graph *g = p->graph;
    tn_near near;
    tn_near_init(&near, name->text, name->length);
    for (uint32_t i = 0; !p->lowering && i < g->n_values; i++)
        tn_near_offer(&near, g->values[i].name);
    const char *best = tn_near_best(&near);
    return tn_lexer_error(&p->lexer, name, "%%%.*s is not defined%s%.64s%s", SHOWN(name),
                          best ? " (did you mean %" : "", best ? best : "", best ? "?)" : "");
}

tn_status tn__parse_use(tn__parser *p, tn_vid *out_value) {
    tn_token name;
    TN_TRY(tn__parse_name(p, "%", "a value like %x", &name));
    *out_value = p->lowering ? tn__lowering_find(p, &name)
                             : tn_ir_find_value(p->graph, name.text, name.length);
    return *out_value == TN_NO_VALUE ? unknown_value(p, &name) : NULL;
}

static tn_status parse_return(tn__parser *p) {
    tn_lexer *lexer = &p->lexer;
    TN_TRY(tn_lexer_next(lexer));
    bool more = !tn_lexer_at(lexer, "}");
    while (more) {
        tn_token at = lexer->token;
        tn_vid value;
        TN_TRY(tn__parse_use(p, &value));
        if (p->lowering)
            TN_TRY(tn__lowering_output(p, &at, value));
        else
            TN_TRY(tn_ir_add_output(p->graph, value));
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    return tn_lexer_expect(lexer, "}", "or ',' after a result");
}

static tn_status parse_statement(tn__parser *p) {
    tn__names names = {0};
    tn_arena_reset(&p->scratch);
    if (p->lexer.token.kind != TN_TOKEN_NAME) TN_TRY(parse_names(p, &names));
    return tn__parse_call(p, &names);
}

tn_status tn__parse_graph(tn__parser *p) {
    tn_lexer *lexer = &p->lexer;
    tn_token name;
    if (!tn_lexer_at_name(lexer, "graph"))
        return tn_lexer_unexpected(lexer, "graph @name(...) { ... }");
    TN_TRY(tn_lexer_next(lexer));
    TN_TRY(tn__parse_name(p, "@", "the graph's name, like @main", &name));
    if (!p->lowering) {
        p->graph->name = tn_arena_strndup(&p->graph->arena, name.text, name.length);
        if (!p->graph->name) return tn_status_no_memory();
    }
    TN_TRY(parse_inputs(p));
    TN_TRY(tn_lexer_expect(lexer, "{", "and the statements"));
    while (!tn_lexer_at_name(lexer, "return")) {
        if (lexer->token.kind != TN_TOKEN_NAME && !tn_lexer_at(lexer, "%") &&
            !tn_lexer_at(lexer, "..."))
            return tn_lexer_unexpected(lexer, "a statement like %y = tn::add(%a, %b), or return");
        TN_TRY(parse_statement(p));
    }
    TN_TRY(parse_return(p));
    if (lexer->token.kind != TN_TOKEN_END)
        return tn_lexer_unexpected(lexer, "nothing more after the graph's '}'");
    return NULL;
}

tn_status tn_ir_parse(const tn_allocator *allocator, const tn_prim_schemas *prim_schemas,
                      const tn_op_table *ops, const char *text, size_t length, const char *file,
                      tn_ir_graph **out_graph) {
    *out_graph = NULL;
    tn__parser p = {.ops = ops};
    tn_arena_init(&p.scratch, allocator);
    tn_status status = tn_ir_create(allocator, prim_schemas, NULL, &p.graph);
    if (!status) status = tn_lexer_init(&p.lexer, file, text, length, true);
    if (!status) status = tn__parse_graph(&p);
    tn_arena_deinit(&p.scratch);
    if (status) {
        tn_ir_destroy(p.graph);
        return status;
    }
    *out_graph = p.graph;
    return NULL;
}
