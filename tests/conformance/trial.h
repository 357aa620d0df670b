/* One run of one graph on a backend; private to tests/conformance. */
#ifndef TN_TESTS_CONFORMANCE_TRIAL_H
#define TN_TESTS_CONFORMANCE_TRIAL_H

#include "bound_text.h"
#include "ir/compare.h"
#include "tensors.h"

typedef struct tn_trial {
    const char *name; /* for messages */
    const char *text;
    tn_bound_text bound;
    tn_watched *inputs, *outputs, *expected;
} tn_trial;

/* Parses and binds the text; allocates inputs, outputs and what is expected, all
 * of them filled with the pattern. text and name are borrowed. */
TN_MUST_USE tn_status tn_trial_init(tn_trial *t, const char *name, const char *text);
void tn_trial_deinit(tn_trial *t); /* after a failed init too */

/* What the interpreter makes of the inputs goes to expected. */
TN_MUST_USE tn_status tn_trial_reference(tn_trial *t, bool strict);
/* Runs the backend, and checks that it kept to its own memory. */
TN_MUST_USE tn_status tn_trial_run(tn_trial *t, const tn_conformance_backend *backend);
/* Output `index` against what is expected. */
TN_MUST_USE tn_status tn_trial_compare(const tn_trial *t, uint32_t index,
                                       const tn_tolerance *tolerance);

#endif
