/* Inside core/ir: the parser of graph text and of lowering text. The two differ
 * in what an input's type is (a declaration, a pattern), in the values that may
 * stand for ints (named sizes, expressions) and in whether nodes are typed. */
#ifndef TN_IR_PARSE_H
#define TN_IR_PARSE_H

#include "ir/internal.h"
#include "schema/token.h"

typedef struct tn__lowering tn__lowering;

typedef struct tn__parser {
    tn_lexer lexer;
    tn_ir_graph *graph; /* being built */
    const tn_op_table *ops;
    tn_arena scratch;       /* of one statement */
    tn__lowering *lowering; /* NULL for graph text */
    /* Up to where lines were counted, and how many began: nodes get theirs
     * without going over the text again. */
    size_t counted;
    uint32_t line, column;
} tn__parser;

/* The name right after the sigil ('%' or '@') at hand, any of [A-Za-z_0-9.]; moves
 * past it. what: "a value like %x". */
TN_MUST_USE tn_status tn__parse_name(tn__parser *p, const char *sigil, const char *what,
                                     tn_token *out_name);
/* A NUL-terminated copy in the scratch arena. */
TN_MUST_USE tn_status tn__parse_copy(tn__parser *p, const tn_token *token, const char **out_text);
/* The failure `cause` (taken over) at a place of the text. */
TN_MUST_USE tn_status tn__parse_error(const tn__parser *p, const tn_token *at, tn_status cause);
/* The same message (taken over) with another code. */
TN_MUST_USE tn_status tn__parse_recode(tn_status status, tn_code code);

/* "graph @name(" ... ") {", statements, "return ...", "}", the end. */
TN_MUST_USE tn_status tn__parse_graph(tn__parser *p);
/* What is left of "=". */
typedef struct tn__names {
    tn_token *tokens;
    uint32_t n;
    bool more; /* "..." after them */
} tn__names;
/* OP(ARGS), at the op's name, given the names of its results. */
TN_MUST_USE tn_status tn__parse_call(tn__parser *p, const tn__names *names);
/* An argument's value, by what the schema expects there (NULL: not known). */
TN_MUST_USE tn_status tn__parse_value(tn__parser *p, const tn_schema_type *type, tn_arg *out);
/* A %value that is used; moves past it. */
TN_MUST_USE tn_status tn__parse_use(tn__parser *p, tn_vid *out_value);
/* A whole number with its sign; moves past it. */
TN_MUST_USE tn_status tn__parse_int(tn__parser *p, const char *what, int64_t *out);

/* Lowering text only. An input's type, from after the ':', against the type of
 * the operand that it stands for. */
TN_MUST_USE tn_status tn__lowering_input(tn__parser *p, const tn_token *name);
TN_MUST_USE tn_status tn__lowering_output(tn__parser *p, const tn_token *at, tn_vid value);
/* TN_NO_VALUE when there is none of this name. */
tn_vid tn__lowering_find(const tn__parser *p, const tn_token *name);
/* Adds a typed node. args are bound; names are those of its results. */
TN_MUST_USE tn_status tn__lowering_node(tn__parser *p, const tn_ir_node_desc *desc,
                                        const tn_token *op, const tn__names *names);
/* An int, or the items of a list of ints, from an expression. */
TN_MUST_USE tn_status tn__lowering_int(tn__parser *p, int64_t *out);
TN_MUST_USE tn_status tn__lowering_ints(tn__parser *p, tn_arg *out_list);
/* $name, at the '$'. */
TN_MUST_USE tn_status tn__lowering_attr(tn__parser *p, tn_arg *out);
/* A name that stands for a dtype; false when it does not. */
bool tn__lowering_dtype(const tn__parser *p, const tn_token *name, tn_dtype *out);

#endif
