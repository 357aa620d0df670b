/* Checked mode: what an opaque kernel really did, against what its schema and meta
 * function say. Results are written to guarded copies first, so that a kernel whose
 * meta function promised too little ruins nothing of the host's. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "ir/tensor.h"
#include "runtime/call.h"

#define GUARD_BYTES 4096 /* each side: a row more than promised lands in it */
#define GUARD_BYTE 0xC5

static uint64_t hash_tensor(const tn_tensor *t) {
    char *first;
    uint64_t bytes;
    tn_tensor_span(t, &first, &bytes);
    return bytes == 0 ? 0 : tn_hash64(first, bytes, 0);
}

typedef struct guarded {
    char *block; /* GUARD_BYTES, the result, GUARD_BYTES */
    char *first; /* where the result belongs */
    uint64_t bytes;
    tn_tensor original;
} guarded;

static tn_status broke(const tn_call_plan *call, const char *what, uint32_t index,
                       const tn_tensor *t, const char *found) {
    char text[256] = "";
    size_t used = 0;
    for (int32_t i = 0; i < t->ndim && used < sizeof text - 24; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", i ? "," : "",
                                 (long long)t->shape[i]);
    }
    return tn_status_make(TN_PLUGIN, "plugin %s: op %s: %s %u: expected %s[%s], found %s",
                          call->op->owner->plugin_name, call->op->schema->full_name, what, index,
                          tn_dtype_text(t->dtype), text, found);
}

static bool all_bytes(const char *p, uint64_t n, unsigned char byte) {
    for (uint64_t i = 0; i < n; i++) {
        if ((unsigned char)p[i] != byte) return false;
    }
    return true;
}

/* Whether some element still holds the poison, whole. Contiguous results only: a
 * strided one has gaps that nobody writes. */
static bool has_poison(const guarded *g, unsigned char poison) {
    uint64_t size = g->original.dtype.bits * (uint64_t)g->original.dtype.lanes / 8;
    const char *data = g->block + GUARD_BYTES;
    for (uint64_t i = 0; size > 0 && i + size <= g->bytes; i += size) {
        if (all_bytes(data + i, size, poison)) return true;
    }
    return false;
}

static bool is_dense(const tn_tensor *t, uint64_t bytes) {
    return (uint64_t)tn_tensor_numel(t) * tn_dtype_bytes(t->dtype) == bytes;
}

/* What a kernel is told of a tensor, which it must leave as it is. */
typedef struct description {
    tn_tensor tensor;
    int64_t *axes; /* copies of shape and strides */
} description;

static tn_status describe(const tn_tensor *t, tn_arena *arena, description *out) {
    size_t rank = t->shape != NULL ? (size_t)t->ndim : 0;
    out->tensor = *t;
    out->axes = tn_arena_array(arena, 2 * rank, sizeof *out->axes);
    if (out->axes == NULL) return tn_status_no_memory();
    for (size_t i = 0; i < rank; i++) {
        out->axes[i] = t->shape[i];
        out->axes[rank + i] = t->strides[i];
    }
    return NULL;
}

/* Whether the kernel left it as it was; if not, so it is again. */
static bool restore(const description *d, tn_tensor *t) {
    const tn_tensor *was = &d->tensor;
    size_t rank = was->shape != NULL ? (size_t)was->ndim : 0;
    bool same = t->data == was->data && t->byte_offset == was->byte_offset &&
                t->ndim == was->ndim && memcmp(&t->dtype, &was->dtype, sizeof t->dtype) == 0 &&
                t->shape == was->shape && t->strides == was->strides;
    *t = *was;
    for (size_t i = 0; i < rank; i++) {
        same = same && t->shape[i] == d->axes[i] && t->strides[i] == d->axes[rank + i];
        t->shape[i] = d->axes[i];
        t->strides[i] = d->axes[rank + i];
    }
    return same;
}

/* A kernel that settles dtype or shape itself, as if results were its own. */
static tn_status check_descriptions(const tn_call_plan *call, const tn_call_frame *frame,
                                    const description *before) {
    uint32_t n_operands = call->step->n_operands;
    for (uint32_t i = 0; i < n_operands + call->step->n_results; i++) {
        tn_tensor *now = &frame->tensors[i];
        char found[128];
        snprintf(found, sizeof found,
                 "that the kernel changed its description, to dtype %s and rank %d",
                 tn_dtype_text(now->dtype), now->ndim);
        if (restore(&before[i], now)) continue;
        bool operand = i < n_operands;
        return broke(call, operand ? "tensor argument" : "result", operand ? i : i - n_operands,
                     now, found);
    }
    return NULL;
}

/* Of all dtypes, bool alone has bytes that are no value: wrong ones show. */
static tn_status check_bools(const tn_call_plan *call, const guarded *results, tn_tensor *tensors,
                             tn_arena *arena) {
    for (uint32_t i = 0; i < call->step->n_results; i++) {
        const tn_tensor *t = &tensors[i];
        if (results[i].block == NULL || tn_dt_from_dtype(t->dtype) != TN_DT_BOOL) continue;
        int64_t n = tn_tensor_numel(t);
        unsigned char *values = tn_arena_alloc(arena, (size_t)n + 1);
        if (values == NULL) return tn_status_no_memory();
        tn_tensor_gather(t, values);
        for (int64_t k = 0; k < n; k++) {
            char found[96];
            if (values[k] <= 1) continue;
            snprintf(found, sizeof found, "byte %u at element %lld, which is neither 0 nor 1",
                     values[k], (long long)k);
            return broke(call, "result", i, &results[i].original, found);
        }
    }
    return NULL;
}

static tn_status run_once(tn_call_plan *call, tn_invocation *inv, const tn_call *arguments,
                          guarded *results, unsigned char poison) {
    for (uint32_t i = 0; i < arguments->n_results; i++) {
        if (results[i].block == NULL) continue;
        memset(results[i].block, GUARD_BYTE, results[i].bytes + 2 * GUARD_BYTES);
        memset(results[i].block + GUARD_BYTES, poison, results[i].bytes);
    }
    if (call->workspace.init == TN_WORKSPACE_ZERO_EACH && inv->ctx.workspace != NULL) {
        memset(inv->ctx.workspace, 0, call->workspace.bytes);
    }
    tn_code code = call->kernel->run(&inv->ctx, call->state, arguments);
    TN_TRY(tn_invocation_status(inv, "run", code));
    for (uint32_t i = 0; i < arguments->n_results; i++) {
        const guarded *g = &results[i];
        if (g->block == NULL) continue;
        if (!all_bytes(g->block, GUARD_BYTES, GUARD_BYTE)) {
            return broke(call, "result", i, &g->original, "a write before its first element");
        }
        if (!all_bytes(g->block + GUARD_BYTES + g->bytes, GUARD_BYTES, GUARD_BYTE)) {
            return broke(call, "result", i, &g->original,
                         "a write beyond its last element: the meta function promises less than "
                         "the kernel writes");
        }
    }
    return NULL;
}

static tn_status run_guarded(tn_call_plan *call, tn_invocation *inv, const tn_call *arguments,
                             guarded *results) {
    /* A value may look like one poison, but not like two. */
    TN_TRY(run_once(call, inv, arguments, results, 0xFF));
    bool suspect = false;
    for (uint32_t i = 0; i < arguments->n_results; i++) {
        const guarded *g = &results[i];
        suspect |= g->block != NULL && is_dense(&g->original, g->bytes) && has_poison(g, 0xFF);
    }
    if (!suspect) return NULL;
    TN_TRY(run_once(call, inv, arguments, results, 0xA7));
    for (uint32_t i = 0; i < arguments->n_results; i++) {
        const guarded *g = &results[i];
        if (g->block != NULL && is_dense(&g->original, g->bytes) && has_poison(g, 0xA7)) {
            return broke(call, "result", i, &g->original,
                         "elements that the kernel never wrote: it writes less than the meta "
                         "function promises");
        }
    }
    return NULL;
}

tn_status tn__call_run_checked(tn_call_plan *call, tn_call_frame *frame, tn_invocation *inv,
                               const tn_call *arguments) {
    const tn_step *step = call->step;
    tn_runtime *rt = inv->rt;
    tn_arena arena;
    tn_arena_init(&arena, rt->allocator);
    guarded *results = tn_arena_array(&arena, step->n_results, sizeof *results);
    uint64_t *before = tn_arena_array(&arena, step->n_operands, sizeof *before);
    uint32_t n_tensors = step->n_operands + step->n_results;
    description *told = tn_arena_array(&arena, n_tensors, sizeof *told);
    tn_status status = NULL;
    if (results == NULL || before == NULL || told == NULL) status = tn_status_no_memory();
    for (uint32_t i = 0; status == NULL && i < step->n_operands; i++) {
        if (step->operands[i].buffer != TN_NONE) before[i] = hash_tensor(&frame->tensors[i]);
    }
    for (uint32_t i = 0; status == NULL && i < step->n_results; i++) {
        tn_tensor *t = &frame->tensors[step->n_operands + i];
        if (step->results[i].buffer == TN_NONE) continue;
        results[i].original = *t;
        tn_tensor_span(t, &results[i].first, &results[i].bytes);
        results[i].block = tn_cpu_memory_alloc(rt->memory, results[i].bytes + 2 * GUARD_BYTES);
        if (results[i].block == NULL) {
            status = tn_status_no_memory();
            break;
        }
        int64_t shift = tn_tensor_first(t) - results[i].first;
        t->data = results[i].block + GUARD_BYTES + shift;
        t->byte_offset = 0;
    }
    for (uint32_t i = 0; status == NULL && i < n_tensors; i++)
        status = describe(&frame->tensors[i], &arena, &told[i]);
    if (status == NULL) status = run_guarded(call, inv, arguments, results);
    if (status == NULL) status = check_descriptions(call, frame, told);
    if (status == NULL) {
        status = check_bools(call, results, frame->tensors + step->n_operands, &arena);
    }
    for (uint32_t i = 0; status == NULL && i < step->n_operands; i++) {
        if (step->operands[i].buffer == TN_NONE) continue;
        if (hash_tensor(&frame->tensors[i]) != before[i]) {
            status = broke(call, "tensor argument", i, &frame->tensors[i],
                           "that the kernel changed it, which the schema does not say");
        }
    }
    for (uint32_t i = 0; results != NULL && i < step->n_results; i++) {
        if (results[i].block == NULL) continue;
        if (status == NULL && results[i].bytes > 0) {
            memcpy(results[i].first, results[i].block + GUARD_BYTES, results[i].bytes);
        }
        frame->tensors[step->n_operands + i] = results[i].original;
        tn_cpu_memory_free(rt->memory, results[i].block, results[i].bytes + 2 * GUARD_BYTES);
    }
    tn_arena_deinit(&arena);
    return status;
}
