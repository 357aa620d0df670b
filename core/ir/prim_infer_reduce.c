/* Types of reductions. */
#include <inttypes.h>

#include "ir/prim_infer.h"

static tn_status infer_arg(tn__infer *in) {
    const tn_type *x = &in->operands[0];
    int64_t shape[TN_MAX_RANK];
    int32_t axis, rank = 0;
    TN_TRY(tn__infer_axis(in, "axis", &axis));
    if (x->shape[axis] == 0)
        return tn__infer_fail(in,
                              "axis %d has extent 0: nothing is the largest or smallest of "
                              "nothing",
                              (int)axis);
    for (int32_t i = 0; i < x->rank; i++)
        if (i != axis) shape[rank++] = x->shape[i];
    return tn__infer_result(in, TN_DT_I64, shape, rank);
}

tn_status tn__infer_reduce(tn__infer *in) {
    TN_TRY(tn__infer_defined(in, 0));
    if (in->info->id == TN_PRIM_ARGMAX || in->info->id == TN_PRIM_ARGMIN) return infer_arg(in);
    const tn_type *x = &in->operands[0];
    bool reduced[TN_MAX_RANK];
    int64_t shape[TN_MAX_RANK];
    int32_t rank = 0;
    TN_TRY(tn__infer_axes(in, "axes", x->rank, reduced));
    for (int32_t i = 0; i < x->rank; i++)
        if (!reduced[i]) shape[rank++] = x->shape[i];
    TN_TRY(tn__infer_result(in, x->dt, shape, rank));
    if (in->info->id != TN_PRIM_MEAN_VAR) return NULL;
    int64_t correction;
    TN_TRY(tn__infer_int(in, "correction", &correction));
    if (correction < 0 || correction > INT32_MAX)
        return tn__infer_fail(in, "attribute correction: expected 0 or more, found %" PRId64,
                              correction);
    return tn__infer_result(in, x->dt, shape, rank);
}
