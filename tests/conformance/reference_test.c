/* The reference interpreter through the suite: worked examples and fault cases
 * against their stated results, and everything through the text form, with strided
 * tensors between guards. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"
#include "bound_text.h"
#include "conformance/conformance.h"
#include "ir/interp.h"

static tn_status run_graph(void *self, const char *text, const tn_tensor *const *inputs,
                           uint32_t n_inputs, tn_tensor *const *outputs, uint32_t n_outputs) {
    const bool *strict = self;
    const tn_interp_options options = {.strict = *strict};
    tn_bound_text bound;
    TN_TRY(tn_bound_text_init(&bound, text));
    tn_status status = tn_interp_run(bound.graph, &options, inputs, n_inputs, outputs, n_outputs);
    tn_bound_text_deinit(&bound);
    return status;
}

static bool is_fused = false, is_strict = true;
static const tn_conformance_backend fused = {
    .name = "reference", .self = &is_fused, .run_graph = run_graph};
static const tn_conformance_backend strict = {
    .name = "reference, strict", .self = &is_strict, .strict = true, .run_graph = run_graph};

TN_CONFORMANCE_TESTS(reference, fused)
TN_CONFORMANCE_TESTS(reference_strict, strict)
