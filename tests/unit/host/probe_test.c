/* META-05: lowerings are held to their meta functions when a plugin is loaded. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tenon/tenon.h"

static char logged[4096];

static void keep(void *self, int32_t level, const char *message) {
    (void)self;
    size_t n = strlen(logged);
    if (level <= TN_LOG_WARN) snprintf(logged + n, sizeof logged - n, "%s\n", message);
}

static tn_context *make_context(uint32_t flags) {
    const tn_context_options options = {
        .struct_size = sizeof options, .threads = 1, .flags = flags, .log = keep};
    tn_context *context;
    logged[0] = 0;
    tn_status status = tn_context_create(&options, &context);
    cr_assert_null(status, "%s", tn_status_message(status));
    return context;
}

static bool count(void *self, const tn_op_info *op) {
    (void)op;
    ++*(int *)self;
    return true;
}

Test(probe, a_lowering_that_disagrees_is_refused) {
    tn_context *context = make_context(TN_CONTEXT_NO_BUILTINS);
    tn_status status = tn_plugin_load(context, TN_BINARY_DIR "/test-plugins/turning.so", NULL);
    cr_assert_not_null(status);
    const char *message = tn_status_message(status);
    cr_expect_eq(tn_status_code(status), TN_PLUGIN);
    cr_expect_not_null(strstr(message, "test-plugins/turning.so: "), "%s", message);
    cr_expect_not_null(strstr(message, "plugin turning: op turning::ldexp: lowering: result 0: "
                                       "expected f32[2,3] as its meta function says, found "
                                       "f16[2,3], when called with (m=f16[2,3], e=f32[2,3], "
                                       "keep=True)"),
                       "%s", message);
    tn_status_free(status);
    int n = 0;
    cr_assert_null(tn_ops_visit(context, count, &n));
    cr_expect_eq(n, 0, "nothing of it is there");
    tn_context_release(context);
}

Test(probe, honest_plugins_load_in_silence) {
    tn_context *context = make_context(0);
    static const char *const others[] = {"acme", "picky", "untidy", "lying"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char path[1024];
        snprintf(path, sizeof path, TN_BINARY_DIR "/test-plugins/%s.so", others[i]);
        tn_status status = tn_plugin_load(context, path, NULL);
        cr_expect_null(status, "%s", tn_status_message(status));
    }
    cr_expect_str_empty(logged, "%s", logged);
    tn_context_release(context);
}
