/* Literals of schemas and graph text, as tagged values:
 *
 *   None True False (none, true, false too), 3, -3, 1.5, -2e-3, inf, -inf, nan,
 *   "text" or 'text', a dtype (f32), a device (cpu, cuda:1), [a, b, ...] of these
 *
 * A literal has no expected type; tn_schema_coerce fits it to one. Strings and
 * lists come from the arena. */
#ifndef TN_SCHEMA_LITERAL_H
#define TN_SCHEMA_LITERAL_H

#include "schema/token.h"

/* Whether the current token can begin a literal (a name always can). */
bool tn_literal_starts(const tn_lexer *lexer);
/* Reads one literal that is no list, and moves past it. */
TN_MUST_USE tn_status tn_literal_atom(tn_lexer *lexer, tn_arena *arena, tn_arg *out_value);
/* Reads an atom or a list of atoms. Lists do not nest. */
TN_MUST_USE tn_status tn_literal_parse(tn_lexer *lexer, tn_arena *arena, tn_arg *out_value);

#endif
