/* Whether what an op's lowering builds is what its meta function says: tried when a
 * plugin is loaded, on calls made up from the schema. Private to sdk/host. */
#ifndef TN_HOST_PROBE_H
#define TN_HOST_PROBE_H

#include "runtime/runtime.h"

/* Tries the op's lowering and decomposition on a dozen calls that differ in dtypes,
 * ranks and flags; calls that meta refuses or the lowering declines prove nothing. A
 * result of another dtype or shape than meta says is TN_PLUGIN, naming plugin, op,
 * result, expected, found and the call. Any other failure of a lowering is logged as
 * a warning: it would fail when it runs, too. Any thread. */
TN_MUST_USE tn_status tn__probe_op(tn_runtime *rt, const struct tn_op *op);

#endif
