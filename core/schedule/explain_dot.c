#include "schedule/explain.h"

static const char *color(tn_decision_kind kind) {
    switch (kind) {
    case TN_DECISION_VIEW: return "#eeeeee";
    case TN_DECISION_PLACED: return "#d9d2e9";
    case TN_DECISION_INLINE: return "#d9ead3";
    case TN_DECISION_EPILOGUE:
    case TN_DECISION_PROLOGUE: return "#cfe2f3";
    case TN_DECISION_NATIVE:
    case TN_DECISION_TEMPLATE: return "#9fc5e8";
    case TN_DECISION_OPAQUE: return "#f4cccc";
    default: return "#ffffff";
    }
}

/* Inside a dot string: names are data. */
static void quoted(const char *text, tn_strbuf *out) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') tn_strbuf_char(out, '\\');
        tn_strbuf_char(out, *text == '\n' ? ' ' : *text);
    }
}

static const tn_decision *decision_of(const tn_schedule *s, uint32_t node) {
    static const tn_decision none = {.step = TN_NO_NODE};
    return s->log && node < s->log->n ? &s->log->items[node] : &none;
}

static void print_node(const tn_schedule *s, const tn_ir_graph *source, uint32_t id,
                       tn_strbuf *out) {
    const tn_ir_node *node = source->nodes[id];
    const tn_decision *d = decision_of(s, id);
    tn_strbuf_printf(out, "    n%u [label=\"", id);
    if (node->n_results) {
        tn_strbuf_char(out, '%');
        quoted(source->values[node->results[0]].name, out);
        tn_strbuf_text(out, "\\n");
    }
    quoted(node->schema->full_name, out);
    tn_strbuf_printf(out, "\\n%s\", style=filled, fillcolor=\"%s\"];\n", tn_decision_text(d->kind),
                     color(d->kind));
}

static void print_edges(const tn_ir_graph *source, tn_strbuf *out) {
    for (uint32_t i = 0; i < source->n_nodes; i++)
        for (uint32_t k = 0; k < source->nodes[i]->n_operands; k++) {
            const tn_ir_value *v = &source->values[source->nodes[i]->operands[k]];
            if (v->def == TN_NO_NODE)
                tn_strbuf_printf(out, "  i%u -> n%u;\n", v->index, i);
            else
                tn_strbuf_printf(out, "  n%u -> n%u;\n", v->def, i);
        }
    for (uint32_t i = 0; i < source->n_outputs; i++) {
        const tn_ir_value *v = &source->values[source->outputs[i]];
        tn_strbuf_printf(out, "  o%u [label=\"output %u\", shape=plaintext];\n", i, i);
        if (v->def == TN_NO_NODE)
            tn_strbuf_printf(out, "  i%u -> o%u;\n", v->index, i);
        else
            tn_strbuf_printf(out, "  n%u -> o%u;\n", v->def, i);
    }
}

void tn_explain_dot(const tn_schedule *s, const tn_ir_graph *source, tn_strbuf *out) {
    tn_strbuf_text(out, "digraph \"");
    quoted(source->name, out);
    tn_strbuf_text(out, "\" {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for (uint32_t i = 0; i < source->n_inputs; i++) {
        tn_strbuf_printf(out, "  i%u [label=\"%%", i);
        quoted(source->values[source->inputs[i]].name, out);
        tn_strbuf_text(out, "\", shape=plaintext];\n");
    }
    for (uint32_t step = 0; step < s->n_steps; step++) {
        tn_strbuf_printf(out, "  subgraph cluster_%u {\n    label=\"step %u\"; style=rounded;\n",
                         step, step);
        for (uint32_t i = 0; i < source->n_nodes; i++)
            if (decision_of(s, i)->step == step) print_node(s, source, i, out);
        tn_strbuf_text(out, "  }\n");
    }
    for (uint32_t i = 0; i < source->n_nodes; i++)
        if (decision_of(s, i)->step == TN_NO_NODE) print_node(s, source, i, out);
    print_edges(source, out);
    tn_strbuf_text(out, "}\n");
}
