/* What must hold of tensors before a plan may run on them. */
#include <string.h>

#include "ir/tensor.h"
#include "runtime/plan.h"

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
    return NULL;
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
