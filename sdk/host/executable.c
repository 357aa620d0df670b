#include <string.h>

#include "host/host.h"
#include "schedule/explain.h"

static tn_status read_rules(const tn_graph *graph, const tn_compile_options *o,
                            tn_rules **out_rules) {
    const tn_context *context = graph->context;
    if (o->n_force == 0 && o->n_forbid == 0) return NULL;
    tn_rules *rules = tn_alloc_zero(&context->allocator, sizeof *rules);
    if (rules == NULL) return tn_status_no_memory();
    tn_status status = tn_rules_parse(&context->allocator, o->force, o->n_force, o->forbid,
                                      o->n_forbid, rules);
    if (status == NULL) {
        status = tn_rules_check(rules, graph->ir, &context->rt.ops);
        if (status != NULL) tn_rules_deinit(rules);
    }
    if (status != NULL) {
        tn_free(&context->allocator, rules, sizeof *rules);
        return status;
    }
    *out_rules = rules;
    return NULL;
}

static tn_status read_options(const tn_graph *graph, const tn_compile_options *given,
                              tn_run_plan_options *out, tn_rules **out_rules) {
    tn_context *context = graph->context;
    tn_compile_options o = {0};
    TN_TRY(tn__options_read(&o, sizeof o, given, "tn_compile_options"));
    if (o.target < TN_TARGET_CPU || o.target > TN_TARGET_CUDA) {
        return tn_status_make(TN_INVALID, "tn_compile_options: target %d is unknown", o.target);
    }
    if (o.target == TN_TARGET_CUDA) {
        return tn_status_make(TN_UNSUPPORTED, "the cuda target is not built into this library");
    }
    if (o.mode < TN_MODE_FUSED || o.mode > TN_MODE_EAGER) {
        return tn_status_make(TN_INVALID, "tn_compile_options: mode %d is unknown", o.mode);
    }
    if (o.precision < TN_PRECISION_FUSED || o.precision > TN_PRECISION_STRICT) {
        return tn_status_make(TN_INVALID, "tn_compile_options: precision %d is unknown",
                              o.precision);
    }
    TN_TRY(tn_run_plan_check_dump(&context->allocator, o.dump_pass));
    *out = (tn_run_plan_options){.target = o.target,
                                 .eager = o.mode == TN_MODE_EAGER,
                                 .strict = o.precision == TN_PRECISION_STRICT,
                                 .poison = (o.flags & TN_COMPILE_POISON) != 0,
                                 .no_reuse = (o.flags & TN_COMPILE_NO_REUSE) != 0,
                                 .checked = (o.flags & TN_COMPILE_CHECKED) != 0,
                                 .dump_pass = o.dump_pass,
                                 .dump = o.dump,
                                 .dump_self = o.dump_self};
    return read_rules(graph, &o, out_rules);
}

tn_status tn_compile(tn_graph *graph, const tn_compile_options *options,
                     tn_executable **out_executable) {
    tn_context *context = graph->context;
    tn_run_plan_options plan_options;
    tn_rules *rules = NULL;
    *out_executable = NULL;
    TN_TRY(tn_graph_finish(graph));
    TN_TRY(read_options(graph, options, &plan_options, &rules));
    tn_executable *e = tn_alloc_zero(&context->allocator, sizeof *e);
    tn_status status = e == NULL ? tn_status_no_memory() : NULL;
    if (status == NULL) {
        status = tn_program_create(&context->rt, graph->ir, &plan_options, rules, &e->program);
    }
    if (status != NULL) {
        if (rules != NULL) {
            tn_rules_deinit(rules);
            tn_free(&context->allocator, rules, sizeof *rules);
        }
        if (e != NULL) tn_free(&context->allocator, e, sizeof *e);
        return status;
    }
    atomic_init(&e->references, 1);
    e->graph = graph;
    tn_graph_retain(graph);
    tn_cpu_objects_get_stats(context->rt.objects, &e->before);
    *out_executable = e;
    return NULL;
}

void tn_executable_retain(tn_executable *executable) {
    atomic_fetch_add_explicit(&executable->references, 1, memory_order_relaxed);
}

void tn_executable_release(tn_executable *executable) {
    if (executable == NULL) return;
    if (atomic_fetch_sub_explicit(&executable->references, 1, memory_order_acq_rel) != 1) return;
    tn_graph *graph = executable->graph;
    tn_program_destroy(executable->program);
    tn_free(&graph->context->allocator, executable, sizeof *executable);
    tn_graph_release(graph);
}

/* The tensors behind arguments. */
static tn_status tensors_of(const tn_arg *args, uint32_t n, const char *what, tn_tensor **out) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tag != TN_TAG_TENSOR || args[i].v.tensor == NULL) {
            return tn_status_make(TN_INVALID, "%s %u: expected a tensor, found tag %u", what, i,
                                  args[i].tag);
        }
        if (args[i].v.tensor->ndim > 0 &&
            (args[i].v.tensor->shape == NULL || args[i].v.tensor->strides == NULL)) {
            return tn_status_make(TN_INVALID, "%s %u: its shape or strides are NULL", what, i);
        }
        out[i] = args[i].v.tensor;
    }
    return NULL;
}

#define FEW 16

tn_status tn_executable_run(tn_executable *executable, void *stream, const tn_arg *inputs,
                            uint32_t n_inputs, const tn_arg *outputs, uint32_t n_outputs) {
    const tn_allocator *a = &executable->graph->context->allocator;
    tn_tensor *few[FEW], **tensors = few;
    size_t n = (size_t)n_inputs + n_outputs;
    if (stream != NULL) {
        return tn_status_make(TN_INVALID, "the CPU has no streams: pass NULL");
    }
    if (n > FEW) {
        tensors = tn_alloc_array(a, n, sizeof *tensors);
        if (tensors == NULL) return tn_status_no_memory();
    }
    tn_status status = tensors_of(inputs, n_inputs, "input", tensors);
    if (status == NULL) status = tensors_of(outputs, n_outputs, "output", tensors + n_inputs);
    if (status == NULL) {
        status = tn_program_run(executable->program, (const tn_tensor *const *)tensors, n_inputs,
                                tensors + n_inputs, n_outputs);
    }
    if (tensors != few) tn_free(a, tensors, n * sizeof *tensors);
    return status;
}

tn_status tn_executable_plan(tn_executable *executable, const tn_arg *inputs, uint32_t n_inputs,
                             tn_plan **out_plan) {
    const tn_allocator *a = &executable->graph->context->allocator;
    *out_plan = NULL;
    tn_plan *plan = tn_alloc_zero(a, sizeof *plan);
    if (plan == NULL) return tn_status_no_memory();
    tn_tensor **tensors = tn_alloc_array(a, (size_t)n_inputs + 1, sizeof *tensors);
    tn_status status = tensors == NULL ? tn_status_no_memory() : NULL;
    if (status == NULL) status = tensors_of(inputs, n_inputs, "input", tensors);
    if (status == NULL) {
        status = tn_program_plan(executable->program, (const tn_tensor *const *)tensors, n_inputs,
                                 &plan->plan);
    }
    if (tensors != NULL) tn_free(a, tensors, ((size_t)n_inputs + 1) * sizeof *tensors);
    if (status != NULL) {
        tn_free(a, plan, sizeof *plan);
        return status;
    }
    plan->executable = executable;
    tn_executable_retain(executable);
    *out_plan = plan;
    return NULL;
}

void tn_plan_release(tn_plan *plan) {
    if (plan == NULL) return;
    tn_executable *executable = plan->executable;
    const tn_allocator *a = &executable->graph->context->allocator;
    tn_run_plan_unref(plan->plan);
    tn_free(a, plan, sizeof *plan);
    tn_executable_release(executable);
}

const tn_tensor *tn_plan_output_spec(const tn_plan *plan, uint32_t index) {
    if (index >= plan->plan->graph->n_outputs) return NULL;
    return &plan->plan->output_specs[index];
}

tn_status tn_plan_explain(const tn_plan *plan, int32_t format, tn_sink sink, void *self) {
    const tn_run_plan *p = plan->plan;
    tn_strbuf out;
    if (p->interpreted) {
        return tn_status_make(TN_UNSUPPORTED, "the reference interpreter decides nothing: explain "
                                              "a graph compiled for the cpu");
    }
    tn_strbuf_init(&out, p->rt->allocator);
    tn_status status = NULL;
    switch (format) {
    case TN_EXPLAIN_TEXT: tn_explain_text(p->schedule, p->source, &out); break;
    case TN_EXPLAIN_JSON: tn_explain_json(p->schedule, p->source, &out); break;
    case TN_EXPLAIN_DOT: tn_explain_dot(p->schedule, p->source, &out); break;
    default: status = tn_status_make(TN_INVALID, "explain format %d is unknown", format); break;
    }
    if (status == NULL) status = tn_strbuf_status(&out);
    if (status == NULL) sink(self, tn_strbuf_cstr(&out), out.length);
    tn_strbuf_deinit(&out);
    return status;
}

tn_status tn_plan_get_stats(const tn_plan *plan, tn_plan_stats *out_stats) {
    const tn_run_plan *p = plan->plan;
    const tn_schedule *s = p->schedule;
    tn_plan_stats stats = {.bytes_moved = s->bytes_moved,
                           .bytes_minimum = s->bytes_minimum,
                           .peak_bytes = s->arena_bytes,
                           .peak_bound = s->arena_bound,
                           .plan_seconds = p->plan_seconds,
                           .compile_seconds = p->compile_seconds};
    for (uint32_t i = 0; i < s->n_steps; i++) {
        if (s->steps[i].node == NULL && s->steps[i].loop == NULL) continue;
        stats.opaque_calls += s->steps[i].kind == TN_STEP_CALL;
        stats.template_calls += s->steps[i].kind == TN_STEP_TEMPLATE;
    }
    for (uint32_t i = 0; p->rendered != NULL && i < p->rendered->n_entries; i++) {
        uint32_t step = p->rendered->entries[i].step;
        bool first = i == 0 || p->rendered->entries[i - 1].step != step;
        stats.kernels += first && s->steps[step].kind == TN_STEP_LOOP;
    }
    tn__options_write(out_stats, &stats, sizeof stats);
    return NULL;
}

tn_status tn_executable_get_stats(tn_executable *executable, tn_executable_stats *out_stats) {
    tn_program_stats program;
    tn_cpu_objects_stats objects;
    tn_program_get_stats(executable->program, &program);
    tn_cpu_objects_get_stats(executable->graph->context->rt.objects, &objects);
    const tn_executable_stats stats = {.compiles = objects.compiles - executable->before.compiles,
                                       .cache_hits = objects.cache_hits -
                                                     executable->before.cache_hits,
                                       .plans = program.plans,
                                       .runs = program.runs};
    tn__options_write(out_stats, &stats, sizeof stats);
    return NULL;
}
