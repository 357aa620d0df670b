/* A schedule rendered, compiled by a compiler of the test's choice, loaded, and
 * run on poisoned memory: what tests of the renderers are made of. */
#ifndef TN_TESTS_RENDER_CASE_H
#define TN_TESTS_RENDER_CASE_H

#include "codegen/render.h"
#include "support/schedule_case.h"

typedef struct tn_render_target {
    const char *compiler; /* "gcc" */
    const char *flags;    /* "-march=x86-64-v3", further ones too; NULL: -march=native */
    uint32_t lanes;
} tn_render_target;

/* The machine's own, with the compiler of this build. In a build with sanitizers,
 * generated code is compiled with them too. */
tn_render_target tn_render_target_native(void);
/* Others that run here: each with a name for messages. Returns how many. */
typedef struct tn_render_named_target {
    const char *name;
    tn_render_target target;
} tn_render_named_target;
uint32_t tn_render_targets(const tn_render_named_target **out);

/* The object of a schedule. The same text for the same target is compiled once in a
 * process: tn_render_texts says how many have been. */
typedef struct tn_render_object {
    void *handle;
    tn_rendered *rendered;
} tn_render_object;
TN_MUST_USE tn_status tn_render_object_open(const tn_allocator *allocator,
                                            const tn_schedule *schedule,
                                            const tn_render_target *target, tn_render_object *out);
void tn_render_object_close(tn_render_object *object);
uint32_t tn_render_texts(void);
/* Runs one entry on the memory of the buffers, by number: its work items cut into
 * that many ranges, each with poisoned scratch of its own. */
TN_MUST_USE tn_status tn_render_object_run(const tn_render_object *object,
                                           const tn_render_entry *entry, void *const *buffers,
                                           int64_t pieces);

/* Renders, compiles and runs the schedule on the case's inputs and compares every
 * output with the interpreter (tn_case_check_with). Every input and output is a block
 * of its own on the heap, as large as it is, aligned to an element alone, and poisoned
 * first. An error shows the text too. */
TN_MUST_USE tn_status tn_render_case_check(const tn_case *c, const tn_schedule *schedule,
                                           const tn_render_target *target,
                                           const tn_interp_options *options, bool exact);

#endif
