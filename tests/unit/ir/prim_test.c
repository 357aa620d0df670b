#include "ir/prim.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"

Test(prim, numbers_ascend_and_find_their_primitive) {
    cr_assert_eq(tn_prim_count(), 88);
    uint32_t last = 0;
    for (uint32_t i = 0; i < tn_prim_count(); i++) {
        const tn_prim_info *info = tn_prim_at(i);
        cr_expect_gt(info->id, last, "%s", info->name);
        last = info->id;
        cr_expect_eq(tn_prim_get(info->id), info, "%s", info->name);
        cr_expect_eq(tn_prim_find(info->name, strlen(info->name)), info, "%s", info->name);
        cr_expect_gt(strlen(info->doc), 3, "%s", info->name);
    }
    cr_expect_null(tn_prim_at(tn_prim_count()));
}

Test(prim, what_is_not_there_is_not_found) {
    cr_expect_null(tn_prim_get(TN_PRIM_NONE));
    cr_expect_null(tn_prim_get(18));
    cr_expect_null(tn_prim_get(TN_PRIM_NUMBER_END));
    cr_expect_null(tn_prim_get(UINT32_MAX));
    cr_expect_null(tn_prim_find("ad", 2));
    cr_expect_null(tn_prim_find("addx", 4));
    cr_expect_null(tn_prim_find("", 0));
    cr_expect_eq(tn_prim_find("add(", 3)->id, TN_PRIM_ADD);
}

Test(prim, permanent_numbers) {
    cr_expect_eq(TN_PRIM_ADD, 1);
    cr_expect_eq(TN_PRIM_CLZ, 77);
    cr_expect_eq(TN_PRIM_SELECT, 100);
    cr_expect_eq(TN_PRIM_TAKE, 128);
    cr_expect_eq(TN_PRIM_MATMUL, 160);
}

Test(prim, information_follows_the_list) {
    const tn_prim_info *add = tn_prim_get(TN_PRIM_ADD);
    cr_expect_str_eq(add->body_float, "a + b");
    cr_expect_str_eq(add->body_int, "a + b");
    cr_expect_null(add->body_bool);
    cr_expect(add->on_float && add->on_int && !add->on_bool && !add->result_bool);
    cr_expect_eq(add->arity, 2);
    cr_expect_str_eq(add->schema_text, "prim::add(Tensor a, Tensor b) -> Tensor");

    const tn_prim_info *floordiv = tn_prim_get(TN_PRIM_FLOORDIV);
    cr_expect(!floordiv->on_float && floordiv->on_int);
    cr_expect_null(floordiv->body_float);

    const tn_prim_info *and = tn_prim_get(TN_PRIM_AND); /* a body as long as TN_NO_BODY */
    cr_expect_str_eq(and->body_int, "BAND(a, b)");
    cr_expect_null(and->body_float);
    cr_expect(!and->on_float && and->on_int && and->on_bool);

    cr_expect(tn_prim_get(TN_PRIM_LT)->result_bool);
    cr_expect_eq(tn_prim_get(TN_PRIM_FMA)->arity, 3);
    cr_expect_str_eq(tn_prim_get(TN_PRIM_NEG)->schema_text, "prim::neg(Tensor a) -> Tensor");

    const tn_prim_info *mean_var = tn_prim_get(TN_PRIM_MEAN_VAR);
    cr_expect_eq(mean_var->klass, TN_PRIM_CLASS_REDUCE);
    cr_expect(mean_var->on_float && !mean_var->on_int && !mean_var->on_bool);
    const tn_prim_info *any = tn_prim_get(TN_PRIM_ANY);
    cr_expect(!any->on_float && !any->on_int && any->on_bool);
    cr_expect_eq(tn_prim_get(TN_PRIM_CONCAT)->arity, 0);
    cr_expect_eq(tn_prim_get(TN_PRIM_IOTA)->klass, TN_PRIM_CLASS_SOURCE);
    cr_expect_eq(tn_prim_get(TN_PRIM_MATMUL)->klass, TN_PRIM_CLASS_CONTRACT);
}

/* Every body is an expression over a, b, c and the dialect alone. */
Test(prim, bodies_speak_the_dialect) {
    static const char *const dialect[] = {
        "a",     "b",     "c",        "LIT",   "LT",     "LE",   "GT",    "GE",    "EQ",    "NE",
        "ISNAN", "MAND",  "MOR",      "MXOR",  "MNOT",   "SEL",  "BAND",  "BOR",   "BXOR",  "BNOT",
        "IDIV",  "IREM",  "SHL",      "SHR",   "POPCNT", "CLZ",  "IABS",  "FABS",  "FLOOR", "CEIL",
        "TRUNC", "RINT",  "COPYSIGN", "FMA",   "SQRT",   "EXP",  "EXP2",  "EXPM1", "LOG",   "LOG2",
        "LOG10", "LOG1P", "SIN",      "COS",   "TAN",    "ASIN", "ACOS",  "ATAN",  "SINH",  "COSH",
        "TANH",  "ASINH", "ACOSH",    "ATANH", "ERF",    "ERFC", "ATAN2", "POW",   "FMOD"};
    for (uint32_t i = 0; i < tn_prim_count(); i++) {
        const tn_prim_info *info = tn_prim_at(i);
        const char *bodies[] = {info->body_float, info->body_int, info->body_bool};
        for (int k = 0; k < 3; k++) {
            for (const char *p = bodies[k]; p != NULL && *p != '\0';) {
                const size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                           "0123456789");
                bool known = n == 0 || (*p >= '0' && *p <= '9');
                for (size_t d = 0; d < sizeof dialect / sizeof dialect[0]; d++)
                    known |= strlen(dialect[d]) == n && memcmp(dialect[d], p, n) == 0;
                cr_expect(known, "%s: '%.*s' in %s", info->name, (int)n, p, bodies[k]);
                p += n == 0 ? 1 : n;
            }
        }
    }
}

Test(prim, schemas_parse_and_agree_with_the_table) {
    tn_prim_schemas *schemas;
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &schemas));
    for (uint32_t i = 0; i < tn_prim_count(); i++) {
        const tn_prim_info *info = tn_prim_at(i);
        const tn_schema *schema = tn_prim_schemas_get(schemas, info->id);
        cr_assert_not_null(schema);
        cr_expect_str_eq(schema->text, info->schema_text); /* canonical as written */
        uint32_t tensors = 0;
        for (uint32_t p = 0; p < schema->n_params; p++)
            if (schema->params[p].type.kind == TN_SCHEMA_TENSOR && !schema->params[p].type.is_list)
                tensors++;
        cr_expect_eq(tensors, info->arity, "%s", info->name);
    }
    cr_expect_null(tn_prim_schemas_get(schemas, 19));
    tn_prim_schemas_destroy(schemas);
    tn_prim_schemas_destroy(NULL);
}

static tn_status make_schemas(void *self, const tn_allocator *allocator) {
    (void)self;
    tn_prim_schemas *schemas;
    TN_TRY(tn_prim_schemas_create(allocator, &schemas));
    tn_prim_schemas_destroy(schemas);
    return NULL;
}

Test(prim, schemas_without_memory) {
    const char *problem = tn_sweep_allocations(make_schemas, NULL, false, NULL);
    cr_expect_null(problem, "%s", problem);
}
