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
    tn_status status = NULL;
    if (results == NULL || before == NULL) status = tn_status_no_memory();
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
    if (status == NULL) status = run_guarded(call, inv, arguments, results);
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
