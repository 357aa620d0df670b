#include <string.h>

#include "base/thread.h"
#include "ir/tensor.h"
#include "runtime/plan.h"

/* What one run needs of its own. Frames are kept by the plan: after the first run
 * nothing is allocated. */
struct tn_frame {
    tn_frame *next;
    tn_arena arena;
    char *memory;         /* the intermediates */
    char **buffers;       /* by buffer: its first element */
    void **pointers;      /* of the entry that runs */
    tn_call_frame *calls; /* by step */
    char **workspaces;    /* by step, of rendered entries */
    char *scratch;        /* of every worker */
    uint64_t scratch_stride;
};

static uint64_t scratch_stride(const tn_rendered *r) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        if (r->entries[i].scratch_bytes > most) most = r->entries[i].scratch_bytes;
    }
    return (most + 63) / 64 * 64;
}

static uint64_t scratch_bytes(const tn_run_plan *plan) {
    return scratch_stride(plan->rendered) * tn_pool_threads(plan->rt->pool);
}

/* The workspace that the entries of a step share. */
static uint64_t workspace_bytes(const tn_run_plan *plan, uint32_t step) {
    for (uint32_t i = 0; i < plan->rendered->n_entries; i++) {
        if (plan->rendered->entries[i].step == step)
            return plan->rendered->entries[i].workspace_bytes;
    }
    return 0;
}

static void frame_destroy(tn_run_plan *plan, tn_frame *frame) {
    tn_runtime *rt = plan->rt;
    const tn_schedule *s = plan->schedule;
    for (uint32_t i = 0; i < s->n_steps; i++) {
        if (frame->calls != NULL && plan->calls[i].kernel != NULL) {
            tn_call_frame_deinit(&frame->calls[i], &plan->calls[i], rt);
        }
        if (frame->workspaces != NULL) {
            tn_cpu_memory_free(rt->memory, frame->workspaces[i], workspace_bytes(plan, i));
        }
    }
    tn_cpu_memory_free(rt->memory, frame->memory, s->arena_bytes);
    tn_cpu_memory_free(rt->memory, frame->scratch, scratch_bytes(plan));
    tn_arena_deinit(&frame->arena);
    tn_free(rt->allocator, frame, sizeof *frame);
}

static uint32_t most_pointers(const tn_rendered *r) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        if (r->entries[i].n_pointers > most) most = r->entries[i].n_pointers;
    }
    return most;
}

static tn_status take_memory(tn_runtime *rt, uint64_t bytes, char **out) {
    if (bytes == 0) return NULL;
    *out = tn_cpu_memory_alloc(rt->memory, bytes);
    return *out != NULL ? NULL : tn_status_no_memory();
}

static tn_status frame_fill(tn_run_plan *plan, tn_frame *frame) {
    tn_runtime *rt = plan->rt;
    const tn_schedule *s = plan->schedule;
    frame->buffers = tn_arena_array(&frame->arena, s->n_buffers, sizeof *frame->buffers);
    frame->pointers = tn_arena_array(&frame->arena, most_pointers(plan->rendered),
                                     sizeof *frame->pointers);
    frame->workspaces = tn_arena_array(&frame->arena, s->n_steps, sizeof *frame->workspaces);
    frame->calls = tn_arena_array(&frame->arena, s->n_steps, sizeof *frame->calls);
    if (frame->buffers == NULL || frame->pointers == NULL || frame->workspaces == NULL ||
        frame->calls == NULL) {
        return tn_status_no_memory();
    }
    TN_TRY(take_memory(rt, s->arena_bytes, &frame->memory));
    TN_TRY(take_memory(rt, scratch_bytes(plan), &frame->scratch));
    frame->scratch_stride = scratch_stride(plan->rendered);
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        const tn_buffer *b = &s->buffers[i];
        if (b->kind == TN_BUFFER_TEMP && b->bytes > 0) {
            frame->buffers[i] = frame->memory + b->offset;
        }
    }
    for (uint32_t i = 0; i < s->n_steps; i++) {
        TN_TRY(take_memory(rt, workspace_bytes(plan, i), &frame->workspaces[i]));
        if (plan->calls[i].kernel == NULL) continue;
        TN_TRY(tn_call_frame_init(&frame->calls[i], &plan->calls[i], rt, &frame->arena));
    }
    return NULL;
}

static _Atomic(tn_frame *) *near_frame(tn_run_plan *plan) {
    return &plan->near_frames[tn_thread_number() % TN_PLAN_NEAR];
}

static tn_status frame_take(tn_run_plan *plan, tn_frame **out_frame) {
    tn_frame *frame = atomic_exchange_explicit(near_frame(plan), NULL, memory_order_acquire);
    if (frame == NULL) {
        pthread_mutex_lock(&plan->lock);
        frame = plan->frames;
        if (frame != NULL) plan->frames = frame->next;
        pthread_mutex_unlock(&plan->lock);
    }
    if (frame == NULL) {
        frame = tn_alloc_zero(plan->rt->allocator, sizeof *frame);
        if (frame == NULL) return tn_status_no_memory();
        tn_arena_init(&frame->arena, plan->rt->allocator);
        tn_status status = frame_fill(plan, frame);
        if (status != NULL) {
            frame_destroy(plan, frame);
            return status;
        }
    }
    *out_frame = frame;
    return NULL;
}

static void frame_give(tn_run_plan *plan, tn_frame *frame) {
    tn_frame *none = NULL;
    if (atomic_compare_exchange_strong_explicit(near_frame(plan), &none, frame,
                                                memory_order_release, memory_order_relaxed)) {
        return;
    }
    pthread_mutex_lock(&plan->lock);
    frame->next = plan->frames;
    plan->frames = frame;
    pthread_mutex_unlock(&plan->lock);
}

void tn__plan_free_frames(tn_run_plan *plan) {
    for (uint32_t i = 0; i < TN_PLAN_NEAR; i++) {
        tn_frame *frame = atomic_load(&plan->near_frames[i]);
        if (frame != NULL) frame_destroy(plan, frame);
    }
    while (plan->frames != NULL) {
        tn_frame *frame = plan->frames;
        plan->frames = frame->next;
        frame_destroy(plan, frame);
    }
}

/* One rendered entry on the pool. */
typedef struct entry_run {
    const tn_render_entry *entry;
    tn_render_fn function;
    void **bufs;
    char *scratch;
    uint64_t scratch_stride;
} entry_run;

static void run_chunk(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    const entry_run *r = arg;
    r->function(r->bufs, r->entry->ints, r->entry->nums, r->scratch + worker * r->scratch_stride,
                begin, end);
}

static void run_entry(tn_run_plan *plan, tn_frame *frame, uint32_t index) {
    const tn_render_entry *entry = &plan->rendered->entries[index];
    for (uint32_t i = 0; i < entry->n_pointers; i++) {
        const tn_render_pointer *p = &entry->pointers[i];
        char *base = p->buffer == TN_NONE ? frame->workspaces[entry->step]
                                          : frame->buffers[p->buffer];
        frame->pointers[i] = base + p->offset;
    }
    entry_run r = {entry, plan->functions[index], frame->pointers, frame->scratch,
                   frame->scratch_stride};
    tn_pool_for(plan->rt->pool, entry->items, entry->grain, run_chunk, &r);
}

static tn_status run_steps(tn_run_plan *plan, tn_frame *frame) {
    const tn_schedule *s = plan->schedule;
    uint32_t entry = 0;
    for (uint32_t i = 0; i < s->n_steps; i++) {
        if (s->steps[i].kind == TN_STEP_CALL) {
            TN_TRY(tn_call_run(&plan->calls[i], &frame->calls[i], plan->rt, frame->buffers));
        }
        for (; entry < plan->rendered->n_entries && plan->rendered->entries[entry].step == i;
             entry++) {
            run_entry(plan, frame, entry);
        }
    }
    return NULL;
}

static uint64_t output_bytes(const tn_tensor *t) {
    return (uint64_t)tn_tensor_numel(t) * tn_dtype_bytes(t->dtype);
}

/* Outputs that are not contiguous are made contiguously and then copied. */
static tn_status bind_outputs(tn_run_plan *plan, tn_frame *frame, tn_tensor *const *outputs,
                              char **staged) {
    const tn_schedule *s = plan->schedule;
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        const tn_buffer *b = &s->buffers[i];
        if (b->kind != TN_BUFFER_OUTPUT) continue;
        const tn_tensor *t = outputs[b->index];
        frame->buffers[i] = tn_tensor_first(t);
        uint64_t bytes = output_bytes(t);
        if (!tn_tensor_is_contiguous(t) && bytes > 0) {
            TN_TRY(take_memory(plan->rt, bytes, &staged[b->index]));
            frame->buffers[i] = staged[b->index];
        }
        if (plan->options.poison && bytes > 0) memset(frame->buffers[i], 0xFF, bytes);
    }
    return NULL;
}

static tn_status run_frame(tn_run_plan *plan, tn_frame *frame, const tn_tensor *const *inputs,
                           tn_tensor *const *outputs, char **staged) {
    const tn_schedule *s = plan->schedule;
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        const tn_buffer *b = &s->buffers[i];
        if (b->kind == TN_BUFFER_INPUT) frame->buffers[i] = tn_tensor_first(inputs[b->index]);
    }
    if (plan->options.poison && s->arena_bytes > 0) memset(frame->memory, 0xFF, s->arena_bytes);
    TN_TRY(bind_outputs(plan, frame, outputs, staged));
    TN_TRY(run_steps(plan, frame));
    for (uint32_t i = 0; i < plan->graph->n_outputs; i++) {
        if (staged[i] != NULL) tn_tensor_scatter(outputs[i], staged[i]);
    }
    return NULL;
}

tn_status tn_run_plan_run(tn_run_plan *plan, const tn_tensor *const *inputs,
                          tn_tensor *const *outputs) {
    if (plan->interpreted) return tn__plan_interpret(plan, inputs, outputs);
    uint32_t n = plan->graph->n_outputs;
    tn_frame *frame;
    char *few[8] = {NULL}, **staged = few;
    if (n > 8) {
        staged = tn_alloc_array(plan->rt->allocator, n, sizeof *staged);
        if (staged == NULL) return tn_status_no_memory();
    }
    tn_status status = frame_take(plan, &frame);
    if (status == NULL) {
        status = run_frame(plan, frame, inputs, outputs, staged);
        frame_give(plan, frame);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (staged[i] != NULL) {
            tn_cpu_memory_free(plan->rt->memory, staged[i], output_bytes(outputs[i]));
        }
    }
    if (staged != few) tn_free(plan->rt->allocator, staged, n * sizeof *staged);
    return status;
}
