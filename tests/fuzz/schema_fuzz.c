/* Schemas: whatever parses prints, and its text reads back as itself. What follows
 * the first ';' of the input is a call, which is bound; what it gives fits as it is. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "schema/schema.h"
#include "unit/schema/call_text.h"

static void require(bool condition, const char *what, const char *text) {
    if (condition) return;
    fprintf(stderr, "%s\n%s\n", what, text);
    abort();
}

static void require_message(tn_status status) {
    require(tn_status_message(status)[0] != '\0', "a failure says why", "");
    tn_status_free(status);
}

static void print(const tn_arg *value, tn_strbuf *out) {
    tn_strbuf_clear(out);
    tn_schema_print_value(value, out);
}

/* Bound arguments bind again, to the same. */
static void check_bound(const tn_schema *schema, tn_arena *arena, const tn_arg *args) {
    tn_arg again[TN_SCHEMA_MAX_PARAMS];
    tn_strbuf first, second;
    tn_strbuf_init(&first, tn_allocator_system());
    tn_strbuf_init(&second, tn_allocator_system());
    for (uint32_t i = 0; i < schema->n_params; i++) {
        tn_status status = tn_schema_coerce(&schema->params[i].type, &args[i], arena, &again[i]);
        require(!status, "what was bound fits", schema->text);
        print(&args[i], &first);
        print(&again[i], &second);
        require(strcmp(tn_strbuf_cstr(&first), tn_strbuf_cstr(&second)) == 0,
                "what fits does not change", schema->text);
    }
    tn_strbuf_deinit(&first);
    tn_strbuf_deinit(&second);
}

static void check_call(const tn_schema *schema, const char *call, size_t length) {
    tn_arg args[TN_SCHEMA_MAX_PARAMS];
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_status status = call_text_bind(schema, call, length, &arena, args);
    if (status) {
        require_message(status);
    } else {
        check_bound(schema, &arena, args);
    }
    tn_arena_deinit(&arena);
}

static void check_schema(const tn_schema *schema) {
    tn_schema *again = NULL;
    tn_status status = tn_schema_parse(tn_allocator_system(), schema->text, strlen(schema->text),
                                       &again);
    require(!status, tn_status_message(status), schema->text);
    require(strcmp(again->text, schema->text) == 0, again->text, schema->text);
    require(again->n_params == schema->n_params && again->n_results == schema->n_results &&
                again->n_positional == schema->n_positional,
            "the parts are the same", schema->text);
    require(tn_schema_mutates(again) == tn_schema_mutates(schema), "what is written is the same",
            schema->text);
    for (uint32_t i = 0; i < schema->n_params; i++) {
        require(tn_schema_find_param(schema, schema->params[i].name) == (int32_t)i,
                "each parameter is found by its name", schema->text);
    }
    tn_schema_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *split = size > 0 ? memchr(text, ';', size) : NULL;
    size_t length = split ? (size_t)(split - text) : size;
    tn_schema *schema = NULL;
    tn_status status = tn_schema_parse(tn_allocator_system(), text, length, &schema);
    if (status) {
        require(!schema, "a failure gives no schema", "");
        require_message(status);
        return 0;
    }
    check_schema(schema);
    if (split) check_call(schema, split + 1, size - length - 1);
    tn_schema_free(schema);
    return 0;
}
