/* Elementwise primitives and sources. */
#include <string.h>

#include "ir/interp_exec.h"

static void run_select(const tn__exec *e, tn__walk *walk) {
    const tn__strided *cond = &e->in[0], *out = &e->out[0];
    for (bool more = walk->more; more; more = tn__walk_next(walk)) {
        const uint32_t taken = tn__load(cond, walk->at[0]).u != 0 ? 1 : 2;
        tn__move(out, walk->at[3], &e->in[taken], walk->at[taken]);
    }
}

/* To its own dtype, cast changes no bit of what its dtype can hold. */
static void run_cast(const tn__exec *e, tn__walk *walk) {
    const tn__strided *a = &e->in[0], *out = &e->out[0];
    for (bool more = walk->more; more; more = tn__walk_next(walk)) {
        const tn_scalar value = tn_scalar_cast(tn__load(a, walk->at[0]), a->dt, out->dt);
        tn__store(out, walk->at[1], value, e->strict);
    }
}

static void run_bitcast(const tn__exec *e, tn__walk *walk) {
    const tn__strided *a = &e->in[0], *out = &e->out[0];
    for (bool more = walk->more; more; more = tn__walk_next(walk)) {
        char bits[8];
        if (a->held == a->dt)
            memcpy(bits, walk->at[0], a->size);
        else
            tn_scalar_store(a->dt, bits, tn__load(a, walk->at[0]));
        if (out->held == out->dt)
            memcpy(walk->at[1], bits, out->size);
        else
            tn_scalar_store(out->held, walk->at[1], tn_scalar_load(out->dt, bits));
    }
}

static void run_body(const tn__exec *e, tn__walk *walk) {
    const tn__strided *out = &e->out[0];
    const uint32_t n = e->node->n_operands;
    tn_scalar operands[TN__WALK_MAX];
    for (bool more = walk->more; more; more = tn__walk_next(walk)) {
        for (uint32_t i = 0; i < n; i++)
            operands[i] = tn__load(&e->in[i], walk->at[i]);
        const tn_scalar value = tn_prim_eval(e->info->id, e->in[0].dt, operands);
        tn__store(out, walk->at[n], value, e->strict);
    }
}

void tn__exec_elementwise(const tn__exec *e) {
    tn__walk walk;
    tn__walk_init(&walk, e->out[0].rank, e->out[0].shape);
    for (uint32_t i = 0; i < e->node->n_operands; i++)
        tn__walk_add(&walk, &e->in[i]);
    tn__walk_add(&walk, &e->out[0]);
    switch (e->info->id) {
    case TN_PRIM_SELECT: run_select(e, &walk); break;
    case TN_PRIM_CAST: run_cast(e, &walk); break;
    case TN_PRIM_BITCAST: run_bitcast(e, &walk); break;
    default: run_body(e, &walk); break;
    }
}

static tn_scalar literal(const tn_arg *arg, tn_dt dt) {
    if (arg->tag == TN_TAG_FLOAT) return tn_scalar_cast((tn_scalar){.f = arg->v.f}, TN_DT_F64, dt);
    const tn_dt from = arg->tag == TN_TAG_BOOL ? TN_DT_BOOL : TN_DT_I64;
    return tn_scalar_cast((tn_scalar){.i = arg->v.i}, from, dt);
}

void tn__exec_source(const tn__exec *e) {
    const tn__strided *out = &e->out[0];
    if (e->info->id != TN_PRIM_IOTA) {
        tn__store(out, out->data, literal(tn_ir_attr(e->node, "value"), out->dt), e->strict);
        return;
    }
    const int64_t axis = tn_ir_attr_int(e->node, "axis");
    tn__walk walk;
    tn__walk_init(&walk, out->rank, out->shape);
    tn__walk_add(&walk, out);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        const tn_scalar coordinate = {.i = walk.index[axis]};
        tn__store(out, walk.at[0], tn_scalar_cast(coordinate, TN_DT_I64, out->dt), e->strict);
    }
}
