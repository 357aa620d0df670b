/* Canonical text of graphs. */
#include <inttypes.h>
#include <string.h>

#include "ir/internal.h"
#include "ir/text.h"
#include "schema/value_names.h"

/* More inputs than this are printed one to a line. */
enum { INPUTS_ON_A_LINE = 3 };

static void print_extent(const tn_ir_graph *graph, int64_t extent, tn_strbuf *out) {
    if (!tn_is_sym(extent))
        tn_strbuf_printf(out, "%" PRId64, extent);
    else if (graph && tn_sym_index(extent) < graph->n_symbols)
        tn_strbuf_text(out, graph->symbols[tn_sym_index(extent)]);
    else
        tn_strbuf_char(out, '?');
}

void tn_ir_print_type(const tn_ir_graph *graph, const tn_type *type, tn_strbuf *out) {
    if (!type->known) {
        tn_strbuf_char(out, '?');
        return;
    }
    tn_dtype_write(type->dtype, out);
    tn_strbuf_char(out, '[');
    for (int32_t i = 0; i < type->rank; i++) {
        if (i) tn_strbuf_char(out, ',');
        print_extent(graph, type->shape[i], out);
    }
    tn_strbuf_char(out, ']');
    if (!type->strides) return;
    tn_strbuf_text(out, " strides=[");
    for (int32_t i = 0; i < type->rank; i++)
        tn_strbuf_printf(out, i ? ",%" PRId64 : "%" PRId64, type->strides[i]);
    tn_strbuf_char(out, ']');
}

static void print_name(const tn_ir_graph *graph, tn_vid value, tn_strbuf *out) {
    tn_strbuf_char(out, '%');
    tn_strbuf_text(out, graph->values[value].name);
}

static void print_arg(const tn_ir_graph *graph, const tn_ir_node *node, const tn_arg *arg,
                      tn_strbuf *out) {
    switch (arg->tag) {
    case TN_TAG_NONE: tn_strbuf_text(out, "none"); break;
    case TN_TAG_INT: tn_strbuf_printf(out, "%" PRId64, arg->v.i); break;
    case TN_TAG_FLOAT: tn_strbuf_double(out, arg->v.f); break;
    case TN_TAG_BOOL: tn_strbuf_text(out, arg->v.i ? "true" : "false"); break;
    case TN_TAG_STRING: tn_strbuf_quoted(out, arg->v.str, arg->count); break;
    case TN_TAG_DTYPE: tn_dtype_write(arg->v.dtype, out); break;
    case TN_TAG_DEVICE: tn_device_write(arg->v.device, out); break;
    case TN_TAG_VALUE: print_name(graph, node->operands[arg->v.value.id - 1], out); break;
    case TN_TAG_DIM: tn_strbuf_text(out, graph->symbols[arg->v.dim.id - 1]); break;
    case TN_TAG_LIST:
        tn_strbuf_char(out, '[');
        for (uint32_t i = 0; i < arg->count; i++) {
            if (i) tn_strbuf_text(out, ", ");
            print_arg(graph, node, &arg->v.list[i], out);
        }
        tn_strbuf_char(out, ']');
        break;
    /* Known to this process alone: it can be shown, not read back. */
    case TN_TAG_HANDLE: tn_strbuf_printf(out, "<%s>", arg->v.handle->type_name); break;
    default: tn_strbuf_char(out, '?'); break;
    }
}

static bool same_value(const tn_arg *a, const tn_arg *b) {
    if (a->tag != b->tag) return false;
    switch (a->tag) {
    case TN_TAG_NONE: return true;
    case TN_TAG_FLOAT: return memcmp(&a->v.f, &b->v.f, sizeof a->v.f) == 0;
    case TN_TAG_STRING: return a->count == b->count && memcmp(a->v.str, b->v.str, a->count) == 0;
    case TN_TAG_DTYPE: return memcmp(&a->v.dtype, &b->v.dtype, sizeof a->v.dtype) == 0;
    case TN_TAG_DEVICE: return memcmp(&a->v.device, &b->v.device, sizeof a->v.device) == 0;
    case TN_TAG_INT:
    case TN_TAG_BOOL: return a->v.i == b->v.i;
    case TN_TAG_LIST:
        if (a->count != b->count) return false;
        for (uint32_t i = 0; i < a->count; i++)
            if (!same_value(&a->v.list[i], &b->v.list[i])) return false;
        return true;
    default: return false;
    }
}

/* Tensors by position for as long as nothing was left out before them; the rest
 * by keyword; what equals its default not at all. */
static void print_args(const tn_ir_graph *graph, const tn_ir_node *node, tn_strbuf *out) {
    const tn_schema *schema = node->schema;
    bool positional = true, first = true;
    for (uint32_t i = 0; i < schema->n_params; i++) {
        const tn_schema_param *param = &schema->params[i];
        positional = positional && param->type.kind == TN_SCHEMA_TENSOR && !param->keyword_only;
        if (param->has_default && same_value(&param->default_value, &node->args[i])) {
            positional = false;
            continue;
        }
        if (!first) tn_strbuf_text(out, ", ");
        first = false;
        if (!positional) {
            tn_strbuf_text(out, param->name);
            tn_strbuf_char(out, '=');
        }
        print_arg(graph, node, &node->args[i], out);
    }
}

void tn_ir_print_node(const tn_ir_graph *graph, const tn_ir_node *node, tn_strbuf *out) {
    for (uint32_t i = 0; i < node->n_results; i++) {
        if (i) tn_strbuf_text(out, ", ");
        print_name(graph, node->results[i], out);
    }
    if (node->more_results) tn_strbuf_text(out, node->n_results ? ", ..." : "...");
    if (node->n_results || node->more_results) tn_strbuf_text(out, " = ");
    tn_strbuf_text(out, node->schema->full_name);
    tn_strbuf_char(out, '(');
    print_args(graph, node, out);
    tn_strbuf_char(out, ')');
}

static void print_header(const tn_ir_graph *graph, tn_strbuf *out) {
    bool lines = graph->n_inputs > INPUTS_ON_A_LINE;
    tn_strbuf_text(out, "graph @");
    tn_strbuf_text(out, graph->name);
    tn_strbuf_char(out, '(');
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        if (i) tn_strbuf_char(out, ',');
        tn_strbuf_text(out, lines ? "\n    " : i ? " " : "");
        print_name(graph, graph->inputs[i], out);
        tn_strbuf_text(out, ": ");
        tn_ir_print_type(graph, &graph->values[graph->inputs[i]].type, out);
    }
    tn_strbuf_text(out, ") {\n");
}

static void print_result_types(const tn_ir_graph *graph, const tn_ir_node *node, tn_strbuf *out) {
    for (uint32_t i = 0; i < node->n_results; i++) {
        tn_strbuf_text(out, i ? ", " : "  # ");
        tn_ir_print_type(graph, &graph->values[node->results[i]].type, out);
    }
}

static void print(const tn_ir_graph *graph, bool typed, tn_strbuf *out) {
    print_header(graph, out);
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        tn_strbuf_text(out, "  ");
        tn_ir_print_node(graph, graph->nodes[i], out);
        if (typed) print_result_types(graph, graph->nodes[i], out);
        tn_strbuf_char(out, '\n');
    }
    tn_strbuf_text(out, "  return");
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        tn_strbuf_text(out, i ? ", " : " ");
        print_name(graph, graph->outputs[i], out);
    }
    tn_strbuf_text(out, "\n}\n");
}

void tn_ir_print(const tn_ir_graph *graph, tn_strbuf *out) {
    print(graph, false, out);
}

void tn_ir_print_typed(const tn_ir_graph *graph, tn_strbuf *out) {
    print(graph, true, out);
}
