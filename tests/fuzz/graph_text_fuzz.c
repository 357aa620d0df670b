/* Graph text: whatever parses is a graph that verifies, and what it prints reads
 * back as a graph that prints the same; nothing is left behind. An input ends at a
 * line "====", so that golden files serve as a corpus. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/text.h"
#include "support/failing_allocator.h"
#include "support/test_ops.h"

static tn_prim_schemas *prims;
static tn_test_ops *ops;

static void require(bool condition, const char *what, const char *text) {
    if (condition) return;
    fprintf(stderr, "%s\n%s\n", what, text);
    abort();
}

static void set_up(void) {
    if (prims) return;
    tn_status status = tn_prim_schemas_create(tn_allocator_system(), &prims);
    require(!status, tn_status_message(status), "");
    status = tn_test_ops_create(tn_allocator_system(), &ops);
    require(!status, tn_status_message(status), "");
}

static void print(const tn_ir_graph *graph, const tn_allocator *a, tn_strbuf *out) {
    tn_strbuf_init(out, a);
    tn_ir_print(graph, out);
    require(!out->failed, "printing fails", "");
}

static void check_graph(tn_ir_graph *graph, const tn_allocator *a) {
    tn_strbuf first, second;
    tn_ir_graph *again = NULL;
    tn_status status = tn_ir_verify(graph, false);
    print(graph, a, &first);
    require(!status, tn_status_message(status), first.data);
    status = tn_ir_parse(a, prims, &ops->table, first.data, first.length, "printed", &again);
    require(!status, tn_status_message(status), first.data);
    print(again, a, &second);
    require(strcmp(first.data, second.data) == 0, first.data, second.data);
    tn_ir_destroy(again);
    tn_strbuf_deinit(&first);
    tn_strbuf_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char end[] = "\n====\n";
    const char *cut = size ? memmem(data, size, end, strlen(end)) : NULL;
    size_t length = cut ? (size_t)(cut - (const char *)data) : size;
    tn_failing_allocator counting;
    tn_ir_graph *graph;
    set_up();
    tn_failing_allocator_init(&counting);
    const tn_allocator *a = &counting.allocator;
    tn_status status = tn_ir_parse(a, prims, &ops->table, (const char *)data, length, "input",
                                   &graph);
    require(!status == (graph != NULL), "a graph or a failure", "");
    require(tn_status_message(status)[0] != '\0', "a failure says why", "");
    if (graph) check_graph(graph, a);
    tn_status_free(status);
    tn_ir_destroy(graph);
    const char *problem = tn_failing_allocator_problem(&counting);
    require(!problem, problem, "");
    require(ops->references == 0, "an op is not released", "");
    tn_failing_allocator_deinit(&counting);
    return 0;
}
