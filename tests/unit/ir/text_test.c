/* Graph text: golden files of what is printed, and of what is said of mistakes. */
#include "ir/text.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "support/golden.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;

static void setup(void) {
    cr_assert_null(tn_prim_schemas_create(tn_allocator_system(), &prims));
    cr_assert_null(tn_test_ops_create(tn_allocator_system(), &ops));
}

static void teardown(void) {
    cr_assert_eq(ops->references, 0, "every op that a graph retained was released");
    tn_prim_schemas_destroy(prims);
    tn_test_ops_destroy(ops);
}

TestSuite(text, .init = setup, .fini = teardown);

static tn_status parse(const tn_allocator *a, const char *text, size_t length, const char *file,
                       tn_ir_graph **out) {
    return tn_ir_parse(a, prims, &ops->table, text, length, file, out);
}

/* Prints the graph; what it prints must read back as a graph that prints the same. */
static tn_status print_twice(void *self, const char *file, const char *input, size_t length,
                             tn_strbuf *out) {
    (void)self;
    const tn_allocator *a = tn_allocator_system();
    tn_ir_graph *graph, *again = NULL;
    tn_strbuf second;
    TN_TRY(parse(a, input, length, file, &graph));
    tn_strbuf_init(&second, a);
    tn_status status = tn_ir_verify(graph, false);
    tn_ir_print(graph, out);
    if (!status) status = parse(a, out->data, out->length, "printed", &again);
    if (!status) tn_ir_print(again, &second);
    if (!status && strcmp(tn_strbuf_cstr(out), tn_strbuf_cstr(&second)) != 0)
        status = tn_status_make(TN_INTERNAL, "printed again it is\n%s", tn_strbuf_cstr(&second));
    tn_strbuf_deinit(&second);
    tn_ir_destroy(graph);
    tn_ir_destroy(again);
    return status;
}

Test(text, golden) {
    tn_strbuf report;
    tn_strbuf_init(&report, tn_allocator_system());
    tn_golden_run(TN_SOURCE_DIR "/tests/golden/text", "tn", print_twice, NULL, &report);
    cr_assert_str_empty(tn_strbuf_cstr(&report), "%s", tn_strbuf_cstr(&report));
    tn_strbuf_deinit(&report);
}
