/* The suite itself: its checks can fail, and the groups are all of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "bound_text.h"
#include "conformance/conformance.h"
#include "ir/interp.h"

typedef enum fault {
    NO_FAULT,
    ONE_VALUE_OFF,
    ZERO_SIGN_LOST,
    WRITES_BEHIND,
    WRITES_INPUT,
    LEAVES_ONE_OUT,
    REFUSES
} fault;

static void spoil(fault f, const tn_tensor *input, const tn_tensor *output) {
    float *out = output->data;
    switch (f) {
    case ONE_VALUE_OFF: ((uint32_t *)output->data)[0] ^= 1; break;
    case ZERO_SIGN_LOST: out[1] = 0.0f; break;
    case WRITES_BEHIND: out[3] = 0.0f; break;
    case WRITES_INPUT: ((float *)input->data)[0] = 1.5f; break;
    case LEAVES_ONE_OUT: memset(&out[2], 0xff, 4); break;
    default: break;
    }
}

static tn_status run_faulty(void *self, const char *text, const tn_tensor *const *inputs,
                            uint32_t n_inputs, tn_tensor *const *outputs, uint32_t n_outputs) {
    const fault *f = self;
    tn_bound_text bound;
    if (*f == REFUSES) return tn_status_make(TN_UNSUPPORTED, "not yet");
    TN_TRY(tn_bound_text_init(&bound, text));
    tn_status status = tn_interp_run(bound.graph, NULL, inputs, n_inputs, outputs, n_outputs);
    tn_bound_text_deinit(&bound);
    if (status == NULL) spoil(*f, inputs[0], outputs[0]);
    return status;
}

static uint32_t find(const char *name) {
    uint32_t i = 0;
    while (i < tn_conformance_count() && strcmp(tn_conformance_name(i), name) != 0)
        i++;
    cr_assert_lt(i, tn_conformance_count(), "%s", name);
    return i;
}

/* floor(f32[3]) of -0.5, -0.0, 2.5. */
static tn_status run(fault f, const tn_conformance_gap *gap) {
    const tn_conformance_backend backend = {
        .name = "faulty", .self = &f, .run_graph = run_faulty, .gaps = gap, .n_gaps = gap != NULL};
    return tn_conformance_run(&backend, find("example.floor"));
}

static void assert_says(tn_status status, const char *text) {
    cr_assert_not_null(status, "expected: %s", text);
    cr_assert_not_null(strstr(tn_status_message(status), text), "%s", tn_status_message(status));
    cr_expect_not_null(strstr(tn_status_message(status), "example.floor on faulty"));
    tn_status_free(status);
}

Test(suite, faults_are_seen) {
    cr_assert_null(run(NO_FAULT, NULL));
    assert_says(run(ONE_VALUE_OFF, NULL), "1 of 3 elements differ: first at [0]");
    assert_says(run(ZERO_SIGN_LOST, NULL), "first at [1], expected -0.0, found 0.0");
    assert_says(run(WRITES_BEHIND, NULL), "y: byte 12 relative to its memory was written");
    assert_says(run(WRITES_INPUT, NULL), "x: byte ");
    assert_says(run(LEAVES_ONE_OUT, NULL), "expected 2.0, found nan");
    assert_says(run(REFUSES, NULL), "not yet");
}

Test(suite, gaps_are_exact) {
    const tn_conformance_gap gap = {"example.floor", "no floor"};
    const tn_conformance_gap other = {"example.ceil", "no ceil"};
    cr_assert_null(run(REFUSES, &gap));
    assert_says(run(REFUSES, &other), "not yet");
    assert_says(run(NO_FAULT, &gap), "listed as a gap (no floor)");
    assert_says(run(ONE_VALUE_OFF, &gap), "differ");
}

#define IN_GROUP(suite, backend, group, beginning, end)                                            \
    n += strncmp(name, beginning, strlen(beginning)) == 0 && strlen(name) >= strlen(end) &&        \
         strcmp(name + strlen(name) - strlen(end), end) == 0;

Test(suite, every_check_is_in_one_group) {
    cr_assert_gt(tn_conformance_count(), 300);
    for (uint32_t i = 0; i < tn_conformance_count(); i++) {
        char name[96];
        int n = 0;
        snprintf(name, sizeof name, "%s", tn_conformance_name(i));
        TN_CONFORMANCE_GROUPS(IN_GROUP, , )
        cr_expect_eq(n, 1, "%s", name);
        cr_expect_eq(find(name), i, "%s is there twice", name);
    }
    cr_assert_str_eq(tn_conformance_name(tn_conformance_count()), "?");
}
