/* Every allocation of every call of core/schema fails in turn. */
#include "support/failing_allocator.h"
#include "unit/schema/schema_fixture.h"

static tn_status parse_step(void *self, const tn_allocator *allocator) {
    tn_schema *schema = NULL;
    tn_status status = tn_schema_parse(allocator, self, strlen(self), &schema);
    cr_assert_eq(status == NULL, schema != NULL);
    tn_schema_free(schema);
    return status;
}

/* Long enough to need several blocks of the arena, and to let each text grow. */
static char *long_schema(void) {
    static char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text, "namespace::operator.overload(");
    for (unsigned i = 0; i < 60; i++) {
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "int[20] a_parameter_with_a_long_name_%u=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, "
            "14, 15, 16, 17, 18, 19, 20], ",
            i);
    }
    snprintf(text + used, sizeof text - used,
             "float[100] f=1, str s=\"text\", *, Tensor(a|b! -> *)? x=None, Handle<acme::pool> h) "
             "-> (Tensor(a|b!) y, Tensor(*) z)");
    return text;
}

Test(schema_memory, parsing) {
    char *texts[] = {"t::f() -> ()",
                     "t::f.o(Tensor(a! -> b) x, int[2] k=1, str s='s') -> Tensor(a!) y",
                     long_schema()};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t allocations = 0;
        const char *problem = tn_sweep_allocations(parse_step, texts[i], false, &allocations);
        cr_assert_null(problem, "%s", problem);
        cr_assert_geq(allocations, 2);
    }
}

/* A refused schema frees what it had read. */
Test(schema_memory, errors_release_everything) {
    static const char *const texts[] = {
        "t::f(int[] a=[1, 2, 3], int[2] b=[1]) -> ()", "t::f(str a=\"x\\q\") -> ()",
        "t::f(int[] a=[1, 2, x]) -> ()", "t::f(Tensor(a) x) -> Tensor(b)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tn_failing_allocator counting;
        tn_failing_allocator_init(&counting);
        tn_schema *schema = NULL;
        tn_status status = tn_schema_parse(&counting.allocator, texts[i], strlen(texts[i]),
                                           &schema);
        cr_assert_eq(tn_status_code(status), TN_PARSE);
        cr_assert_gt(counting.allocations, 0);
        const char *problem = tn_failing_allocator_problem(&counting);
        cr_assert_null(problem, "%s", problem);
        tn_status_free(status);
        tn_failing_allocator_deinit(&counting);
    }
}

typedef struct bind_case {
    const tn_schema *schema;
    const char *call;
    tn_code expected;
} bind_case;

/* A misfit that has no memory for its message is out of memory: both are right. */
static tn_status bind_step(void *self, const tn_allocator *allocator) {
    const bind_case *c = self;
    tn_arena arena;
    tn_arg args[TN_SCHEMA_MAX_PARAMS];
    tn_arena_init(&arena, allocator);
    tn_status status = call_text_bind(c->schema, c->call, strlen(c->call), &arena, args);
    tn_arena_deinit(&arena);
    if (tn_status_code(status) == TN_NO_MEMORY) return status;
    cr_assert_eq(tn_status_code(status), c->expected, "%s", tn_status_message(status));
    tn_status_free(status);
    return NULL;
}

Test(schema_memory, binding) {
    tn_schema *s = schema_of("t::f(float[600] big, float[] small, *, int n, int[]? m=None) -> ()");
    bind_case cases[] = {{s, "1, [1, 2], n=3, m=4", TN_OK},
                         {s, "1, [1, 'a string that is long enough to be cut'], n=1", TN_INVALID},
                         {s, "1, 2, n=1.5", TN_INVALID},
                         {s, "1, 2", TN_INVALID},
                         {s, "1, 2, m=3, k=4", TN_INVALID}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t allocations = 0;
        const char *problem = tn_sweep_allocations(bind_step, &cases[i], false, &allocations);
        cr_assert_null(problem, "%s: %s", cases[i].call, problem);
        cr_assert_geq(allocations, 1);
    }
    tn_schema_free(s);
}

static tn_status print_step(void *self, const tn_allocator *allocator) {
    const tn_schema *schema = self;
    tn_strbuf out;
    tn_strbuf_init(&out, allocator);
    for (uint32_t i = 0; i < schema->n_params; i++) {
        tn_schema_print_type(&schema->params[i].type, &out);
        tn_schema_print_value(&schema->params[i].default_value, &out);
    }
    tn_status status = tn_strbuf_status(&out);
    tn_strbuf_deinit(&out);
    return status;
}

Test(schema_memory, printing) {
    tn_schema *s = schema_of("t::f(Tensor(a! -> *)?[3]? x=None, int[500] k=123456789, str s='\\n', "
                             "ScalarType d=f32x4, Device v=cuda:1, Handle<a::b>? h=None) -> ()");
    uint64_t allocations = 0;
    const char *problem = tn_sweep_allocations(print_step, s, false, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_geq(allocations, 3);
    tn_schema_free(s);
}
