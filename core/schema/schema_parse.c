/* ns::name.overload(params) -> results, by recursive descent. */
#include <stdio.h>
#include <string.h>

#include "schema/literal.h"
#include "schema/schema_internal.h"

typedef struct parser {
    tn_lexer lexer;
    tn_arena arena; /* moves into the schema when all is well */
    tn_schema schema;
    tn_schema_param params[TN_SCHEMA_MAX_PARAMS];
    tn_schema_result results[TN_SCHEMA_MAX_RESULTS];
    bool keyword_only; /* past the '*' */
} parser;

static tn_status copy_name(parser *p, const tn_token *token, char **out_name) {
    *out_name = tn_arena_strndup(&p->arena, token->text, token->length);
    return *out_name != NULL ? NULL : tn_status_no_memory();
}

/* Reads a name; what is "the operator's name" or the like. */
static tn_status parse_name(parser *p, const char *what, char **out_name) {
    tn_token token = p->lexer.token;
    if (token.kind != TN_TOKEN_NAME) return tn_lexer_unexpected(&p->lexer, what);
    TN_TRY(copy_name(p, &token, out_name));
    return tn_lexer_next(&p->lexer);
}

static tn_status parse_operator_name(parser *p) {
    tn_schema *s = &p->schema;
    bool has_overload = false;
    TN_TRY(parse_name(p, "an operator's name, as in ns::name", &s->ns));
    TN_TRY(tn_lexer_expect(&p->lexer, "::", "after the namespace (an operator is ns::name)"));
    TN_TRY(parse_name(p, "the operator's name after its namespace", &s->name));
    TN_TRY(tn_lexer_take(&p->lexer, ".", &has_overload));
    s->overload = tn_arena_strdup(&p->arena, "");
    if (s->overload == NULL) return tn_status_no_memory();
    if (has_overload) {
        tn_token token = p->lexer.token;
        TN_TRY(parse_name(p, "the overload's name after '.'", &s->overload));
        if (strcmp(s->overload, "default") == 0) {
            return tn_lexer_error(&p->lexer, &token,
                                  "the overload without a name is written "
                                  "without '.default'");
        }
    }
    size_t ns = strlen(s->ns), name = strlen(s->name), overload = strlen(s->overload);
    size_t size = ns + 2 + name + 1 + overload + 1;
    s->full_name = tn_arena_alloc(&p->arena, size);
    if (s->full_name == NULL) return tn_status_no_memory();
    snprintf(s->full_name, size, "%s::%s%s%s", s->ns, s->name, overload > 0 ? "." : "",
             s->overload);
    return NULL;
}

/* The value after '=', fitted to the parameter's type. */
static tn_status parse_default(parser *p, tn_schema_param *param) {
    tn_token token = p->lexer.token;
    tn_arg literal;
    TN_TRY(tn_literal_parse(&p->lexer, &p->arena, &literal));
    tn_status status = tn_schema_coerce(&param->type, &literal, &p->arena, &param->default_value);
    if (status == NULL || tn_status_code(status) == TN_NO_MEMORY) return status;
    tn_status placed = tn_lexer_error(&p->lexer, &token, "the default of '%.64s': %s", param->name,
                                      tn_status_message(status));
    tn_status_free(status);
    return placed;
}

static tn_status check_param_name(parser *p, const tn_token *token, const char *name) {
    for (uint32_t i = 0; i < p->schema.n_params; i++) {
        if (strcmp(p->params[i].name, name) == 0) {
            return tn_lexer_error(&p->lexer, token, "there is a parameter '%.64s' already", name);
        }
    }
    return NULL;
}

/* "a name for this parameter" when there is none: the usual slip is a bare type. */
static tn_status parse_param_name(parser *p, const tn_token *type, tn_schema_param *param) {
    char what[96];
    snprintf(what, sizeof what, "a name for the %.*s parameter",
             type->length < 40 ? (int)type->length : 40, type->text);
    tn_token token = p->lexer.token;
    TN_TRY(parse_name(p, what, &param->name));
    return check_param_name(p, &token, param->name);
}

static tn_status parse_param(parser *p) {
    tn_token begin = p->lexer.token;
    if (p->schema.n_params == TN_SCHEMA_MAX_PARAMS) {
        return tn_lexer_error(&p->lexer, &begin, "an operator has at most %u parameters",
                              TN_SCHEMA_MAX_PARAMS);
    }
    tn_schema_param *param = &p->params[p->schema.n_params];
    *param = (tn_schema_param){.keyword_only = p->keyword_only};
    TN_TRY(tn__schema_parse_type(&p->lexer, &p->arena, &param->type));
    TN_TRY(parse_param_name(p, &begin, param));
    TN_TRY(tn_lexer_take(&p->lexer, "=", &param->has_default));
    if (param->has_default) {
        TN_TRY(parse_default(p, param));
    } else if (!p->keyword_only && p->schema.n_params > 0 && param[-1].has_default) {
        return tn_lexer_error(&p->lexer, &begin,
                              "'%.64s' needs a default, since '%.64s' before it has one; or put "
                              "it after '*'",
                              param->name, param[-1].name);
    }
    p->schema.n_params++;
    if (!p->keyword_only) p->schema.n_positional++;
    return NULL;
}

/* "*," when it is there. */
static tn_status parse_keyword_mark(parser *p) {
    if (!tn_lexer_at(&p->lexer, "*")) return NULL;
    if (p->keyword_only) {
        return tn_lexer_error(&p->lexer, &p->lexer.token, "there is a '*' already");
    }
    p->keyword_only = true;
    TN_TRY(tn_lexer_next(&p->lexer));
    return tn_lexer_expect(&p->lexer, ",", "and a keyword-only parameter after '*'");
}

static tn_status parse_params(parser *p) {
    bool empty = false, more = true;
    TN_TRY(tn_lexer_expect(&p->lexer, "(", "and the parameters after the operator's name"));
    TN_TRY(tn_lexer_take(&p->lexer, ")", &empty));
    if (empty) return NULL;
    while (more) {
        TN_TRY(parse_keyword_mark(p));
        TN_TRY(parse_param(p));
        TN_TRY(tn_lexer_take(&p->lexer, ",", &more));
    }
    return tn_lexer_expect(&p->lexer, ")", "or ',' after the parameter");
}

/* A result may be in alias sets that parameters are in, and no others; one that
 * is written must be a parameter that is written. */
static tn_status check_result_alias(parser *p, const tn_token *at, const tn_schema_type *type) {
    if (type->alias_after != NULL) {
        return tn_lexer_error(&p->lexer, at, "a result has one alias set, without '->'");
    }
    if (type->writes && type->alias == NULL) {
        return tn_lexer_error(&p->lexer, at,
                              "a result that is written must say which parameter it "
                              "is, as in Tensor(a!)");
    }
    size_t length = 0;
    for (const char *set = type->alias, *name; (name = tn__alias_next(&set, &length)) != NULL;) {
        if (length == 1 && name[0] == '*') continue;
        bool known = false, written = false;
        for (uint32_t i = 0; i < p->schema.n_params; i++) {
            const tn_schema_type *param = &p->params[i].type;
            bool in = tn__alias_has(param->alias, name, length);
            known |= in || tn__alias_has(param->alias_after, name, length);
            written |= in && param->writes;
        }
        int shown = length < 40 ? (int)length : 40;
        if (!known) {
            return tn_lexer_error(&p->lexer, at, "no parameter is in the alias set '%.*s'", shown,
                                  name);
        }
        if (type->writes && !written) {
            return tn_lexer_error(&p->lexer, at,
                                  "the result is written, but no parameter in its "
                                  "alias set '%.*s' is",
                                  shown, name);
        }
    }
    return NULL;
}

static tn_status parse_result(parser *p) {
    tn_token begin = p->lexer.token;
    if (p->schema.n_results == TN_SCHEMA_MAX_RESULTS) {
        return tn_lexer_error(&p->lexer, &begin, "an operator has at most %u results",
                              TN_SCHEMA_MAX_RESULTS);
    }
    tn_schema_result *result = &p->results[p->schema.n_results];
    *result = (tn_schema_result){0};
    TN_TRY(tn__schema_parse_type(&p->lexer, &p->arena, &result->type));
    TN_TRY(check_result_alias(p, &begin, &result->type));
    tn_token name = p->lexer.token;
    if (name.kind == TN_TOKEN_NAME) TN_TRY(parse_name(p, "a name", &result->name));
    for (uint32_t i = 0; result->name != NULL && i < p->schema.n_results; i++) {
        if (p->results[i].name != NULL && strcmp(p->results[i].name, result->name) == 0) {
            return tn_lexer_error(&p->lexer, &name, "there is a result '%.64s' already",
                                  result->name);
        }
    }
    if (tn_lexer_at(&p->lexer, "=")) {
        return tn_lexer_error(&p->lexer, &p->lexer.token, "a result has no default");
    }
    p->schema.n_results++;
    return NULL;
}

static tn_status parse_results(parser *p) {
    bool many = false, empty = false, more = true;
    TN_TRY(tn_lexer_expect(&p->lexer, "->",
                           "and the results after the parameters ('-> ()' when "
                           "there are none)"));
    TN_TRY(tn_lexer_take(&p->lexer, "(", &many));
    if (many) TN_TRY(tn_lexer_take(&p->lexer, ")", &empty));
    while (more && !empty) {
        TN_TRY(parse_result(p));
        more = false;
        if (many) TN_TRY(tn_lexer_take(&p->lexer, ",", &more));
    }
    return many && !empty ? tn_lexer_expect(&p->lexer, ")", "or ',' after the result") : NULL;
}

static tn_status too_long(size_t length, const char *what) {
    return tn_status_make(TN_PARSE, "a schema has at most %u bytes%s, found %zu",
                          TN_SCHEMA_MAX_TEXT, what, length);
}

/* The canonical text, which must be a schema too. */
static tn_status print_text(parser *p) {
    tn_strbuf text;
    tn_strbuf_init(&text, p->schema.allocator);
    tn__schema_print(&p->schema, &text);
    tn_status status = tn_strbuf_status(&text);
    if (status == NULL && text.length > TN_SCHEMA_MAX_TEXT) {
        status = too_long(text.length, " with its defaults written out");
    }
    if (status == NULL) {
        p->schema.text = tn_arena_strndup(&p->arena, text.data, text.length);
        if (p->schema.text == NULL) status = tn_status_no_memory();
    }
    tn_strbuf_deinit(&text);
    return status;
}

/* Moves what was read into the arena, and the arena into the schema. */
static tn_status finish(parser *p, tn_schema **out_schema) {
    tn_schema *s = &p->schema;
    s->params = tn_arena_copy(&p->arena, p->params, s->n_params * sizeof *p->params);
    s->results = tn_arena_copy(&p->arena, p->results, s->n_results * sizeof *p->results);
    if (s->params == NULL || s->results == NULL) return tn_status_no_memory();

    TN_TRY(print_text(p));
    tn_schema *schema = tn_arena_alloc(&p->arena, sizeof *schema);
    tn_arena *arena = tn_arena_alloc(&p->arena, sizeof *arena);
    if (schema == NULL || arena == NULL) return tn_status_no_memory();
    *schema = *s;
    schema->arena = arena;
    *arena = p->arena;
    *out_schema = schema;
    return NULL;
}

static tn_status parse(parser *p, const char *text, size_t length, tn_schema **out_schema) {
    if (length > TN_SCHEMA_MAX_TEXT) return too_long(length, "");
    TN_TRY(tn_lexer_init(&p->lexer, "schema", text, length, false));
    TN_TRY(parse_operator_name(p));
    TN_TRY(parse_params(p));
    TN_TRY(parse_results(p));
    if (p->lexer.token.kind != TN_TOKEN_END) {
        return tn_lexer_unexpected(&p->lexer, "the end of the schema");
    }
    return finish(p, out_schema);
}

tn_status tn_schema_parse(const tn_allocator *allocator, const char *text, size_t length,
                          tn_schema **out_schema) {
    *out_schema = NULL;
    parser p = {.schema.allocator = allocator};
    tn_arena_init(&p.arena, allocator);
    tn_status status = parse(&p, text, length, out_schema);
    if (status != NULL) tn_arena_deinit(&p.arena);
    return status;
}
