#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "conformance/edges.h"
#include "ir/compare.h"
#include "trial.h"

static const tn_tolerance exact = {.zero_signs = true};

/* ------------------------------------------------------------------ examples */

static tn_status parse_values(const char *const *texts, tn_watched *tensors, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i >= TN_EXAMPLE_MAX || texts[i] == NULL)
            return tn_status_make(TN_INVALID, "the example has no values for tensor %u", i);
        tn_status status = tn_watched_parse(&tensors[i], texts[i]);
        if (status != NULL) return tn_status_annotate(status, "tensor %u: ", i);
    }
    if (n < TN_EXAMPLE_MAX && texts[n] != NULL)
        return tn_status_make(TN_INVALID, "the example has values for a tensor %u too", n);
    return NULL;
}

static tn_status run_example(tn_trial *t, const tn_conformance_backend *backend,
                             const tn_example *e) {
    const tn_tolerance near = {.rel = e->rel};
    TN_TRY(parse_values(e->inputs, t->inputs, t->bound.graph->n_inputs));
    TN_TRY(parse_values(e->outputs, t->expected, t->bound.graph->n_outputs));
    TN_TRY(tn_trial_run(t, backend));
    for (uint32_t i = 0; i < t->bound.graph->n_outputs; i++)
        TN_TRY(tn_trial_compare(t, i, e->rel > 0 ? &near : &exact));
    return NULL;
}

static tn_status annotate(tn_status status, const char *text) {
    return status == NULL ? NULL : tn_status_annotate(status, "%s\n  ", text);
}

tn_status tn_example_run(const tn_conformance_backend *backend, const tn_example *e) {
    tn_strbuf text;
    tn_trial trial;
    tn_strbuf_init(&text, tn_allocator_system());
    tn_strbuf_printf(&text, "graph @example%s", e->graph);
    tn_status status = tn_trial_init(&trial, e->name, tn_strbuf_cstr(&text));
    if (status == NULL) status = run_example(&trial, backend, e);
    status = annotate(status, tn_strbuf_cstr(&text));
    tn_trial_deinit(&trial);
    tn_strbuf_deinit(&text);
    return status;
}

/* -------------------------------------------------------------------- sweeps */

static bool in_domain(tn_domain domain, tn_dt dt) {
    const tn_domain kind = tn_dt_is_float(dt) ? TN_ON_FLOAT
                           : tn_dt_is_int(dt) ? TN_ON_INT
                                              : TN_ON_BOOL;
    return (domain & kind) != 0;
}

static uint32_t count_char(const char *text, char c) {
    uint32_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == c;
    return n;
}

static uint32_t period_of(const tn_sweep *sweep) {
    return sweep->period > 0 ? sweep->period : count_char(sweep->inputs, '%');
}

/* One template for one dtype. */
static void expand(const char *template, tn_dt dt, uint32_t period, tn_strbuf *out) {
    tn_scalar edges[TN_EDGES_MAX];
    int64_t combinations = 1;
    for (uint32_t i = 0; i < period; i++)
        combinations *= tn_edges(dt, edges);
    while (*template != '\0') {
        if (strncmp(template, "{T}", 3) == 0) {
            tn_strbuf_text(out, tn_dt_text(dt));
            template += 3;
        } else if (strncmp(template, "{N}", 3) == 0) {
            tn_strbuf_printf(out, "%lld", (long long)combinations);
            template += 3;
        } else if (*template == '$') {
            tn_strbuf_printf(out, "_%s", tn_dt_text(dt));
            template ++;
        } else {
            tn_strbuf_char(out, *template ++);
        }
    }
}

static void expand_all(const tn_sweep *sweep, const char *template, const char *between,
                       tn_strbuf *out) {
    bool first = true;
    if (sweep->domain == 0) tn_strbuf_text(out, template);
    if (*template == '\0') return;
    for (int dt = 0; dt < TN_DT_COUNT; dt++) {
        if (!in_domain(sweep->domain, (tn_dt)dt)) continue;
        if (!first) tn_strbuf_text(out, between);
        first = false;
        expand(template, (tn_dt)dt, period_of(sweep), out);
    }
}

static void sweep_text(const tn_sweep *sweep, tn_strbuf *out) {
    tn_strbuf_text(out, "graph @sweep(");
    expand_all(sweep, sweep->inputs, ", ", out);
    tn_strbuf_text(out, ") {\n  ");
    expand_all(sweep, sweep->body, "\n  ", out);
    tn_strbuf_text(out, "\n  return ");
    expand_all(sweep, sweep->outputs, ", ", out);
    tn_strbuf_text(out, "\n}\n");
}

static uint64_t function_ulp(const tn_conformance_backend *backend, uint32_t prim, tn_dt dt) {
    if (backend->function_ulp != NULL) return backend->function_ulp(backend->self, prim, dt);
    return dt == TN_DT_F32 || dt == TN_DT_F64 ? 4 : 1;
}

static tn_tolerance sweep_tolerance(const tn_conformance_backend *backend, const tn_sweep *sweep,
                                    tn_dt dt) {
    if (!tn_dt_is_float(dt) || sweep->closeness == TN_CLOSE_EXACT) return exact;
    if (sweep->closeness == TN_CLOSE_SUM) return tn_tolerance_for(dt);
    return (tn_tolerance){.ulp = function_ulp(backend, sweep->prim, dt), .zero_signs = true};
}

static tn_status run_sweep(tn_trial *t, const tn_conformance_backend *backend,
                           const tn_sweep *sweep) {
    const uint32_t period = period_of(sweep);
    for (uint32_t i = 0; i < t->bound.graph->n_inputs; i++)
        tn_watched_fill(&t->inputs[i], sweep->sources[i % period], i % period);
    TN_TRY(tn_trial_reference(t, backend->strict));
    TN_TRY(tn_trial_run(t, backend));
    for (uint32_t i = 0; i < t->bound.graph->n_outputs; i++) {
        const tn_tolerance tolerance = sweep_tolerance(backend, sweep, t->outputs[i].dt);
        TN_TRY(tn_trial_compare(t, i, &tolerance));
    }
    return NULL;
}

tn_status tn_sweep_run(const tn_conformance_backend *backend, const tn_sweep *sweep) {
    tn_strbuf text;
    tn_trial trial;
    tn_strbuf_init(&text, tn_allocator_system());
    sweep_text(sweep, &text);
    tn_status status = tn_trial_init(&trial, sweep->name, tn_strbuf_cstr(&text));
    if (status == NULL) status = run_sweep(&trial, backend, sweep);
    status = annotate(status, tn_strbuf_cstr(&text));
    tn_trial_deinit(&trial);
    tn_strbuf_deinit(&text);
    return status;
}
