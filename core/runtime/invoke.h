/* The host's side of a plugin callback that prepares or runs a kernel: the run
 * context, its functions, and the error that comes back. One invocation belongs to
 * one thread and one callback at a time. */
#ifndef TN_RUNTIME_INVOKE_H
#define TN_RUNTIME_INVOKE_H

#include "runtime/runtime.h"

typedef struct tn_invocation {
    tn_run_context ctx; /* ctx is first: the functions find the invocation by it */
    tn_op_callback callback;
    tn_runtime *rt;
    const struct tn_op *op;
} tn_invocation;

/* flags: TN_RUN_... */
void tn_invocation_init(tn_invocation *inv, tn_runtime *rt, const struct tn_op *op, uint32_t flags);
void tn_invocation_deinit(tn_invocation *inv);
/* The status of a callback's code; `what` is "run", "prepare"... Resets the message. */
TN_MUST_USE tn_status tn_invocation_status(tn_invocation *inv, const char *what, tn_code code);

#endif
