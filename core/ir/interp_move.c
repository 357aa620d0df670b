/* Movement primitives: the operand seen through other strides, then copied. */
#include <string.h>

#include "ir/interp_exec.h"

/* Two shapes, the same elements in row-major order. */
static void run_reshape(const tn__exec *e) {
    const tn__strided *x = &e->in[0], *out = &e->out[0];
    tn__walk from, to;
    tn__walk_init(&from, x->rank, x->shape);
    tn__walk_add(&from, x);
    tn__walk_init(&to, out->rank, out->shape);
    tn__walk_add(&to, out);
    for (bool more = to.more; more; more = tn__walk_next(&to)) {
        tn__move(out, to.at[0], x, from.at[0]);
        tn__walk_next(&from);
    }
}

static void view_broadcast(const tn__exec *e, tn__strided *view) {
    const tn__strided *x = &e->in[0];
    int64_t axes[TN_MAX_RANK];
    tn_ir_attr_ints(e->node, "axes", axes);
    memset(view->stride, 0, sizeof view->stride);
    for (int32_t i = 0; i < x->rank; i++)
        if (x->shape[i] != 1) view->stride[axes[i]] = x->stride[i];
}

static void view_permute(const tn__exec *e, tn__strided *view) {
    int64_t perm[TN_MAX_RANK];
    tn_ir_attr_ints(e->node, "perm", perm);
    for (int32_t i = 0; i < view->rank; i++)
        view->stride[i] = e->in[0].stride[perm[i]];
}

static void view_slice(const tn__exec *e, tn__strided *view) {
    int64_t start[TN_MAX_RANK], step[TN_MAX_RANK];
    tn_ir_attr_ints(e->node, "start", start);
    tn_ir_attr_ints(e->node, "step", step);
    for (int32_t i = 0; i < view->rank; i++) {
        view->data += start[i] * view->stride[i];
        /* The step from a single element may be any number. */
        view->stride[i] = e->out[0].shape[i] > 1 ? step[i] * view->stride[i] : 0;
    }
}

static void view_flip(const tn__exec *e, tn__strided *view) {
    int64_t axes[TN_MAX_RANK];
    const uint32_t n = tn_ir_attr_ints(e->node, "axes", axes);
    for (uint32_t i = 0; i < n; i++) {
        view->data += (view->shape[axes[i]] - 1) * view->stride[axes[i]];
        view->stride[axes[i]] = -view->stride[axes[i]];
    }
}

static void view_window(const tn__exec *e, tn__strided *view) {
    const tn__strided *out = &e->out[0];
    const int64_t axis = tn_ir_attr_int(e->node, "axis");
    const int64_t stride = view->stride[axis];
    const int32_t last = out->rank - 1;
    view->stride[last] = out->shape[last] > 1 ? stride * tn_ir_attr_int(e->node, "dilation") : 0;
    view->stride[axis] = out->shape[axis] > 1 ? stride * tn_ir_attr_int(e->node, "step") : 0;
}

void tn__exec_view(const tn__exec *e) {
    tn__strided view = e->in[0];
    if (tn__is_empty(&e->out[0])) return;
    view.rank = e->out[0].rank;
    switch (e->info->id) {
    case TN_PRIM_RESHAPE: run_reshape(e); return;
    case TN_PRIM_BROADCAST: view_broadcast(e, &view); break;
    case TN_PRIM_PERMUTE: view_permute(e, &view); break;
    case TN_PRIM_SLICE: view_slice(e, &view); break;
    case TN_PRIM_FLIP: view_flip(e, &view); break;
    default: view_window(e, &view); break;
    }
    tn__copy_all(&e->out[0], &view);
}

static void run_pad(const tn__exec *e) {
    int64_t low[TN_MAX_RANK];
    tn_ir_attr_ints(e->node, "low", low);
    const tn__strided *x = &e->in[0];
    tn__strided value = e->in[1], inside = e->out[0];
    memset(value.stride, 0, sizeof value.stride);
    tn__copy_all(&e->out[0], &value);
    if (tn__is_empty(x)) return;
    for (int32_t i = 0; i < x->rank; i++) {
        inside.shape[i] = x->shape[i];
        inside.data += low[i] * inside.stride[i];
    }
    tn__copy_all(&inside, x);
}

static void run_concat(const tn__exec *e) {
    const int64_t axis = tn_ir_attr_int(e->node, "axis");
    tn__strided part = e->out[0];
    int64_t before = 0;
    for (uint32_t i = 0; i < e->node->n_operands; i++) {
        if (tn__is_empty(&e->in[i])) continue;
        part.data = e->out[0].data + before * part.stride[axis];
        part.shape[axis] = e->in[i].shape[axis];
        tn__copy_all(&part, &e->in[i]);
        before += part.shape[axis];
    }
}

/* The result's axes are x's before axis, index's, and x's after it. */
static void run_take(const tn__exec *e) {
    const tn__strided *x = &e->in[0], *index = &e->in[1], *out = &e->out[0];
    const int32_t axis = (int32_t)tn_ir_attr_int(e->node, "axis");
    tn__strided from = *x, which = *index;
    for (int32_t i = 0; i < out->rank; i++) {
        const bool of_index = i >= axis && i < axis + index->rank;
        const int32_t of_x = i < axis ? i : i - index->rank + 1;
        from.stride[i] = of_index ? 0 : x->stride[of_x];
        which.stride[i] = of_index ? index->stride[i - axis] : 0;
    }
    tn__walk walk;
    tn__walk_init(&walk, out->rank, out->shape);
    tn__walk_add(&walk, out);
    tn__walk_add(&walk, &from);
    tn__walk_add(&walk, &which);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        const int64_t k = tn__load(index, walk.at[2]).i;
        if (k >= 0 && k < x->shape[axis])
            tn__move(out, walk.at[0], x, walk.at[1] + k * x->stride[axis]);
        else
            memset(walk.at[0], 0, out->size); /* zero, or false, in every dtype */
    }
}

void tn__exec_gather(const tn__exec *e) {
    switch (e->info->id) {
    case TN_PRIM_PAD: run_pad(e); break;
    case TN_PRIM_CONCAT: run_concat(e); break;
    default: run_take(e); break;
    }
}
