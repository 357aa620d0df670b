/* What crosses files inside core/schema. */
#ifndef TN_SCHEMA_SCHEMA_INTERNAL_H
#define TN_SCHEMA_SCHEMA_INTERNAL_H

#include "schema/schema.h"
#include "schema/token.h"

/* One type with its modifiers: "Tensor(a!)?[2]". Text comes from the arena. */
TN_MUST_USE tn_status tn__schema_parse_type(tn_lexer *lexer, tn_arena *arena,
                                            tn_schema_type *out_type);

/* Goes through the names of an alias set: *at starts as the set, and the result
 * is the next name with its length, or NULL. */
const char *tn__alias_next(const char **at, size_t *out_length);
/* Whether the set holds the name. NULL is the empty set. */
bool tn__alias_has(const char *set, const char *name, size_t length);

/* "ns::f(...) -> ..." from the parts. */
void tn__schema_print(const tn_schema *schema, tn_strbuf *out);
/* tn_schema_print_value that cuts what is long, for messages. */
void tn__value_describe(const tn_arg *value, tn_strbuf *out);

#endif
