#include "schedule/explain.h"

#include <inttypes.h>

#include "base/json.h"
#include "ir/text.h"

static void print_bytes(uint64_t bytes, tn_strbuf *out) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    uint32_t unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    tn_strbuf_printf(out, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void count_steps(const tn_schedule *s, uint32_t counts[3]) {
    for (uint32_t i = 0; i < s->n_steps; i++)
        counts[s->steps[i].kind]++;
}

static void print_totals(const tn_schedule *s, const tn_ir_graph *source, tn_strbuf *out) {
    uint32_t counts[3] = {0};
    count_steps(s, counts);
    tn_strbuf_printf(out, "@%s: %u steps (%u kernels, %u calls, %u templates)\n", source->name,
                     s->n_steps, counts[TN_STEP_LOOP], counts[TN_STEP_CALL],
                     counts[TN_STEP_TEMPLATE]);
    tn_strbuf_text(out, "moves ");
    print_bytes(s->bytes_moved, out);
    tn_strbuf_text(out, ", no plan can move less than ");
    print_bytes(s->bytes_minimum, out);
    if (s->bytes_minimum)
        tn_strbuf_printf(out, " (%.2f times)", (double)s->bytes_moved / (double)s->bytes_minimum);
    tn_strbuf_text(out, "; intermediate values take ");
    print_bytes(s->arena_bytes, out);
    tn_strbuf_text(out, " of memory\n");
}

static void print_reason(tn_reason why, const char *detail, tn_strbuf *out) {
    if (why != TN_REASON_OK || detail) tn_strbuf_text(out, ": ");
    if (why != TN_REASON_OK) tn_strbuf_text(out, tn_reason_text(why));
    if (detail) tn_strbuf_printf(out, "%s%s", why != TN_REASON_OK ? ", " : "", detail);
}

static void print_decision(const tn_decision *d, tn_strbuf *out) {
    tn_strbuf_printf(out, "    %s", tn_decision_text(d->kind));
    print_reason(d->why, d->detail, out);
    if (d->step != TN_NO_NODE) tn_strbuf_printf(out, " [step %u]", d->step);
    if (d->bytes_saved) {
        tn_strbuf_text(out, " saves ");
        print_bytes((uint64_t)d->bytes_saved, out);
    }
    if (d->launches_saved)
        tn_strbuf_printf(out, "%s%u launch%s", d->bytes_saved ? ", " : " saves ", d->launches_saved,
                         d->launches_saved == 1 ? "" : "es");
    tn_strbuf_char(out, '\n');
    for (uint32_t i = 0; i < d->n_refusals; i++) {
        tn_strbuf_printf(out, "    not %s", tn_decision_text(d->refusals[i].what));
        print_reason(d->refusals[i].why, d->refusals[i].detail, out);
        tn_strbuf_char(out, '\n');
    }
}

static const char *step_name(const tn_step *step) {
    switch (step->kind) {
    case TN_STEP_LOOP:
        return step->loop->n_parallel < step->loop->n_axes ? "reduction" : "pointwise";
    case TN_STEP_CALL: return step->node->schema->full_name;
    default: return step->template_->name;
    }
}

static const char *const step_kinds[] = {"kernel", "call", "template"};

static void print_step(const tn_schedule *s, uint32_t id, tn_strbuf *out) {
    const tn_step *step = &s->steps[id];
    tn_strbuf_printf(out, "step %u: %s %s", id, step_kinds[step->kind], step_name(step));
    if (step->kind == TN_STEP_LOOP) {
        tn_strbuf_char(out, ' ');
        for (uint32_t a = 0; a < step->loop->n_axes; a++)
            tn_strbuf_printf(out, "%s%" PRId64,
                             a == 0                        ? "["
                             : a == step->loop->n_parallel ? " | "
                                                           : ", ",
                             step->loop->axes[a].extent);
        tn_strbuf_text(out, step->loop->n_axes ? "]" : "[]");
    }
    tn_strbuf_text(out, ", moves ");
    print_bytes(step->bytes_moved, out);
    tn_strbuf_char(out, '\n');
}

void tn_explain_text(const tn_schedule *s, const tn_ir_graph *source, tn_strbuf *out) {
    print_totals(s, source, out);
    for (uint32_t i = 0; i < source->n_nodes; i++) {
        tn_ir_print_node(source, source->nodes[i], out);
        if (out->length && out->data[out->length - 1] != '\n') tn_strbuf_char(out, '\n');
        if (s->log && i < s->log->n) print_decision(&s->log->items[i], out);
    }
    for (uint32_t i = 0; i < s->n_steps; i++)
        print_step(s, i, out);
}

/* -------------------------------------------------------------------- json */

static void json_refusals(tn_json *j, const tn_decision *d) {
    tn_json_array(j, "refused");
    for (uint32_t i = 0; i < d->n_refusals; i++) {
        tn_json_object(j, NULL);
        tn_json_text(j, "what", tn_decision_text(d->refusals[i].what));
        tn_json_text(j, "why", tn_reason_text(d->refusals[i].why));
        tn_json_text(j, "detail", d->refusals[i].detail);
        tn_json_end_object(j);
    }
    tn_json_end_array(j);
}

static void json_node(tn_json *j, const tn_schedule *s, const tn_ir_graph *source, uint32_t id) {
    const tn_ir_node *node = source->nodes[id];
    tn_json_object(j, NULL);
    tn_json_int(j, "id", id);
    tn_json_text(j, "op", node->schema->full_name);
    tn_json_array(j, "results");
    for (uint32_t i = 0; i < node->n_results; i++)
        tn_json_text(j, NULL, source->values[node->results[i]].name);
    tn_json_end_array(j);
    if (s->log && id < s->log->n) {
        const tn_decision *d = &s->log->items[id];
        tn_json_text(j, "decision", tn_decision_text(d->kind));
        tn_json_text(j, "why", tn_reason_text(d->why));
        tn_json_text(j, "detail", d->detail);
        tn_json_int(j, "step", d->step == TN_NO_NODE ? -1 : (int64_t)d->step);
        tn_json_int(j, "bytes_saved", d->bytes_saved);
        tn_json_int(j, "launches_saved", d->launches_saved);
        json_refusals(j, d);
    }
    tn_json_end_object(j);
}

static void json_step(tn_json *j, const tn_schedule *s, uint32_t id) {
    const tn_step *step = &s->steps[id];
    tn_json_object(j, NULL);
    tn_json_int(j, "step", id);
    tn_json_text(j, "kind", step_kinds[step->kind]);
    tn_json_text(j, "name", step_name(step));
    tn_json_int(j, "bytes_moved", (int64_t)step->bytes_moved);
    if (step->loop) {
        tn_json_array(j, "extents");
        for (uint32_t a = 0; a < step->loop->n_axes; a++)
            tn_json_int(j, NULL, step->loop->axes[a].extent);
        tn_json_end_array(j);
        tn_json_int(j, "parallel_axes", step->loop->n_parallel);
        tn_json_int(j, "stages", step->loop->n_stages);
    }
    tn_json_end_object(j);
}

void tn_explain_json(const tn_schedule *s, const tn_ir_graph *source, tn_strbuf *out) {
    uint32_t counts[3] = {0};
    tn_json j;
    count_steps(s, counts);
    tn_json_init(&j, out);
    tn_json_object(&j, NULL);
    tn_json_text(&j, "graph", source->name);
    tn_json_object(&j, "totals");
    tn_json_int(&j, "steps", s->n_steps);
    tn_json_int(&j, "kernels", counts[TN_STEP_LOOP]);
    tn_json_int(&j, "calls", counts[TN_STEP_CALL]);
    tn_json_int(&j, "templates", counts[TN_STEP_TEMPLATE]);
    tn_json_int(&j, "bytes_moved", (int64_t)s->bytes_moved);
    tn_json_int(&j, "bytes_minimum", (int64_t)s->bytes_minimum);
    tn_json_int(&j, "arena_bytes", (int64_t)s->arena_bytes);
    tn_json_int(&j, "arena_bound", (int64_t)s->arena_bound);
    tn_json_end_object(&j);
    tn_json_array(&j, "nodes");
    for (uint32_t i = 0; i < source->n_nodes; i++)
        json_node(&j, s, source, i);
    tn_json_end_array(&j);
    tn_json_array(&j, "steps");
    for (uint32_t i = 0; i < s->n_steps; i++)
        json_step(&j, s, i);
    tn_json_end_array(&j);
    tn_json_end_object(&j);
}
