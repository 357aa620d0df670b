/* Operator schemas: PyTorch's operator schema language, parsed into an
 * immutable object, printed canonically, and used to bind arguments.
 *
 *   ns::name.overload(Tensor x, Tensor(a!) state, Tensor? bias=None, *,
 *                     float eps=1e-6, int[] dims=[], int[2] k, str mode="none",
 *                     ScalarType? dtype=None) -> (Tensor, Tensor(a!))
 *
 * print(parse(s)) is canonical, and parse(print(x)) equals x. "Optional" (may
 * be None) and "has a default" (may be left out) are independent. Names are
 * data: no argument name can collide with anything of ours.
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

#define TN_SCHEMA_LIST_ANY (-1) /* T[]; n >= 0 is T[n] */
typedef struct tn_schema_type {
    tn_schema_kind kind;
    bool is_list;
    bool is_optional;         /* T?, T[]? */
    bool element_is_optional; /* T?[] */
    bool writes;              /* the '!' of Tensor(a!) */
    int32_t list_length;      /* with is_list: TN_SCHEMA_LIST_ANY or n */
    char *alias;              /* "a" of Tensor(a!), "a|b" as written, NULL: none */
    char *handle_type;        /* Handle<type>: the type's name, NULL otherwise */
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

/* Errors give the column and show the text with a caret. Names are
 * [A-Za-z_][A-Za-z0-9_]*; at most 64 params (a mask of them must fit), 32
 * results. A positional parameter without a default after one with a default
 * is an error, as in Python. */
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

/* Fits one value to a type: int to float or Scalar, a single T to T[n] or T[]
 * of ints/floats (n copies / one), bool stays bool. Never float to int.
 * A TN_TAG_VALUE or TN_TAG_TENSOR fits Tensor; a TN_TAG_DIM fits int. New lists
 * come from the arena. The error says what the type expects and what was given,
 * without naming the argument. */
TN_MUST_USE tn_status tn_schema_coerce(const tn_schema_type *type, const tn_arg *value,
                                       struct tn_arena *arena, tn_arg *out_value);

/* Binds a call by Python's rules: positional first, then keywords; duplicates,
 * unknown names, missing and surplus arguments, None where it is not allowed,
 * keyword-only given by position and misfit types are errors that name op,
 * argument, expected and found (unknown names suggest the nearest). out_args
 * has n_params slots, filled in schema order with defaults in place. New lists
 * come from the arena; everything else is borrowed. */
TN_MUST_USE tn_status tn_schema_bind(const tn_schema *schema, const tn_arg *args, uint32_t n_args,
                                     const tn_attr *named, uint32_t n_named,
                                     struct tn_arena *arena, tn_arg *out_args);

#endif
