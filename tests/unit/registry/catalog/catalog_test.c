/* Plugins that join and leave. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "unit/registry/catalog/plugins.h"

static tn_catalog *catalog;

static void start(void) {
    cr_assert_null(tn_catalog_create(tn_allocator_system(), &catalog));
}
static void stop(void) {
    tn_catalog_destroy(catalog);
}
TestSuite(catalog, .init = start, .fini = stop);

#define OPS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct tn_op *find(const char *name) {
    const struct tn_op *op;
    tn_status status = tn_catalog_find(catalog, name, strlen(name), &op);
    cr_assert_eq(status == NULL, op != NULL);
    tn_status_free(status);
    return op;
}

static tn_catalog_plugin *join(const tn_test_plugin_desc *p) {
    tn_catalog_plugin *plugin;
    tn_status status = tn_test_plugin_join(catalog, p, &plugin);
    cr_assert_null(status, "%s", tn_status_message(status));
    return plugin;
}

static void assert_fails(tn_status status, tn_code code, const char *message) {
    cr_assert_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
}

Test(catalog, what_an_op_carries) {
    tn_test_plugin_desc acme;
    tn_test_plugin_init(&acme, "acme", "1.2.0", OPS("acme::f(Tensor  x,float b = 2)->Tensor"));
    acme.source.content = (tn_digest){1, 2};
    join(&acme);
    const struct tn_op *op = find("acme::f");
    cr_assert_str_eq(op->schema->text, "acme::f(Tensor x, float b=2.0) -> Tensor");
    cr_assert_eq(op->desc, &acme.ops[0]);
    cr_assert_eq(op->cpu, acme.ops[0].kernels[0]);
    cr_assert_null(op->cuda);
    cr_assert_str_eq(op->owner->plugin_name, "acme");
    cr_assert_str_eq(op->owner->plugin_version, "1.2.0");
    cr_assert_str_eq(op->owner->plugin_path, "/plugins/acme-1.2.0.so");
    cr_assert_eq(op->owner->content.hi, 2);
}

/* CACHE-05, CACHE-07: another schema, lowering or file is another identity. */
Test(catalog, identity_covers_what_the_op_means) {
    static const char *const schemas[] = {"a::f(Tensor x) -> ()", "a::f(Tensor(a!) x) -> ()"};
    tn_digest seen[4];
    for (int i = 0; i < 4; i++) {
        tn_catalog *own;
        cr_assert_null(tn_catalog_create(tn_allocator_system(), &own));
        tn_test_plugin_desc p;
        tn_test_plugin_init(&p, "a", "1.0.0", OPS(schemas[i == 1]));
        if (i == 2) p.source.content = (tn_digest){7, 0};
        if (i == 3) p.ops[0].lowering_text = "opset 1";
        tn_catalog_plugin *plugin;
        cr_assert_null(tn_test_plugin_join(own, &p, &plugin));
        const struct tn_op *op;
        cr_assert_null(tn_catalog_find(own, "a::f", 4, &op));
        seen[i] = op->identity;
        for (int k = 0; k < i; k++) {
            cr_assert(seen[k].lo != seen[i].lo || seen[k].hi != seen[i].hi, "%d and %d", k, i);
        }
        tn_catalog_destroy(own);
    }
}

Test(catalog, mutating_and_aliasing_schemas) {
    tn_test_plugin_desc p;
    tn_test_plugin_init(
        &p, "p", "1.0.0",
        OPS("p::add_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
            "p::view(Tensor(a) x, int[] shape) -> Tensor(a)", "p::fill(Tensor(a!) x) -> ()",
            "p::foreach(Tensor(a!)[] xs) -> Tensor(a!)[]",
            "p::names(Tensor(a!) self, int op, float stream, Tensor name) -> Tensor",
            "p::pick(Tensor a, Tensor? b, Tensor? c) -> (Tensor, Tensor?, Tensor[])"));
    join(&p);
    cr_assert(tn_schema_mutates(find("p::add_")->schema));
    cr_assert_eq(tn_op_written_param(find("p::add_")->schema, 0), 0);
    cr_assert_eq(tn_op_written_param(find("p::foreach")->schema, 0), 0);
    cr_assert_eq(tn_op_written_param(find("p::view")->schema, 0), -1);
}

/* SCH-13, SCH-07: names are data, and an explicit None is not a missing one. */
Test(catalog, a_call_reaches_the_op_as_written) {
    tn_test_plugin_desc p;
    tn_test_plugin_init(&p, "p", "1.0.0", OPS("p::pick(Tensor a, Tensor? b, Tensor? c) -> Tensor"));
    join(&p);
    tn_tensor t = {0};
    const tn_arg args[] = {{.tag = TN_TAG_TENSOR, .v.tensor = &t},
                           {.tag = TN_TAG_NONE},
                           {.tag = TN_TAG_TENSOR, .v.tensor = &t}};
    tn_arg bound[3];
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    cr_assert_null(tn_schema_bind(find("p::pick")->schema, args, 3, NULL, 0, &arena, bound));
    cr_assert_eq(bound[1].tag, TN_TAG_NONE);
    cr_assert_eq(bound[2].tag, TN_TAG_TENSOR);
    tn_arena_deinit(&arena);
}

/* --------------------------------------------------------------- all or nothing */

Test(catalog, one_bad_op_and_none_is_registered) {
    tn_test_plugin_desc p;
    tn_test_plugin_init(&p, "p", "1.0.0", OPS("p::a(Tensor x) -> Tensor", "p::b(Tensor x"));
    tn_catalog_plugin *plugin;
    tn_status status = tn_catalog_prepare(catalog, &p.source, &plugin);
    cr_assert_eq(tn_status_code(status), TN_PARSE);
    cr_assert_eq(strncmp(tn_status_message(status), "plugin /plugins/p-1.0.0.so: op 1: ", 34), 0,
                 "%s", tn_status_message(status));
    tn_status_free(status);
    cr_assert_null(plugin);
    cr_assert_null(find("p::a"));
}

Test(catalog, nothing_shows_before_commit) {
    tn_test_plugin_desc p;
    tn_test_plugin_init(&p, "p", "1.0.0", OPS("p::a(Tensor x) -> Tensor"));
    tn_catalog_plugin *plugin;
    cr_assert_null(tn_catalog_prepare(catalog, &p.source, &plugin));
    cr_assert_null(find("p::a"));
    tn_catalog_plugin_set_device_state(plugin, &p);
    cr_assert_null(tn_catalog_commit(catalog, plugin));
    cr_assert_eq(find("p::a")->owner->device_state, &p);
    cr_assert_null(tn_catalog_commit(catalog, plugin), "a second time is nothing");
}

/* PLG-09, PLG-11. */
Test(catalog, an_op_of_two_plugins_names_both_files) {
    tn_test_plugin_desc a, b;
    tn_test_plugin_init(&a, "a", "1.0.0", OPS("c::gemm(Tensor x) -> Tensor"));
    tn_test_plugin_init(&b, "b", "2.0.0",
                        OPS("c::conv(Tensor x) -> Tensor", "c::gemm(Tensor x) -> Tensor"));
    join(&a);
    tn_catalog_plugin *plugin;
    assert_fails(tn_test_plugin_join(catalog, &b, &plugin), TN_EXISTS,
                 "plugin /plugins/b-2.0.0.so (b 2.0.0): op c::gemm is already registered by "
                 "/plugins/a-1.0.0.so (a 1.0.0); nothing was registered. Unload that one first, or "
                 "give the ops another namespace");
    cr_assert_null(find("c::conv"));
    cr_assert_str_eq(find("c::gemm")->owner->plugin_name, "a");
}

Test(catalog, two_files_of_one_name_and_version) {
    tn_test_plugin_desc a, b;
    tn_test_plugin_init(&a, "a", "1.0.0", OPS("a::f(Tensor x) -> Tensor"));
    tn_test_plugin_init(&b, "a", "1.0.0", OPS("a::g(Tensor x) -> Tensor"));
    b.source.path = "/elsewhere/a.so";
    join(&a);
    tn_catalog_plugin *plugin;
    assert_fails(tn_test_plugin_join(catalog, &b, &plugin), TN_EXISTS,
                 "plugin /elsewhere/a.so: a 1.0.0 is already loaded from /plugins/a-1.0.0.so; give "
                 "it another name or version");
}

/* ------------------------------------------------------------------- required */

Test(catalog, a_required_namespace_in_the_wrong_version) {
    tn_test_plugin_desc tn, acme;
    tn_test_plugin_init(&tn, "elementwise", "2.3.0", OPS("tn::add(Tensor x) -> Tensor"));
    tn_test_plugin_init(&acme, "acme", "1.0.0", OPS("acme::f(Tensor x) -> Tensor"));
    acme.source.requires_ns = OPS("tn 1");
    acme.source.n_requires = 1;
    tn_catalog_plugin *plugin, *provider = join(&tn);
    assert_fails(tn_test_plugin_join(catalog, &acme, &plugin), TN_UNSUPPORTED,
                 "plugin /plugins/acme-1.0.0.so: it requires tn 1, but tn is here from plugin "
                 "elementwise 2.3.0 (/plugins/elementwise-2.3.0.so): load a version that agrees");
    acme.source.requires_ns = OPS("tn 2");
    plugin = join(&acme);
    /* Nobody has the namespace: its op still runs by its own kernel. */
    cr_assert_null(tn_catalog_remove(catalog, plugin));
    cr_assert_null(tn_catalog_remove(catalog, provider));
    cr_assert_null(tn_catalog_commit(catalog, plugin));
}

/* --------------------------------------------------------------------- leaving */

Test(catalog, a_plugin_in_use_stays) {
    tn_test_plugin_desc p;
    tn_test_plugin_init(&p, "p", "1.0.0",
                        OPS("p::a(Tensor x) -> Tensor", "p::b(Tensor x) -> Tensor"));
    tn_catalog_plugin *plugin = join(&p);
    const struct tn_op *a = find("p::a"), *b = find("p::b");
    a->retain(a);
    b->retain(b);
    b->retain(b);
    assert_fails(tn_catalog_remove(catalog, plugin), TN_BUSY,
                 "plugin p 1.0.0 (/plugins/p-1.0.0.so) is in use: its ops are held by 3 references "
                 "of graphs, executables and handles, 2 of them to p::b; release those first");
    cr_assert_eq(find("p::a"), a);
    a->release(a);
    b->release(b);
    b->release(b);
    cr_assert_null(tn_catalog_remove(catalog, plugin));
    cr_assert_null(find("p::a"));
    cr_assert_null(tn_catalog_remove(catalog, plugin), "a second time is nothing");
}

/* PLG-15: a removed op is gone by name and alive for whoever still holds it. */
Test(catalog, a_removed_op_stays_valid_and_comes_back) {
    tn_test_plugin_desc p;
    tn_test_plugin_init(&p, "p", "1.0.0", OPS("p::a(Tensor x) -> Tensor"));
    tn_catalog_plugin *plugin = join(&p);
    const struct tn_op *op = find("p::a"), *gone;
    cr_assert_null(tn_catalog_remove(catalog, plugin));
    assert_fails(tn_catalog_find(catalog, "p::a", 4, &gone), TN_NOT_FOUND,
                 "op p::a was removed with plugin p 1.0.0; load /plugins/p-1.0.0.so again to use "
                 "it");
    cr_assert_null(gone);
    cr_assert_str_eq(op->schema->full_name, "p::a");
    op->retain(op);
    op->release(op);
    cr_assert_null(tn_catalog_commit(catalog, plugin));
    cr_assert_eq(find("p::a"), op);
}

Test(catalog, a_freed_name_can_be_taken) {
    tn_test_plugin_desc a, b;
    tn_test_plugin_init(&a, "a", "1.0.0", OPS("c::f(Tensor x) -> Tensor"));
    tn_test_plugin_init(&b, "b", "1.0.0", OPS("c::f(Tensor x) -> Tensor"));
    tn_catalog_plugin *first = join(&a);
    cr_assert_null(tn_catalog_remove(catalog, first));
    join(&b);
    cr_assert_str_eq(find("c::f")->owner->plugin_name, "b");
    tn_status status = tn_catalog_commit(catalog, first);
    cr_assert_eq(tn_status_code(status), TN_EXISTS);
    tn_status_free(status);
    cr_assert_str_eq(find("c::f")->owner->plugin_name, "b");
}

Test(catalog, plugins_by_name) {
    tn_test_plugin_desc v1, v2;
    tn_test_plugin_init(&v1, "acme", "1.0.0", OPS("acme::f(Tensor x) -> Tensor"));
    tn_test_plugin_init(&v2, "acme", "2.0.0", OPS("acme::f(Tensor x) -> Tensor"));
    tn_catalog_plugin *first = join(&v1), *found;
    cr_assert_null(tn_catalog_find_plugin(catalog, "acme", &found));
    cr_assert_eq(found, first);
    tn_catalog_plugin *second = join(&v2);
    assert_fails(tn_catalog_find_plugin(catalog, "acme", &found), TN_INVALID,
                 "there are several plugins called acme; say which: acme@2.0.0 or acme@1.0.0");
    cr_assert_null(found);
    cr_assert_null(tn_catalog_find_plugin(catalog, "acme@2.0.0", &found));
    cr_assert_eq(found, second);
    cr_assert_null(tn_catalog_find_plugin(catalog, "acme@1.0.0", &found));
    cr_assert_eq(found, first);
    assert_fails(tn_catalog_find_plugin(catalog, "acne", &found), TN_NOT_FOUND,
                 "no plugin called 'acne' is loaded (did you mean acme?)");
    cr_assert_null(tn_catalog_remove(catalog, second));
    cr_assert_null(tn_catalog_find_plugin(catalog, "acme", &found));
    cr_assert_eq(found, first);
}

/* -------------------------------------------------------------------- threads */

enum { READERS = 3, ROUNDS = 400 };
static atomic_bool done;

/* The two ops of a plugin are seen together or not at all, and stay readable
 * whatever happens to the plugin. */
static void *read_ops(void *self) {
    long *wrong = self;
    tn_op_table table = tn_catalog_table(catalog);
    while (!atomic_load(&done)) {
        const struct tn_op *stable;
        tn_status status = table.find(table.self, "s::op", 5, &stable);
        if (status) ++*wrong;
        tn_status_free(status);
        const struct tn_op *op;
        status = table.find(table.self, "p::a", 4, &op);
        if (op) {
            op->retain(op);
            *wrong += strcmp(op->schema->full_name, "p::a") != 0;
            op->release(op);
        }
        tn_status_free(status);
    }
    return NULL;
}

static bool both_or_none(void *self, const struct tn_op *op) {
    int *seen = self;
    *seen += strcmp(op->schema->ns, "p") == 0;
    return true;
}

static void *visit_ops(void *self) {
    long *wrong = self;
    while (!atomic_load(&done)) {
        int seen = 0;
        tn_catalog_visit(catalog, both_or_none, &seen);
        *wrong += seen != 0 && seen != 2;
    }
    return NULL;
}

Test(catalog, readers_never_see_half_a_change, .timeout = 60) {
    tn_test_plugin_desc s, p;
    tn_test_plugin_init(&s, "s", "1.0.0", OPS("s::op(Tensor x) -> Tensor"));
    tn_test_plugin_init(&p, "p", "1.0.0",
                        OPS("p::a(Tensor x) -> Tensor", "p::b(Tensor x) -> Tensor"));
    join(&s);
    tn_catalog_plugin *plugin = join(&p);
    pthread_t threads[READERS];
    long wrong[READERS] = {0};
    for (int i = 0; i < READERS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, i ? read_ops : visit_ops, &wrong[i]), 0);
    }
    int removed = 0;
    /* However the threads are scheduled, some attempt falls between two readers. */
    for (int i = 0; i < ROUNDS || !removed; i++) {
        tn_status status = tn_catalog_remove(catalog, plugin);
        cr_assert(!status || tn_status_code(status) == TN_BUSY);
        removed += !status;
        tn_status_free(status);
        cr_assert_null(tn_catalog_commit(catalog, plugin));
    }
    atomic_store(&done, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(wrong[i], 0, "thread %d: %ld", i, wrong[i]);
    }
}

/* A snapshot that a visitor is in outlives changes that the visitor makes. */
static bool change_inside(void *self, const struct tn_op *op) {
    tn_catalog_plugin *plugin = self;
    tn_status status = tn_catalog_remove(catalog, plugin);
    if (!status) status = tn_catalog_commit(catalog, plugin);
    tn_status_ignore(status);
    return op->schema->full_name[0] != '\0';
}

Test(catalog, a_visitor_may_change_the_catalog) {
    tn_test_plugin_desc p;
    tn_test_plugin_init(&p, "p", "1.0.0",
                        OPS("p::a(Tensor x) -> Tensor", "p::b(Tensor x) -> Tensor"));
    tn_catalog_visit(catalog, change_inside, join(&p));
    cr_assert_not_null(find("p::b"));
}

/* --------------------------------------------------------------------- memory */

static tn_status life(void *self, const tn_allocator *allocator) {
    (void)self;
    tn_catalog *own;
    TN_TRY(tn_catalog_create(allocator, &own));
    tn_test_plugin_desc a, b;
    tn_test_plugin_init(
        &a, "a", "1.0.0",
        OPS("a::f(Tensor x, int[] d=[1, 2]) -> Tensor", "a::g(Tensor x) -> Tensor"));
    tn_test_plugin_init(&b, "b", "1.0.0", OPS("b::f(Tensor x) -> Tensor"));
    b.source.requires_ns = OPS("a 1");
    b.source.n_requires = 1;
    tn_catalog_plugin *first, *second;
    const struct tn_op *op;
    tn_status status;
    TN_TRY_GOTO(status, tn_test_plugin_join(own, &a, &first), end);
    TN_TRY_GOTO(status, tn_test_plugin_join(own, &b, &second), end);
    TN_TRY_GOTO(status, tn_catalog_remove(own, first), end);
    TN_TRY_GOTO(status, tn_catalog_commit(own, first), end);
    TN_TRY_GOTO(status, tn_catalog_find(own, "b::f", 4, &op), end);
end:
    tn_catalog_destroy(own);
    return status;
}

Test(catalog, no_memory) {
    const char *problem = tn_sweep_allocations(life, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
