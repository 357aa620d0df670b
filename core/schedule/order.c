/* From units to steps: an order in which everyone finds what it waits for, as near
 * to the order of the graph as that allows. */
#include "schedule/finish.h"

#include <string.h>

typedef struct frame {
    uint32_t unit, wait;
} frame;
typedef struct ordering {
    tn__plan *plan;
    tn__finish finish;
    TN_VEC(tn_step) steps;
    TN_VEC(frame) stack;
    uint32_t n_loops;
} ordering;

static uint64_t operand_bytes(const tn__plan *plan, const tn_operand *o) {
    if (o->buffer == TN_NONE) return 0;
    const tn_buffer *buffer = &plan->buffers.data[o->buffer];
    uint64_t n = ((uint64_t)buffer->dtype.bits * buffer->dtype.lanes + 7) / 8;
    for (int32_t i = 0; i < o->rank; i++)
        if (o->strides[i] != 0 || o->shape[i] == 0) n *= (uint64_t)o->shape[i];
    return n;
}

static void fill_call(const tn__plan *plan, const tn__unit *u, tn_step *step) {
    step->kind = TN_STEP_CALL;
    step->node = u->node;
    step->operands = u->operands;
    step->n_operands = u->node->n_operands;
    if (u->library) {
        step->native = u->library->native;
        step->chain = u->library->chain;
        step->n_operands += u->library->n_extra;
    }
    for (uint32_t i = 0; i < step->n_operands; i++) {
        uint64_t bytes = operand_bytes(plan, &step->operands[i]);
        uint32_t buffer = step->operands[i].buffer;
        step->bytes_moved += bytes;
        if (buffer != TN_NONE && plan->most_read[buffer] < bytes) plan->most_read[buffer] = bytes;
    }
    if (u->kind == TN__UNIT_TEMPLATE) return;
    step->results = u->results;
    step->n_results = u->node->n_results;
    for (uint32_t i = 0; i < step->n_results; i++)
        step->bytes_moved += operand_bytes(plan, &step->results[i]);
}

static tn_status fill_template(ordering *o, const tn__hosting *hosting, tn_step *step) {
    step->kind = TN_STEP_TEMPLATE;
    step->template_ = hosting->template_;
    step->config = hosting->config;
    for (uint32_t i = 0; i < TN_MAX_PROLOGUES; i++) {
        if (hosting->prologues[i] == TN_NONE) continue;
        o->plan->units.data[hosting->prologues[i]].step = (uint32_t)o->steps.len;
        TN_TRY(
            tn__finish_loop(&o->finish, hosting->prologues[i], o->n_loops++, &step->prologues[i]));
        step->bytes_moved += (uint64_t)step->prologues[i]->bytes_moved;
    }
    return NULL;
}

static tn_status emit(ordering *o, uint32_t unit) {
    tn__plan *plan = o->plan;
    tn__unit *u = &plan->units.data[unit];
    tn_step step = {.kind = TN_STEP_LOOP};
    if (u->kind == TN__UNIT_JOIN || u->kind == TN__UNIT_PROLOGUE ||
        (u->kind == TN__UNIT_LOOP && u->n_stores == 0))
        return NULL;
    if (u->node) fill_call(plan, u, &step);
    if (u->kind != TN__UNIT_CALL) {
        TN_TRY(tn__finish_loop(&o->finish, unit, o->n_loops++, &step.loop));
        step.bytes_moved += (uint64_t)step.loop->bytes_moved;
    }
    if (u->kind == TN__UNIT_TEMPLATE) TN_TRY(fill_template(o, u->hosting, &step));
    u->step = (uint32_t)o->steps.len;
    return tn_vec_push(plan->allocator, &o->steps, step) ? NULL : tn_status_no_memory();
}

static tn_status push(ordering *o, uint32_t unit) {
    tn__unit *u = &o->plan->units.data[unit];
    u->stamp = o->plan->stamp;
    frame next = {unit, u->first_wait};
    return tn_vec_push(o->plan->allocator, &o->stack, next) ? NULL : tn_status_no_memory();
}

/* Emits the unit after all that it waits for. */
static tn_status visit(ordering *o, uint32_t unit) {
    tn__plan *plan = o->plan;
    TN_TRY(push(o, unit));
    while (o->stack.len) {
        frame *top = &o->stack.data[o->stack.len - 1];
        if (top->wait == TN_NONE) {
            uint32_t done = top->unit;
            o->stack.len--;
            TN_TRY(emit(o, done));
            continue;
        }
        uint32_t before = tn__unit_root(plan, plan->waits.data[top->wait].unit);
        top->wait = plan->waits.data[top->wait].next;
        if (plan->units.data[before].stamp != plan->stamp) TN_TRY(push(o, before));
    }
    return NULL;
}

/* Units by their place in the graph: counting sort, stable in the unit's number. */
static tn_status visit_all(ordering *o) {
    tn__plan *plan = o->plan;
    uint32_t n_keys = plan->graph->n_nodes + 2, n = (uint32_t)plan->units.len;
    uint32_t *first = tn_arena_array(&plan->arena, n_keys, sizeof *first);
    uint32_t *next = tn_arena_array(&plan->arena, n, sizeof *next);
    if (!first || !next) return tn_status_no_memory();
    for (uint32_t i = n; i-- > 0;) { /* numbers plus 1: 0 ends a list */
        const tn__unit *u = &plan->units.data[i];
        if (u->parent != i) continue;
        next[i] = first[u->key];
        first[u->key] = i + 1;
    }
    plan->stamp++;
    for (uint32_t key = 0; key < n_keys; key++)
        for (uint32_t i = first[key]; i; i = next[i - 1])
            if (plan->units.data[i - 1].stamp != plan->stamp) TN_TRY(visit(o, i - 1));
    return NULL;
}

/* --------------------------------------------------------------- the schedule */

static void touch(tn_schedule *s, uint32_t buffer, uint32_t step) {
    if (buffer == TN_NONE) return;
    tn_buffer *b = &s->buffers[buffer];
    if (b->first_step == TN_NONE) b->first_step = step;
    b->last_step = step;
}

static void set_lifetimes(tn_schedule *s) {
    for (uint32_t i = 0; i < s->n_steps; i++) {
        const tn_step *step = &s->steps[i];
        for (uint32_t k = 0; step->loop && k < step->loop->n_slots; k++)
            touch(s, step->loop->slots[k].buffer, i);
        for (uint32_t p = 0; p < TN_MAX_PROLOGUES; p++)
            for (uint32_t k = 0; step->prologues[p] && k < step->prologues[p]->n_slots; k++)
                touch(s, step->prologues[p]->slots[k].buffer, i);
        for (uint32_t k = 0; k < step->n_operands; k++)
            touch(s, step->operands[k].buffer, i);
        for (uint32_t k = 0; k < step->n_results; k++)
            touch(s, step->results[k].buffer, i);
        s->bytes_moved += step->bytes_moved;
    }
}

/* Of an input what some step reads, at least; of an output all that is stored. */
static void set_minimum(const tn__plan *plan, tn_schedule *s) {
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        const tn_buffer *b = &s->buffers[i];
        if (b->kind == TN_BUFFER_INPUT) s->bytes_minimum += plan->most_read[i];
        if (b->kind == TN_BUFFER_OUTPUT && b->first_step != TN_NONE) s->bytes_minimum += b->bytes;
    }
}

tn_status tn__order(tn__plan *plan) {
    ordering o = {.plan = plan};
    tn_schedule *s = plan->schedule;
    plan->most_read = tn_arena_array(&plan->arena, plan->buffers.len, sizeof *plan->most_read);
    if (!plan->most_read) return tn_status_no_memory();
    tn__finish_init(&o.finish, plan);
    tn_status status = visit_all(&o);
    if (!status) {
        s->steps = tn_arena_copy(&s->arena, o.steps.data, o.steps.len * sizeof *s->steps);
        s->n_steps = (uint32_t)o.steps.len;
        s->buffers = tn_arena_copy(&s->arena, plan->buffers.data,
                                   plan->buffers.len * sizeof *s->buffers);
        s->n_buffers = (uint32_t)plan->buffers.len;
        if (!s->steps || !s->buffers) status = tn_status_no_memory();
    }
    if (!status) {
        set_lifetimes(s);
        set_minimum(plan, s);
    }
    tn_vec_free(plan->allocator, &o.steps);
    tn_vec_free(plan->allocator, &o.stack);
    tn__finish_deinit(&o.finish);
    return status;
}
