/* Finding ops. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "unit/registry/catalog/plugins.h"

static tn_catalog *catalog;
static tn_test_plugin_desc tn1, tn2, acme1, acme2, zoo;

#define OPS(...) ((const char *const[]){__VA_ARGS__, NULL})

static tn_catalog_plugin *join(const tn_test_plugin_desc *p) {
    tn_catalog_plugin *plugin;
    tn_status status = tn_test_plugin_join(catalog, p, &plugin);
    cr_assert_null(status, "%s", tn_status_message(status));
    return plugin;
}

/* In an order that no answer may depend on. */
static void start(void) {
    cr_assert_null(tn_catalog_create(tn_allocator_system(), &catalog));
    tn_test_plugin_init(&tn1, "tn", "1.9.0",
                        OPS("tn::softmax(Tensor x) -> Tensor", "tn::add(Tensor x) -> Tensor",
                            "tn::sum.dim(Tensor x, int d) -> Tensor"));
    tn_test_plugin_init(&tn2, "tn", "2.0.0", OPS("tn::add(Tensor x) -> Tensor"));
    tn_test_plugin_init(&acme1, "acme", "1.0.0",
                        OPS("acme::f(Tensor x) -> Tensor", "acme::helper(Tensor x) -> Tensor"));
    tn_test_plugin_init(&acme2, "acme", "1.10.0",
                        OPS("acme::f(Tensor x) -> Tensor", "acme::helper(Tensor x) -> Tensor"));
    tn_test_plugin_init(&zoo, "zoo", "0.1.0", OPS("zoo::ape(Tensor x) -> Tensor"));
    acme1.source.requires_ns = acme2.source.requires_ns = OPS("tn 1");
    acme1.source.n_requires = 1;
    join(&zoo);
    join(&acme2);
    join(&tn1);
    join(&acme1);
    join(&tn2);
}
static void stop(void) {
    tn_catalog_destroy(catalog);
}
TestSuite(lookup, .init = start, .fini = stop);

static const char *version_found(tn_op_table table, const char *name) {
    const struct tn_op *op;
    tn_status status = table.find(table.self, name, strlen(name), &op);
    cr_assert_null(status, "%s", tn_status_message(status));
    return op->owner->plugin_version;
}

static const struct tn_op *op_of(const tn_test_plugin_desc *p, const char *name) {
    tn_catalog_plugin *plugin;
    char full[64];
    snprintf(full, sizeof full, "%s@%s", p->plugin.name, p->plugin.version);
    cr_assert_null(tn_catalog_find_plugin(catalog, full, &plugin));
    tn_op_table scope = tn_catalog_table(catalog);
    /* Any op of the plugin names the scope; take the one asked for through it. */
    const struct tn_op *any = NULL;
    cr_assert_null(scope.find(scope.self, name, strlen(name), &any));
    return any;
}

Test(lookup, a_name_is_the_highest_version) {
    tn_op_table table = tn_catalog_table(catalog);
    cr_assert_str_eq(version_found(table, "tn::add"), "2.0.0");
    cr_assert_str_eq(version_found(table, "tn::softmax"), "1.9.0");
    cr_assert_str_eq(version_found(table, "acme::f"), "1.10.0");
}

static bool keep_version(void *self, const struct tn_op *op) {
    const struct tn_op **found = self;
    if (strcmp(op->schema->full_name, "acme::f") == 0 &&
        strcmp(op->owner->plugin_version, "1.0.0") == 0) {
        *found = op;
    }
    return true;
}

Test(lookup, names_as_a_plugin_means_them) {
    const struct tn_op *old = NULL;
    tn_catalog_visit(catalog, keep_version, &old);
    cr_assert_not_null(old);
    tn_op_table table = tn_catalog_table(catalog);
    tn_op_table scope = table.scope(table.self, old);
    cr_assert_str_eq(version_found(scope, "acme::helper"), "1.0.0", "its own first");
    cr_assert_str_eq(version_found(scope, "tn::add"), "1.9.0", "as its note requires");
    cr_assert_str_eq(version_found(scope, "zoo::ape"), "0.1.0");
    /* The newer acme requires nothing. */
    scope = table.scope(table.self, op_of(&acme2, "acme::f"));
    cr_assert_str_eq(version_found(scope, "acme::helper"), "1.10.0");
    cr_assert_str_eq(version_found(scope, "tn::add"), "2.0.0");
    static const struct {
        const char *name;
        size_t length;
    } others[] = {{"zoo::abe", 8},   {"acme::helpe", 11}, {"acme::helpers", 13},
                  {"acme::f\0x", 9}, {"acme::", 6},       {"", 0}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct tn_op *op;
        tn_status status = scope.find(scope.self, others[i].name, others[i].length, &op);
        cr_assert_eq(tn_status_code(status), TN_NOT_FOUND, "%s", others[i].name);
        cr_assert_null(op);
        tn_status_free(status);
    }
}

static void assert_overloads(tn_op_table table, const char *name, const char *expected) {
    const struct tn_op *found[8];
    char text[256] = "";
    uint32_t n = table.overloads(table.self, name, strlen(name), found, 8);
    for (uint32_t i = 0; i < n; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s %s", i ? ", " : "",
                 found[i]->schema->full_name, found[i]->owner->plugin_version);
    }
    cr_expect_str_eq(text, expected, "%s: %s", name, text);
    if (n > 1) cr_expect_eq(table.overloads(table.self, name, strlen(name), found, 1), n);
}

Test(lookup, overloads_of_a_name) {
    tn_test_plugin_desc old, new;
    tn_test_plugin_init(&old, "over", "1.0.0",
                        OPS("over::f(Tensor x) -> Tensor", "over::f.b(Tensor x, int n) -> Tensor",
                            "over::f.a(Tensor x, float n) -> Tensor",
                            "over::f_(Tensor x) -> Tensor", "over::ff.a(Tensor x) -> Tensor"));
    tn_test_plugin_init(&new, "over", "2.0.0",
                        OPS("over::f(Tensor x) -> Tensor", "over::f.b(Tensor x, int n) -> Tensor"));
    join(&new);
    join(&old);
    tn_op_table table = tn_catalog_table(catalog);
    assert_overloads(table, "over::f", "over::f 2.0.0, over::f.a 1.0.0, over::f.b 2.0.0");
    assert_overloads(table, "over::f.a", "");
    assert_overloads(table, "over::ff", "over::ff.a 1.0.0");
    assert_overloads(table, "over::f_", "over::f_ 1.0.0");
    assert_overloads(table, "over::", "");
    assert_overloads(table, "tn::sum", "tn::sum.dim 1.9.0");
    assert_overloads(table, "tn::add", "tn::add 2.0.0");
    assert_overloads(table, "tn::no", "");
    /* As a plugin means them: its own, or of the version its note requires. */
    tn_op_table scope = table.scope(table.self, op_of(&new, "over::f.a"));
    assert_overloads(scope, "over::f", "over::f 1.0.0, over::f.a 1.0.0, over::f.b 1.0.0");
    assert_overloads(scope, "tn::add", "tn::add 2.0.0");
    const struct tn_op *first = NULL;
    tn_catalog_visit(catalog, keep_version, &first);
    scope = table.scope(table.self, first);
    assert_overloads(scope, "tn::add", "tn::add 1.9.0");
}

static void assert_not_found(const char *name, size_t length, const char *message) {
    const struct tn_op *op;
    tn_status status = tn_catalog_find(catalog, name, length, &op);
    cr_assert_eq(tn_status_code(status), TN_NOT_FOUND);
    cr_assert_null(op);
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
}

Test(lookup, near_names) {
    assert_not_found("tn::softmx", 10,
                     "no plugin that is loaded has an op tn::softmx (did you mean tn::softmax?)");
    assert_not_found("tn::sum", 7,
                     "no plugin that is loaded has an op tn::sum (did you mean its overload "
                     "tn::sum.dim?)");
    assert_not_found("quite::different", 16, "no plugin that is loaded has an op quite::different");
    assert_not_found("", 0, "no plugin that is loaded has an op ");
    /* A name is not NUL-terminated. */
    assert_not_found("tn::add", 6,
                     "no plugin that is loaded has an op tn::ad (did you mean "
                     "tn::add?)");
    char word[1000];
    memset(word, 'w', sizeof word);
    const struct tn_op *op;
    tn_status status = tn_catalog_find(catalog, word, sizeof word, &op);
    cr_assert_eq(tn_status_code(status), TN_NOT_FOUND);
    cr_assert_lt(strlen(tn_status_message(status)), 300);
    tn_status_free(status);
}

typedef struct listing {
    char text[1024];
    int most;
} listing;

static bool list(void *self, const struct tn_op *op) {
    listing *l = self;
    size_t length = strlen(l->text);
    snprintf(l->text + length, sizeof l->text - length, "%s %s\n", op->schema->full_name,
             op->owner->plugin_version);
    return --l->most > 0;
}

Test(lookup, visits_are_in_order_of_name_and_version) {
    listing all = {.most = 100}, some = {.most = 2};
    tn_catalog_visit(catalog, list, &all);
    cr_assert_str_eq(all.text, "acme::f 1.10.0\nacme::f 1.0.0\nacme::helper 1.10.0\n"
                               "acme::helper 1.0.0\ntn::add 2.0.0\ntn::add 1.9.0\n"
                               "tn::softmax 1.9.0\ntn::sum.dim 1.9.0\nzoo::ape 0.1.0\n");
    tn_catalog_visit(catalog, list, &some);
    cr_assert_str_eq(some.text, "acme::f 1.10.0\nacme::f 1.0.0\n");
}

/* ------------------------------------------------------------------- templates */

static tn_code accept(const tn_run_context *ctx, const tn_problem *problem, uint32_t config) {
    (void)problem;
    (void)config;
    return ctx->cb->fail(ctx->cb, TN_DECLINED, "never");
}
static tn_code configure(const tn_run_context *ctx, const tn_problem *problem, uint32_t config,
                         void *state, tn_launch *out) {
    (void)state;
    (void)out;
    return accept(ctx, problem, config);
}

static bool list_template(void *self, const tn_template *t, const tn_op_owner *owner) {
    listing *l = self;
    size_t length = strlen(l->text);
    snprintf(l->text + length, sizeof l->text - length, "%s %s\n", t->name, owner->plugin_name);
    return --l->most > 0;
}

Test(lookup, templates_of_primitives) {
    const tn_template gemm = {.struct_size = sizeof gemm,
                              .name = "gemm",
                              .op = "prim::matmul",
                              .device_type = TN_DEVICE_CPU,
                              .n_configs = 1,
                              .accept = accept,
                              .configure = configure};
    tn_template gemv = gemm;
    gemv.name = "gemv";
    const tn_template *const templates[] = {&gemv, &gemm};
    tn_test_plugin_desc b, a;
    const char *const none[] = {NULL};
    tn_test_plugin_init(&b, "linalg_b", "1.0.0", none);
    tn_test_plugin_init(&a, "linalg_a", "1.0.0", none);
    a.plugin.templates = b.plugin.templates = templates;
    a.plugin.n_templates = b.plugin.n_templates = 2;
    join(&b);
    tn_catalog_plugin *gone = join(&a);
    listing all = {.most = 100}, some = {.most = 1}, rest = {.most = 100};
    tn_catalog_visit_templates(catalog, list_template, &all);
    cr_assert_str_eq(all.text, "gemv linalg_a\ngemm linalg_a\ngemv linalg_b\ngemm linalg_b\n");
    tn_catalog_visit_templates(catalog, list_template, &some);
    cr_assert_str_eq(some.text, "gemv linalg_a\n");
    cr_assert_null(tn_catalog_remove(catalog, gone));
    tn_catalog_visit_templates(catalog, list_template, &rest);
    cr_assert_str_eq(rest.text, "gemv linalg_b\ngemm linalg_b\n");

    gemv.op = "prim::no_such";
    tn_test_plugin_desc c;
    tn_test_plugin_init(&c, "linalg_c", "1.0.0", none);
    c.plugin.templates = templates;
    c.plugin.n_templates = 1;
    tn_catalog_plugin *plugin;
    tn_status status = tn_test_plugin_join(catalog, &c, &plugin);
    cr_assert_not_null(strstr(tn_status_message(status), "template 'gemv': it is for "
                                                         "'prim::no_such'"));
    tn_status_free(status);
}

/* Enough ops that the table of hashes has to grow and to probe. */
Test(lookup, many_ops) {
    static tn_test_plugin_desc plugins[20];
    static char schemas[20][TN_TEST_MOST_OPS][48], names[20][16];
    for (int p = 0; p < 20; p++) {
        const char *list_of[TN_TEST_MOST_OPS + 1] = {NULL};
        for (int i = 0; i < TN_TEST_MOST_OPS; i++) {
            snprintf(schemas[p][i], 48, "big%d::op%d(Tensor x) -> Tensor", p, i);
            list_of[i] = schemas[p][i];
        }
        snprintf(names[p], 16, "big%d", p);
        tn_test_plugin_init(&plugins[p], names[p], "1.0.0", list_of);
        join(&plugins[p]);
    }
    for (int p = 0; p < 20; p++) {
        for (int i = 0; i < TN_TEST_MOST_OPS; i++) {
            char name[48];
            snprintf(name, sizeof name, "big%d::op%d", p, i);
            const struct tn_op *op;
            cr_assert_null(tn_catalog_find(catalog, name, strlen(name), &op));
            cr_assert_eq(op->desc, &plugins[p].ops[i]);
        }
    }
}
