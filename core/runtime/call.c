#include "runtime/call.h"

#include <string.h>

static tn_status describe_operand(const tn_operand *operand, tn_dtype dtype, tn_arena *arena,
                                  tn_tensor *out) {
    size_t bytes = (size_t)operand->rank * sizeof(int64_t);
    out->device = (tn_device){TN_DEVICE_CPU, 0};
    out->dtype = dtype;
    out->ndim = operand->rank;
    out->shape = tn_arena_copy(arena, operand->shape, bytes);
    out->strides = tn_arena_copy(arena, operand->strides, bytes);
    return out->shape != NULL && out->strides != NULL ? NULL : tn_status_no_memory();
}

static tn_status describe_arg(const tn_step *step, const tn_arg *in, tn_tensor *tensors,
                              tn_arena *arena, tn_arg *out) {
    *out = *in;
    if (in->tag == TN_TAG_VALUE) {
        uint64_t slot = in->v.value.id - 1;
        if (step->operands[slot].shape == NULL) {
            *out = (tn_arg){.tag = TN_TAG_NONE};
        } else {
            *out = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &tensors[slot]};
        }
    } else if (in->tag == TN_TAG_LIST) {
        tn_arg *items = tn_arena_array(arena, in->count, sizeof *items);
        if (items == NULL) return tn_status_no_memory();
        for (uint32_t i = 0; i < in->count; i++) {
            TN_TRY(describe_arg(step, &in->v.list[i], tensors, arena, &items[i]));
        }
        out->v.list = items;
    }
    return NULL;
}

tn_status tn_call_describe(const tn_schedule *schedule, const tn_step *step, tn_arena *arena,
                           tn_arg **out_args, tn_arg **out_results, tn_tensor **out_tensors) {
    uint32_t n_params = step->node->schema->n_params, n_own = step->node->n_operands;
    uint32_t n_extra = step->n_operands > n_own ? step->n_operands - n_own : 0;
    tn_tensor *tensors = tn_arena_array(arena, step->n_operands + step->n_results, sizeof *tensors);
    tn_arg *args = tn_arena_array(arena, n_params + n_extra, sizeof *args);
    tn_arg *results = tn_arena_array(arena, step->n_results, sizeof *results);
    if (tensors == NULL || args == NULL || results == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < step->n_operands; i++) {
        if (step->operands[i].shape == NULL) continue;
        tn_dtype dtype = i < n_own ? schedule->graph->values[step->node->operands[i]].type.dtype
                                   : schedule->buffers[step->operands[i].buffer].dtype;
        TN_TRY(describe_operand(&step->operands[i], dtype, arena, &tensors[i]));
    }
    for (uint32_t i = 0; i < step->n_results; i++) {
        if (step->results[i].buffer == TN_NONE) continue;
        tn_tensor *tensor = &tensors[step->n_operands + i];
        tn_dtype dtype = step->native != NULL
                             ? schedule->buffers[step->results[i].buffer].dtype
                             : schedule->graph->values[step->node->results[i]].type.dtype;
        TN_TRY(describe_operand(&step->results[i], dtype, arena, tensor));
        results[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = tensor};
    }
    for (uint32_t i = 0; i < n_params; i++) {
        TN_TRY(describe_arg(step, &step->node->args[i], tensors, arena, &args[i]));
    }
    for (uint32_t i = 0; i < n_extra; i++) {
        args[n_params + i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = &tensors[n_own + i]};
    }
    *out_args = args;
    *out_results = results;
    *out_tensors = tensors;
    return NULL;
}

/* Those of the schema, and of a library's call the operands of its chain. */
static uint32_t n_args(const tn_step *step) {
    uint32_t own = step->node->n_operands;
    return step->node->schema->n_params + (step->n_operands > own ? step->n_operands - own : 0);
}

static tn_status prepare(tn_call_plan *call, tn_invocation *inv, tn_arena *arena) {
    tn_arg *args, *results;
    tn_tensor *tensors;
    TN_TRY(tn_call_describe(call->schedule, call->step, arena, &args, &results, &tensors));
    const tn_problem problem = {.struct_size = sizeof problem,
                                .args = args,
                                .n_args = n_args(call->step),
                                .n_results = call->step->n_results,
                                .results = results,
                                .flags = call->flags};
    const tn_kernel *k = call->kernel;
    if (k->accept != NULL) {
        TN_TRY(tn_invocation_status(inv, "accept", k->accept(&inv->ctx, &problem)));
    }
    const tn_step *step = call->step;
    if (step->native != NULL) {
        tn_code code = step->native->prepare(&inv->ctx, &problem, step->chain, &call->state);
        TN_TRY(tn_invocation_status(inv, "native prepare", code));
    }
    if (k->prepare != NULL) {
        void *state = NULL; /* of no meaning when prepare fails */
        tn_code code = k->prepare(&inv->ctx, &problem, &state);
        TN_TRY(tn_invocation_status(inv, "prepare", code));
        call->state = state;
    }
    call->workspace.struct_size = sizeof call->workspace;
    if (k->workspace == NULL) return NULL;
    TN_TRY(tn_invocation_status(inv, "workspace",
                                k->workspace(&inv->ctx, &problem, call->state, &call->workspace)));
    if (call->workspace.alignment > 64) {
        return tn_status_make(TN_UNSUPPORTED,
                              "plugin %s: op %s: a workspace aligned to %u bytes was asked for, at "
                              "most 64 are supported",
                              call->op->owner->plugin_name, call->op->schema->full_name,
                              call->workspace.alignment);
    }
    return NULL;
}

tn_status tn_call_plan_init(tn_call_plan *call, tn_runtime *rt, const tn_schedule *schedule,
                            const tn_step *step, uint32_t flags) {
    *call = (tn_call_plan){.schedule = schedule,
                           .step = step,
                           .kernel = step->node->op->cpu,
                           .op = step->node->op,
                           .flags = flags};
    if (step->native != NULL) {
        call->native = (tn_kernel){.struct_size = sizeof call->native,
                                   .device_type = TN_DEVICE_CPU,
                                   .flags = TN_KERNEL_STRIDED_INPUTS,
                                   .workspace = step->native->workspace,
                                   .run = step->native->run,
                                   .release = step->native->release};
        call->kernel = &call->native;
    }
    if (pthread_mutex_init(&call->lock, NULL) != 0) {
        call->kernel = NULL;
        return tn_status_no_memory();
    }
    tn_invocation inv;
    tn_arena arena;
    tn_arena_init(&arena, rt->allocator);
    tn_invocation_init(&inv, rt, call->op, flags);
    tn_status status = prepare(call, &inv, &arena);
    tn_invocation_deinit(&inv);
    tn_arena_deinit(&arena);
    if (status != NULL) tn_call_plan_deinit(call, rt);
    return status;
}

void tn_call_plan_deinit(tn_call_plan *call, tn_runtime *rt) {
    if (call->kernel == NULL) return;
    if (call->kernel->release != NULL && call->state != NULL) {
        tn_invocation inv;
        tn_invocation_init(&inv, rt, call->op, call->flags);
        call->kernel->release(&inv.ctx, call->state);
        tn_invocation_deinit(&inv);
    }
    pthread_mutex_destroy(&call->lock);
    call->kernel = NULL;
}

tn_status tn_call_frame_init(tn_call_frame *frame, const tn_call_plan *call, tn_runtime *rt,
                             tn_arena *arena) {
    *frame = (tn_call_frame){0};
    TN_TRY(tn_call_describe(call->schedule, call->step, arena, &frame->args, &frame->results,
                            &frame->tensors));
    uint64_t bytes = call->workspace.bytes;
    if (bytes == 0) return NULL;
    frame->workspace = tn_cpu_memory_alloc(rt->memory, bytes);
    if (frame->workspace == NULL) return tn_status_no_memory();
    if (call->workspace.init == TN_WORKSPACE_ZERO_ONCE) memset(frame->workspace, 0, bytes);
    return NULL;
}

void tn_call_frame_deinit(tn_call_frame *frame, const tn_call_plan *call, tn_runtime *rt) {
    tn_cpu_memory_free(rt->memory, frame->workspace, call->workspace.bytes);
}

static void point(const tn_operand *operand, tn_tensor *tensor, char *const *buffers) {
    if (operand->buffer == TN_NONE) return;
    uint64_t size = tensor->dtype.bits * (uint64_t)tensor->dtype.lanes / 8;
    tensor->data = buffers[operand->buffer];
    tensor->byte_offset = (uint64_t)operand->offset * size; /* of the first element: >= 0 */
}

tn_status tn_call_run(tn_call_plan *call, tn_call_frame *frame, tn_runtime *rt,
                      char *const *buffers) {
    const tn_step *step = call->step;
    for (uint32_t i = 0; i < step->n_operands; i++) {
        point(&step->operands[i], &frame->tensors[i], buffers);
    }
    for (uint32_t i = 0; i < step->n_results; i++) {
        point(&step->results[i], &frame->tensors[step->n_operands + i], buffers);
    }
    tn_call arguments = {.struct_size = sizeof arguments,
                         .args = frame->args,
                         .n_args = n_args(step),
                         .n_results = step->n_results,
                         .results = frame->results};
    tn_invocation inv;
    tn_invocation_init(&inv, rt, call->op, call->flags);
    inv.ctx.workspace = frame->workspace;
    inv.ctx.workspace_bytes = call->workspace.bytes;
    if (call->workspace.init == TN_WORKSPACE_ZERO_EACH && frame->workspace != NULL) {
        memset(frame->workspace, 0, call->workspace.bytes);
    }
    bool exclusive = (call->kernel->flags & TN_KERNEL_EXCLUSIVE_STATE) != 0;
    if (exclusive) pthread_mutex_lock(&call->lock);
    tn_status status;
    if (call->flags & TN_RUN_CHECKED) {
        status = tn__call_run_checked(call, frame, &inv, &arguments);
    } else {
        tn_code code = call->kernel->run(&inv.ctx, call->state, &arguments);
        status = tn_invocation_status(&inv, "run", code);
    }
    if (exclusive) pthread_mutex_unlock(&call->lock);
    if (status != NULL && call->workspace.init == TN_WORKSPACE_ZERO_ONCE &&
        frame->workspace != NULL) {
        memset(frame->workspace, 0, call->workspace.bytes);
    }
    tn_invocation_deinit(&inv);
    return status;
}
