/* One op, now: a graph of one node for each kind of call, planned at the first and
 * found again after. A call that was made before takes no lock and allocates nothing
 * but its results. */
#ifndef TN_DISPATCH_CALL_H
#define TN_DISPATCH_CALL_H

#include "runtime/program.h"

typedef struct tn_dispatch tn_dispatch;

TN_MUST_USE tn_status tn_dispatch_create(tn_runtime *rt, tn_dispatch **out_dispatch);
void tn_dispatch_destroy(tn_dispatch *dispatch); /* NULL is fine; no call is under way */

/* args: by position, fewer than parameters when the rest have defaults. outs: one
 * per schema result; see tn_call_op in tenon/tenon.h. Thread-safe. */
TN_MUST_USE tn_status tn_dispatch_call(tn_dispatch *dispatch, const struct tn_op *op,
                                       const tn_arg *args, uint32_t n_args, tn_arg *outs,
                                       uint32_t n_outs);
/* What calls hold of the ops of one owner: their plans are kept for the next call of
 * their kind. Those of calls under way go when the calls end. */
uint64_t tn_dispatch_references(tn_dispatch *dispatch, const tn_op_owner *owner);
void tn_dispatch_forget(tn_dispatch *dispatch, const tn_op_owner *owner);
/* Frees what a call allocated. */
void tn_dispatch_free_results(tn_runtime *rt, tn_arg *outs, uint32_t n_outs);

#endif
