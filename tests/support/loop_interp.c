#include "support/loop_interp.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/allocator.h"

typedef struct slot {
    char *data;
    int64_t lo, hi; /* offsets in elements that lie in it */
    tn_dt dt;
} slot;

typedef struct machine {
    const tn_schedule *schedule;
    const tn_loop *loop;
    slot slots[64];
    int64_t at[TN_MAX_RANK];
    uint64_t point, step; /* stamps: of the parallel point, of the inner one */
    tn_scalar *values;    /* by expression */
    uint64_t *known;      /* the stamp at which it was computed */
    uint64_t *finished;   /* reductions: the parallel point they are ready for */
    tn_scalar *best;      /* reductions: the best element so far */
    double *lost;
    uint16_t stage;
    const char *accumulators; /* of a template's result, row-major over all axes */
    char *elements;           /* where a prologue's store goes, in the same way */
    tn_dt accumulator_dt;
    tn_status status; /* the first failure */
} machine;

static void fail(machine *m, const char *what, uint32_t id) {
    if (!m->status) m->status = tn_status_make(TN_INTERNAL, "k%u: %s (%u)", m->loop->id, what, id);
}

static tn_scalar eval(machine *m, tn_kx kx);

static int64_t wrap(uint64_t x) {
    int64_t y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static int64_t eval_ix(machine *m, tn_ix ix) {
    const tn_ix_node *n = &m->loop->ixs[ix];
    uint64_t a, b;
    int64_t v, q;
    switch (n->kind) {
    case TN_IX_CONST: return n->c;
    case TN_IX_AXIS: return m->at[n->a];
    case TN_IX_VALUE: return eval(m, n->a).i;
    case TN_IX_ADD:
        a = (uint64_t)eval_ix(m, n->a);
        b = (uint64_t)eval_ix(m, n->b);
        return wrap(a + b);
    case TN_IX_MUL: return wrap((uint64_t)eval_ix(m, n->a) * (uint64_t)n->c);
    default:
        v = eval_ix(m, n->a);
        q = v / n->c - (v % n->c < 0);
        return n->kind == TN_IX_DIV ? q : wrap((uint64_t)v - (uint64_t)n->c * (uint64_t)q);
    }
}

static bool holds(machine *m, uint32_t guard) {
    if (guard == TN_NONE) return true;
    for (uint32_t i = 0; i < m->loop->guards[guard].n_terms; i++) {
        const tn_guard_term *t = &m->loop->guards[guard].terms[i];
        int64_t v = eval_ix(m, t->ix);
        if (v < t->lo || v >= t->hi) return false;
    }
    return true;
}

/* Every bound that the index states must hold where it is used. */
static void check_bounds(machine *m, tn_ix ix) {
    const tn_ix_node *n = &m->loop->ixs[ix];
    int64_t v = eval_ix(m, ix);
    if (v < n->lo || v > n->hi) fail(m, "an index is outside its stated range", ix);
    if (n->kind != TN_IX_CONST && n->kind != TN_IX_AXIS && n->kind != TN_IX_VALUE)
        check_bounds(m, n->a);
    if (n->kind == TN_IX_ADD) check_bounds(m, n->b);
}

static char *address(machine *m, uint32_t slot_id, tn_ix ix) {
    const slot *s = &m->slots[slot_id];
    int64_t v = eval_ix(m, ix);
    check_bounds(m, ix);
    if (v < s->lo || v > s->hi) {
        fail(m, "an access is outside its buffer", slot_id);
        return NULL;
    }
    return s->data + v * (int64_t)tn_dt_size(s->dt);
}

static tn_scalar settle(const tn_kx_node *e, tn_scalar v) {
    if (tn_dt_is_float(e->dt)) v.f = tn_float_round(v.f, e->rounded ? e->dt : tn_dt_compute(e->dt));
    return v;
}

static tn_scalar eval_prim(machine *m, const tn_kx_node *e) {
    tn_scalar in[3];
    for (uint32_t i = 0; i < e->n_in; i++)
        in[i] = eval(m, e->in[i]);
    tn_dt from = m->loop->exprs[e->in[0]].dt;
    char bits[8];
    switch (e->prim) {
    case TN_PRIM_SELECT: return in[0].i ? in[1] : in[2];
    case TN_PRIM_CAST: return tn_scalar_cast(in[0], from, e->dt);
    case TN_PRIM_BITCAST: tn_scalar_store(from, bits, in[0]); return tn_scalar_load(e->dt, bits);
    default: return settle(e, tn_prim_eval(e->prim, from, in));
    }
}

static tn_scalar eval_load(machine *m, const tn_kx_node *e) {
    if (!holds(m, e->guard)) return e->n_in ? eval(m, e->in[0]) : (tn_scalar){.i = 0};
    const char *at = address(m, e->slot, e->ix);
    return at ? tn_scalar_load(e->dt, at) : (tn_scalar){.i = 0};
}

static int64_t place_of(const machine *m) {
    int64_t place = 0;
    for (uint32_t a = 0; a < m->loop->n_axes; a++)
        place = place * m->loop->axes[a].extent + m->at[a];
    return place;
}

static tn_scalar eval(machine *m, tn_kx kx) {
    const tn_kx_node *e = &m->loop->exprs[kx];
    uint64_t stamp = e->level == TN_LEVEL_FULL ? m->step : m->point;
    if (e->kind == TN_KX_REDUCE) {
        if (m->finished[kx] != m->point) fail(m, "a reduction is read before it is ready", kx);
        return m->values[kx];
    }
    if (e->stage > m->stage) fail(m, "an expression is evaluated before its stage", kx);
    if (m->known[kx] == stamp) return m->values[kx];
    tn_scalar v = {.i = 0};
    switch (e->kind) {
    case TN_KX_LOAD: v = eval_load(m, e); break;
    case TN_KX_CONST:
    case TN_KX_PARAM: v = e->value; break;
    case TN_KX_INDEX:
        v = settle(e, tn_scalar_cast((tn_scalar){.i = eval_ix(m, e->ix)}, TN_DT_I64, e->dt));
        break;
    case TN_KX_GUARD: v.i = holds(m, e->guard); break;
    case TN_KX_PRIM: v = eval_prim(m, e); break;
    case TN_KX_ACC: {
        int64_t place = place_of(m);
        if (!m->accumulators || m->accumulator_dt != e->dt)
            fail(m, "an accumulator outside a template", kx);
        else
            v = tn_scalar_load(e->dt, m->accumulators + place * (int64_t)tn_dt_size(e->dt));
        break;
    }
    default: fail(m, "an expression of no kind", kx); break;
    }
    m->values[kx] = v;
    m->known[kx] = stamp;
    return v;
}

/* ------------------------------------------------------------- reductions */

static bool better(tn_dt dt, uint32_t prim, tn_scalar x, tn_scalar best) {
    tn_scalar in[2] = {x, best};
    bool is_float = tn_dt_is_float(dt);
    if (is_float && isnan(best.f)) return false;
    if (is_float && isnan(x.f)) return true;
    return tn_prim_eval(prim == TN_PRIM_ARGMAX ? TN_PRIM_GT : TN_PRIM_LT, dt, in).i != 0;
}

static void reduce(machine *m, tn_kx kx, int64_t n) {
    const tn_kx_node *e = &m->loop->exprs[kx];
    tn_dt dt = m->loop->exprs[e->in[0]].dt;
    tn_scalar x = eval(m, e->in[0]), *acc = &m->values[kx], in[2];
    switch (e->prim) {
    case TN_PRIM_SUM:
        if (n == 0) *acc = (tn_scalar){.i = 0};
        if (n == 0) m->lost[kx] = 0;
        if (tn_dt_is_float(dt)) { /* Neumaier, as the interpreter */
            double next = acc->f + x.f;
            m->lost[kx] += fabs(acc->f) >= fabs(x.f) ? (acc->f - next) + x.f
                                                     : (x.f - next) + acc->f;
            acc->f = next;
        } else {
            acc->u += x.u;
        }
        return;
    case TN_PRIM_PROD:
        if (n == 0)
            *acc = x;
        else if (tn_dt_is_float(dt))
            acc->f *= x.f;
        else
            acc->u *= x.u;
        return;
    case TN_PRIM_ARGMAX:
    case TN_PRIM_ARGMIN:
        if (n != 0 && !better(dt, e->prim, x, m->best[kx])) return;
        m->best[kx] = x;
        acc->i = n;
        return;
    default:
        in[0] = *acc;
        in[1] = x;
        *acc = n == 0 ? x
                      : tn_prim_eval(e->prim == TN_PRIM_REDUCE_MAX   ? TN_PRIM_MAX
                                     : e->prim == TN_PRIM_REDUCE_MIN ? TN_PRIM_MIN
                                     : e->prim == TN_PRIM_ANY        ? TN_PRIM_OR
                                                                     : TN_PRIM_AND,
                                     dt, in);
        return;
    }
}

static void finish_reduction(machine *m, tn_kx kx) {
    const tn_kx_node *e = &m->loop->exprs[kx];
    tn_scalar *v = &m->values[kx];
    if (e->prim == TN_PRIM_SUM && tn_dt_is_float(e->dt) && isfinite(v->f)) v->f += m->lost[kx];
    if (tn_dt_is_int(e->dt)) { /* wraps */
        char bits[8];
        tn_scalar_store(e->dt, bits, *v);
        *v = tn_scalar_load(e->dt, bits);
    }
    *v = settle(e, *v);
    m->finished[kx] = m->point;
}

/* ------------------------------------------------------------------- loops */

static void store(machine *m, const tn_loop_store *s) {
    if (!holds(m, s->guard)) return;
    tn_dt dt = s->slot == TN_NONE ? m->loop->exprs[s->value].dt : m->slots[s->slot].dt;
    char *at = s->slot != TN_NONE ? address(m, s->slot, s->ix)
               : m->elements      ? m->elements + place_of(m) * (int64_t)tn_dt_size(dt)
                                  : NULL;
    tn_scalar v = eval(m, s->value);
    if (tn_dt_is_float(dt)) v.f = tn_float_round(v.f, dt);
    if (at) tn_scalar_store(dt, at, v);
}

static bool next(const tn_loop *loop, int64_t *at, uint32_t begin, uint32_t end) {
    for (uint32_t a = end; a-- > begin;) {
        if (++at[a] < loop->axes[a].extent) return true;
        at[a] = 0;
    }
    return false;
}

static void run_stage(machine *m) {
    const tn_loop *loop = m->loop;
    int64_t n = 0;
    for (uint32_t a = loop->n_parallel; a < loop->n_axes; a++)
        m->at[a] = 0;
    do {
        m->step++;
        for (uint32_t i = 0; i < loop->n_exprs; i++)
            if (loop->exprs[i].kind == TN_KX_REDUCE && loop->exprs[i].stage == m->stage)
                reduce(m, i, n);
        for (uint32_t i = 0; i < loop->n_stores; i++)
            if (loop->stores[i].level == TN_LEVEL_FULL && loop->stores[i].stage == m->stage)
                store(m, &loop->stores[i]);
        n++;
    } while (next(loop, m->at, loop->n_parallel, loop->n_axes) && !m->status);
    for (uint32_t i = 0; i < loop->n_exprs; i++)
        if (loop->exprs[i].kind == TN_KX_REDUCE && loop->exprs[i].stage == m->stage)
            finish_reduction(m, i);
}

static tn_status run_loop(machine *m, const tn_loop *loop) {
    const tn_allocator *a = m->schedule->allocator;
    size_t n = loop->n_exprs;
    m->loop = loop;
    m->values = tn_alloc_array(a, n, sizeof *m->values);
    m->known = tn_alloc_array(a, n, sizeof *m->known);
    m->finished = tn_alloc_array(a, n, sizeof *m->finished);
    m->best = tn_alloc_array(a, n, sizeof *m->best);
    m->lost = tn_alloc_array(a, n, sizeof *m->lost);
    if (!m->values || !m->known || !m->finished || !m->best || !m->lost)
        m->status = tn_status_no_memory();
    memset(m->at, 0, sizeof m->at);
    m->point = m->step = 1;
    while (!m->status) {
        m->step++;
        m->point = m->step; /* so that no stamp of either kind comes twice */
        for (m->stage = 0; m->stage < loop->n_stages; m->stage++)
            run_stage(m);
        for (uint32_t i = 0; i < loop->n_stores; i++)
            if (loop->stores[i].level != TN_LEVEL_FULL) store(m, &loop->stores[i]);
        if (!next(loop, m->at, 0, loop->n_parallel)) break;
    }
    tn_free(a, m->values, n * sizeof *m->values);
    tn_free(a, m->known, n * sizeof *m->known);
    tn_free(a, m->finished, n * sizeof *m->finished);
    tn_free(a, m->best, n * sizeof *m->best);
    tn_free(a, m->lost, n * sizeof *m->lost);
    return m->status;
}

/* --------------------------------------------------------------- schedules */

typedef struct memory {
    char *arena;
    const tn_tensor *const *inputs;
    tn_tensor *const *outputs;
} memory;

static char *data_of(const memory *mem, const tn_buffer *b) {
    if (b->kind == TN_BUFFER_TEMP) return mem->arena + b->offset;
    const tn_tensor *t = b->kind == TN_BUFFER_INPUT ? mem->inputs[b->index]
                                                    : mem->outputs[b->index];
    return (char *)t->data + t->byte_offset;
}

static void open_slots(machine *m, const memory *mem, const tn_loop *loop) {
    for (uint32_t i = 0; i < loop->n_slots && i < 64; i++) {
        const tn_buffer *b = &m->schedule->buffers[loop->slots[i].buffer];
        slot *s = &m->slots[i];
        *s = (slot){.data = data_of(mem, b), .dt = loop->slots[i].dt};
        for (int32_t k = 0; k < b->rank; k++)
            *(b->strides[k] < 0 ? &s->lo : &s->hi) += (b->shape[k] - 1) * b->strides[k];
    }
}

static void open_operand(const tn_schedule *s, const memory *mem, const tn_operand *o,
                         tn_tensor *out) {
    const tn_buffer *b = &s->buffers[o->buffer];
    *out = (tn_tensor){.data = data_of(mem, b),
                       .device = {TN_DEVICE_CPU, 0},
                       .ndim = o->rank,
                       .dtype = b->dtype,
                       .shape = (int64_t *)o->shape,
                       .strides = (int64_t *)o->strides};
    int64_t size = (b->dtype.bits * b->dtype.lanes + 7) / 8;
    out->data = (char *)out->data + o->offset * size;
}

static bool contiguous(const tn_operand *o) {
    int64_t dense[TN_MAX_RANK];
    tn_shape_strides(o->shape, o->rank, dense);
    for (int32_t i = 0; i < o->rank; i++)
        if (o->shape[i] == 0) return true;
    for (int32_t i = 0; i < o->rank; i++)
        if (o->shape[i] > 1 && o->strides[i] != dense[i]) return false;
    return true;
}

/* prologues: operands that are not in memory, by argument; NULL: none. */
static tn_status run_call(const tn_schedule *s, const memory *mem, const tn_step *step,
                          const tn_interp_options *options, tn_tensor *prologues,
                          tn_tensor *accumulators) {
    tn_tensor tensors[64];
    const tn_tensor *operands[32];
    tn_tensor *results[32];
    if (step->n_operands > 32 || step->n_results > 32)
        return tn_status_make(TN_UNSUPPORTED, "too many operands for a test");
    const tn_kernel *kernel = step->node->op->cpu;
    bool strided = kernel && kernel->flags & TN_KERNEL_STRIDED_INPUTS;
    for (uint32_t i = 0; i < step->n_operands; i++) {
        if (prologues && i < 3 && step->prologues[i]) {
            operands[i] = &prologues[i];
            continue;
        }
        if (!strided && !contiguous(&step->operands[i]))
            return tn_status_make(TN_INTERNAL, "%s was handed strided operand %u",
                                  step->node->schema->full_name, i);
        open_operand(s, mem, &step->operands[i], &tensors[i]);
        operands[i] = &tensors[i];
    }
    for (uint32_t i = 0; i < step->n_results; i++) {
        open_operand(s, mem, &step->results[i], &tensors[32 + i]);
        results[i] = &tensors[32 + i];
    }
    if (accumulators) results[0] = accumulators;
    return options->run_op(options->self, step->node, operands, results);
}

typedef struct whole {
    tn_tensor tensor;
    int64_t strides[TN_MAX_RANK];
    size_t bytes;
} whole;

/* A contiguous tensor of the type, of which a loop makes or takes each element. */
static tn_status make_whole(const tn_schedule *s, tn_vid value, const tn_loop *loop, whole *out) {
    const tn_type *type = &s->graph->values[value].type;
    int64_t n = tn_type_numel(type), points = 1;
    for (uint32_t a = 0; a < loop->n_axes; a++)
        points *= loop->axes[a].extent;
    if (points != n) return tn_status_make(TN_INTERNAL, "a template's loop over other elements");
    tn_shape_strides(type->shape, type->rank, out->strides);
    out->bytes = (size_t)n * tn_dt_size(type->dt);
    out->tensor = (tn_tensor){.data = tn_alloc(s->allocator, out->bytes),
                              .device = {TN_DEVICE_CPU, 0},
                              .ndim = type->rank,
                              .dtype = type->dtype,
                              .shape = type->shape,
                              .strides = out->strides};
    return out->tensor.data ? NULL : tn_status_no_memory();
}

static void open_slots(machine *m, const memory *mem, const tn_loop *loop);

/* Prologues into memory of their own, the op as a whole on that, and then its epilogue
 * over its result. */
static tn_status run_template(machine *m, const memory *mem, const tn_step *step,
                              const tn_interp_options *options) {
    const tn_schedule *s = m->schedule;
    whole operands[3] = {0}, result = {0};
    tn_tensor tensors[3];
    tn_status status = NULL;
    for (uint32_t i = 0; i < 3 && !status; i++) {
        if (!step->prologues[i]) continue;
        status = make_whole(s, step->node->operands[i], step->prologues[i], &operands[i]);
        if (status) break;
        machine p = {.schedule = s, .elements = operands[i].tensor.data};
        open_slots(&p, mem, step->prologues[i]);
        status = run_loop(&p, step->prologues[i]);
        tensors[i] = operands[i].tensor;
    }
    if (!status) status = make_whole(s, step->node->results[0], step->loop, &result);
    if (!status) status = run_call(s, mem, step, options, tensors, &result.tensor);
    m->accumulators = result.tensor.data;
    m->accumulator_dt = tn_dt_from_dtype(result.tensor.dtype);
    if (!status) status = run_loop(m, step->loop);
    for (uint32_t i = 0; i < 3; i++)
        tn_free(s->allocator, operands[i].tensor.data, operands[i].bytes);
    tn_free(s->allocator, result.tensor.data, result.bytes);
    return status;
}

tn_status tn_loop_interp_run(const tn_schedule *schedule, const tn_interp_options *options,
                             const tn_tensor *const *inputs, tn_tensor *const *outputs) {
    memory mem = {.inputs = inputs, .outputs = outputs};
    tn_status status = tn_schedule_verify(schedule);
    if (status) return status;
    size_t bytes = (size_t)schedule->arena_bytes;
    mem.arena = tn_alloc(schedule->allocator, bytes ? bytes : 1);
    if (!mem.arena) return tn_status_no_memory();
    memset(mem.arena, 0xa5, bytes);
    for (uint32_t i = 0; i < schedule->n_steps && !status; i++) {
        const tn_step *step = &schedule->steps[i];
        machine m = {.schedule = schedule};
        if (step->kind == TN_STEP_CALL) {
            status = run_call(schedule, &mem, step, options, NULL, NULL);
        } else if (step->loop->n_slots <= 64) {
            open_slots(&m, &mem, step->loop);
            status = step->kind == TN_STEP_LOOP ? run_loop(&m, step->loop)
                                                : run_template(&m, &mem, step, options);
        } else {
            status = tn_status_make(TN_UNSUPPORTED, "step %u is too much for a test", i);
        }
    }
    tn_free(schedule->allocator, mem.arena, bytes ? bytes : 1);
    return status;
}
