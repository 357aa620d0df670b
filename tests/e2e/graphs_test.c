/* The graphs of this folder on every path: see support/graph_case.h. */
#include <criterion/criterion.h>

#include "base/allocator.h"
#include "support/graph_case.h"

/* One test for each letter, so that they run side by side. */
static void run(const char *prefix) {
    tn_strbuf problems;
    uint32_t failed;
    tn_strbuf_init(&problems, tn_allocator_system());
    uint32_t n = tn_graph_cases_run(TN_SOURCE_DIR "/tests/e2e/graphs", prefix, &problems, &failed);
    cr_assert_gt(n, 0, "no graph has \"%s\" in its name", prefix);
    cr_assert_eq(failed, 0, "%u of %u graphs:\n%s", failed, n, tn_strbuf_cstr(&problems));
    tn_strbuf_deinit(&problems);
}

Test(e2e, a_pointwise) {
    run("a_");
}
Test(e2e, b_norms) {
    run("b_");
}
Test(e2e, c_matmul_and_epilogue) {
    run("c_");
}
Test(e2e, d_opaque_between) {
    run("d_");
}
Test(e2e, e_users_and_outputs) {
    run("e_");
}
Test(e2e, f_strides_and_sizes) {
    run("f_");
}
Test(e2e, g_sizes_and_transformers) {
    run("g_");
}
