/* The built-in ops, from the files of tests/golden/ops. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "support/golden_lines.h"
#include "support/op_case.h"

static void check(const char *name) {
    const tn_context_options options = {.struct_size = sizeof options, .threads = 2};
    tn_op_cases cases = {.cpu = true};
    char path[512];
    unsigned n_cases = 0;
    tn_status status = tn_context_create(&options, &cases.context);
    cr_assert(status == NULL, "%s", tn_status_message(status));
    snprintf(path, sizeof path, TN_SOURCE_DIR "/tests/golden/ops/%s.txt", name);
    const char *wrong = tn_golden_lines_check(path, tn_op_case_run, &cases, &n_cases);
    tn_context_release(cases.context);
    cr_assert(n_cases > 0, "%s has no cases", path);
    cr_assert(wrong == NULL, "%s", wrong);
}

#define FILE_TEST(name)                                                                            \
    Test(ops, name) {                                                                              \
        check(#name);                                                                              \
    }

FILE_TEST(promotion)
FILE_TEST(unary)
FILE_TEST(binary)
FILE_TEST(choose)
FILE_TEST(reduce)
FILE_TEST(nn)
FILE_TEST(linalg)
FILE_TEST(shape)
