/* The fault cases that are graphs, one file each in graphs/, on every path: see
 * support/graph_case.h. Which numbers have no file, and why, is in README.md. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocator.h"
#include "support/graph_case.h"

static void summarize(const char *family, uint32_t n, uint32_t failed) {
    const char *folder = getenv("TN_TEST_SUMMARY_DIR");
    char path[1024];
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/cases_graph_%s.summary", folder, family);
    FILE *file = fopen(path, "w");
    if (file == NULL) return;
    fprintf(file,
            "cases: %s graphs (reference and cpu: fused, eager, strict, poisoned): %u of %u "
            "right\n",
            family, n - failed, n);
    fclose(file);
}

static void run(const char *family) {
    tn_strbuf problems;
    uint32_t failed;
    tn_strbuf_init(&problems, tn_allocator_system());
    uint32_t n = tn_graph_cases_run(TN_SOURCE_DIR "/tests/cases/graphs", family, &problems,
                                    &failed);
    summarize(family, n, failed);
    cr_assert_gt(n, 0);
    cr_assert_eq(failed, 0, "%u of %u graphs:\n%s", failed, n, tn_strbuf_cstr(&problems));
    tn_strbuf_deinit(&problems);
}

Test(graph_cases, num) {
    run("NUM");
}
Test(graph_cases, red) {
    run("RED");
}
Test(graph_cases, lay) {
    run("LAY");
}
Test(graph_cases, fus) {
    run("FUS");
}
Test(graph_cases, meta) {
    run("META");
}
Test(graph_cases, epi) {
    run("EPI");
}
Test(graph_cases, mem) {
    run("MEM");
}
