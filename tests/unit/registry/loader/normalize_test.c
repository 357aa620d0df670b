/* Descriptions of other sizes. What must be refused is in tests/plugins/bad. */
#include "loader/normalize.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "support/failing_allocator.h"
#include "tenon/util.h"

static char said[1024];
static void keep(void *self, int32_t level, const char *message) {
    (void)self;
    cr_assert_eq(level, TN_LOG_INFO);
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", message);
}

static tn_code meta(const tn_meta_context *m) {
    (void)m;
    return TN_OK;
}
static tn_code run(const tn_run_context *ctx, void *state, const tn_call *call) {
    (void)ctx;
    (void)state;
    (void)call;
    return TN_OK;
}

static const tn_payload c_code = {TN_SIZED(tn_payload), .kind = TN_CODE_C, .data = "x", .bytes = 1};
static const tn_payload later_code = {TN_SIZED(tn_payload), .kind = 6, .data = "x", .bytes = 1};
static const tn_payload later_dialect = {TN_SIZED(tn_payload), .kind = TN_CODE_C, .data = "x",
                                         .bytes = 1, .dialect = 2};
static const tn_payload *const payloads[] = {&later_code, &c_code, &later_dialect};
static const tn_slot store = {TN_SIZED(tn_slot), .name = "store", .kind = TN_SLOT_EPILOGUE};
static const tn_slot *const slots[] = {&store};
static const tn_template gemm = {TN_SIZED(tn_template), .name = "gemm",       .op = "prim::matmul",
                                 .device_type = 1,      .payloads = payloads, .n_payloads = 3,
                                 .slots = slots,        .n_slots = 1,         .n_configs = 1};
static const tn_template later_op = {TN_SIZED(tn_template), .name = "x", .op = "prim::later",
                                     .device_type = 1, .n_configs = 1};
static const tn_template later_device = {TN_SIZED(tn_template), .name = "x", .op = "prim::matmul",
                                         .device_type = 9, .n_configs = 1};
static const tn_template *const templates[] = {&later_op, &gemm, &later_device};
static const tn_dtype params[] = {{TN_TYPE_FLOAT, 32, 1}, {TN_TYPE_INT, 64, 1}};
static const tn_function scalar = {TN_SIZED(tn_function), .name = "f",         .params = params,
                                   .n_params = 2,         .reference = "text", .payloads = payloads,
                                   .n_payloads = 3};
static const tn_function *const functions[] = {&scalar};
static const tn_kernel cpu = {TN_SIZED(tn_kernel), .device_type = TN_DEVICE_CPU, .run = run};
static const tn_kernel later_kernel = {TN_SIZED(tn_kernel), .device_type = 3, .run = run};
static const tn_kernel *const kernels[] = {&later_kernel, &cpu};
static const uint8_t layouts[] = {TN_LAYOUT_CONTIGUOUS};
static const tn_op_desc op = {TN_SIZED(tn_op_desc),
                              .schema = "a::f(Tensor x) -> Tensor",
                              .doc = "does it",
                              .meta = meta,
                              .kernels = kernels,
                              .n_kernels = 2,
                              .lowering_text = "opset 1",
                              .layouts = layouts,
                              .n_layouts = 1};
static const tn_op_desc *const ops[] = {&op};
static const tn_plugin plugin = {TN_SIZED(tn_plugin),
                                 .abi_needed = 1,
                                 .n_ops = 1,
                                 .name = "a",
                                 .version = "1.0.0",
                                 .ops = ops,
                                 .templates = templates,
                                 .functions = functions,
                                 .n_templates = 3,
                                 .n_functions = 1};

Test(normalize, everything_is_copied_and_the_unknown_is_left_out) {
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    const tn_plugin *p;
    tn_status status = tn__plugin_normalize(&plugin, &arena, keep, NULL, &p);
    cr_assert_null(status, "%s", tn_status_message(status));
    cr_assert_neq(p, &plugin);
    cr_assert_neq(p->name, plugin.name);
    cr_assert_str_eq(p->name, "a");
    cr_assert_neq(p->ops[0], &op);
    cr_assert_neq(p->ops[0]->schema, op.schema);
    cr_assert_str_eq(p->ops[0]->doc, "does it");
    cr_assert_str_eq(p->ops[0]->lowering_text, "opset 1");
    cr_assert_eq(p->ops[0]->meta, meta);
    cr_assert_neq(p->ops[0]->layouts, layouts);
    cr_assert_eq(p->ops[0]->layouts[0], TN_LAYOUT_CONTIGUOUS);
    cr_assert_eq(p->ops[0]->n_kernels, 1);
    cr_assert_eq(p->ops[0]->kernels[0]->run, run);
    cr_assert_eq(p->n_templates, 1);
    cr_assert_str_eq(p->templates[0]->name, "gemm");
    cr_assert_eq(p->templates[0]->n_payloads, 1);
    cr_assert_eq(p->templates[0]->payloads[0]->data, c_code.data, "code is not copied");
    cr_assert_str_eq(p->templates[0]->slots[0]->name, "store");
    cr_assert_eq(p->functions[0]->params[1].bits, 64);
    cr_assert_eq(p->functions[0]->n_payloads, 1);
    cr_assert_str_eq(
        said, "a::f(Tensor x) -> Tensor: kernel 0 is left out: this host does not know its device "
              "type\n"
              "template 0 is left out: this host does not know the primitive it is for\n"
              "payload 0 is left out: this host does not know its kind\n"
              "payload 2 is left out: this host does not know its dialect\n"
              "template 2 is left out: this host does not know its device type\n"
              "payload 0 is left out: this host does not know its kind\n"
              "payload 2 is left out: this host does not know its dialect\n");
    tn_arena_deinit(&arena);
}

/* Each struct cut to its header and a field: what is beyond reads as zero. */
Test(normalize, short_structs_are_filled_with_zeros) {
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_op_desc short_op = op;
    short_op.struct_size = offsetof(tn_op_desc, meta) + sizeof op.meta;
    const tn_op_desc *const short_ops[] = {&short_op};
    tn_plugin short_plugin = plugin;
    short_plugin.ops = short_ops;
    short_plugin.struct_size = offsetof(tn_plugin, ops) + sizeof plugin.ops;
    const tn_plugin *p;
    cr_assert_null(tn__plugin_normalize(&short_plugin, &arena, NULL, NULL, &p));
    cr_assert_eq(p->struct_size, sizeof *p);
    cr_assert_eq(p->n_templates, 0);
    cr_assert_null(p->device_init);
    cr_assert_eq(p->ops[0]->struct_size, sizeof op);
    cr_assert_eq(p->ops[0]->meta, meta);
    cr_assert_eq(p->ops[0]->n_kernels, 0);
    cr_assert_null(p->ops[0]->lowering_text);
    tn_arena_deinit(&arena);
}

static void assert_refused(const tn_plugin *raw, tn_code code, const char *message) {
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    const tn_plugin *p;
    tn_status status = tn__plugin_normalize(raw, &arena, NULL, NULL, &p);
    cr_assert_eq(tn_status_code(status), code);
    cr_assert_str_eq(tn_status_message(status), message);
    tn_status_free(status);
    tn_arena_deinit(&arena);
}

Test(normalize, faults_are_located) {
    tn_payload small = c_code;
    small.struct_size = 15;
    const tn_payload *const small_list[] = {&c_code, &small};
    tn_template t = gemm;
    t.payloads = small_list;
    t.n_payloads = 2;
    const tn_template *const t_list[] = {&t};
    tn_op_desc o = op;
    o.templates = t_list;
    o.n_templates = 1;
    const tn_op_desc *const o_list[] = {&op, &o};
    tn_plugin p = plugin;
    p.ops = o_list;
    p.n_ops = 2;
    char message[128];
    snprintf(message, sizeof message,
             "op 1: template 0: payload 1: its struct_size is 15, expected %zu: set it to the "
             "sizeof of the struct",
             sizeof(tn_payload));
    assert_refused(&p, TN_PLUGIN, message);
    o.n_templates = 0;
    o.n_layouts = 65;
    assert_refused(&p, TN_PLUGIN, "op 1: it has 65 layouts, at most 64 are allowed");
    o.n_layouts = 1;
    o.layouts = NULL;
    assert_refused(&p, TN_PLUGIN, "op 1: it has 1 layouts at NULL, at most 64 are allowed");
    assert_refused(NULL, TN_PLUGIN, "its tn_plugin: it is NULL");
}

static tn_status normalize(void *self, const tn_allocator *allocator) {
    (void)self;
    tn_arena arena;
    tn_arena_init(&arena, allocator);
    const tn_plugin *p;
    tn_status status = tn__plugin_normalize(&plugin, &arena, NULL, NULL, &p);
    tn_arena_deinit(&arena);
    return status;
}

Test(normalize, no_memory) {
    const char *problem = tn_sweep_allocations(normalize, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
