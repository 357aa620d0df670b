#include <inttypes.h>

#include "ir/text.h"
#include "schedule/schedule.h"

static void print_ints(const int64_t *items, int32_t n, tn_strbuf *out) {
    tn_strbuf_char(out, '[');
    for (int32_t i = 0; i < n; i++)
        tn_strbuf_printf(out, "%s%" PRId64, i ? "," : "", items[i]);
    tn_strbuf_char(out, ']');
}

static bool contiguous(const int64_t *shape, const int64_t *strides, int32_t rank) {
    int64_t dense[TN_MAX_RANK];
    tn_shape_strides(shape, rank, dense);
    for (int32_t i = 0; i < rank; i++)
        if (shape[i] > 1 && strides[i] != dense[i]) return false;
    return true;
}

static void print_layout(const int64_t *shape, const int64_t *strides, int32_t rank,
                         tn_strbuf *out) {
    print_ints(shape, rank, out);
    if (contiguous(shape, strides, rank)) return;
    tn_strbuf_text(out, " strides=");
    print_ints(strides, rank, out);
}

static void print_buffer(const tn_schedule *s, uint32_t id, tn_strbuf *out) {
    const tn_buffer *b = &s->buffers[id];
    tn_dt dt = tn_dt_from_dtype(b->dtype);
    if (b->kind == TN_BUFFER_INPUT) tn_strbuf_printf(out, "b%u: input %u ", id, b->index);
    if (b->kind == TN_BUFFER_OUTPUT) tn_strbuf_printf(out, "b%u: output %u ", id, b->index);
    if (b->kind == TN_BUFFER_TEMP) tn_strbuf_printf(out, "b%u: temp ", id);
    tn_strbuf_printf(out, "%%%s ", s->graph->values[b->value].name);
    if (dt == TN_DT_NONE)
        tn_strbuf_printf(out, "dtype(%u,%u,%u)", b->dtype.code, b->dtype.bits, b->dtype.lanes);
    else
        tn_strbuf_text(out, tn_dt_text(dt));
    print_layout(b->shape, b->strides, b->rank, out);
    if (b->kind == TN_BUFFER_TEMP && b->first_step != TN_NONE)
        tn_strbuf_printf(out, " bytes=%" PRIu64 " at %" PRIu64 " steps %u..%u", b->bytes, b->offset,
                         b->first_step, b->last_step);
    tn_strbuf_char(out, '\n');
}

static void print_operand(const tn_operand *o, tn_strbuf *out) {
    if (o->buffer == TN_NONE) {
        tn_strbuf_text(out, "none");
        return;
    }
    tn_strbuf_printf(out, "b%u", o->buffer);
    print_layout(o->shape, o->strides, o->rank, out);
    if (o->offset) tn_strbuf_printf(out, "+%" PRId64, o->offset);
}

static void print_operands(const tn_operand *o, uint32_t n, tn_strbuf *out) {
    for (uint32_t i = 0; i < n; i++) {
        tn_strbuf_text(out, i ? ", " : "");
        print_operand(&o[i], out);
    }
}

static void print_step(const tn_schedule *s, uint32_t id, tn_strbuf *out) {
    const tn_step *step = &s->steps[id];
    tn_strbuf_printf(out, "step %u: ", id);
    if (step->kind != TN_STEP_LOOP) {
        tn_strbuf_printf(out, "%s %s(", step->kind == TN_STEP_CALL ? "call" : "template",
                         step->node->op ? step->node->schema->full_name
                                        : tn_prim_get(step->node->prim)->name);
        print_operands(step->operands, step->n_operands, out);
        tn_strbuf_char(out, ')');
        if (step->kind == TN_STEP_CALL) {
            tn_strbuf_text(out, " -> ");
            print_operands(step->results, step->n_results, out);
            if (step->native) tn_strbuf_printf(out, " native of %u values", step->chain->n_values);
        } else {
            tn_strbuf_printf(out, " %s config %u", step->template_->name, step->config);
        }
        tn_strbuf_printf(out, " bytes=%" PRIu64 "\n", step->bytes_moved);
    }
    for (uint32_t i = 0; i < TN_MAX_PROLOGUES; i++)
        if (step->prologues[i]) {
            tn_strbuf_printf(out, "prologue of argument %u: ", i);
            tn_loop_print(step->prologues[i], out);
        }
    if (step->kind == TN_STEP_TEMPLATE) tn_strbuf_text(out, "epilogue: ");
    if (step->loop) tn_loop_print(step->loop, out);
}

void tn_schedule_print(const tn_schedule *s, tn_strbuf *out) {
    tn_strbuf_printf(out,
                     "schedule @%s: steps=%u bytes=%" PRIu64 " minimum=%" PRIu64 " arena=%" PRIu64
                     " bound=%" PRIu64 "\n",
                     s->graph->name, s->n_steps, s->bytes_moved, s->bytes_minimum, s->arena_bytes,
                     s->arena_bound);
    for (uint32_t i = 0; i < s->n_buffers; i++)
        print_buffer(s, i, out);
    for (uint32_t i = 0; i < s->n_steps; i++)
        print_step(s, i, out);
}
