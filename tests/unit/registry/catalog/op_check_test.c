/* What a plugin may say of itself. tests/plugins/bad has most of what it may
 * not; here is the rest, and what is allowed. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "catalog/op_check.h"
#include "unit/registry/catalog/plugins.h"

Test(op_check, versions) {
    uint32_t v[3];
    cr_assert(tn__version_parse("1.20.300", v));
    cr_assert_eq(v[0], 1);
    cr_assert_eq(v[1], 20);
    cr_assert_eq(v[2], 300);
    cr_assert(tn__version_parse("0.0.4294967295", v));
    cr_assert_eq(v[2], UINT32_MAX);
    const char *const wrong[] = {"",       "1",      "1.2",     "1.2.3.4", "1.2.3-rc1",
                                 "01.2.3", "1..3",   "1.2.",    " 1.2.3",  "1.2.4294967296",
                                 "-1.2.3", "+1.2.3", "1.2.3\n", "v1.2.3",  "1.2.0x3",
                                 "1,2,3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_not(tn__version_parse(wrong[i], v), "%s", wrong[i]);
    }
}

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

/* A template in which nothing is wrong, and what it is made of. */
typedef struct parts {
    tn_test_plugin_desc plugin;
    tn_schema *schema;
    tn_op_desc desc;
    tn_template t;
    tn_payload payload;
    tn_slot slots[2];
    const tn_template *t_list[1];
    const tn_payload *payload_list[1];
    const tn_slot *slot_list[2];
} parts;

static void init(parts *p) {
    static const char schema[] = "acme::gemm(Tensor a, Tensor b) -> Tensor";
    const char *const schemas[] = {schema, NULL};
    tn_test_plugin_init(&p->plugin, "acme", "1.0.0", schemas);
    if (!p->schema) {
        cr_assert_null(
            tn_schema_parse(tn_allocator_system(), schema, sizeof schema - 1, &p->schema));
    }
    p->payload = (tn_payload){
        .struct_size = sizeof p->payload, .kind = TN_CODE_C, .data = "int x;", .bytes = 6};
    for (int i = 0; i < 2; i++) {
        p->slots[i] = (tn_slot){.struct_size = sizeof p->slots[i],
                                .name = i ? "store" : "load",
                                .kind = i ? TN_SLOT_EPILOGUE : TN_SLOT_PROLOGUE,
                                .rank = 3};
        p->slot_list[i] = &p->slots[i];
    }
    p->payload_list[0] = &p->payload;
    p->t = (tn_template){.struct_size = sizeof p->t,
                         .name = "panel",
                         .op = "acme::gemm",
                         .device_type = TN_DEVICE_CPU,
                         .payloads = p->payload_list,
                         .n_payloads = 1,
                         .slots = p->slot_list,
                         .n_slots = 2,
                         .n_configs = 3,
                         .accept = accept,
                         .configure = configure};
    p->t_list[0] = &p->t;
    p->desc = p->plugin.ops[0];
    p->desc.templates = p->t_list;
    p->desc.n_templates = 1;
}

static void assert_good(const parts *p) {
    tn_status status = tn__op_check(p->schema, &p->desc);
    cr_assert_null(status, "%s", tn_status_message(status));
}

static void assert_bad(const parts *p, tn_code code, const char *reason) {
    tn_status status = tn__op_check(p->schema, &p->desc);
    cr_assert_eq(tn_status_code(status), code, "%s", tn_status_message(status));
    cr_assert_not_null(strstr(tn_status_message(status), reason), "%s", tn_status_message(status));
    tn_status_free(status);
}

static void finish(parts *p) {
    tn_schema_free(p->schema);
}

Test(op_check, what_is_allowed) {
    parts p = {0};
    init(&p);
    assert_good(&p);
    p.t.op = NULL; /* stands for the op it is listed under */
    assert_good(&p);
    p.desc.n_kernels = 0; /* the template is a way to run */
    assert_good(&p);
    p.desc.n_templates = 0;
    p.desc.lowering_text = "opset 1"; /* so is a lowering */
    assert_good(&p);
    p.desc.traits = 0xffff0000u | TN_TRAIT_COMMUTATIVE; /* high bits may be unknown */
    assert_good(&p);
    finish(&p);
}

Test(op_check, templates) {
    parts p = {0};
    init(&p);
    p.t.name = "";
    assert_bad(&p, TN_INVALID, "template '': it has no name");
    init(&p);
    p.t.op = "acme::conv";
    assert_bad(&p, TN_INVALID, "template 'panel': it is for op 'acme::conv', but is listed");
    init(&p);
    p.t.n_configs = 0;
    assert_bad(&p, TN_INVALID, "it has no configuration");
    init(&p);
    p.t.configure = NULL;
    assert_bad(&p, TN_INVALID, "it has no configure function");
    init(&p);
    const tn_native native = {0};
    p.t.native = &native;
    assert_bad(&p, TN_INVALID, "its native call has no accept function");
    init(&p);
    p.t.flags = 1;
    assert_bad(&p, TN_UNSUPPORTED, "its flags hold 0x1");
    finish(&p);
}

Test(op_check, slots_and_payloads) {
    parts p = {0};
    init(&p);
    p.payload.data = NULL;
    assert_bad(&p, TN_INVALID, "payload 0 is empty");
    init(&p);
    p.payload.flags = 1u << 15;
    assert_bad(&p, TN_UNSUPPORTED, "payload 0: its flags hold 0x8000");
    init(&p);
    p.slots[1].name = NULL;
    assert_bad(&p, TN_INVALID, "slot 1 has no name");
    init(&p);
    p.slots[1].name = "load";
    assert_bad(&p, TN_INVALID, "two slots are called 'load'");
    init(&p);
    p.slots[0].kind = 99;
    assert_bad(&p, TN_UNSUPPORTED, "slot 'load' is of kind 99");
    init(&p);
    p.slots[0].vector_width = -4;
    assert_bad(&p, TN_INVALID, "vector width -4");
    finish(&p);
}

Test(op_check, layouts_and_devices) {
    static const uint8_t layouts[] = {TN_LAYOUT_LAST_UNIT, 9};
    static const tn_kernel odd = {.struct_size = sizeof odd, .device_type = 15};
    static const tn_kernel *const kernels[] = {&odd};
    parts p = {0};
    init(&p);
    p.desc.layouts = layouts;
    p.desc.n_layouts = 1;
    assert_good(&p);
    p.desc.n_layouts = 2;
    assert_bad(&p, TN_UNSUPPORTED, "argument 'b': layout 9 is not known");
    p.desc.n_layouts = 0;
    p.desc.kernels = kernels;
    assert_bad(&p, TN_UNSUPPORTED, "kernel 0 is for device type 15");
    finish(&p);
}

Test(op_check, plugins) {
    tn_plugin plugin = {.name = "a", .version = "1.0.0", .abi_needed = 1};
    uint32_t version[3];
    cr_assert_null(tn__plugin_check(&plugin, version));
    const char *const names[] = {
        "",
        "A",
        "1a",
        "_a",
        "a-b",
        "a.b",
        "a_name_of_more_than_sixty_four_letters_that_nobody_would_ever_type"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        plugin.name = names[i];
        tn_status status = tn__plugin_check(&plugin, version);
        cr_assert_eq(tn_status_code(status), TN_INVALID, "%s", names[i]);
        tn_status_free(status);
    }
    plugin.name = "a0_b";
    cr_assert_null(tn__plugin_check(&plugin, version));
    plugin.abi_needed = TN_ABI_VERSION + 1;
    tn_status status = tn__plugin_check(&plugin, version);
    cr_assert_eq(tn_status_code(status), TN_UNSUPPORTED);
    tn_status_free(status);
    plugin.abi_needed = 1;
    plugin.name = NULL;
    status = tn__plugin_check(&plugin, version);
    cr_assert_eq(tn_status_code(status), TN_INVALID);
    tn_status_free(status);
}
