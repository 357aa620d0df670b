#include "ir/interp_access.h"

#include <string.h>

#include "ir/internal.h"

bool tn__is_empty(const tn__strided *view) {
    for (int32_t i = 0; i < view->rank; i++)
        if (view->shape[i] == 0) return true;
    return false;
}

void tn__strided_init(tn__strided *view, const tn_tensor *tensor, tn_dt dt) {
    static char nothing; /* where a tensor without elements, or data, is */
    view->dt = dt;
    view->held = tn_dt_from_dtype(tensor->dtype);
    view->size = tn__dtype_size(tensor->dtype);
    view->rank = tensor->ndim;
    for (int32_t i = 0; i < view->rank; i++)
        view->shape[i] = tensor->shape[i];
    const bool empty = tn__is_empty(view);
    view->data = empty ? &nothing : (char *)tensor->data + tensor->byte_offset;
    /* A stride that leads nowhere may be any number. */
    for (int32_t i = 0; i < view->rank; i++)
        view->stride[i] = empty || view->shape[i] == 1 ? 0
                                                       : tensor->strides[i] * (int64_t)view->size;
}

tn_scalar tn__load(const tn__strided *view, const char *at) {
    return tn_scalar_load(view->held, at);
}

void tn__store(const tn__strided *view, char *at, tn_scalar value, bool strict) {
    if (strict && view->held != view->dt) value.f = tn_float_round(value.f, view->dt);
    tn_scalar_store(view->held, at, value);
}

void tn__move(const tn__strided *to, char *at, const tn__strided *from, const char *from_at) {
    if (to->held == from->held)
        memcpy(at, from_at, to->size);
    else
        tn_scalar_store(to->held, at, tn_scalar_load(from->held, from_at));
}

void tn__walk_init(tn__walk *walk, int32_t rank, const int64_t *shape) {
    walk->more = true;
    walk->rank = rank;
    walk->n = 0;
    for (int32_t i = 0; i < rank; i++) {
        walk->shape[i] = shape[i];
        walk->index[i] = 0;
        if (shape[i] == 0) walk->more = false;
    }
}

void tn__walk_add(tn__walk *walk, const tn__strided *view) {
    walk->at[walk->n] = view->data;
    for (int32_t i = 0; i < walk->rank; i++)
        walk->stride[walk->n][i] = view->stride[i];
    walk->n++;
}

bool tn__walk_next(tn__walk *walk) {
    for (int32_t i = walk->rank - 1; i >= 0; i--) {
        if (++walk->index[i] < walk->shape[i]) {
            for (uint32_t k = 0; k < walk->n; k++)
                walk->at[k] += walk->stride[k][i];
            return true;
        }
        /* Back to the start of the axis: no pointer ever leaves its tensor. */
        walk->index[i] = 0;
        for (uint32_t k = 0; k < walk->n; k++)
            walk->at[k] -= walk->stride[k][i] * (walk->shape[i] - 1);
    }
    return false;
}

void tn__copy_all(const tn__strided *to, const tn__strided *from) {
    tn__walk walk;
    tn__walk_init(&walk, to->rank, to->shape);
    tn__walk_add(&walk, to);
    tn__walk_add(&walk, from);
    for (bool more = walk.more; more; more = tn__walk_next(&walk))
        tn__move(to, walk.at[0], from, walk.at[1]);
}
