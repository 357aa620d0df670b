#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "schema/schema.h"

static tn_schema *parse(const char *text) {
    tn_schema *schema = NULL;
    tn_status status = tn_schema_parse(tn_allocator_system(), text, strlen(text), &schema);
    cr_assert_null(status, "%s\n%s", text, tn_status_message(status));
    cr_assert_not_null(schema);
    return schema;
}

static void assert_canonical(const char *text, const char *canonical) {
    tn_schema *schema = parse(text);
    cr_assert_str_eq(schema->text, canonical);
    tn_schema *again = parse(schema->text);
    cr_assert_str_eq(again->text, canonical);
    tn_schema_free(again);
    tn_schema_free(schema);
}

static void assert_error(const char *text, const char *message) {
    tn_schema *schema = (tn_schema *)&schema;
    tn_status status = tn_schema_parse(tn_allocator_system(), text, strlen(text), &schema);
    cr_assert_not_null(status, "%s", text);
    cr_assert_null(schema);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
}

Test(schema_parse, fills_every_field) {
    tn_schema *s = parse("ns::name.overload(Tensor x, Tensor(a!) state, Tensor? bias=None, *, "
                         "float eps=1e-6, int[] dims=[], int[2] k, str mode=\"none\", "
                         "ScalarType? dtype=None) -> (Tensor, Tensor(a!) state)");
    cr_assert_str_eq(s->ns, "ns");
    cr_assert_str_eq(s->name, "name");
    cr_assert_str_eq(s->overload, "overload");
    cr_assert_str_eq(s->full_name, "ns::name.overload");
    cr_assert_eq(s->allocator, tn_allocator_system());
    cr_assert_eq(s->n_params, 8);
    cr_assert_eq(s->n_positional, 3);
    cr_assert_eq(s->n_results, 2);
    cr_assert_str_eq(s->params[1].name, "state");
    cr_assert_str_eq(s->params[1].type.alias, "a");
    cr_assert(s->params[1].type.writes);
    cr_assert(!s->params[1].keyword_only && !s->params[1].has_default);
    cr_assert(s->params[2].type.is_optional && s->params[2].has_default);
    cr_assert_eq(s->params[2].default_value.tag, TN_TAG_NONE);
    cr_assert(s->params[3].keyword_only);
    cr_assert_eq(s->params[3].default_value.tag, TN_TAG_FLOAT);
    cr_assert_eq(s->params[3].default_value.v.f, 1e-6);
    cr_assert_eq(s->params[4].type.list_length, TN_SCHEMA_LIST_ANY);
    cr_assert_eq(s->params[4].default_value.tag, TN_TAG_LIST);
    cr_assert_eq(s->params[4].default_value.count, 0);
    cr_assert_eq(s->params[5].type.kind, TN_SCHEMA_INT);
    cr_assert(s->params[5].type.is_list && !s->params[5].has_default);
    cr_assert_eq(s->params[5].type.list_length, 2);
    cr_assert_eq(s->params[6].default_value.tag, TN_TAG_STRING);
    cr_assert_eq(s->params[6].default_value.count, 4);
    cr_assert_str_eq(s->params[6].default_value.v.str, "none");
    cr_assert_eq(s->params[7].type.kind, TN_SCHEMA_DTYPE);
    cr_assert_null(s->results[0].name);
    cr_assert_str_eq(s->results[1].name, "state");
    cr_assert(tn_schema_mutates(s));
    cr_assert_eq(tn_schema_find_param(s, "eps"), 3);
    cr_assert_eq(tn_schema_find_param(s, "ep"), -1);
    tn_schema_free(s);
    tn_schema_free(NULL);
}

Test(schema_parse, without_anything) {
    assert_canonical("a::b()->()", "a::b() -> ()");
    tn_schema *s = parse("a::b() -> ()");
    cr_assert_eq(s->n_params + s->n_results, 0);
    cr_assert_str_eq(s->overload, "");
    cr_assert_str_eq(s->full_name, "a::b");
    cr_assert(!tn_schema_mutates(s));
    tn_schema_free(s);
}

/* The text need not end in a NUL, and nothing after it is read. */
Test(schema_parse, reads_only_its_length) {
    char text[] = {'a', ':', ':', 'b', '(', ')', '-', '>', '(', ')'};
    tn_schema *s = NULL;
    cr_assert_null(tn_schema_parse(tn_allocator_system(), text, sizeof text, &s));
    cr_assert_str_eq(s->text, "a::b() -> ()");
    tn_schema_free(s);
    tn_status status = tn_schema_parse(tn_allocator_system(), NULL, 0, &s);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    tn_status_free(status);
}

Test(schema_parse, errors_show_the_place) {
    assert_error("t::f(Tensor, int k) -> Tensor",
                 "schema:1:12: expected a name for the Tensor parameter, found ','\n"
                 "  t::f(Tensor, int k) -> Tensor\n"
                 "             ^");
    assert_error("t::f(Tensor x,\n     flout y) -> Tensor",
                 "schema:2:6: unknown type 'flout' (did you mean float?); the types are Tensor, "
                 "int, float, bool, str, "
                 "Scalar, ScalarType, Device, and Handle<flout> for an object of another library\n"
                 "       flout y) -> Tensor\n"
                 "       ^");
}

/* The most items "TYPE xN REST", up to tries, that a schema may have. */
static unsigned most(const char *before, const char *type, const char *rest, const char *after,
                     unsigned tries) {
    static char text[8192];
    unsigned best = 0;
    for (unsigned n = 1; n <= tries; n++) {
        size_t used = (size_t)snprintf(text, sizeof text, "%s", before);
        for (unsigned i = 0; i < n; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s x%u%s", i ? ", " : "",
                                     type, i, rest);
        }
        snprintf(text + used, sizeof text - used, "%s", after);
        tn_schema *s = NULL;
        tn_status status = tn_schema_parse(tn_allocator_system(), text, strlen(text), &s);
        if (!status) best = n;
        tn_status_free(status);
        tn_schema_free(s);
    }
    return best;
}

Test(schema_parse, limits) {
    cr_assert_eq(most("t::f(", "int", "", ") -> ()", 70), TN_SCHEMA_MAX_PARAMS);
    cr_assert_eq(most("t::f() -> (", "int", "", ")", 40), TN_SCHEMA_MAX_RESULTS);
    /* Each default prints as 3072 bytes, so that 21 fit the text that is printed. */
    cr_assert_eq(most("t::f(", "int[1024]", "=1", ") -> ()", 30), 21);
}

Test(schema_parse, texts_have_a_length) {
    static char text[TN_SCHEMA_MAX_TEXT + 2];
    memset(text, ' ', sizeof text);
    memcpy(text, "t::f() -> ()", 12);
    tn_schema *s = NULL;
    cr_assert_null(tn_schema_parse(tn_allocator_system(), text, TN_SCHEMA_MAX_TEXT, &s));
    tn_schema_free(s);
    tn_status status = tn_schema_parse(tn_allocator_system(), text, TN_SCHEMA_MAX_TEXT + 1, &s);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    cr_assert_str_eq(tn_status_message(status), "a schema has at most 65536 bytes, found 65537");
    cr_assert_null(s);
    tn_status_free(status);
}
