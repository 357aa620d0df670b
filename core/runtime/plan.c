#include "runtime/plan.h"

#include <string.h>
#include <time.h>

#include "ir/text.h"
#include "runtime/judge.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool wants_dump(const tn_run_plan_options *o, const char *pass) {
    return o->dump != NULL && o->dump_pass != NULL &&
           (strcmp(o->dump_pass, pass) == 0 || strcmp(o->dump_pass, "all") == 0);
}

tn_status tn_run_plan_check_dump(const tn_allocator *allocator, const char *pass) {
    static const char *const later[] = {"group", "memory", "render", "all"};
    uint32_t n;
    const tn_pass *passes = tn_passes(&n);
    tn_strbuf names;
    if (pass == NULL) return NULL;
    tn_strbuf_init(&names, allocator);
    bool known = false;
    for (uint32_t i = 0; i < n; i++) {
        known |= strcmp(pass, passes[i].name) == 0;
        tn_strbuf_printf(&names, "%s, ", passes[i].name);
    }
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        known |= strcmp(pass, later[i]) == 0;
        tn_strbuf_printf(&names, "%s%s", i > 0 ? ", " : "", later[i]);
    }
    tn_status status = known ? NULL : tn_strbuf_status(&names);
    if (!known && status == NULL) {
        status = tn_status_make(TN_INVALID, "no pass is named \"%s\"; there are: %s", pass,
                                tn_strbuf_cstr(&names));
    }
    tn_strbuf_deinit(&names);
    return status;
}

static tn_status dump(const tn_run_plan *plan, const char *pass, const char *text) {
    tn_strbuf out;
    tn_strbuf_init(&out, plan->rt->allocator);
    tn_strbuf_printf(&out, "# after %s\n", pass);
    tn_strbuf_text(&out, text);
    tn_status status = tn_strbuf_status(&out);
    if (status == NULL) plan->options.dump(plan->options.dump_self, out.data, out.length);
    tn_strbuf_deinit(&out);
    return status;
}

static tn_status dump_graph(const tn_run_plan *plan, const char *pass) {
    if (!wants_dump(&plan->options, pass)) return NULL;
    tn_strbuf text;
    tn_strbuf_init(&text, plan->rt->allocator);
    tn_ir_print(plan->graph, &text);
    tn_status status = dump(plan, pass, tn_strbuf_cstr(&text));
    tn_strbuf_deinit(&text);
    return status;
}

static tn_status dump_schedule(const tn_run_plan *plan, const char *pass) {
    if (!wants_dump(&plan->options, pass)) return NULL;
    tn_strbuf text;
    tn_strbuf_init(&text, plan->rt->allocator);
    tn_schedule_print(plan->schedule, &text);
    tn_status status = dump(plan, pass, tn_strbuf_cstr(&text));
    tn_strbuf_deinit(&text);
    return status;
}

/* Debug builds hold every pass to the graph's invariants. */
static tn_status verify(const tn_ir_graph *graph, const char *pass) {
#ifdef NDEBUG
    (void)graph, (void)pass;
    return NULL;
#else
    return tn_status_annotate(tn_ir_verify(graph, true), "after pass %s: ", pass);
#endif
}

uint32_t tn__plan_run_flags(const tn_run_plan *plan) {
    return (plan->options.strict ? TN_RUN_STRICT : 0) |
           (plan->options.checked ? TN_RUN_CHECKED : 0);
}

static tn_status run_passes(tn_run_plan *plan, const tn_tensor *const *inputs, uint32_t n_inputs) {
    tn_asker asker = {plan->rt, tn__plan_run_flags(plan)};
    const tn_judge judge = tn_judge_make(&asker);
    tn_pass_options options = {.allocator = plan->rt->allocator,
                               .ops = &plan->rt->ops,
                               .device = {TN_DEVICE_CPU, 0},
                               .strict = plan->options.strict,
                               .interpret = plan->interpreted,
                               .rules = plan->options.rules,
                               .source = plan->source,
                               .log = &plan->log,
                               .judge = &judge};
    uint32_t n;
    const tn_pass *passes = tn_passes(&n);
    for (uint32_t i = 0; i < n; i++) {
        tn_ir_graph *next = NULL;
        if (plan->interpreted && !passes[i].for_interpreter) continue;
        if (passes[i].run == NULL) {
            TN_TRY(tn_pass_bind(plan->source, &options, inputs, n_inputs, &next));
        } else {
            TN_TRY(passes[i].run(plan->graph, &options, &next));
        }
        if (next != NULL) { /* else the pass changed nothing */
            tn_ir_destroy(plan->graph);
            plan->graph = next;
            TN_TRY(verify(next, passes[i].name));
        }
        TN_TRY(dump_graph(plan, passes[i].name));
    }
    return NULL;
}

static tn_status describe_outputs(tn_run_plan *plan) {
    const tn_ir_graph *g = plan->graph;
    plan->output_specs = tn_arena_array(&plan->arena, g->n_outputs, sizeof *plan->output_specs);
    if (plan->output_specs == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const tn_type *type = &g->values[g->outputs[i]].type;
        tn_tensor *spec = &plan->output_specs[i];
        size_t bytes = (size_t)type->rank * sizeof(int64_t);
        *spec = (tn_tensor){.device = {TN_DEVICE_CPU, 0}, .ndim = type->rank, .dtype = type->dtype};
        spec->shape = tn_arena_copy(&plan->arena, type->shape, bytes);
        spec->strides = tn_arena_alloc(&plan->arena, bytes);
        if (spec->shape == NULL || spec->strides == NULL) return tn_status_no_memory();
        tn_shape_strides(spec->shape, spec->ndim, spec->strides);
    }
    return NULL;
}

static tn_status schedule(tn_run_plan *plan) {
    tn_asker asker = {plan->rt, tn__plan_run_flags(plan)};
    const tn_judge judge = tn_judge_make(&asker);
    tn_schedule_options options = {.device_type = TN_DEVICE_CPU,
                                   .strict = plan->options.strict,
                                   .fuse = !plan->options.eager,
                                   .no_reuse = plan->options.no_reuse,
                                   .rules = plan->options.rules,
                                   .source = plan->source,
                                   .log = &plan->log,
                                   .threads = tn_pool_threads(plan->rt->pool),
                                   .judge = &judge};
    TN_TRY(tn_schedule_build(plan->rt->allocator, plan->graph, &options, &plan->schedule));
    TN_TRY(dump_schedule(plan, "group"));
#ifndef NDEBUG
    TN_TRY(tn_status_annotate(tn_schedule_verify(plan->schedule), "after pass memory: "));
#endif
    return dump_schedule(plan, "memory");
}

static tn_status prepare_kernels(tn_run_plan *plan) {
    const tn_schedule *s = plan->schedule;
    plan->calls = tn_arena_array(&plan->arena, s->n_steps, sizeof *plan->calls);
    plan->templates = tn_arena_array(&plan->arena, s->n_steps, sizeof *plan->templates);
    if (plan->calls == NULL || plan->templates == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < s->n_steps; i++) {
        const tn_step *step = &s->steps[i];
        if (step->kind == TN_STEP_CALL) {
            TN_TRY(tn_call_plan_init(&plan->calls[i], plan->rt, s, step, tn__plan_run_flags(plan)));
        } else if (step->kind == TN_STEP_TEMPLATE) {
            TN_TRY(tn_template_plan_init(&plan->templates[i], plan->rt, s, step,
                                         tn__plan_run_flags(plan), &plan->arena));
        }
    }
    return NULL;
}

static tn_status render(tn_run_plan *plan) {
    const tn_schedule *s = plan->schedule;
    const tn_launch **launches = tn_arena_array(&plan->arena, s->n_steps, sizeof *launches);
    if (launches == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < s->n_steps; i++) {
        if (plan->templates[i].template_ != NULL) launches[i] = &plan->templates[i].launch;
    }
    tn_render_options options = {.lanes = tn_cpu_objects_lanes(plan->rt->objects),
                                 .threads = tn_pool_threads(plan->rt->pool),
                                 .launches = launches};
    TN_TRY(tn_render(plan->rt->allocator, s, &options, &plan->rendered));
    if (plan->rendered->text == NULL) return NULL;
    if (wants_dump(&plan->options, "render")) {
        TN_TRY(dump(plan, "render", plan->rendered->text));
    }
    return NULL;
}

static tn_status compile(tn_run_plan *plan) {
    const tn_rendered *r = plan->rendered;
    if (r->text == NULL) return NULL;
    TN_TRY(tn_cpu_objects_get(plan->rt->objects, r->text, r->length, &plan->object));
    plan->functions = tn_arena_array(&plan->arena, r->n_entries, sizeof *plan->functions);
    if (plan->functions == NULL) return tn_status_no_memory();
    for (uint32_t i = 0; i < r->n_entries; i++) {
        void *symbol = tn_cpu_object_symbol(plan->object, r->entries[i].symbol);
        if (symbol == NULL) {
            return tn_status_make(TN_INTERNAL, "the compiled object lacks function %s",
                                  r->entries[i].symbol);
        }
        memcpy(&plan->functions[i], &symbol, sizeof symbol);
    }
    return NULL;
}

/* Without a compiler the interpreter runs, and the log says so once. */
static tn_status choose_target(tn_run_plan *plan) {
    if (plan->options.target == TN_TARGET_REFERENCE) {
        plan->interpreted = true;
        return NULL;
    }
    if (plan->options.target != TN_TARGET_CPU) {
        return tn_status_make(TN_UNSUPPORTED, "target %d is not built into this library",
                              plan->options.target);
    }
    tn_status status = tn_cpu_objects_available(plan->rt->objects);
    if (tn_status_code(status) != TN_NOT_FOUND) return status;
    plan->interpreted = true;
    if (!atomic_exchange(&plan->rt->said_no_compiler, true)) {
        tn_runtime_log(plan->rt, TN_LOG_WARN,
                       "%s: graphs run on the reference interpreter, which is slow",
                       tn_status_message(status));
    }
    tn_status_ignore(status);
    return NULL;
}

static tn_status build(tn_run_plan *plan, const tn_tensor *const *inputs, uint32_t n_inputs) {
    double start = now();
    TN_TRY(choose_target(plan));
    TN_TRY(tn_decision_log_init(&plan->log, &plan->arena, plan->source->n_nodes));
    TN_TRY(run_passes(plan, inputs, n_inputs));
    TN_TRY(describe_outputs(plan));
    if (plan->interpreted) {
        TN_TRY(tn__plan_interpret_init(plan));
        plan->plan_seconds = now() - start;
        return NULL;
    }
    TN_TRY(schedule(plan));
    TN_TRY(prepare_kernels(plan));
    double planned = now();
    TN_TRY(render(plan));
    TN_TRY(compile(plan));
    plan->plan_seconds = planned - start;
    plan->compile_seconds = now() - planned;
    return NULL;
}

tn_status tn_run_plan_create(tn_runtime *rt, const tn_ir_graph *source,
                             const tn_run_plan_options *options, const tn_tensor *const *inputs,
                             uint32_t n_inputs, tn_run_plan **out_plan) {
    tn_run_plan *plan = tn_alloc_zero(rt->allocator, sizeof *plan);
    if (plan == NULL) return tn_status_no_memory();
    if (pthread_mutex_init(&plan->lock, NULL) != 0) {
        tn_free(rt->allocator, plan, sizeof *plan);
        return tn_status_no_memory();
    }
    plan->rt = rt;
    plan->source = source;
    plan->options = *options;
    atomic_init(&plan->references, 1);
    tn_arena_init(&plan->arena, rt->allocator);
    tn_status status = build(plan, inputs, n_inputs);
    if (status != NULL) {
        tn_run_plan_unref(plan);
        return status;
    }
    *out_plan = plan;
    return NULL;
}

void tn_run_plan_retain(tn_run_plan *plan) {
    atomic_fetch_add_explicit(&plan->references, 1, memory_order_relaxed);
}

void tn_run_plan_unref(tn_run_plan *plan) {
    if (plan == NULL) return;
    if (atomic_fetch_sub_explicit(&plan->references, 1, memory_order_acq_rel) != 1) return;
    tn__plan_free_frames(plan);
    for (uint32_t i = 0; plan->schedule != NULL && i < plan->schedule->n_steps; i++) {
        if (plan->calls != NULL) tn_call_plan_deinit(&plan->calls[i], plan->rt);
        if (plan->templates != NULL) tn_template_plan_deinit(&plan->templates[i], plan->rt);
    }
    tn_cpu_object_release(plan->object);
    tn_rendered_destroy(plan->rendered);
    tn_schedule_destroy(plan->schedule);
    tn_ir_destroy(plan->graph);
    tn_arena_deinit(&plan->arena);
    pthread_mutex_destroy(&plan->lock);
    tn_free(plan->rt->allocator, plan, sizeof *plan);
}
