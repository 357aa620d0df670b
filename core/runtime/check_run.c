/* What must hold of tensors before a plan may run on them. */
#include <string.h>

#include "ir/tensor.h"
#include "runtime/plan.h"

static uint64_t distance(const tn_tensor *t, int32_t axis) {
    int64_t stride = t->strides[axis];
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* Two axes of which one step of the first is some steps of the other: both lead to one place.
 * No other way for elements to share one is looked for. */
static tn_status check_axes(const tn_tensor *t, uint32_t index, const char *name) {
    for (int32_t i = 0; i < t->ndim; i++) {
        for (int32_t k = 0; k < t->ndim; k++) {
            uint64_t one = distance(t, i), other = distance(t, k);
            if (i == k || t->shape[i] <= 1 || t->shape[k] <= 1 || one % other != 0 ||
                one / other >= (uint64_t)t->shape[k])
                continue;
            return tn_status_make(TN_INVALID,
                                  "output %u (%%%s): a step of stride %lld along axis %d leads to "
                                  "an element of axis %d, of stride %lld: strides of outputs must "
                                  "not overlap",
                                  index, name, (long long)t->strides[i], i, k,
                                  (long long)t->strides[k]);
        }
    }
    return NULL;
}

static tn_status check_output(const tn_run_plan *plan, uint32_t index, const tn_tensor *t) {
    const tn_tensor *spec = &plan->output_specs[index];
    const char *name = plan->graph->values[plan->graph->outputs[index]].name;
    if (t == NULL) return tn_status_make(TN_INVALID, "output %u (%%%s): no tensor", index, name);
    if (memcmp(&t->dtype, &spec->dtype, sizeof t->dtype) != 0) {
        return tn_status_make(TN_INVALID, "output %u (%%%s): expected dtype %s, found %s", index,
                              name, tn_dtype_text(spec->dtype), tn_dtype_text(t->dtype));
    }
    if (t->ndim != spec->ndim) {
        return tn_status_make(TN_INVALID, "output %u (%%%s): expected rank %d, found %d", index,
                              name, spec->ndim, t->ndim);
    }
    for (int32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] != spec->shape[i]) {
            return tn_status_make(
                TN_INVALID, "output %u (%%%s): axis %d: expected extent %lld, found %lld", index,
                name, i, (long long)spec->shape[i], (long long)t->shape[i]);
        }
        if (t->shape[i] > 1 && t->strides[i] == 0) {
            return tn_status_make(TN_INVALID,
                                  "output %u (%%%s): axis %d has stride 0: its %lld elements would "
                                  "be written to one place",
                                  index, name, i, (long long)t->shape[i]);
        }
    }
    return tn_tensor_numel(t) > 0 && !tn_tensor_is_contiguous(t) ? check_axes(t, index, name)
                                                                 : NULL;
}

/* Generated code and kernels load whole elements. */
static tn_status check_alignment(const tn_tensor *t, const char *what, uint32_t index) {
    uint32_t alignment = tn_dtype_alignment(t->dtype);
    uintptr_t first = (uintptr_t)tn_tensor_first(t);
    if (first % alignment == 0 || tn_tensor_numel(t) == 0) return NULL;
    return tn_status_make(
        TN_INVALID,
        "%s %u: its first element lies at %p, which is no multiple of the %u bytes "
        "that an element of %s is aligned to: copy it to memory that is",
        what, index, (void *)first, alignment, tn_dtype_text(t->dtype));
}

/* Data present and aligned, and what is written apart from everything else. */
static tn_status check_memory(const tn_tensor *const *inputs, uint32_t n_inputs,
                              tn_tensor *const *outputs, uint32_t n_outputs) {
    for (uint32_t i = 0; i < n_inputs + n_outputs; i++) {
        bool input = i < n_inputs;
        const tn_tensor *t = input ? inputs[i] : outputs[i - n_inputs];
        if (t->data == NULL && tn_tensor_numel(t) > 0) {
            return tn_status_make(TN_INVALID, "%s %u: its data is NULL", input ? "input" : "output",
                                  input ? i : i - n_inputs);
        }
        if (t->device.type != TN_DEVICE_CPU) {
            return tn_status_make(TN_INVALID, "%s %u: expected host memory, found device %d:%d",
                                  input ? "input" : "output", input ? i : i - n_inputs,
                                  t->device.type, t->device.id);
        }
        TN_TRY(check_alignment(t, input ? "input" : "output", input ? i : i - n_inputs));
    }
    for (uint32_t o = 0; o < n_outputs; o++) {
        char *first, *other;
        uint64_t bytes, other_bytes;
        tn_tensor_span(outputs[o], &first, &bytes);
        for (uint32_t i = 0; i < n_inputs + o; i++) {
            const tn_tensor *t = i < n_inputs ? inputs[i] : outputs[i - n_inputs];
            tn_tensor_span(t, &other, &other_bytes);
            if (bytes == 0 || other_bytes == 0) continue;
            if (first + bytes <= other || other + other_bytes <= first) continue;
            return tn_status_make(TN_INVALID, "output %u overlaps %s %u in memory", o,
                                  i < n_inputs ? "input" : "output",
                                  i < n_inputs ? i : i - n_inputs);
        }
    }
    return NULL;
}

tn_status tn_run_plan_check(const tn_run_plan *plan, const tn_tensor *const *inputs,
                            uint32_t n_inputs, tn_tensor *const *outputs, uint32_t n_outputs) {
    for (uint32_t i = 0; i < n_outputs; i++)
        TN_TRY(check_output(plan, i, outputs[i]));
    return check_memory(inputs, n_inputs, outputs, n_outputs);
}
