/* Calls as text, for tests: "%x, 2, eps=1e-5". Literals as in schemas; %NAME is a
 * tensor, @NAME a handle whose type is NAME, $N a size with the id N. */
#ifndef TN_TESTS_CALL_TEXT_H
#define TN_TESTS_CALL_TEXT_H

#include "base/arena.h"
#include "schema/schema.h"

/* What every %NAME and @NAME is. */
extern tn_tensor call_text_tensor;

/* Reads the call (TN_PARSE when it is no call) and binds it. The arena owns what
 * out_args points to; out_args has TN_SCHEMA_MAX_PARAMS slots. */
TN_MUST_USE tn_status call_text_bind(const tn_schema *schema, const char *text, size_t length,
                                     tn_arena *arena, tn_arg *out_args);
/* One value of such a call. */
TN_MUST_USE tn_status call_text_value(const char *text, size_t length, tn_arena *arena,
                                      tn_arg *out_value);

#endif
