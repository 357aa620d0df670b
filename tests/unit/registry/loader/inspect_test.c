/* What a file says of itself. */
#include "loader/inspect.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "plugins/bad_files.h"
#include "support/failing_allocator.h"

static tn_manifest *inspect(const char *name) {
    tn_manifest *m;
    tn_status status = tn_manifest_read(tn_allocator_system(), tn_test_plugin(name), &m);
    cr_assert_null(status, "%s", tn_status_message(status));
    return m;
}

Test(inspect, a_good_plugin) {
    tn_manifest *m = inspect("sample");
    const tn_plugin_info *info = &m->info;
    cr_assert_eq(info->struct_size, sizeof *info);
    cr_assert_str_eq(info->path, tn_test_plugin("sample"));
    cr_assert_str_eq(info->name, "sample");
    cr_assert_str_eq(info->version, "1.2.3");
    cr_assert_eq(info->abi_needed, 1);
    cr_assert_eq(info->n_ops, 1);
    cr_assert_str_eq(info->schemas[0], "sample::twice(Tensor x) -> Tensor");
    cr_assert_eq(info->pointer_size, sizeof(void *));
    cr_assert_eq(info->cuda_major, 0);
    cr_assert_str_eq(info->sms, "");
    cr_assert_eq(info->n_requires, 0);
    cr_assert_eq(info->bytes, tn_test_size(info->path));
    cr_assert_eq(strlen(info->build_id), 40);
    cr_assert_eq(strlen(info->sha256), 64);
    cr_assert_str_eq(info->problem, "");
    cr_assert_null(tn_manifest_check(m));
    cr_assert(tn_manifest_is_current(m, info->path));
    cr_assert_not(tn_manifest_is_current(m, tn_test_plugin("sample_2")));
    cr_assert_not(tn_manifest_is_current(m, "/no/such/file"));
    tn_manifest_free(m);
}

/* PLG-17, PLG-25: nothing of it runs. */
Test(inspect, a_plugin_whose_constructor_aborts) {
    tn_manifest *m = inspect("aborting");
    cr_assert_str_eq(m->info.schemas[0], "sample::twice(Tensor x) -> Tensor");
    cr_assert_str_eq(m->info.problem, "");
    tn_manifest_free(m);
}

/* PLG-05: what cannot be loaded here can still be described. */
Test(inspect, problems_are_part_of_the_description) {
    static const struct {
        const char *name;
        tn_code code;
        const char *problem;
    } cases[] = {
        {"abi_99", TN_UNSUPPORTED, "it needs ABI 99"},
        {"sanitizer", TN_UNSUPPORTED, "-fsanitize=memory"},
        {"note_schema", TN_PARSE, "op 0 of its note: "},
        {"dependency_missing", TN_NOT_FOUND, "it needs libtn_test_gone.so.3"},
        {"entry_hidden", TN_PLUGIN, "the function is there, but hidden"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tn_manifest *m = inspect(cases[i].name);
        cr_assert_str_eq(m->info.name, "sample");
        cr_assert_not_null(strstr(m->info.problem, cases[i].problem), "%s", m->info.problem);
        tn_status status = tn_manifest_check(m);
        cr_assert_eq(tn_status_code(status), cases[i].code);
        cr_assert_not_null(strstr(tn_status_message(status), m->info.path));
        tn_status_free(status);
        tn_manifest_free(m);
    }
}

Test(inspect, two_builds_have_two_identities) {
    tn_manifest *a = inspect("sample"), *b = inspect("sample_2");
    cr_assert_str_neq(a->info.sha256, b->info.sha256);
    cr_assert_str_neq(a->info.build_id, b->info.build_id);
    cr_assert(a->content.lo != b->content.lo || a->content.hi != b->content.hi);
    tn_manifest_free(a);
    tn_manifest_free(b);
}

static tn_status read_manifest(void *self, const tn_allocator *allocator) {
    tn_manifest *m;
    TN_TRY(tn_manifest_read(allocator, tn_test_plugin(self), &m));
    tn_manifest_free(m);
    return NULL;
}

Test(inspect, no_memory) {
    static char good[] = "sample", bad[] = "dependency_missing";
    const char *problem = tn_sweep_allocations(read_manifest, good, false, NULL);
    cr_assert_null(problem, "%s", problem);
    problem = tn_sweep_allocations(read_manifest, bad, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
