/* The cases PLG. What each kind of bad plugin gives in full is in tests/plugins. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocator.h"
#include "loader/load.h"
#include "plugins/bad_files.h"

/* A line of the summary of `./dev test`. */
ReportHook(POST_ALL)(struct criterion_global_stats *stats) {
    const char *summaries = getenv("TN_TEST_SUMMARY_DIR");
    char path[4096];
    if (!summaries ||
        snprintf(path, sizeof path, "%s/cases_plugin.summary", summaries) >= (int)sizeof path) {
        return;
    }
    FILE *file = fopen(path, "a");
    if (!file) return;
    fprintf(file, "cases: plugins (no device): %zu of %zu right\n", stats->tests_passed,
            stats->nb_tests);
    fclose(file);
}

static const tn_device cpu = {TN_DEVICE_CPU, 0};
static tn_catalog *catalog;
static tn_loader *loader;
static tn_test_folder folder;

static void start(void) {
    cr_assert_null(tn_catalog_create(tn_allocator_system(), &catalog));
    cr_assert_null(tn_loader_create(tn_allocator_system(), catalog, NULL, &loader));
    cr_assert(tn_test_folder_make(&folder));
}
static void stop(void) {
    tn_catalog_destroy(catalog);
    tn_loader_destroy(loader);
    tn_test_folder_remove(&folder);
}
TestSuite(cases_plugin, .init = start, .fini = stop);

static bool count(void *self, const struct tn_op *op) {
    (void)op;
    ++*(int *)self;
    return true;
}

static int ops_registered(void) {
    int n = 0;
    tn_catalog_visit(catalog, count, &n);
    return n;
}

static void load(const char *path) {
    tn_status status = tn_loader_load(loader, path, NULL, NULL);
    cr_assert_null(status, "%s", tn_status_message(status));
}

/* The load fails, names the file and says each of the texts; nothing is registered. */
#define assert_load_fails(path, ...)                                                               \
    do {                                                                                           \
        const char *const texts[] = {path, __VA_ARGS__};                                           \
        int before = ops_registered();                                                             \
        tn_status status = tn_loader_load(loader, texts[0], NULL, NULL);                           \
        cr_assert_not_null(status);                                                                \
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {                              \
            cr_assert_not_null(strstr(tn_status_message(status), texts[i]), "'%s' is not in: %s",  \
                               texts[i], tn_status_message(status));                               \
        }                                                                                          \
        cr_assert_eq(ops_registered(), before);                                                    \
        tn_status_free(status);                                                                    \
    } while (0)

Test(cases_plugin, PLG_01_entry_symbol_mangled_or_hidden) {
    assert_load_fails(tn_test_plugin("entry_mangled"), "tenon_plugin_query",
                      "_Z18tenon_plugin_queryj", "extern \"C\"");
    assert_load_fails(tn_test_plugin("entry_hidden"), "tenon_plugin_query", "hidden",
                      "TN_PLUGIN_EXPORT");
    assert_load_fails(tn_test_plugin("entry_misspelled"), "tenon_plugin_query",
                      "tenon_plugin_qeury");
}

Test(cases_plugin, PLG_03_undefined_symbol_is_found_at_load) {
    assert_load_fails(tn_test_plugin("symbol_missing"), "undefined symbol: tn_test_nowhere");
}

/* A library that is not there costs one plugin; the others load. */
Test(cases_plugin, PLG_05_missing_runtime_library) {
    assert_load_fails(tn_test_plugin("dependency_missing"), "libtn_test_gone.so.3");
    load(tn_test_plugin("sample"));
    cr_assert_eq(ops_registered(), 1);
}

Test(cases_plugin, PLG_07_newer_abi_is_refused_before_any_code) {
    assert_load_fails(tn_test_plugin("abi_99"), "it needs ABI 99", "offers 1 to 1");
    void *mapped = dlopen(tn_test_plugin("abi_99"), RTLD_NOW | RTLD_NOLOAD);
    cr_assert_null(mapped);
    assert_load_fails(tn_test_plugin("query_null"), "returned NULL");
}

Test(cases_plugin, PLG_09_same_file_twice) {
    char path[512];
    snprintf(path, sizeof path, "%s", tn_test_plugin("sample"));
    load(path);
    const char *link = tn_test_path(&folder, "link.so");
    cr_assert_eq(symlink(path, link), 0);
    load(link);
    cr_assert_eq(ops_registered(), 1);
    const char *copy = tn_test_path(&folder, "copy.so");
    cr_assert(tn_test_copy(path, copy, SIZE_MAX));
    assert_load_fails(copy, "op sample::twice is already registered by", path);
    const struct tn_op *op;
    cr_assert_null(tn_catalog_find(catalog, "sample::twice", 13, &op));
    cr_assert_str_eq(op->owner->plugin_path, path);
}

Test(cases_plugin, PLG_11_two_vendors_one_name) {
    load(tn_test_plugin("vendor_a"));
    assert_load_fails(tn_test_plugin("vendor_b"), "shared::gemm", tn_test_plugin("vendor_a"));
}

Test(cases_plugin, PLG_13_unload_leaves_code_mapped) {
    load(tn_test_plugin("sample"));
    cr_assert_null(tn_loader_unload(loader, "sample"));
    void *mapped = dlopen(tn_test_plugin("sample"), RTLD_NOW | RTLD_NOLOAD);
    cr_assert_not_null(mapped);
    dlclose(mapped);
}

Test(cases_plugin, PLG_15_unloaded_ops_are_gone_by_name) {
    load(tn_test_plugin("sample"));
    cr_assert_null(tn_loader_unload(loader, "sample"));
    cr_assert_eq(ops_registered(), 0);
    const struct tn_op *op;
    tn_status status = tn_catalog_find(catalog, "sample::twice", 13, &op);
    cr_assert_not_null(strstr(tn_status_message(status), "removed with plugin sample 1.2.3"));
    tn_status_free(status);
}

/* A constructor cannot be contained in dlopen; inspection does not get that far. */
Test(cases_plugin, PLG_17_constructors_do_not_run_in_inspection) {
    tn_manifest *m;
    cr_assert_null(tn_loader_inspect(loader, tn_test_plugin("aborting"), &m));
    tn_manifest_free(m);
    cr_assert_null(dlopen(tn_test_plugin("aborting"), RTLD_NOW | RTLD_NOLOAD));
}

Test(cases_plugin, PLG_25_schemas_are_listed_without_loading) {
    tn_manifest *m;
    cr_assert_null(tn_loader_inspect(loader, tn_test_plugin("aborting"), &m));
    cr_assert_eq(m->info.n_ops, 1);
    cr_assert_str_eq(m->info.schemas[0], "sample::twice(Tensor x) -> Tensor");
    tn_manifest_free(m);
}

Test(cases_plugin, PLG_19_bare_names_use_the_plugin_path_alone) {
    cr_assert(tn_test_copy(tn_test_plugin("sample"), tn_test_path(&folder, "p.so"), SIZE_MAX));
    cr_assert_eq(chdir(folder.path), 0);
    assert_load_fails("p.so", "tried no folder", "write ./p.so");
    load("./p.so");
    tn_catalog *other;
    tn_loader *searching;
    const tn_loader_options options = {.plugin_path = folder.path};
    cr_assert_null(tn_catalog_create(tn_allocator_system(), &other));
    cr_assert_null(tn_loader_create(tn_allocator_system(), other, &options, &searching));
    cr_assert_null(tn_loader_load(searching, "p", NULL, NULL));
    tn_status status = tn_loader_load(searching, "q", NULL, NULL);
    cr_assert_not_null(strstr(tn_status_message(status), tn_test_path(&folder, "q.so")));
    tn_status_free(status);
    tn_catalog_destroy(other);
    tn_loader_destroy(searching);
}

static tn_status infer_rank(const struct tn_op *op, int32_t rank) {
    int64_t shape[] = {1, 1, 1, 1}, strides[] = {1, 1, 1, 1};
    tn_tensor x = {.device = cpu,
                   .ndim = rank,
                   .dtype = {TN_TYPE_FLOAT, 32, 1},
                   .shape = shape,
                   .strides = strides};
    const tn_arg args[] = {{.tag = TN_TAG_TENSOR, .v.tensor = &x}};
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_op_results results;
    tn_status status = tn_op_infer(op, args, cpu, &arena, &results);
    tn_arena_deinit(&arena);
    return status;
}

Test(cases_plugin, PLG_23_exceptions_stay_on_their_side) {
    load(tn_test_plugin("throwing"));
    const struct tn_op *op;
    cr_assert_null(tn_catalog_find(catalog, "throwing::twice", 15, &op));
    static const struct {
        tn_code code;
        const char *reason;
    } by_rank[] = {{TN_INTERNAL, "C++ exception: meta broke"},
                   {TN_NO_MEMORY, "C++ std::bad_alloc"},
                   {TN_INTERNAL, "C++ exception that is no std::exception"},
                   {TN_UNSUPPORTED, "rank 4 is not for me, and this text is longer than any small "
                                    "string"}};
    for (int32_t i = 0; i < 4; i++) {
        tn_status status = infer_rank(op, i + 1);
        cr_assert_eq(tn_status_code(status), by_rank[i].code);
        cr_assert_not_null(strstr(tn_status_message(status), by_rank[i].reason), "%s",
                           tn_status_message(status));
        tn_status_free(status);
    }
    tn_op_callback callback;
    tn_op_callback_init(&callback, tn_allocator_system());
    const tn_run_context ctx = {.struct_size = sizeof ctx, .cb = &callback.cb};
    const tn_call call = {.struct_size = sizeof call};
    tn_status status = tn_op_callback_status(&callback, op, "run", op->cpu->run(&ctx, NULL, &call));
    cr_assert_not_null(strstr(tn_status_message(status), "C++ exception: kernel broke"));
    tn_status_free(status);
    op->cpu->release(&ctx, NULL);
    tn_op_callback_deinit(&callback);
}
