/* Lowering text: its inputs are patterns for the operands of the call, and its
 * statements add typed nodes to the caller's graph. */
#include "ir/lowering.h"

#include <inttypes.h>
#include <string.h>

#include "ir/node_args.h"
#include "ir/text.h"
#include "schema/value_names.h"

#define SHOWN(token) (int)((token)->length < 64 ? (token)->length : 64), (token)->text

static bool same_name(const tn_token *a, const tn_token *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

const tn__variable *tn__lowering_variable(const tn__lowering *l, const tn_token *name) {
    for (uint32_t i = 0; i < l->n_variables; i++)
        if (same_name(&l->variables[i].name, name)) return &l->variables[i];
    return NULL;
}

bool tn__lowering_dtype(const tn__parser *p, const tn_token *name, tn_dtype *out) {
    const tn__variable *v = tn__lowering_variable(p->lowering, name);
    if (!v || !v->is_dtype) return false;
    *out = v->dtype;
    return true;
}

tn_vid tn__lowering_find(const tn__parser *p, const tn_token *name) {
    uint64_t found;
    return tn_map_get(&p->lowering->values, name->text, name->length, &found) ? (tn_vid)found
                                                                              : TN_NO_VALUE;
}

static tn_status define(tn__parser *p, const tn_token *name, tn_vid value) {
    if (tn__lowering_find(p, name) != TN_NO_VALUE)
        return tn_lexer_error(&p->lexer, name, "%%%.*s is defined already; each name is given once",
                              SHOWN(name));
    return tn_map_set(&p->lowering->values, name->text, name->length, value)
               ? NULL
               : tn_status_no_memory();
}

/* The text is fine, but it is not for this call. Takes the failure over. */
static tn_status decline(tn_status because) {
    return tn__parse_recode(because, TN_DECLINED);
}

/* ------------------------------------------------------------------ inputs */

/* Binds a name at first sight. *out is NULL when it was not bound before. */
static tn_status bind_name(tn__parser *p, const tn_token *name, bool is_dtype,
                           const tn__variable **out, tn__variable **out_new) {
    tn__lowering *l = p->lowering;
    *out = tn__lowering_variable(l, name);
    *out_new = NULL;
    if (*out && (*out)->is_dtype != is_dtype)
        return tn_lexer_error(&p->lexer, name, "'%.*s' stands for a %s already", SHOWN(name),
                              is_dtype ? "size" : "dtype");
    if (*out) return NULL;
    if (!tn__is_symbol_name(name->text, name->length))
        return tn_lexer_error(&p->lexer, name, "'%.*s' is a word of the language, not a name",
                              SHOWN(name));
    if (l->n_variables == TN__MAX_VARIABLES)
        return tn_lexer_error(&p->lexer, name, "a text has at most %d names of sizes and dtypes",
                              TN__MAX_VARIABLES);
    *out_new = &l->variables[l->n_variables++];
    **out_new = (tn__variable){.name = *name, .is_dtype = is_dtype};
    return NULL;
}

static tn_status match_dtype(tn__parser *p, const tn_type *type) {
    tn_lexer *lexer = &p->lexer;
    tn_token token = lexer->token;
    tn_dtype expected;
    if (token.kind != TN_TOKEN_NAME)
        return tn_lexer_unexpected(lexer, "a dtype like f32, or a name like T for any");
    if (!tn_dtype_read(token.text, token.length, &expected)) {
        const tn__variable *known;
        tn__variable *fresh;
        TN_TRY(bind_name(p, &token, true, &known, &fresh));
        if (fresh) fresh->dtype = type->dtype;
        expected = known ? known->dtype : type->dtype;
    }
    char text[TN__TYPE_TEXT];
    if (memcmp(&expected, &type->dtype, sizeof expected) != 0)
        return decline(tn_lexer_error(lexer, &token, "the dtype does not match: found %s",
                                      tn__type_text(p->graph, type, text)));
    return tn_lexer_next(lexer);
}

/* What is between the brackets, kept until the rank of "..." is known. */
typedef struct pattern {
    bool has_leading;
    tn_token at; /* of "[" */
    int32_t n;   /* without "..." */
    tn_token names[TN_MAX_RANK];
    int64_t extents[TN_MAX_RANK]; /* -1 where a name is */
} pattern;

static tn_status parse_pattern(tn__parser *p, pattern *out) {
    tn_lexer *lexer = &p->lexer;
    out->at = lexer->token;
    TN_TRY(tn_lexer_expect(lexer, "[", "and the extents of the tensor"));
    TN_TRY(tn_lexer_take(lexer, "...", &out->has_leading));
    bool more = !tn_lexer_at(lexer, "]");
    if (out->has_leading) TN_TRY(tn_lexer_take(lexer, ",", &more));
    while (more) {
        tn_token token = lexer->token;
        if (tn_lexer_at(lexer, "..."))
            return tn_lexer_error(lexer, &token,
                                  "'...' stands for the leading dims: it comes "
                                  "first, and once");
        if (out->n == TN_MAX_RANK)
            return tn_lexer_error(lexer, &token, "a tensor has at most %d axes", TN_MAX_RANK);
        out->names[out->n] = token;
        out->extents[out->n] = -1;
        if (token.kind == TN_TOKEN_NAME)
            TN_TRY(tn_lexer_next(lexer));
        else
            TN_TRY(tn__parse_int(p, "an extent: a number, a name, or a leading '...'",
                                 &out->extents[out->n]));
        if (token.kind != TN_TOKEN_NAME && out->extents[out->n] < 0)
            return tn_lexer_error(lexer, &token, "an extent is 0 or more");
        out->n++;
        TN_TRY(tn_lexer_take(lexer, ",", &more));
    }
    return tn_lexer_expect(lexer, "]", "or ',' after an extent");
}

static tn_status match_leading(tn__parser *p, const pattern *pat, const tn_type *type) {
    tn__lowering *l = p->lowering;
    int32_t n = type->rank - pat->n;
    char text[TN__TYPE_TEXT];
    bool fits = pat->has_leading ? n >= 0 : n == 0;
    if (fits && pat->has_leading && l->has_leading) {
        fits = n == l->n_leading;
        for (int32_t i = 0; fits && i < n; i++)
            fits = type->shape[i] == l->leading[i];
    }
    if (!fits)
        return decline(tn_lexer_error(&p->lexer, &pat->at, "the shape does not match: found %s",
                                      tn__type_text(p->graph, type, text)));
    if (!pat->has_leading || l->has_leading) return NULL;
    l->has_leading = true;
    l->n_leading = n;
    if (n) memcpy(l->leading, type->shape, (size_t)n * sizeof *l->leading);
    return NULL;
}

static tn_status match_shape(tn__parser *p, const tn_type *type) {
    pattern pat = {0};
    TN_TRY(parse_pattern(p, &pat));
    TN_TRY(match_leading(p, &pat, type));
    const int64_t *shape = type->shape + (type->rank - pat.n);
    for (int32_t i = 0; i < pat.n; i++) {
        int64_t expected = pat.extents[i];
        if (expected < 0) {
            const tn__variable *known;
            tn__variable *fresh;
            TN_TRY(bind_name(p, &pat.names[i], false, &known, &fresh));
            if (fresh) fresh->size = shape[i];
            expected = known ? known->size : shape[i];
        }
        char text[TN__TYPE_TEXT];
        if (expected != shape[i])
            return decline(tn_lexer_error(&p->lexer, &pat.names[i],
                                          "expected extent %" PRId64 ", found %" PRId64 " in %s",
                                          expected, shape[i], tn__type_text(p->graph, type, text)));
    }
    return NULL;
}

tn_status tn__lowering_input(tn__parser *p, const tn_token *name) {
    tn__lowering *l = p->lowering;
    if (l->n_inputs == l->n_operands)
        return decline(tn_lexer_error(&p->lexer, name,
                                      "the text has an input more than the call has tensors, "
                                      "%" PRIu32,
                                      l->n_operands));
    tn_vid operand = l->operands[l->n_inputs++];
    const tn_type *type = &p->graph->values[operand].type;
    TN_TRY(define(p, name, operand));
    TN_TRY(match_dtype(p, type));
    return match_shape(p, type);
}

/* -------------------------------------------------------------- statements */

tn_status tn__lowering_output(tn__parser *p, const tn_token *at, tn_vid value) {
    tn__lowering *l = p->lowering;
    if (l->n_returned == l->n_outs)
        return tn_lexer_error(&p->lexer, at, "%s returns %" PRIu32 " values, here is one more",
                              l->schema->full_name, l->n_outs);
    l->outs[l->n_returned++] = value;
    return NULL;
}

static tn_status add_op(tn__parser *p, const tn_ir_node_desc *desc, tn_ir_node **out_node) {
    tn_ir_node_desc typed = *desc;
    tn_type *types;
    TN_TRY(tn_ir_op_types(p->graph, desc->op, desc->args, p->lowering->device, &p->scratch, &types,
                          &typed.n_results));
    typed.result_types = types;
    return tn_ir_add_node(p->graph, &typed, out_node);
}

tn_status tn__lowering_node(tn__parser *p, const tn_ir_node_desc *desc, const tn_token *op,
                            const tn__names *names) {
    tn_ir_node_desc d = *desc;
    tn_ir_node *node = NULL;
    d.origin = p->lowering->origin;
    d.more_results = false;
    tn_status bad = d.op ? add_op(p, &d, &node) : tn__ir_add_prim(p->graph, &d, &node);
    if (bad) return tn__parse_error(p, op, bad);
    if (names->more ? node->n_results < names->n : node->n_results != names->n)
        return tn_lexer_error(&p->lexer, op,
                              "%s gives %" PRIu32 " values here, found %" PRIu32 " names for them",
                              node->schema->full_name, node->n_results, names->n);
    for (uint32_t i = 0; i < names->n; i++)
        TN_TRY(define(p, &names->tokens[i], node->results[i]));
    return NULL;
}

/* ------------------------------------------------------------------- whole */

static tn_status check_call(const tn__lowering *l) {
    for (uint32_t i = 0; i < l->schema->n_params; i++)
        if (l->schema->params[i].type.kind == TN_SCHEMA_TENSOR && l->args[i].tag == TN_TAG_NONE)
            return tn_status_make(TN_DECLINED,
                                  "argument %s is None, and lowering text is for calls "
                                  "with every tensor",
                                  l->schema->params[i].name);
    return NULL;
}

static tn_status parse_opset(tn__parser *p) {
    tn_lexer *lexer = &p->lexer;
    int64_t opset;
    if (!tn_lexer_at_name(lexer, "opset"))
        return tn_lexer_unexpected(lexer, "opset 1 as the first line");
    TN_TRY(tn_lexer_next(lexer));
    tn_token number = lexer->token;
    TN_TRY(tn__parse_int(p, "the number of the opset", &opset));
    if (opset < 1 || opset > TN_OPSET_VERSION)
        return tn_lexer_error(lexer, &number,
                              "opset %" PRId64 " is not known here; %d is the newest", opset,
                              TN_OPSET_VERSION);
    return NULL;
}

static tn_status instantiate(tn__parser *p, const char *text, size_t length, const char *file) {
    const tn__lowering *l = p->lowering;
    TN_TRY(check_call(l));
    TN_TRY(tn_lexer_init(&p->lexer, file, text, length, true));
    TN_TRY(parse_opset(p));
    TN_TRY(tn__parse_graph(p));
    tn_token end = p->lexer.token;
    if (l->n_returned != l->n_outs)
        return tn_lexer_error(&p->lexer, &end, "%s returns %" PRIu32 " values, the text %" PRIu32,
                              l->schema->full_name, l->n_outs, l->n_returned);
    return NULL;
}

tn_status tn_ir_parse_lowering(tn_ir_graph *graph, const tn_op_table *ops, tn_device device,
                               const char *text, size_t length, const char *file,
                               const tn_schema *schema, const tn_arg *args, const tn_vid *operands,
                               uint32_t n_operands, uint32_t origin, tn_vid *out_values,
                               uint32_t n_outs) {
    tn__lowering l = {.schema = schema,
                      .args = args,
                      .operands = operands,
                      .n_operands = n_operands,
                      .origin = origin,
                      .device = device,
                      .outs = out_values,
                      .n_outs = n_outs};
    tn__parser p = {.graph = graph, .ops = ops, .lowering = &l};
    tn_arena_init(&p.scratch, graph->allocator);
    tn_map_init(&l.values, graph->allocator);
    tn_status status = instantiate(&p, text, length, file);
    tn_map_deinit(&l.values);
    tn_arena_deinit(&p.scratch);
    return status;
}
