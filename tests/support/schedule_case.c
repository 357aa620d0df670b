#include "support/schedule_case.h"

#include <string.h>

#include "base/allocator.h"
#include "ir/compare.h"
#include "ir/text.h"
#include "support/loop_interp.h"
#include "transform/passes.h"

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void span_of(const tn_tensor *t, int64_t *lo, int64_t *hi) {
    *lo = *hi = 0;
    for (int32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0) {
            *lo = 0;
            *hi = -1;
            return;
        }
        *(t->strides[i] < 0 ? lo : hi) += (t->shape[i] - 1) * t->strides[i];
    }
}

/* Contiguous unless strides are given; fill is a byte, or data is random. */
static tn_status make_tensor(tn_arena *arena, const tn_type *type, uint64_t *seed, int fill,
                             tn_tensor *out) {
    size_t bytes = (size_t)type->rank * sizeof(int64_t), size = tn_dt_size(type->dt);
    int64_t lo, hi;
    *out = (tn_tensor){.device = {TN_DEVICE_CPU, 0},
                       .ndim = type->rank,
                       .dtype = type->dtype,
                       .shape = tn_arena_copy(arena, type->shape, bytes),
                       .strides = tn_arena_alloc(arena, bytes)};
    if (!out->shape || !out->strides) return tn_status_no_memory();
    if (type->strides)
        memcpy(out->strides, type->strides, bytes);
    else
        tn_shape_strides(type->shape, type->rank, out->strides);
    span_of(out, &lo, &hi);
    out->data = tn_arena_alloc(arena, (size_t)(hi - lo + 1) * size);
    if (!out->data) return tn_status_no_memory();
    out->byte_offset = (uint64_t)-lo * size;
    if (!seed) memset(out->data, fill, (size_t)(hi - lo + 1) * size);
    for (int64_t i = 0; seed && i < hi - lo + 1; i++) {
        int64_t n = (int64_t)(next_random(seed) % 17) - 8;
        tn_scalar s = {.i = n};
        if (tn_dt_is_float(type->dt))
            s.f = (double)n / 4;
        else if (type->dt == TN_DT_BOOL)
            s.i = n & 1;
        tn_scalar_store(type->dt, (char *)out->data + (size_t)i * size, s);
    }
    return NULL;
}

static tn_status open_case(tn_case *c, uint64_t seed) {
    tn_ir_graph *source = c->source;
    c->n_inputs = source->n_inputs;
    c->inputs = tn_arena_array(&c->arena, source->n_inputs, sizeof *c->inputs);
    c->input_ptrs = tn_arena_array(&c->arena, source->n_inputs, sizeof *c->input_ptrs);
    if (!c->inputs || !c->input_ptrs) return tn_status_no_memory();
    for (uint32_t i = 0; i < source->n_inputs; i++) {
        TN_TRY(make_tensor(&c->arena, &source->values[source->inputs[i]].type, &seed, 0,
                           &c->inputs[i]));
        c->input_ptrs[i] = &c->inputs[i];
    }
    tn_pass_options options = {.allocator = c->allocator, .device = {TN_DEVICE_CPU, 0}};
    TN_TRY(tn_pass_bind(source, &options, c->input_ptrs, c->n_inputs, &c->graph));
    return tn_ir_verify(c->graph, true);
}

tn_status tn_case_open(const tn_allocator *allocator, tn_ir_graph *source, uint64_t seed,
                       tn_case *out) {
    *out = (tn_case){.allocator = allocator, .source = source};
    tn_arena_init(&out->arena, allocator);
    tn_status status = open_case(out, seed);
    if (status) tn_case_close(out);
    return status;
}

void tn_case_close(tn_case *c) {
    tn_ir_destroy(c->graph);
    tn_ir_destroy(c->source);
    tn_arena_deinit(&c->arena);
    *c = (tn_case){0};
}

tn_schedule_options tn_case_options(const tn_case *c, tn_decision_log *log) {
    return (tn_schedule_options){
        .device_type = TN_DEVICE_CPU, .fuse = true, .source = c->graph, .log = log, .threads = 2};
}

static tn_status show(const tn_case *c, const tn_schedule *s, tn_status status) {
    tn_strbuf text;
    tn_strbuf_init(&text, c->allocator);
    tn_ir_print(c->graph, &text);
    tn_schedule_print(s, &text);
    status = tn_status_annotate(status, "%s", tn_strbuf_cstr(&text));
    tn_strbuf_deinit(&text);
    return status;
}

/* Sums of different order and values near zero: relative to the largest. */
static tn_tolerance tolerance(tn_dt dt) {
    tn_tolerance t = tn_tolerance_for(dt);
    if (tn_dt_is_float(dt)) t.norm = t.norm > 1e-5 ? t.norm : 1e-5;
    return t;
}

static tn_status compare(const tn_case *c, uint32_t i, const tn_tensor *expected,
                         const tn_tensor *found, bool exact) {
    tn_comparison comparison;
    const tn_type *type = &c->graph->values[c->graph->outputs[i]].type;
    tn_tolerance t = exact ? (tn_tolerance){0} : tolerance(type->dt);
    TN_TRY(tn_compare(expected, found, &t, &comparison));
    if (comparison.close) return NULL;
    return tn_status_make(TN_INTERNAL, "output %u differs in %lld of %lld elements, first at %lld",
                          i, (long long)comparison.n_far, (long long)comparison.n,
                          (long long)comparison.first_far);
}

tn_status tn_case_check_with(const tn_case *c, const tn_schedule *schedule,
                             const tn_interp_options *options, bool exact, tn_case_run run,
                             void *self) {
    uint32_t n = c->graph->n_outputs;
    tn_arena arena;
    tn_arena_init(&arena, c->allocator);
    tn_tensor *tensors = tn_arena_array(&arena, 2 * (size_t)n + 1, sizeof *tensors);
    tn_tensor **outputs = tn_arena_array(&arena, 2 * (size_t)n + 1, sizeof *outputs);
    tn_status status = tensors && outputs ? NULL : tn_status_no_memory();
    for (uint32_t i = 0; i < 2 * n && !status; i++) {
        tn_type type = c->graph->values[c->graph->outputs[i % n]].type;
        type.strides = NULL;
        status = make_tensor(&arena, &type, NULL, 0x5a, &tensors[i]);
        outputs[i] = &tensors[i];
    }
    if (!status) status = tn_interp_run(c->graph, options, c->input_ptrs, c->n_inputs, outputs, n);
    if (!status) status = run(self, schedule, options, c->input_ptrs, outputs + n);
    for (uint32_t i = 0; i < n && !status; i++)
        status = compare(c, i, outputs[i], outputs[n + i], exact);
    if (status) status = show(c, schedule, status);
    tn_arena_deinit(&arena);
    return status;
}

static tn_status run_loops(void *self, const tn_schedule *schedule,
                           const tn_interp_options *options, const tn_tensor *const *inputs,
                           tn_tensor *const *outputs) {
    (void)self;
    return tn_loop_interp_run(schedule, options, inputs, outputs);
}

tn_status tn_case_check(const tn_case *c, const tn_schedule *schedule,
                        const tn_interp_options *options, bool exact) {
    return tn_case_check_with(c, schedule, options, exact, run_loops, NULL);
}
