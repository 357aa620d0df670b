#include "runtime/invoke.h"

#include <string.h>

/* A parallel loop of a plugin: the first failure of a body is kept, and the chunks
 * after it are dropped. */
typedef struct loop {
    tn_body_fn body;
    void *arg;
    _Atomic int32_t code;
} loop;

static void run_chunk(void *arg, int64_t begin, int64_t end, uint32_t worker) {
    loop *l = arg;
    if (atomic_load_explicit(&l->code, memory_order_relaxed) != TN_OK) return;
    tn_code code = l->body(l->arg, begin, end, worker);
    int32_t none = TN_OK;
    if (code != TN_OK) atomic_compare_exchange_strong(&l->code, &none, code);
}

static tn_code parallel_for(const tn_run_context *ctx, int64_t n, int64_t grain, tn_body_fn body,
                            void *arg) {
    const tn_invocation *inv = (const tn_invocation *)ctx;
    loop l = {.body = body, .arg = arg};
    atomic_init(&l.code, TN_OK);
    tn_pool_for(inv->rt->pool, n, grain, run_chunk, &l);
    return atomic_load(&l.code);
}

static void *allocate(const tn_run_context *ctx, uint64_t bytes, uint32_t alignment) {
    const tn_invocation *inv = (const tn_invocation *)ctx;
    if (alignment > 64) return NULL;
    return tn_cpu_memory_alloc(inv->rt->memory, bytes);
}

static void deallocate(const tn_run_context *ctx, void *ptr, uint64_t bytes) {
    const tn_invocation *inv = (const tn_invocation *)ctx;
    tn_cpu_memory_free(inv->rt->memory, ptr, bytes);
}

void tn_invocation_init(tn_invocation *inv, tn_runtime *rt, const struct tn_op *op,
                        uint32_t flags) {
    memset(&inv->ctx, 0, sizeof inv->ctx);
    inv->rt = rt;
    inv->op = op;
    tn_op_callback_init(&inv->callback, rt->allocator);
    inv->ctx.struct_size = sizeof inv->ctx;
    inv->ctx.cb = &inv->callback.cb;
    inv->ctx.device_state = op->owner->device_state;
    inv->ctx.device = (tn_device){TN_DEVICE_CPU, 0};
    inv->ctx.flags = flags;
    inv->ctx.threads = tn_pool_threads(rt->pool);
    inv->ctx.parallel_for = parallel_for;
    inv->ctx.allocate = allocate;
    inv->ctx.deallocate = deallocate;
}

void tn_invocation_deinit(tn_invocation *inv) {
    tn_op_callback_deinit(&inv->callback);
}

tn_status tn_invocation_status(tn_invocation *inv, const char *what, tn_code code) {
    if (code == TN_OK) return NULL;
    tn_status status = tn_op_callback_status(&inv->callback, inv->op, what, code);
    inv->callback.message[0] = 0;
    return status;
}
