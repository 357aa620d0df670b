/* Operator schemas: PyTorch's operator schema language, parsed into an
 * immutable object, printed canonically, and used to bind arguments.
 *
 *   ns::name.overload(Tensor x, Tensor(a!) state, Tensor? bias=None, *,
 *                     float eps=1e-6, int[] dims=[], int[2] k, str mode="none",
 *                     ScalarType? dtype=None) -> (Tensor, Tensor(a!))
 *
 * print(parse(s)) is canonical, and parse(print(x)) equals x. "Optional" (may
 * be None) and "has a default" (may be left out) are independent. Names are
 * data: no argument name can collide with anything of ours. README.md beside
 * this file has the whole grammar.
 *
 * A schema owns its memory and is immutable: any thread may read it. */
#ifndef TN_SCHEMA_SCHEMA_H
#define TN_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/strbuf.h"

/* X(NAME, text). The element types; optional and list are modifiers. "SymInt"
 * is accepted for int and printed as int. */
#define TN_SCHEMA_TYPE_LIST(X)                                                                     \
    X(TENSOR, "Tensor")                                                                            \
    X(INT, "int")                                                                                  \
    X(FLOAT, "float")                                                                              \
    X(BOOL, "bool")                                                                                \
    X(STR, "str")                                                                                  \
    X(SCALAR, "Scalar")                                                                            \
    X(DTYPE, "ScalarType")                                                                         \
    X(DEVICE, "Device")                                                                            \
    X(HANDLE, "Handle")
typedef enum tn_schema_kind {
#define TN_SCHEMA_ENUM(name, text) TN_SCHEMA_##name,
    TN_SCHEMA_TYPE_LIST(TN_SCHEMA_ENUM)
#undef TN_SCHEMA_ENUM
} tn_schema_kind;

/* Limits; going over one is an error of the schema. */
#define TN_SCHEMA_MAX_PARAMS 64u /* a mask of them fits a uint64_t */
#define TN_SCHEMA_MAX_RESULTS 32u
#define TN_SCHEMA_MAX_LIST_LENGTH 1024 /* the n of T[n] */
#define TN_SCHEMA_MAX_TEXT 65536u      /* bytes, as written and as printed */

#define TN_SCHEMA_LIST_ANY (-1) /* T[]; n >= 0 is T[n] */
typedef struct tn_schema_type {
    tn_schema_kind kind;
    bool is_list;
    bool is_optional;         /* T?, T[]? */
    bool element_is_optional; /* T?[] */
    bool writes;              /* the '!' of Tensor(a!) */
    int32_t list_length;      /* with is_list: TN_SCHEMA_LIST_ANY or n */
    char *alias;              /* "a" of Tensor(a!), "a|b", "*" (any); NULL: none, or Tensor! */
    char *alias_after;        /* "*" of Tensor(a -> *); NULL: the set does not change */
    char *handle_type;        /* Handle<type>: the type's name; NULL: any, or no handle */
} tn_schema_type;

typedef struct tn_schema_param {
    char *name;
    tn_schema_type type;
    bool keyword_only;
    bool has_default;
    /* Strings and lists point into the schema. None is TN_TAG_NONE. A default
     * of T[n] given as one T is expanded to n of them. */
    tn_arg default_value;
} tn_schema_param;

typedef struct tn_schema_result {
    char *name; /* NULL when the schema names none */
    tn_schema_type type;
} tn_schema_result;

typedef struct tn_schema {
    const tn_allocator *allocator;
    struct tn_arena *arena;     /* owns everything below */
    char *ns, *name, *overload; /* overload "" when none */
    char *full_name;            /* "ns::name" or "ns::name.overload" */
    char *text;                 /* canonical */
    tn_schema_param *params;
    uint32_t n_params;
    uint32_t n_positional; /* params[n_positional..] are keyword-only */
    tn_schema_result *results;
    uint32_t n_results;
} tn_schema;

/* Errors (TN_PARSE) give line and column and show the text with a caret. Names
 * are [A-Za-z_][A-Za-z0-9_]*. A positional parameter without a default after
 * one with a default is an error, as in Python; so is a result in an alias set
 * that no parameter is in. The text is only read. */
TN_MUST_USE tn_status tn_schema_parse(const tn_allocator *allocator, const char *text,
                                      size_t length, tn_schema **out_schema);
void tn_schema_free(tn_schema *schema); /* NULL is fine */

void tn_schema_print_type(const tn_schema_type *type, tn_strbuf *out);
/* A default or argument value as schema text: 2.0, [1, 2], "none", None. Tensors
 * and values print as their tag. */
void tn_schema_print_value(const tn_arg *value, tn_strbuf *out);
/* -1 when there is none. */
int32_t tn_schema_find_param(const tn_schema *schema, const char *name);
/* Whether any argument is written. */
bool tn_schema_mutates(const tn_schema *schema);
/* Whether the schema lets values of the two types share memory: their alias
 * sets, before or after the call, have a name in common or one is any. */
bool tn_schema_types_alias(const tn_schema_type *a, const tn_schema_type *b);

/* Fits one value to a type: int to float (Scalar keeps what it is given), a
 * single number or bool to T[n] or T[] of int, float, bool or Scalar (n copies /
 * one), bool stays bool. Never float to int. A TN_TAG_VALUE or TN_TAG_TENSOR
 * fits Tensor; a TN_TAG_DIM fits int and Scalar. New lists come from the arena,
 * which is otherwise not touched. The error (TN_INVALID) says what the type
 * expects and what was given, without naming the argument. */
TN_MUST_USE tn_status tn_schema_coerce(const tn_schema_type *type, const tn_arg *value,
                                       struct tn_arena *arena, tn_arg *out_value);

/* Binds a call by Python's rules: positional first, then keywords; duplicates,
 * unknown names, missing and surplus arguments, None where it is not allowed,
 * keyword-only given by position and misfit types are errors that name op,
 * argument, expected and found (unknown names suggest the nearest). out_args
 * has n_params slots, filled in schema order with defaults in place; it must
 * not overlap args, and holds nothing of use after a failure. New lists come
 * from the arena; everything else is borrowed. Allocates nothing unless a list
 * has to be made (see tn_schema_coerce). */
TN_MUST_USE tn_status tn_schema_bind(const tn_schema *schema, const tn_arg *args, uint32_t n_args,
                                     const tn_attr *named, uint32_t n_named, struct tn_arena *arena,
                                     tn_arg *out_args);

#endif
