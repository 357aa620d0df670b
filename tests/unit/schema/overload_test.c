/* Which overload of several a call means. */
#include "schema/overload.h"

#include "support/failing_allocator.h"
#include "unit/schema/schema_fixture.h"

static const tn_arg tensor = {.tag = TN_TAG_TENSOR, .v.tensor = &call_text_tensor};
#define INT(n) ((tn_arg){.tag = TN_TAG_INT, .v.i = (n)})
#define FLOAT(x) ((tn_arg){.tag = TN_TAG_FLOAT, .v.f = (x)})

#define MOST 8

/* The overload chosen, or the message. */
static void assert_choice(const char *const *texts, uint32_t n, const tn_arg *args, uint32_t n_args,
                          const tn_attr *named, uint32_t n_named, const char *expected) {
    tn_schema *schemas[MOST];
    tn_arena arena;
    uint32_t index;
    tn_arg *bound;
    tn_arena_init(&arena, tn_allocator_system());
    for (uint32_t i = 0; i < n; i++)
        schemas[i] = schema_of(texts[i]);
    tn_status status = tn_overload_bind((const tn_schema *const *)schemas, n, args, n_args, named,
                                        n_named, &arena, &index, &bound);
    if (status) {
        cr_expect_eq(tn_status_code(status), TN_INVALID);
        cr_expect_str_eq(tn_status_message(status), expected);
    } else {
        cr_expect_str_eq(schemas[index]->full_name, expected);
        for (uint32_t i = 0; i < n_args; i++)
            cr_expect_neq(bound[i].tag, TN_TAG_NONE);
    }
    tn_status_free(status);
    for (uint32_t i = 0; i < n; i++)
        tn_schema_free(schemas[i]);
    tn_arena_deinit(&arena);
}
#define CHOICE(texts, args, expected)                                                              \
    assert_choice(texts, sizeof(texts) / sizeof *(texts), args, sizeof(args) / sizeof *(args),     \
                  NULL, 0, expected)

static const char *const mul[] = {"t::mul(Tensor x, Tensor y) -> Tensor",
                                  "t::mul.Scalar(Tensor x, Scalar y) -> Tensor"};

Test(overload, the_one_that_fits) {
    const tn_arg tensors[] = {tensor, tensor}, floats[] = {tensor, FLOAT(2)},
                 ints[] = {tensor, INT(2)};
    CHOICE(mul, tensors, "t::mul");
    CHOICE(mul, floats, "t::mul.Scalar");
    CHOICE(mul, ints, "t::mul.Scalar");
}

Test(overload, keywords_choose_too) {
    static const char *const div[] = {"t::div(Tensor x, Tensor y) -> Tensor",
                                      "t::div.mode(Tensor x, Tensor y, *, str? mode) -> Tensor"};
    const tn_arg tensors[] = {tensor, tensor};
    const tn_attr mode = {"mode", {.tag = TN_TAG_NONE}}, other = {"moda", {.tag = TN_TAG_NONE}};
    assert_choice(div, 2, tensors, 2, &mode, 1, "t::div.mode");
    assert_choice(div, 2, tensors, 2, NULL, 0, "t::div");
    assert_choice(div, 2, tensors, 2, &other, 1,
                  "t::div: no overload takes these arguments"
                  "\n  t::div(Tensor x, Tensor y) -> Tensor: no argument is called 'moda'"
                  "\n  t::div.mode(Tensor x, Tensor y, *, str? mode) -> Tensor: no argument is "
                  "called 'moda' (did you mean mode?)");
}

Test(overload, as_given_before_converted) {
    static const char *const f[] = {"t::f(Tensor x, float n) -> Tensor",
                                    "t::f.int(Tensor x, int n) -> Tensor",
                                    "t::f.list(Tensor x, int[] n) -> Tensor"};
    const tn_arg ints[] = {tensor, INT(2)}, floats[] = {tensor, FLOAT(2)};
    CHOICE(f, ints, "t::f.int");
    CHOICE(f, floats, "t::f");
}

Test(overload, the_one_without_a_name_of_equals) {
    static const char *const f[] = {"t::f(Tensor x, Scalar? lo=None) -> Tensor",
                                    "t::f.Tensor(Tensor x, Tensor? lo=None) -> Tensor"};
    static const char *const g[] = {"t::g(Tensor x, float[] n) -> Tensor",
                                    "t::g.b(Tensor x, float n) -> Tensor"};
    const tn_arg one[] = {tensor}, ints[] = {tensor, INT(2)};
    CHOICE(f, one, "t::f");
    CHOICE(g, ints, "t::g");
}

Test(overload, named_ones_that_fit_alike_are_an_error) {
    static const char *const f[] = {"t::f(Tensor x) -> Tensor", "t::f.a(Tensor x, int n) -> Tensor",
                                    "t::f.b(Tensor x, Scalar n, int m=1) -> Tensor",
                                    "t::f.c(Tensor x, float n) -> Tensor"};
    const tn_arg ints[] = {tensor, INT(2)}, two[] = {tensor, INT(2), INT(3)};
    CHOICE(f, two, "t::f.b");
    CHOICE(f, ints,
           "t::f: more than one overload takes these arguments: name one of them"
           "\n  t::f(Tensor x) -> Tensor: takes at most 1 argument, found 2"
           "\n  t::f.a(Tensor x, int n) -> Tensor: it fits"
           "\n  t::f.b(Tensor x, Scalar n, int m=1) -> Tensor: it fits"
           "\n  t::f.c(Tensor x, float n) -> Tensor: it fits, with a conversion");
}

/* A better fit that comes later settles what was ambiguous. */
Test(overload, ambiguous_only_at_the_best_fit) {
    static const char *const f[] = {"t::f.a(Tensor x, float n) -> Tensor",
                                    "t::f.b(Tensor x, float[] n) -> Tensor",
                                    "t::f.c(Tensor x, int n) -> Tensor"};
    const tn_arg ints[] = {tensor, INT(2)};
    CHOICE(f, ints, "t::f.c");
}

Test(overload, a_single_one_has_the_binders_errors) {
    const tn_arg floats[] = {tensor, FLOAT(2)};
    assert_choice(mul, 1, floats, 2, NULL, 0,
                  "t::mul: argument 'y': expected Tensor, found float 2.0");
    assert_choice(mul + 1, 1, floats, 2, NULL, 0, "t::mul.Scalar");
}

static tn_status bind(void *self, const tn_allocator *a) {
    const tn_arg *args = self;
    tn_schema *schemas[2] = {NULL, NULL};
    tn_arena arena;
    uint32_t index;
    tn_arg *bound;
    tn_arena_init(&arena, a);
    tn_status status = NULL;
    for (int i = 0; i < 2 && !status; i++)
        status = tn_schema_parse(a, mul[i], strlen(mul[i]), &schemas[i]);
    if (!status) {
        status = tn_overload_bind((const tn_schema *const *)schemas, 2, args, 2, NULL, 0, &arena,
                                  &index, &bound);
    }
    if (tn_status_code(status) == TN_INVALID) {
        tn_status_free(status);
        status = NULL;
    }
    tn_schema_free(schemas[0]);
    tn_schema_free(schemas[1]);
    tn_arena_deinit(&arena);
    return status;
}

Test(overload, every_allocation_may_fail) {
    const tn_arg good[] = {tensor, FLOAT(2)}, bad[] = {tensor, {.tag = TN_TAG_NONE}};
    const char *problem = tn_sweep_allocations(bind, (void *)good, false, NULL);
    cr_assert_null(problem, "%s", problem);
    problem = tn_sweep_allocations(bind, (void *)bad, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
