/* Plugins that load, come again, and leave. */
#include "loader/load.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocator.h"
#include "plugins/bad_files.h"
#include "support/failing_allocator.h"
#include "tenon/util.h"

typedef struct host {
    tn_catalog *catalog;
    tn_loader *loader;
} host;

static host h;
static tn_test_folder folder;
static char said[2048];

static void keep(void *self, int32_t level, const char *message) {
    (void)self;
    (void)level;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", message);
}

static tn_status host_start(host *self, const tn_allocator *allocator) {
    *self = (host){0};
    TN_TRY(tn_catalog_create(allocator, &self->catalog));
    char path[512];
    snprintf(path, sizeof path, "/nowhere:%s/test-plugins", TN_BINARY_DIR);
    const tn_loader_options options = {.plugin_path = path, .log = keep};
    return tn_loader_create(allocator, self->catalog, &options, &self->loader);
}

static void host_stop(host *self) {
    tn_catalog_destroy(self->catalog);
    tn_loader_destroy(self->loader);
}

static void start(void) {
    cr_assert_null(host_start(&h, tn_allocator_system()));
    cr_assert(tn_test_folder_make(&folder));
}
static void stop(void) {
    host_stop(&h);
    tn_test_folder_remove(&folder);
}
TestSuite(load, .init = start, .fini = stop);

static const tn_op_owner *load(const char *name) {
    const tn_op_owner *owner;
    tn_status status = tn_loader_load(h.loader, name, NULL, &owner);
    cr_assert_null(status, "%s", tn_status_message(status));
    return owner;
}

static const struct tn_op *find(const char *name) {
    const struct tn_op *op;
    tn_status status = tn_catalog_find(h.catalog, name, strlen(name), &op);
    tn_status_free(status);
    return op;
}

static void assert_fails(tn_status status, tn_code code, const char *reason) {
    cr_assert_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_assert_not_null(strstr(tn_status_message(status), reason), "%s", tn_status_message(status));
    tn_status_free(status);
}

Test(load, an_op_that_works) {
    const tn_op_owner *owner = load(tn_test_plugin("sample"));
    cr_assert_str_eq(owner->plugin_name, "sample");
    cr_assert_str_eq(owner->plugin_path, tn_test_plugin("sample"));
    cr_assert(owner->content.lo != 0 || owner->content.hi != 0);
    const struct tn_op *op = find("sample::twice");
    cr_assert_not_null(op);
    float in[] = {1, 2, 3}, out[3];
    int64_t shape[] = {3}, strides[] = {1};
    tn_tensor x = {.data = in,
                   .device = {TN_DEVICE_CPU, 0},
                   .ndim = 1,
                   .dtype = {TN_TYPE_FLOAT, 32, 1},
                   .shape = shape,
                   .strides = strides};
    tn_tensor y = x;
    y.data = out;
    const tn_arg args[] = {{.tag = TN_TAG_TENSOR, .v.tensor = &x}};
    const tn_arg results[] = {{.tag = TN_TAG_TENSOR, .v.tensor = &y}};
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_op_results inferred;
    cr_assert_null(tn_op_infer(op, args, (tn_device){TN_DEVICE_CPU, 0}, &arena, &inferred));
    cr_assert_eq(inferred.items[0].shape[0], 3);
    const tn_call call = {
        .struct_size = sizeof call, .args = args, .n_args = 1, .n_results = 1, .results = results};
    const tn_run_context ctx = {.struct_size = sizeof ctx};
    cr_assert_eq(op->cpu->run(&ctx, NULL, &call), TN_OK);
    cr_assert_float_eq(out[2], 6, 0);
    x.dtype.bits = 64;
    assert_fails(tn_op_infer(op, args, (tn_device){TN_DEVICE_CPU, 0}, &arena, &inferred),
                 TN_INVALID, "op sample::twice: meta: x is f64, expected f32");
    tn_arena_deinit(&arena);
}

/* PLG-09: the same file by any name is one plugin; a copy is another. */
Test(load, the_same_file_again) {
    char path[512];
    snprintf(path, sizeof path, "%s", tn_test_plugin("sample"));
    const tn_op_owner *first = load(path);
    cr_assert_eq(load(path), first);
    cr_assert_eq(load("sample"), first);
    cr_assert_eq(load("sample.so"), first);
    const char *link = tn_test_path(&folder, "link.so");
    cr_assert_eq(symlink(path, link), 0);
    cr_assert_eq(load(link), first);
    cr_assert_eq(chdir(folder.path), 0);
    cr_assert_eq(load("./link.so"), first);
    assert_fails(tn_loader_load(h.loader, "link.so", NULL, NULL), TN_NOT_FOUND, "tried /nowhere/");

    const char *copy = tn_test_path(&folder, "copy.so");
    cr_assert(tn_test_copy(path, copy, SIZE_MAX));
    assert_fails(tn_loader_load(h.loader, copy, NULL, NULL), TN_EXISTS,
                 "op sample::twice is already registered by ");
    cr_assert_eq(find("sample::twice")->owner, first);
}

Test(load, sha256) {
    tn_manifest *m;
    cr_assert_null(tn_loader_inspect(h.loader, "sample", &m));
    char wrong[65];
    snprintf(wrong, sizeof wrong, "%s", m->info.sha256);
    wrong[5] = wrong[5] == '0' ? '1' : '0';
    assert_fails(tn_loader_load(h.loader, "sample", wrong, NULL), TN_INVALID, "expected ");
    cr_assert_null(find("sample::twice"));
    cr_assert_null(tn_loader_load(h.loader, "sample", m->info.sha256, NULL));
    assert_fails(tn_loader_load(h.loader, "sample", wrong, NULL), TN_INVALID, "expected ");
    tn_manifest_free(m);
}

/* PLG-15, PLG-13: gone by name, mapped for good. */
Test(load, unload_and_load_again) {
    load("sample");
    const struct tn_op *op = find("sample::twice");
    op->retain(op);
    assert_fails(tn_loader_unload(h.loader, "sample"), TN_BUSY, "held by 1 reference ");
    op->release(op);
    cr_assert_null(tn_loader_unload(h.loader, "sample"));
    const struct tn_op *gone;
    assert_fails(tn_catalog_find(h.catalog, "sample::twice", 13, &gone), TN_NOT_FOUND,
                 "op sample::twice was removed with plugin sample 1.2.3");
    assert_fails(tn_loader_unload(h.loader, "sample"), TN_NOT_FOUND, "no plugin called 'sample'");
    void *mapped = dlopen(tn_test_plugin("sample"), RTLD_NOW | RTLD_NOLOAD);
    cr_assert_not_null(mapped, "its code is still mapped");
    dlclose(mapped);
    load("sample");
    cr_assert_eq(find("sample::twice"), op);
}

Test(load, two_versions_side_by_side) {
    load("sample_2");
    load("sample");
    cr_assert_str_eq(find("sample::twice")->owner->plugin_version, "2.0.0");
    assert_fails(tn_loader_unload(h.loader, "sample"), TN_INVALID, "sample@2.0.0");
    cr_assert_null(tn_loader_unload(h.loader, "sample@2.0.0"));
    cr_assert_str_eq(find("sample::twice")->owner->plugin_version, "1.2.3");
}

/* CACHE-07 and its like: the linker would give the old code for a new file. */
Test(load, a_file_that_was_replaced_is_noticed) {
    const char *path = tn_test_path(&folder, "plugin.so");
    char kept[512];
    snprintf(kept, sizeof kept, "%s", path);
    cr_assert(tn_test_copy(tn_test_plugin("sample"), kept, SIZE_MAX));
    load(kept);
    cr_assert_null(tn_loader_unload(h.loader, "sample"));
    /* By renaming, as it should be done: another inode, the same path. */
    const char *next = tn_test_path(&folder, "next.so");
    cr_assert(tn_test_copy(tn_test_plugin("sample_2"), next, SIZE_MAX));
    cr_assert_eq(rename(next, kept), 0);
    assert_fails(tn_loader_load(h.loader, kept, NULL, NULL), TN_BUSY,
                 "an earlier content of this file is still mapped");
    /* Under another path it is another plugin. */
    const char *moved = tn_test_path(&folder, "moved.so");
    cr_assert_eq(rename(kept, moved), 0);
    load(moved);
    cr_assert_str_eq(find("sample::twice")->owner->plugin_version, "2.0.0");
}

Test(load, a_file_that_was_written_over_is_noticed) {
    char path[512];
    snprintf(path, sizeof path, "%s", tn_test_path(&folder, "plugin.so"));
    cr_assert(tn_test_copy(tn_test_plugin("sample"), path, SIZE_MAX));
    load(path);
    /* A byte of the note: pages that are mapped stay harmless. */
    cr_assert(tn_test_replace(path, "plugin sample 1.2.3", "plugin sample 1.2.4"));
    assert_fails(tn_loader_load(h.loader, path, NULL, NULL), TN_BUSY, "was written over since");
}

/* Built against a newer header, or an older one. */
Test(load, plugins_of_other_ages) {
    load("newer");
    const struct tn_op *op = find("newer::twice");
    cr_assert_not_null(op->cpu);
    cr_assert_eq(op->desc->n_kernels, 1);
    cr_assert_eq(op->owner->plugin->n_templates, 0);
    char expected[1024];
    snprintf(expected, sizeof expected,
             "plugin %s: newer::twice(Tensor x) -> Tensor: kernel 0 is left out: this host does "
             "not know its device type\nplugin %s: template 0 is left out: this host does not know "
             "the primitive it is for\n",
             tn_test_plugin("newer"), tn_test_plugin("newer"));
    cr_assert_str_eq(said, expected);
    load("older");
    op = find("older::twice");
    cr_assert_not_null(op->cpu);
    cr_assert_null(op->cpu->release);
    cr_assert_null(op->desc->lowering_text);
    cr_assert_eq(op->owner->plugin->n_templates, 0);
}

/* Once for each host, and undone when it ends. */
Test(load, device_state) {
    const tn_op_owner *owner = load("device");
    int *alive = owner->device_state;
    cr_assert_not_null(alive);
    cr_assert_eq(*alive, 1);
    cr_assert_null(tn_loader_unload(h.loader, "device"));
    load("device");
    cr_assert_eq(*alive, 1);
    host second;
    cr_assert_null(host_start(&second, tn_allocator_system()));
    cr_assert_null(tn_loader_load(second.loader, "device", NULL, NULL));
    cr_assert_eq(*alive, 2);
    host_stop(&second);
    cr_assert_eq(*alive, 1);
}

typedef struct prober {
    tn_catalog *catalog;
    int probed;
    bool refuses;
} prober;

static tn_status probe(void *self, const struct tn_op *op) {
    prober *p = self;
    const struct tn_op *found;
    tn_op_table table = tn_catalog_table(p->catalog);
    tn_op_table scope = table.scope(table.self, op);
    p->probed++;
    /* Not visible yet, but for itself. */
    tn_status hidden = table.find(table.self, "sample::twice", 13, &found);
    cr_assert_eq(tn_status_code(hidden), TN_NOT_FOUND);
    tn_status_free(hidden);
    TN_TRY(scope.find(scope.self, "sample::twice", 13, &found));
    cr_assert_eq(found, op);
    if (!p->refuses) return NULL;
    return tn_status_make(TN_PLUGIN, "op %s: its lowering gives f16", op->schema->full_name);
}

/* META-05: a lowering that disagrees with meta is refused at load. */
Test(load, the_host_probes_ops_before_they_are_visible) {
    prober p = {.refuses = true};
    cr_assert_null(tn_catalog_create(tn_allocator_system(), &p.catalog));
    const tn_loader_options options = {.probe = probe, .probe_self = &p};
    tn_loader *loader;
    cr_assert_null(tn_loader_create(tn_allocator_system(), p.catalog, &options, &loader));
    assert_fails(tn_loader_load(loader, tn_test_plugin("sample"), NULL, NULL), TN_PLUGIN,
                 "sample.so: op sample::twice: its lowering gives f16");
    const struct tn_op *op;
    assert_fails(tn_catalog_find(p.catalog, "sample::twice", 13, &op), TN_NOT_FOUND, "no plugin");
    p.refuses = false;
    cr_assert_null(tn_loader_load(loader, tn_test_plugin("sample"), NULL, NULL));
    cr_assert_eq(p.probed, 2);
    cr_assert_null(tn_catalog_find(p.catalog, "sample::twice", 13, &op));
    tn_catalog_destroy(p.catalog);
    tn_loader_destroy(loader);
}

static tn_status life(void *self, const tn_allocator *allocator) {
    (void)self;
    host own;
    tn_status status;
    TN_TRY_GOTO(status, host_start(&own, allocator), end);
    TN_TRY_GOTO(status, tn_loader_load(own.loader, "sample", NULL, NULL), end);
    TN_TRY_GOTO(status, tn_loader_load(own.loader, "device", NULL, NULL), end);
    TN_TRY_GOTO(status, tn_loader_unload(own.loader, "sample"), end);
    TN_TRY_GOTO(status, tn_loader_load(own.loader, "sample", NULL, NULL), end);
end:
    host_stop(&own);
    return status;
}

Test(load, no_memory, .timeout = 120) {
    uint64_t allocations = 0;
    const char *problem = tn_sweep_allocations(life, NULL, false, &allocations);
    cr_assert_null(problem, "%s", problem);
    cr_assert_gt(allocations, 50);
}
