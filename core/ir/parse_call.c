/* A call: the op by name, its arguments by position and keyword, bound by the one
 * binder. A failure of the binder is shown at the argument that it is about. */
#include "ir/parse.h"

#include <inttypes.h>
#include <string.h>

#include "base/near.h"
#include "schema/overload.h"

enum { MAX_ARGS = TN_SCHEMA_MAX_PARAMS };

typedef struct call {
    tn_token op;             /* its name */
    const struct tn_op *def; /* NULL for a primitive */
    uint32_t prim;
    const tn_schema *schema;
    uint32_t n_args, n_named;
    tn_arg args[MAX_ARGS];
    tn_attr named[MAX_ARGS];
    tn_token arg_tokens[MAX_ARGS], name_tokens[MAX_ARGS], named_tokens[MAX_ARGS];
} call;

#define SHOWN(token) (int)((token)->length < 96 ? (token)->length : 96), (token)->text

static bool is_op_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':';
}

/* ns::name or ns::name.overload, without spaces. */
static tn_status parse_op_name(tn__parser *p, tn_token *out) {
    tn_lexer *lexer = &p->lexer;
    if (lexer->token.kind != TN_TOKEN_NAME) return tn_lexer_unexpected(lexer, "an op like tn::add");
    size_t begin = (size_t)(lexer->token.text - lexer->text), end = begin;
    while (end < lexer->length && is_op_byte(lexer->text[end]))
        end++;
    *out = (tn_token){TN_TOKEN_NAME, lexer->text + begin, end - begin};
    lexer->position = end;
    return tn_lexer_next(lexer);
}

static const char *skip_namespace(const tn_token *op) {
    for (size_t i = 0; i + 2 < op->length; i++)
        if (op->text[i] == ':' && op->text[i + 1] == ':') return op->text + i + 2;
    return NULL;
}

/* "add" alone: is it an op of tn, or a primitive? */
static tn_status missing_namespace(const tn__parser *p, const tn_token *op) {
    char full[128];
    const struct tn_op *found = NULL;
    const char *hint = "";
    if (op->length < sizeof full - 8) {
        int n = snprintf(full, sizeof full, "tn::%.*s", (int)op->length, op->text);
        tn_status status = p->ops ? p->ops->find(p->ops->self, full, (size_t)n, &found) : NULL;
        tn_status_ignore(status);
        if (found) hint = full;
        if (!found && tn_prim_find(op->text, op->length)) {
            snprintf(full, sizeof full, "prim::%.*s", (int)op->length, op->text);
            hint = full;
        }
    }
    return tn_lexer_error(&p->lexer, op,
                          "expected an op with its namespace, like tn::add, found "
                          "'%.*s'%s%s%s",
                          SHOWN(op), *hint ? " (did you mean " : "", hint, *hint ? "?)" : "");
}

static tn_status find_prim(const tn__parser *p, call *c, const char *name, size_t length) {
    const tn_prim_info *info = tn_prim_find(name, length);
    if (info) {
        c->prim = info->id;
        c->schema = tn_prim_schemas_get(p->graph->prim_schemas, info->id);
        return NULL;
    }
    tn_near near;
    char hint[TN_NEAR_TEXT];
    tn_near_init(&near, name, length);
    for (uint32_t i = 0; i < tn_prim_count(); i++)
        tn_near_offer(&near, tn_prim_at(i)->name);
    return tn_lexer_error(&p->lexer, &c->op, "opset %d has no primitive %.*s%s", TN_OPSET_VERSION,
                          (int)(length < 64 ? length : 64), name, tn_near_hint(&near, hint));
}

/* The primitive, and then no ops; or the ops that the name may mean. */
static tn_status find_op(const tn__parser *p, call *c, const struct tn_op **out_ops,
                         uint32_t *out_n) {
    *out_n = 0;
    const char *name = skip_namespace(&c->op);
    if (!name) return missing_namespace(p, &c->op);
    size_t length = (size_t)(c->op.text + c->op.length - name);
    if (c->op.length - length == 6 && memcmp(c->op.text, "prim::", 6) == 0)
        return find_prim(p, c, name, length);
    if (!p->ops)
        return tn_lexer_error(&p->lexer, &c->op, "no ops are registered here; only prim:: is");
    tn_status bad = tn_op_candidates(p->ops, c->op.text, c->op.length, out_ops, out_n);
    return bad ? tn__parse_error(p, &c->op, bad) : NULL;
}

/* --------------------------------------------------------------- arguments */

static tn_status unknown_keyword(const tn__parser *p, const call *c, const tn_token *name) {
    tn_near near;
    char hint[TN_NEAR_TEXT];
    tn_near_init(&near, name->text, name->length);
    for (uint32_t i = 0; i < c->schema->n_params; i++)
        tn_near_offer(&near, c->schema->params[i].name);
    return tn_lexer_error(&p->lexer, name, "%s has no argument %.*s%s; it is %s",
                          c->schema->full_name, SHOWN(name), tn_near_hint(&near, hint),
                          c->schema->text);
}

/* At "name =": moves past both and says so. */
static tn_status take_keyword(tn__parser *p, tn_token *out_name, bool *out_taken) {
    tn_lexer before = p->lexer;
    *out_taken = false;
    *out_name = before.token;
    if (before.token.kind != TN_TOKEN_NAME) return NULL;
    TN_TRY(tn_lexer_next(&p->lexer));
    TN_TRY(tn_lexer_take(&p->lexer, "=", out_taken));
    if (!*out_taken) p->lexer = before;
    return NULL;
}

static tn_status parse_named(tn__parser *p, call *c, const tn_token *name) {
    uint32_t i = c->n_named;
    TN_TRY(tn__parse_copy(p, name, &c->named[i].name));
    int32_t param = tn_schema_find_param(c->schema, c->named[i].name);
    if (param < 0 && !p->lexer.brief) return unknown_keyword(p, c, name);
    c->name_tokens[i] = *name;
    c->named_tokens[i] = p->lexer.token;
    /* One overload of several: what is wrong with the text itself is said first. */
    const tn_schema_type *type = param < 0 ? NULL : &c->schema->params[param].type;
    TN_TRY(tn__parse_value(p, type, &c->named[i].value));
    c->n_named++;
    return NULL;
}

static tn_status parse_arg(tn__parser *p, call *c) {
    tn_lexer *lexer = &p->lexer;
    tn_token name;
    bool keyword;
    if (c->n_args + c->n_named == MAX_ARGS)
        return tn_lexer_error(lexer, &lexer->token, "a call has at most %d arguments", MAX_ARGS);
    TN_TRY(take_keyword(p, &name, &keyword));
    if (keyword) return parse_named(p, c, &name);
    if (c->n_named)
        return tn_lexer_error(lexer, &lexer->token,
                              "an argument by position cannot follow one by keyword; expected "
                              "NAME=VALUE");
    uint32_t i = c->n_args;
    const tn_schema_type *type = i < c->schema->n_params ? &c->schema->params[i].type : NULL;
    c->arg_tokens[i] = lexer->token;
    TN_TRY(tn__parse_value(p, type, &c->args[i]));
    c->n_args++;
    return NULL;
}

static bool fits(tn__parser *p, const tn_schema_type *type, const tn_arg *arg) {
    tn_arg fitted;
    tn_status bad = tn_schema_coerce(type, arg, &p->scratch, &fitted);
    bool ok = bad == NULL;
    tn_status_ignore(bad);
    return ok;
}

/* The argument that the binder's complaint is about: the first that is surplus,
 * given again, or does not fit; else the op. */
static tn_token blame(tn__parser *p, const call *c) {
    const tn_schema *schema = c->schema;
    if (c->n_args > schema->n_positional) return c->arg_tokens[schema->n_positional];
    for (uint32_t i = 0; i < c->n_args; i++)
        if (!fits(p, &schema->params[i].type, &c->args[i])) return c->arg_tokens[i];
    uint64_t seen = 0;
    for (uint32_t i = 0; i < c->n_named; i++) {
        uint32_t param = (uint32_t)tn_schema_find_param(schema, c->named[i].name);
        if (param >= schema->n_params) return c->name_tokens[i];
        if (param < c->n_args || (seen & (UINT64_C(1) << param))) return c->name_tokens[i];
        seen |= UINT64_C(1) << param;
        if (!fits(p, &schema->params[param].type, &c->named[i].value)) return c->named_tokens[i];
    }
    return c->op;
}

static tn_status bind(tn__parser *p, const call *c, tn_arg out[MAX_ARGS]) {
    tn_status bad = tn_schema_bind(c->schema, c->args, c->n_args, c->named, c->n_named, &p->scratch,
                                   out);
    if (!bad) return NULL;
    tn_token at = blame(p, c);
    return tn__parse_error(p, &at, bad);
}

/* The arguments, read and bound as the call's schema has them. */
static tn_status parse_args(tn__parser *p, call *c, tn_arg out[MAX_ARGS]) {
    c->n_args = c->n_named = 0;
    TN_TRY(tn_lexer_expect(&p->lexer, "(", "and the arguments"));
    bool more = !tn_lexer_at(&p->lexer, ")");
    while (more) {
        TN_TRY(parse_arg(p, c));
        TN_TRY(tn_lexer_take(&p->lexer, ",", &more));
    }
    TN_TRY(tn_lexer_expect(&p->lexer, ")", "or ',' after an argument"));
    return bind(p, c, out);
}

/* --------------------------------------------------------------- overloads */

static tn_status parse_as(tn__parser *p, call *c, const struct tn_op *op, const tn_lexer *at,
                          bool brief, tn_arg out[MAX_ARGS]) {
    p->lexer = *at;
    p->lexer.brief = brief;
    c->def = op;
    c->schema = op->schema;
    tn_status status = parse_args(p, c, out);
    p->lexer.brief = false;
    return status;
}

/* The complaint about the call, with what each overload says of it. */
static tn_status no_overload(const tn__parser *p, const call *c, const tn_overload_choice *choice) {
    tn_status head = tn_lexer_error(&p->lexer, &c->op, "%.*s: %s", SHOWN(&c->op),
                                    tn_overload_problem(choice));
    if (tn_status_code(head) != TN_PARSE) return head;
    tn_status whole = tn_status_make(TN_PARSE, "%s%s", tn_status_message(head),
                                     tn_strbuf_cstr(&choice->list));
    tn_status_free(head);
    return whole;
}

/* Reads the arguments as each overload would have them. *out_same: all of them failed,
 * with the same complaint, which then is not about overloads. */
static tn_status try_overloads(tn__parser *p, call *c, const struct tn_op *const *ops, uint32_t n,
                               tn_overload_choice *choice, tn_arg out[MAX_ARGS], bool *out_same) {
    const tn_lexer start = p->lexer;
    const char *first = NULL;
    *out_same = true;
    for (uint32_t i = 0; i < n && !tn_overload_is_settled(choice); i++) {
        tn_status status = parse_as(p, c, ops[i], &start, true, out);
        if (tn_status_code(status) == TN_NO_MEMORY) return status;
        if (status == NULL) {
            tn_overload_offer(choice, c->schema, c->args, c->n_args, c->named, c->n_named, out);
            *out_same = false;
            continue;
        }
        const char *why = tn_status_message(status);
        tn_overload_refuse(choice, c->schema, why);
        if (first == NULL) first = tn_arena_strdup(&p->scratch, why);
        *out_same = *out_same && first != NULL && strcmp(first, why) == 0;
        tn_status_free(status);
        if (first == NULL) return tn_status_no_memory();
    }
    return tn_strbuf_status(&choice->list);
}

static tn_status parse_overloaded(tn__parser *p, call *c, const struct tn_op *const *ops,
                                  uint32_t n, tn_arg out[MAX_ARGS]) {
    const tn_lexer start = p->lexer;
    tn_overload_choice choice;
    bool same;
    tn_overload_init(&choice, p->scratch.allocator);
    tn_status status = try_overloads(p, c, ops, n, &choice, out, &same);
    if (!status && same) {
        status = parse_as(p, c, ops[0], &start, false, out);
    } else if (!status && tn_overload_problem(&choice)) {
        status = no_overload(p, c, &choice);
    } else if (!status && c->def != ops[choice.best]) {
        status = parse_as(p, c, ops[choice.best], &start, false, out);
    }
    tn_overload_deinit(&choice);
    return status;
}

/* ------------------------------------------------------------------- nodes */

static tn_status check_count(const tn__parser *p, const call *c, const tn__names *names) {
    char expected[48];
    const tn_token *at = names->n ? &names->tokens[0] : &c->op;
    if (names->more && !tn__returns_list(c->schema))
        return tn_lexer_error(&p->lexer, at,
                              "%s does not return one Tensor[], so there are no more results for "
                              "'...'",
                              c->schema->full_name);
    if (names->more || tn__results_fit(c->schema, names->n, expected)) return NULL;
    if (c->schema->n_results == 0)
        return tn_lexer_error(&p->lexer, at, "%s returns nothing: write it without names and '='",
                              c->schema->full_name);
    return tn_lexer_error(&p->lexer, at, "%s: expected %s name%s for its results, found %" PRIu32,
                          c->schema->full_name, expected, strcmp(expected, "1") == 0 ? "" : "s",
                          names->n);
}

static tn_status check_names(const tn__parser *p, const call *c, const tn__names *names) {
    TN_TRY(check_count(p, c, names));
    for (uint32_t i = 0; i < names->n && !p->lowering; i++) {
        const tn_token *name = &names->tokens[i];
        tn_vid other = tn_ir_find_value(p->graph, name->text, name->length);
        if (other == TN_NO_VALUE) continue;
        uint32_t def = p->graph->values[other].def;
        if (def == TN_NO_NODE)
            return tn_lexer_error(&p->lexer, name,
                                  "%%%.*s is an input already; each name is given once",
                                  SHOWN(name));
        return tn_lexer_error(&p->lexer, name,
                              "%%%.*s is defined on line %" PRIu32
                              " already; each name is given once",
                              SHOWN(name), p->graph->nodes[def]->line);
    }
    return NULL;
}

/* Goes on counting from the last call's place. */
static void count_lines(tn__parser *p, const tn_token *at) {
    size_t position = (size_t)(at->text - p->lexer.text);
    for (; p->counted < position; p->counted++) {
        unsigned char c = (unsigned char)p->lexer.text[p->counted];
        if (c == '\n') {
            p->line++;
            p->column = 0;
        } else if ((c & 0xc0) != 0x80) {
            p->column++;
        }
    }
}

static tn_status add_node(tn__parser *p, const tn_ir_node_desc *desc, const tn__names *names,
                          const tn_token *op) {
    const char **texts = tn_arena_array(&p->scratch, desc->n_results, sizeof *texts);
    if (!texts) return tn_status_no_memory();
    for (uint32_t i = 0; i < desc->n_results; i++)
        TN_TRY(tn__parse_copy(p, &names->tokens[i], &texts[i]));
    tn_ir_node_desc named = *desc;
    named.result_names = texts;
    tn_ir_node *node;
    tn_status bad = tn_ir_add_node(p->graph, &named, &node);
    return bad ? tn__parse_error(p, names->n ? &names->tokens[0] : op, bad) : NULL;
}

static tn_status finish(tn__parser *p, const call *c, const tn_arg *args, const tn__names *names) {
    TN_TRY(check_names(p, c, names));
    count_lines(p, names->n ? &names->tokens[0] : &c->op);
    tn_ir_node_desc desc = {.prim = c->prim,
                            .op = c->def,
                            .args = args,
                            .n_results = names->n,
                            .more_results = names->more,
                            .origin = TN_NO_NODE,
                            .line = p->line + 1,
                            .column = p->column + 1};
    if (p->lowering) return tn__lowering_node(p, &desc, &c->op, names);
    return add_node(p, &desc, names, &c->op);
}

tn_status tn__parse_call(tn__parser *p, const tn__names *names) {
    call c;
    const struct tn_op *ops[TN_MAX_OVERLOADS];
    tn_arg args[MAX_ARGS];
    uint32_t n;
    c.def = NULL;
    c.prim = TN_PRIM_NONE;
    TN_TRY(parse_op_name(p, &c.op));
    TN_TRY(find_op(p, &c, ops, &n));
    if (n > 1) {
        TN_TRY(parse_overloaded(p, &c, ops, n, args));
    } else {
        if (n == 1) {
            c.def = ops[0];
            c.schema = ops[0]->schema;
        }
        TN_TRY(parse_args(p, &c, args));
    }
    return finish(p, &c, args, names);
}
