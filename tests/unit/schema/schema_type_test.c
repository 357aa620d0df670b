#include "unit/schema/schema_fixture.h"

Test(schema_type, fields) {
    tn_schema *s = schema_of("t::f(Tensor(a! -> b|c)?[3]? x, Handle<acme::cache> h, int n) -> ()");
    const tn_schema_type *x = &s->params[0].type;
    cr_assert_eq(x->kind, TN_SCHEMA_TENSOR);
    cr_assert(x->is_list && x->is_optional && x->element_is_optional && x->writes);
    cr_assert_eq(x->list_length, 3);
    cr_assert_str_eq(x->alias, "a");
    cr_assert_str_eq(x->alias_after, "b|c");
    cr_assert_null(x->handle_type);
    cr_assert_str_eq(s->params[1].type.handle_type, "acme::cache");
    const tn_schema_type *n = &s->params[2].type;
    cr_assert(!n->is_list && !n->is_optional && !n->element_is_optional && !n->writes);
    cr_assert_null(n->alias);
    cr_assert_null(n->alias_after);
    tn_schema_free(s);
}

/* The '?' before "[]" is the elements', the one after it the list's. */
Test(schema_type, whose_is_optional) {
    tn_schema *s = schema_of("t::f(int? a, int?[] b, int[]? c, int?[]? d) -> ()");
    for (uint32_t i = 0; i < 4; i++) {
        const tn_schema_type *type = &s->params[i].type;
        cr_assert_eq(type->is_optional, i != 1);
        cr_assert_eq(type->element_is_optional, i == 1 || i == 3);
    }
    tn_schema_free(s);
}

Test(schema_type, a_bang_alone_writes_without_a_set) {
    tn_schema *s = schema_of("t::f(Tensor! x) -> ()");
    cr_assert(s->params[0].type.writes);
    cr_assert_null(s->params[0].type.alias);
    cr_assert(tn_schema_mutates(s));
    tn_schema_free(s);
}

static bool alias(const char *a, const char *b) {
    char text[256];
    snprintf(text, sizeof text, "t::f(%s x, %s y, Tensor(a) p, Tensor(b) q, Tensor(ab) r) -> ()", a,
             b);
    tn_schema *s = schema_of(text);
    bool forth = tn_schema_types_alias(&s->params[0].type, &s->params[1].type);
    bool back = tn_schema_types_alias(&s->params[1].type, &s->params[0].type);
    cr_assert_eq(forth, back, "%s", text);
    tn_schema_free(s);
    return forth;
}

Test(schema_type, which_types_alias) {
    cr_assert(alias("Tensor(a)", "Tensor(a)"));
    cr_assert(alias("Tensor(a!)", "Tensor(a)[]"));
    cr_assert(alias("Tensor(a|b)", "Tensor(c|b)"));
    cr_assert(alias("Tensor(*)", "Tensor(a)"));
    cr_assert(alias("Tensor(*)", "Tensor(*)"));
    cr_assert(alias("Tensor(a -> b)", "Tensor(b)"));
    cr_assert(alias("Tensor(a -> *)", "Tensor(c)"));
    cr_assert(alias("Tensor(a -> b)", "Tensor(c -> b)"));
    cr_assert(!alias("Tensor(a)", "Tensor(b)"));
    cr_assert(!alias("Tensor(a)", "Tensor(ab)"));
    cr_assert(!alias("Tensor(a|b)", "Tensor(ab)"));
    cr_assert(!alias("Tensor(a)", "Tensor"));
    cr_assert(!alias("Tensor(*)", "Tensor"));
    cr_assert(!alias("Tensor!", "Tensor!"));
    cr_assert(!alias("Tensor", "Tensor"));
}

Test(schema_type, handle_names_have_a_length) {
    char text[400], name[200];
    memset(name, 'h', sizeof name);
    for (int length = 120; length < 140; length++) {
        snprintf(text, sizeof text, "t::f(Handle<%.*s> h) -> ()", length, name);
        tn_schema *s = NULL;
        tn_status status = tn_schema_parse(tn_allocator_system(), text, strlen(text), &s);
        cr_assert_eq(status == NULL, length <= 127, "%d: %s", length, tn_status_message(status));
        if (s) cr_assert_eq(strlen(s->params[0].type.handle_type), (size_t)length);
        tn_status_free(status);
        tn_schema_free(s);
    }
}
