#include "schedule/schedule.h"

#include <inttypes.h>

#define FAIL(...) return tn_status_make(TN_INTERNAL, __VA_ARGS__)

static tn_status verify_read(const tn_schedule *s, uint32_t step, uint32_t buffer) {
    if (buffer >= s->n_buffers) FAIL("step %u reads a buffer that does not exist", step);
    const tn_buffer *b = &s->buffers[buffer];
    if (step < b->first_step || step > b->last_step)
        FAIL("step %u reads b%u outside its lifetime", step, buffer);
    /* The first to touch what is no input is a writer, which checks it. */
    if (b->kind != TN_BUFFER_INPUT && b->first_step == step && b->bytes)
        FAIL("step %u reads b%u, which nobody wrote", step, buffer);
    return NULL;
}

static tn_status verify_write(const tn_schedule *s, uint32_t step, uint32_t buffer) {
    if (buffer >= s->n_buffers) FAIL("step %u writes a buffer that does not exist", step);
    if (s->buffers[buffer].kind == TN_BUFFER_INPUT) FAIL("step %u writes to an input", step);
    if (step < s->buffers[buffer].first_step || step > s->buffers[buffer].last_step)
        FAIL("step %u writes b%u outside its lifetime", step, buffer);
    return NULL;
}

static tn_status verify_loop(const tn_schedule *s, uint32_t step, const tn_loop *loop) {
    TN_TRY(tn_loop_verify(loop));
    for (uint32_t i = 0; i < loop->n_slots; i++) {
        const tn_loop_slot *slot = &loop->slots[i];
        if (slot->buffer < s->n_buffers &&
            slot->dt != tn_dt_from_dtype(s->buffers[slot->buffer].dtype))
            FAIL("k%u: slot %u has another dtype than its buffer", loop->id, i);
        TN_TRY(slot->written ? verify_write(s, step, slot->buffer)
                             : verify_read(s, step, slot->buffer));
    }
    return NULL;
}

static tn_status verify_memory(const tn_schedule *s) {
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        const tn_buffer *a = &s->buffers[i];
        if (a->kind != TN_BUFFER_TEMP || a->first_step == TN_NONE || !a->bytes) continue;
        if (a->offset % 64 || a->offset + a->bytes > s->arena_bytes)
            FAIL("b%u lies outside the arena or is not aligned", i);
        for (uint32_t k = 0; k < i; k++) {
            const tn_buffer *b = &s->buffers[k];
            if (b->kind != TN_BUFFER_TEMP || b->first_step == TN_NONE || !b->bytes) continue;
            bool together = a->first_step <= b->last_step && b->first_step <= a->last_step;
            bool apart = a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
            if (together && !apart) FAIL("b%u and b%u share memory while both are alive", k, i);
        }
    }
    if (s->arena_bytes < s->arena_bound) FAIL("the arena is smaller than its bound");
    return NULL;
}

tn_status tn_schedule_verify(const tn_schedule *s) {
    for (uint32_t i = 0; i < s->n_steps; i++) {
        const tn_step *step = &s->steps[i];
        if ((step->kind == TN_STEP_CALL) != (step->loop == NULL))
            FAIL("step %u: a loop is missing or too many", i);
        if (step->loop) TN_TRY(verify_loop(s, i, step->loop));
        for (uint32_t k = 0; k < TN_MAX_PROLOGUES; k++)
            if (step->prologues[k]) TN_TRY(verify_loop(s, i, step->prologues[k]));
        for (uint32_t k = 0; k < step->n_operands; k++)
            if (step->operands[k].buffer != TN_NONE)
                TN_TRY(verify_read(s, i, step->operands[k].buffer));
        for (uint32_t k = 0; k < step->n_results; k++)
            TN_TRY(verify_write(s, i, step->results[k].buffer));
    }
    return verify_memory(s);
}
