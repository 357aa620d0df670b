/* Lowering text, instantiated for calls of several types: whatever it builds is a
 * bound graph that verifies; nothing is left behind. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/failing_allocator.h"
#include "support/test_ops.h"

static const char schema_text[] =
    "t::f(Tensor x, Tensor w, *, float beta=2.5, int n=3, int[] dims=[1, 0], bool flag=True, "
    "str mode=\"m\", ScalarType dtype=bf16, int? none=None) -> Tensor";
/* What the call's tensors are. */
static const char *const calls[] = {
    "graph @g(%x: f32[4,2,3], %w: f32[3]) { return }",
    "graph @g(%x: i64[], %w: i64[0]) { return }",
    "graph @g(%x: bf16[5,5] strides=[1,5], %w: bool[5,5]) { return }",
};

static tn_prim_schemas *prims;
static tn_test_ops *ops;
static tn_schema *schema;

static void require(bool condition, const char *what, const char *text) {
    if (condition) return;
    fprintf(stderr, "%s\n%s\n", what, text);
    abort();
}

static void set_up(void) {
    if (prims) return;
    const tn_allocator *a = tn_allocator_system();
    tn_status status = tn_prim_schemas_create(a, &prims);
    require(!status, tn_status_message(status), "");
    status = tn_test_ops_create(a, &ops);
    require(!status, tn_status_message(status), "");
    status = tn_schema_parse(a, schema_text, strlen(schema_text), &schema);
    require(!status, tn_status_message(status), "");
}

static void instantiate(const tn_allocator *a, const char *call, const char *text, size_t length) {
    tn_ir_graph *graph;
    tn_arg args[9];
    tn_vid out = TN_NO_VALUE;
    tn_status status = tn_ir_parse(a, prims, &ops->table, call, strlen(call), "call", &graph);
    require(!status, tn_status_message(status), call);
    for (uint32_t i = 0; i < 9; i++)
        args[i] = i < 2 ? (tn_arg){TN_TAG_VALUE, 0, {.value = {1 + (uint64_t)i}}}
                        : schema->params[i].default_value;
    status = tn_ir_parse_lowering(graph, &ops->table, (tn_device){TN_DEVICE_CPU, 0}, text, length,
                                  "input", schema, args, graph->inputs, 2, 0, &out, 1);
    require(tn_status_message(status)[0] != '\0', "a failure says why", "");
    require(tn_status_code(status) != TN_DECLINED || graph->n_nodes == 0,
            "a text that declines builds nothing", "");
    if (!status) status = tn_ir_add_output(graph, out);
    tn_status_free(status);
    status = tn_ir_verify(graph, true);
    require(!status, tn_status_message(status), "");
    tn_ir_destroy(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tn_failing_allocator counting;
    set_up();
    tn_failing_allocator_init(&counting);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        instantiate(&counting.allocator, calls[i], (const char *)data, size);
    const char *problem = tn_failing_allocator_problem(&counting);
    require(!problem, problem, "");
    require(ops->references == 0, "an op is not released", "");
    tn_failing_allocator_deinit(&counting);
    return 0;
}
