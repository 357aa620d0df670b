#include "trial.h"

#include <inttypes.h>
#include <string.h>

#include "base/allocator.h"
#include "ir/compare.h"
#include "ir/interp.h"

static tn_status make_tensors(const tn_ir_graph *g, const tn_vid *values, uint32_t n,
                              tn_watched **out) {
    *out = tn_alloc_array(tn_allocator_system(), (size_t)n + 1, sizeof **out);
    if (*out == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(tn_watched_init(&(*out)[i], &g->values[values[i]].type));
    return NULL;
}

tn_status tn_trial_init(tn_trial *t, const char *name, const char *text) {
    *t = (tn_trial){.name = name, .text = text};
    TN_TRY(tn_bound_text_init(&t->bound, text));
    const tn_ir_graph *g = t->bound.graph;
    TN_TRY(make_tensors(g, g->inputs, g->n_inputs, &t->inputs));
    TN_TRY(make_tensors(g, g->outputs, g->n_outputs, &t->outputs));
    return make_tensors(g, g->outputs, g->n_outputs, &t->expected);
}

static void free_tensors(tn_watched *tensors, uint32_t n) {
    for (uint32_t i = 0; tensors != NULL && i < n; i++)
        tn_watched_deinit(&tensors[i]);
    tn_free(tn_allocator_system(), tensors, ((size_t)n + 1) * sizeof *tensors);
}

void tn_trial_deinit(tn_trial *t) {
    const tn_ir_graph *g = t->bound.graph;
    if (g != NULL) {
        free_tensors(t->inputs, g->n_inputs);
        free_tensors(t->outputs, g->n_outputs);
        free_tensors(t->expected, g->n_outputs);
    }
    tn_bound_text_deinit(&t->bound);
}

/* Lists of what run functions take; the caller frees them. */
static const tn_tensor **pointers(tn_watched *tensors, uint32_t n) {
    const tn_tensor **list = tn_alloc_array(tn_allocator_system(), (size_t)n + 1, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < n; i++)
        list[i] = &tensors[i].tensor;
    return list;
}

static void free_pointers(const tn_tensor **list, uint32_t n) {
    tn_free(tn_allocator_system(), (void *)list, ((size_t)n + 1) * sizeof *list);
}

typedef struct interp_backend {
    const tn_ir_graph *graph;
    bool strict;
} interp_backend;

static tn_status run_interp(void *self, const char *text, const tn_tensor *const *inputs,
                            uint32_t n_inputs, tn_tensor *const *outputs, uint32_t n_outputs) {
    const interp_backend *b = self;
    const tn_interp_options options = {.strict = b->strict};
    (void)text;
    return tn_interp_run(b->graph, &options, inputs, n_inputs, outputs, n_outputs);
}

static tn_status call(tn_trial *t, const tn_conformance_backend *backend, tn_watched *outputs) {
    const uint32_t n_in = t->bound.graph->n_inputs, n_out = t->bound.graph->n_outputs;
    const tn_tensor **in = pointers(t->inputs, n_in), **out = pointers(outputs, n_out);
    tn_status status = tn_status_no_memory();
    if (in != NULL && out != NULL)
        status = backend->run_graph(backend->self, t->text, in, n_in, (tn_tensor *const *)out,
                                    n_out);
    free_pointers(in, n_in);
    free_pointers(out, n_out);
    return status;
}

tn_status tn_trial_reference(tn_trial *t, bool strict) {
    interp_backend self = {t->bound.graph, strict};
    const tn_conformance_backend backend = {.self = &self, .run_graph = run_interp};
    return call(t, &backend, t->expected);
}

tn_status tn_trial_run(tn_trial *t, const tn_conformance_backend *backend) {
    const tn_ir_graph *g = t->bound.graph;
    for (uint32_t i = 0; i < g->n_inputs; i++)
        TN_TRY(tn_watched_keep(&t->inputs[i]));
    for (uint32_t i = 0; i < g->n_outputs; i++)
        TN_TRY(tn_watched_keep(&t->outputs[i]));
    TN_TRY(call(t, backend, t->outputs));
    for (uint32_t i = 0; i < g->n_inputs; i++)
        TN_TRY(tn_watched_check(&t->inputs[i], true, g->values[g->inputs[i]].name));
    for (uint32_t i = 0; i < g->n_outputs; i++)
        TN_TRY(tn_watched_check(&t->outputs[i], false, g->values[g->outputs[i]].name));
    return NULL;
}

/* The elements of the inputs that have the output's shape, at one place. */
static void print_inputs(const tn_trial *t, const tn_watched *output, int64_t index,
                         tn_strbuf *out) {
    for (uint32_t i = 0; index >= 0 && i < t->bound.graph->n_inputs; i++) {
        const tn_watched *w = &t->inputs[i];
        const size_t shape_bytes = (size_t)w->tensor.ndim * sizeof *w->shape;
        if (w->tensor.ndim != output->tensor.ndim || w->dt != output->dt) continue;
        if (memcmp(w->shape, output->shape, shape_bytes) != 0) continue;
        const tn_scalar value = tn_scalar_load(w->dt, tn_watched_at(w, index));
        tn_strbuf_printf(
            out, "\n  %%%s there: ", t->bound.graph->values[t->bound.graph->inputs[i]].name);
        if (tn_dt_is_float(w->dt))
            tn_strbuf_printf(out, "%.17g (%a)", value.f, value.f);
        else
            tn_strbuf_printf(out, "%" PRId64, value.i);
    }
}

tn_status tn_trial_compare(const tn_trial *t, uint32_t index, const tn_tolerance *tolerance) {
    const tn_watched *expected = &t->expected[index], *found = &t->outputs[index];
    tn_comparison c;
    TN_TRY(tn_compare(&expected->tensor, &found->tensor, tolerance, &c));
    if (c.close) return NULL;
    tn_strbuf text;
    tn_strbuf_init(&text, tn_allocator_system());
    tn_comparison_print(&c, expected->shape, expected->tensor.ndim, &text);
    print_inputs(t, found, c.first_far, &text);
    tn_status status = tn_status_make(TN_INVALID, "%%%s (%s): %s",
                                      t->bound.graph->values[t->bound.graph->outputs[index]].name,
                                      tn_dt_text(expected->dt), tn_strbuf_cstr(&text));
    tn_strbuf_deinit(&text);
    return status;
}
