/* Integers of lowering text: numbers, sizes, attributes, and arithmetic on them,
 * evaluated as they are read. */
#include <inttypes.h>
#include <string.h>

#include "base/near.h"
#include "base/vec.h"
#include "ir/lowering.h"

enum { MAX_DEPTH = 32, MAX_ITEMS = 1024 };

#define SHOWN(token) (int)((token)->length < 64 ? (token)->length : 64), (token)->text

tn_status tn__lowering_attr(tn__parser *p, tn_arg *out) {
    tn_lexer *lexer = &p->lexer;
    const tn_schema *schema = p->lowering->schema;
    const char *name;
    TN_TRY(tn_lexer_next(lexer));
    tn_token token = lexer->token;
    if (token.kind != TN_TOKEN_NAME)
        return tn_lexer_unexpected(lexer, "the name of an argument after '$'");
    TN_TRY(tn__parse_copy(p, &token, &name));
    int32_t i = tn_schema_find_param(schema, name);
    if (i < 0) {
        tn_near near;
        char hint[TN_NEAR_TEXT];
        tn_near_init(&near, token.text, token.length);
        for (uint32_t k = 0; k < schema->n_params; k++)
            tn_near_offer(&near, schema->params[k].name);
        return tn_lexer_error(lexer, &token, "%s has no argument %.*s%s", schema->full_name,
                              SHOWN(&token), tn_near_hint(&near, hint));
    }
    if (schema->params[i].type.kind == TN_SCHEMA_TENSOR)
        return tn_lexer_error(lexer, &token,
                              "%.*s is a tensor: it is an input of the text, "
                              "%%name",
                              SHOWN(&token));
    *out = p->lowering->args[i];
    return tn_lexer_next(lexer);
}

/* ---------------------------------------------------------------- numbers */

static tn_status overflow(const tn__parser *p, const tn_token *at) {
    return tn_lexer_error(&p->lexer, at, "this does not fit 64 bits");
}

static tn_status divide(const tn__parser *p, const tn_token *at, int64_t x, int64_t y,
                        int64_t *quotient, int64_t *remainder) {
    if (y == 0) return tn_lexer_error(&p->lexer, at, "this divides by zero");
    if (y == -1) {
        *remainder = 0;
        return __builtin_sub_overflow(0, x, quotient) ? overflow(p, at) : NULL;
    }
    *quotient = x / y;
    *remainder = x % y;
    if (*remainder != 0 && (*remainder < 0) != (y < 0)) {
        --*quotient;
        *remainder += y;
    }
    return NULL;
}

typedef enum function { FLOORDIV, CEILDIV, MOD, MIN, MAX, RANK, NUMEL, DIM, NO_FUNCTION } function;

static function find_function(const tn_token *name) {
    static const char *const names[] = {"floordiv", "ceildiv", "mod",   "min",
                                        "max",      "rank",    "numel", "dim"};
    for (size_t i = 0; i < NO_FUNCTION; i++)
        if (strlen(names[i]) == name->length && memcmp(names[i], name->text, name->length) == 0)
            return (function)i;
    return NO_FUNCTION;
}

static tn_status apply(const tn__parser *p, function f, const tn_token *at, int64_t x, int64_t y,
                       int64_t *out) {
    int64_t quotient = 0, remainder = 0;
    if (f == MIN || f == MAX) {
        *out = (x < y) == (f == MIN) ? x : y;
        return NULL;
    }
    TN_TRY(divide(p, at, x, y, &quotient, &remainder));
    *out = f == MOD ? remainder : f == CEILDIV ? quotient + (remainder != 0) : quotient;
    return NULL;
}

/* The shape that rank, numel and dim are about: of "..." or of a value. */
static tn_status parse_shape(tn__parser *p, const int64_t **out_shape, int32_t *out_rank) {
    tn__lowering *l = p->lowering;
    tn_token at = p->lexer.token;
    bool leading;
    TN_TRY(tn_lexer_take(&p->lexer, "...", &leading));
    if (leading) {
        if (!l->has_leading) return tn_lexer_error(&p->lexer, &at, "no input has '...'");
        *out_shape = l->leading;
        *out_rank = l->n_leading;
        return NULL;
    }
    if (!tn_lexer_at(&p->lexer, "%")) return tn_lexer_unexpected(&p->lexer, "'...' or a %value");
    tn_vid value;
    TN_TRY(tn__parse_use(p, &value));
    *out_shape = p->graph->values[value].type.shape;
    *out_rank = p->graph->values[value].type.rank;
    return NULL;
}

static tn_status call_on_shape(tn__parser *p, function f, const tn_token *name, int64_t *out) {
    const int64_t *shape;
    int32_t rank;
    TN_TRY(parse_shape(p, &shape, &rank));
    if (f == RANK) {
        *out = rank;
    } else if (f == NUMEL) {
        *out = 1;
        for (int32_t i = 0; i < rank; i++)
            if (__builtin_mul_overflow(*out, shape[i], out)) return overflow(p, name);
    } else {
        int64_t axis;
        TN_TRY(tn_lexer_expect(&p->lexer, ",", "and an axis"));
        tn_token at = p->lexer.token;
        TN_TRY(tn__lowering_int(p, &axis));
        if (axis < 0 || axis >= rank)
            return tn_lexer_error(&p->lexer, &at, "expected an axis in [0, %d), found %" PRId64,
                                  (int)rank, axis);
        *out = shape[axis];
    }
    return tn_lexer_expect(&p->lexer, ")", "");
}

static tn_status parse_pair(tn__parser *p, int64_t *x, int64_t *y) {
    TN_TRY(tn__lowering_int(p, x));
    TN_TRY(tn_lexer_expect(&p->lexer, ",", "and another number"));
    TN_TRY(tn__lowering_int(p, y));
    return tn_lexer_expect(&p->lexer, ")", "");
}

static tn_status parse_word(tn__parser *p, int64_t *out) {
    tn_token name = p->lexer.token;
    bool is_call;
    TN_TRY(tn_lexer_next(&p->lexer));
    TN_TRY(tn_lexer_take(&p->lexer, "(", &is_call));
    if (is_call) {
        int64_t x, y;
        function f = find_function(&name);
        if (f == NO_FUNCTION)
            return tn_lexer_error(&p->lexer, &name,
                                  "expected floordiv, ceildiv, mod, min, max, rank, numel or dim, "
                                  "found '%.*s'",
                                  SHOWN(&name));
        if (f >= RANK) return call_on_shape(p, f, &name, out);
        TN_TRY(parse_pair(p, &x, &y));
        return apply(p, f, &name, x, y, out);
    }
    const tn__variable *v = tn__lowering_variable(p->lowering, &name);
    if (v && v->is_dtype)
        return tn_lexer_error(&p->lexer, &name, "%.*s is a dtype; expected an int", SHOWN(&name));
    if (!v)
        return tn_lexer_error(&p->lexer, &name,
                              "'%.*s' is not the name of a size: no input has it as an extent",
                              SHOWN(&name));
    *out = v->size;
    return NULL;
}

static tn_status parse_attr_int(tn__parser *p, int64_t *out) {
    tn_arg arg;
    tn_token at = p->lexer.token;
    TN_TRY(tn__lowering_attr(p, &arg));
    if (arg.tag != TN_TAG_INT)
        return tn_lexer_error(&p->lexer, &at, "this argument is not an int in this call");
    *out = arg.v.i;
    return NULL;
}

static tn_status parse_primary(tn__parser *p, int64_t *out) {
    tn_lexer *lexer = &p->lexer;
    tn_token at = lexer->token;
    bool taken;
    if (at.kind == TN_TOKEN_NAME) return parse_word(p, out);
    if (at.kind == TN_TOKEN_INT) return tn__parse_int(p, "an int", out);
    if (tn_lexer_at(lexer, "$")) return parse_attr_int(p, out);
    TN_TRY(tn_lexer_take(lexer, "(", &taken));
    if (!taken)
        return tn_lexer_unexpected(lexer, "an int: a number, a size, $name or an expression");
    TN_TRY(tn__lowering_int(p, out));
    return tn_lexer_expect(lexer, ")", "");
}

static tn_status parse_signed(tn__parser *p, int64_t *out) {
    tn_token at = p->lexer.token;
    bool negative;
    TN_TRY(tn_lexer_take(&p->lexer, "-", &negative));
    TN_TRY(parse_primary(p, out));
    if (negative && __builtin_sub_overflow(0, *out, out)) return overflow(p, &at);
    return NULL;
}

static tn_status parse_product(tn__parser *p, int64_t *out) {
    TN_TRY(parse_signed(p, out));
    while (tn_lexer_at(&p->lexer, "*")) {
        tn_token at = p->lexer.token;
        int64_t y;
        TN_TRY(tn_lexer_next(&p->lexer));
        TN_TRY(parse_signed(p, &y));
        if (__builtin_mul_overflow(*out, y, out)) return overflow(p, &at);
    }
    return NULL;
}

static tn_status parse_sum(tn__parser *p, int64_t *out) {
    TN_TRY(parse_product(p, out));
    while (tn_lexer_at(&p->lexer, "+") || tn_lexer_at(&p->lexer, "-")) {
        tn_token at = p->lexer.token;
        int64_t y;
        TN_TRY(tn_lexer_next(&p->lexer));
        TN_TRY(parse_product(p, &y));
        bool bad = at.text[0] == '+' ? __builtin_add_overflow(*out, y, out)
                                     : __builtin_sub_overflow(*out, y, out);
        if (bad) return overflow(p, &at);
    }
    return NULL;
}

tn_status tn__lowering_int(tn__parser *p, int64_t *out) {
    if (p->lowering->depth == MAX_DEPTH)
        return tn_lexer_error(&p->lexer, &p->lexer.token, "an expression is at most %d levels deep",
                              MAX_DEPTH);
    p->lowering->depth++;
    TN_TRY(parse_sum(p, out));
    p->lowering->depth--;
    return NULL;
}

/* ------------------------------------------------------------------- lists */

typedef TN_VEC(tn_arg) arg_vec;

static tn_status push(tn__parser *p, const tn_token *at, int64_t value, arg_vec *items) {
    if (items->len == MAX_ITEMS)
        return tn_lexer_error(&p->lexer, at, "a list of ints has at most %d items", MAX_ITEMS);
    tn_arg item = {TN_TAG_INT, 0, {.i = value}};
    return tn_vec_push(p->scratch.allocator, items, item) ? NULL : tn_status_no_memory();
}

/* range(a, b): a .. b-1; repeat(v, n): n times v. At the name. */
static tn_status parse_run(tn__parser *p, bool is_range, arg_vec *items) {
    tn_token at = p->lexer.token;
    int64_t x, y;
    TN_TRY(tn_lexer_next(&p->lexer));
    TN_TRY(tn_lexer_expect(&p->lexer, "(", ""));
    TN_TRY(parse_pair(p, &x, &y));
    for (int64_t i = is_range ? x : 0; i < y; i++)
        TN_TRY(push(p, &at, is_range ? i : x, items));
    return NULL;
}

/* $name in a list: its items, when it is a list itself. */
static tn_status parse_spliced(tn__parser *p, arg_vec *items, bool *out_done) {
    tn_lexer before = p->lexer;
    tn_token at = before.token;
    tn_arg arg;
    TN_TRY(tn__lowering_attr(p, &arg));
    *out_done = arg.tag == TN_TAG_LIST;
    if (!*out_done) p->lexer = before;
    for (uint32_t i = 0; *out_done && i < arg.count; i++) {
        if (arg.v.list[i].tag != TN_TAG_INT)
            return tn_lexer_error(&p->lexer, &at, "this argument is not a list of ints");
        TN_TRY(push(p, &at, arg.v.list[i].v.i, items));
    }
    return NULL;
}

static tn_status parse_item(tn__parser *p, arg_vec *items) {
    const tn__lowering *l = p->lowering;
    tn_token at = p->lexer.token;
    bool done = false;
    if (tn_lexer_at(&p->lexer, "...")) {
        const int64_t *shape;
        int32_t rank;
        TN_TRY(parse_shape(p, &shape, &rank));
        for (int32_t i = 0; i < l->n_leading; i++)
            TN_TRY(push(p, &at, l->leading[i], items));
        return NULL;
    }
    bool is_range = tn_lexer_at_name(&p->lexer, "range");
    if (is_range || tn_lexer_at_name(&p->lexer, "repeat")) return parse_run(p, is_range, items);
    if (tn_lexer_at(&p->lexer, "$")) TN_TRY(parse_spliced(p, items, &done));
    if (done) return NULL;
    int64_t value;
    TN_TRY(tn__lowering_int(p, &value));
    return push(p, &at, value, items);
}

static tn_status parse_items(tn__parser *p, arg_vec *items) {
    bool more = !tn_lexer_at(&p->lexer, "]");
    while (more) {
        TN_TRY(parse_item(p, items));
        TN_TRY(tn_lexer_take(&p->lexer, ",", &more));
    }
    return tn_lexer_expect(&p->lexer, "]", "or ',' after an item");
}

tn_status tn__lowering_ints(tn__parser *p, tn_arg *out_list) {
    arg_vec items = {0};
    TN_TRY(tn_lexer_next(&p->lexer));
    tn_status status = parse_items(p, &items);
    tn_arg *list = NULL;
    if (!status) {
        list = tn_arena_array(&p->scratch, items.len, sizeof *list);
        if (!list) status = tn_status_no_memory();
    }
    if (!status) {
        if (items.len) memcpy(list, items.data, items.len * sizeof *list);
        *out_list = (tn_arg){TN_TAG_LIST, (uint32_t)items.len, {.list = list}};
    }
    tn_vec_free(p->scratch.allocator, &items);
    return status;
}
