/* What the tests of schemas have in common. */
#ifndef TN_TESTS_SCHEMA_FIXTURE_H
#define TN_TESTS_SCHEMA_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "schema/schema.h"
#include "unit/schema/call_text.h"

/* The schema of a text that must parse. */
static inline tn_schema *schema_of(const char *text) {
    tn_schema *schema = NULL;
    tn_status status = tn_schema_parse(tn_allocator_system(), text, strlen(text), &schema);
    cr_assert_null(status, "%s\n%s", text, tn_status_message(status));
    return schema;
}

/* Binds the call and gives the arguments as text, "1, [2, 3], None"; or the
 * message. */
static inline void bound_text(const tn_schema *schema, const char *call, tn_strbuf *out) {
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_arg args[TN_SCHEMA_MAX_PARAMS];
    tn_strbuf_clear(out);
    tn_status status = call_text_bind(schema, call, strlen(call), &arena, args);
    if (status) {
        tn_strbuf_text(out, tn_status_message(status));
        cr_assert_eq(tn_status_code(status), TN_INVALID, "%s: %s", call, tn_strbuf_cstr(out));
        tn_status_free(status);
    }
    for (uint32_t i = 0; !status && i < schema->n_params; i++) {
        if (i > 0) tn_strbuf_text(out, ", ");
        tn_schema_print_value(&args[i], out);
    }
    tn_arena_deinit(&arena);
}

static inline void assert_call(const char *schema_text, const char *call, const char *expected) {
    tn_schema *schema = schema_of(schema_text);
    tn_strbuf out;
    tn_strbuf_init(&out, tn_allocator_system());
    bound_text(schema, call, &out);
    cr_assert_str_eq(tn_strbuf_cstr(&out), expected, "%s called (%s): %s", schema_text, call,
                     tn_strbuf_cstr(&out));
    tn_strbuf_deinit(&out);
    tn_schema_free(schema);
}

#endif
