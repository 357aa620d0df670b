/* A library's call in place of an op and the one kernel that follows it, when that is a chain
 * which the library has built in. */
#include <stdio.h>

#include "schedule/plan.h"

/* Values of a chain, and its operands. */
#define MOST_VALUES 32
#define MOST_OPERANDS 8

typedef struct library {
    const tn_ir_node *node;
    tn_vid result;
    uint32_t need; /* the expression that is the op's result */
    uint32_t unit;
    const tn_native *native;
    tn_chain_value values[MOST_VALUES];
    uint32_t expr[MOST_VALUES]; /* that a value stands for */
    uint32_t n_values, n_extra;
    tn_estimate estimate;
    char detail[256];
} library;

static const tn_native *find_native(const tn__plan *plan, const tn_ir_node *node) {
    for (uint32_t i = 0; i < node->op->desc->n_templates; i++) {
        const tn_template *t = node->op->desc->templates[i];
        if (t->native && t->device_type == plan->options->device_type) return t->native;
    }
    return NULL;
}

/* ---------------------------------------------------------------- legality */

/* Whether the unit's axes are those of the result in order, so that coordinates in it are
 * coordinates of the result. */
static bool is_plain_domain(tn__plan *plan, const library *l, tn__coords coords) {
    const tn_type *type = tn__type(plan, l->result);
    const tn__unit *unit = &plan->units.data[l->unit];
    uint32_t axis = 0;
    for (int32_t i = 0; i < type->rank; i++) {
        if (type->shape[i] == 1) continue;
        tn__ix ix = tn__coords_get(&plan->space, coords)->items[i];
        if (tn__ix_plain_axis(&plan->space.index, ix) != axis || axis >= unit->n_axes ||
            unit->extents[axis] != type->shape[i])
            return false;
        axis++;
    }
    return axis == unit->n_axes;
}

static bool is_dense(tn__plan *plan, const library *l, const tn__store *store) {
    int64_t dense[TN_MAX_RANK], found[TN_MAX_RANK], offset;
    const tn_type *type = tn__type(plan, l->result);
    tn__ix at = tn__coords_address(&plan->space, store->coords, store->place.strides,
                                   store->place.offset);
    uint32_t axis = 0;
    if (!tn__ix_affine(&plan->space.index, at, found, &offset) || offset != 0) return false;
    tn_shape_strides(type->shape, type->rank, dense);
    for (int32_t i = 0; i < type->rank; i++)
        if (type->shape[i] != 1 && found[axis++] != dense[i]) return false;
    return true;
}

/* A number that a value is everywhere, through views of a constant. */
static bool find_number(const tn__plan *plan, tn_vid value, double *out) {
    const tn_ir_node *def = tn__def(plan, value);
    while (def && def->prim && tn_prim_get(def->prim)->klass == TN_PRIM_CLASS_VIEW)
        def = tn__def(plan, def->operands[0]);
    if (!def || def->prim != TN_PRIM_CONSTANT) return false;
    const tn_arg *arg = tn_ir_attr(def, "value");
    *out = arg->tag == TN_TAG_FLOAT ? arg->v.f : (double)arg->v.i;
    return true;
}

static tn_reason add(library *l, uint32_t expr, tn_chain_value value, uint32_t *out) {
    if (l->n_values == MOST_VALUES) return TN_REASON_TOO_LARGE;
    value.struct_size = sizeof value;
    *out = l->n_values++;
    l->values[*out] = value;
    l->expr[*out] = expr;
    return TN_REASON_OK;
}

/* The chain value of an expression of the unit, made with those below it. */
static tn_reason read_expr(tn__plan *plan, library *l, uint32_t expr, uint32_t *out) {
    expr = tn__expr_resolve(plan, expr);
    for (*out = 0; *out < l->n_values; (*out)++)
        if (l->expr[*out] == expr) return TN_REASON_OK;
    const tn__expr e = plan->exprs.data[expr];
    tn_chain_value value = {.dtype = tn_dt_to_dtype(e.dt)};
    if (e.kind == TN__EXPR_CONST || e.kind == TN__EXPR_PARAM) {
        value.kind = TN_CHAIN_NUMBER;
        value.number = tn_scalar_cast(e.constant, e.dt, TN_DT_F64).f;
    } else if (e.kind == TN__EXPR_PENDING && find_number(plan, e.value, &value.number)) {
        value.kind = TN_CHAIN_NUMBER;
    } else if (e.kind == TN__EXPR_PENDING && e.guard == TN__GUARD_ALWAYS) {
        if (l->n_extra == MOST_OPERANDS) return TN_REASON_TOO_LARGE;
        value.kind = TN_CHAIN_OPERAND;
        value.argument = l->node->schema->n_params + l->n_extra++;
    } else if (e.kind == TN__EXPR_PRIM) {
        value.kind = TN_CHAIN_PRIM;
        value.prim = e.prim;
        value.n_in = e.n_in;
        for (uint32_t i = 0; i < e.n_in; i++) {
            tn_reason reason = read_expr(plan, l, e.in[i], &value.in[i]);
            if (reason != TN_REASON_OK) return reason;
        }
    } else {
        return TN_REASON_NOT_POINTWISE;
    }
    return add(l, expr, value, out);
}

static tn_reason legal_chain(tn__plan *plan, library *l) {
    const tn__need need = plan->needs.data[0];
    uint32_t last, ignored;
    l->unit = need.unit;
    l->need = need.expr;
    const tn__unit *unit = &plan->units.data[l->unit];
    if (unit->kind != TN__UNIT_LOOP || unit->inner) return TN_REASON_NOT_POINTWISE;
    if (unit->n_stores != 1 || !is_plain_domain(plan, l, need.coords))
        return TN_REASON_DOMAIN_MISMATCH;
    const tn__store *store = &plan->stores.data[unit->first_store];
    if (plan->values[store->value].numel != plan->values[l->result].numel ||
        !is_dense(plan, l, store))
        return TN_REASON_DOMAIN_MISMATCH;
    tn_chain_value first = {.kind = TN_CHAIN_RESULT,
                            .dtype = tn_dt_to_dtype(tn__type(plan, l->result)->dt)};
    add(l, tn__expr_resolve(plan, need.expr), first, &ignored);
    tn_reason reason = read_expr(plan, l, store->expr, &last);
    return reason != TN_REASON_OK || last + 1 == l->n_values ? reason : TN_REASON_NOT_POINTWISE;
}

/* ------------------------------------------------------------------ the call */

/* Copies in the schedule's arena, and the operands' types. */
static tn_status make_library(tn__plan *plan, const library *l, tn__library **out) {
    tn_arena *arena = &plan->schedule->arena;
    tn__library *made = tn_arena_alloc(arena, sizeof *made);
    tn_chain *chain = tn_arena_alloc(arena, sizeof *chain);
    const tn_chain_value **values = tn_arena_array(arena, l->n_values, sizeof *values);
    tn_chain_value *copies = tn_arena_copy(arena, l->values, l->n_values * sizeof *copies);
    tn_type *extra = tn_arena_array(arena, l->n_extra, sizeof *extra);
    if (!made || !chain || !values || !copies || !extra) return tn_status_no_memory();
    for (uint32_t i = 0, k = 0; i < l->n_values; i++) {
        values[i] = &copies[i];
        if (copies[i].kind != TN_CHAIN_OPERAND) continue;
        extra[k] = *tn__type(plan, l->result);
        extra[k].strides = NULL;
        extra[k].dt = plan->exprs.data[l->expr[i]].dt;
        extra[k++].dtype = copies[i].dtype;
    }
    *chain = (tn_chain){.struct_size = sizeof *chain, .values = values, .n_values = l->n_values};
    *made = (tn__library){
        .native = l->native, .chain = chain, .extra = extra, .n_extra = l->n_extra};
    *out = made;
    return NULL;
}

static tn_type stored_type(const tn__plan *plan, const library *l) {
    const tn__unit *unit = &plan->units.data[l->unit];
    const tn_type *stored = tn__type(plan, plan->stores.data[unit->first_store].value);
    tn_type type = *tn__type(plan, l->result);
    type.strides = NULL;
    type.dt = stored->dt;
    type.dtype = stored->dtype;
    return type;
}

static int ask_of(const tn__plan *plan, const library *l, uint32_t origin, tn_decision_kind kind) {
    return tn_rules_ask_either(plan->options->rules, plan->options->source, origin, l->node->origin,
                               kind);
}

/* What the rules say of the op and of all that follows it. Forbidding wins. */
static int ask(const tn__plan *plan, const library *l, tn_decision_kind kind) {
    int most = ask_of(plan, l, plan->units.data[l->unit].origin, kind);
    for (uint32_t i = 1; i < l->n_values && most >= 0; i++) {
        tn_vid value = plan->exprs.data[l->expr[i]].value;
        if (l->values[i].kind != TN_CHAIN_PRIM || !tn__def(plan, value)) continue;
        int answer = ask_of(plan, l, tn__def(plan, value)->origin, kind);
        if (answer < 0 || answer > most) most = answer;
    }
    return most;
}

/* What the library and the model say of a chain that is legal. */
static tn_status judge(tn__plan *plan, library *l, const tn__library *made, int asked,
                       tn_reason *out) {
    bool accepted;
    const tn_type type = stored_type(plan, l);
    TN_TRY(tn_judge_native(plan->options->judge, plan->graph, l->node, l->native, made->chain,
                           made->extra, made->n_extra, &type, &l->estimate, &accepted, l->detail));
    double kernel = l->estimate.kernel_seconds + tn__pass_seconds(plan, l->result);
    *out = TN_REASON_OK;
    if (!accepted) {
        *out = TN_REASON_NOT_BUILT_IN;
    } else if (asked < 0) {
        *out = TN_REASON_FORBIDDEN;
    } else if (asked == 0 && (l->estimate.seconds <= 0 || l->estimate.seconds >= kernel)) {
        *out = TN_REASON_COSTS_MORE;
        snprintf(l->detail, sizeof l->detail,
                 "what is built in would lose more than one generated pass, which moves %.4g KiB",
                 2 * (double)plan->values[l->result].numel * (double)tn_dt_size(type.dt) / 1024);
    }
    return NULL;
}

/* Nobody demands the value for this kernel any more. */
static void withdraw(tn__plan *plan, uint32_t expr) {
    uint32_t *at = &plan->values[plan->exprs.data[expr].value].first_demand;
    while (*at != TN_NONE && *at != expr)
        at = &plan->exprs.data[*at].next;
    if (*at == expr) *at = plan->exprs.data[expr].next;
}

static tn_status attach(tn__plan *plan, const library *l, tn__library *made) {
    tn__unit *unit = &plan->units.data[l->unit];
    const tn__store store = plan->stores.data[unit->first_store];
    const tn_type type = stored_type(plan, l);
    size_t bytes = (size_t)type.rank * sizeof(int64_t);
    tn_arena *arena = &plan->schedule->arena;
    unit->kind = TN__UNIT_CALL;
    unit->library = made;
    if (unit->key < l->node->id + 1) unit->key = l->node->id + 1;
    TN_TRY(tn__call_init(plan, l->unit, l->node));
    for (uint32_t i = 0, k = 0; i < l->n_values; i++) {
        const tn__expr e = plan->exprs.data[l->expr[i]];
        if (e.kind == TN__EXPR_PENDING && i > 0) withdraw(plan, l->expr[i]);
        if (l->values[i].kind != TN_CHAIN_OPERAND) continue;
        tn__want want = {.kind = TN__WANT_OPERAND,
                         .unit = l->unit,
                         .index = l->node->n_operands + k++,
                         .coords = e.coords};
        TN_TRY(tn__want_add(plan, e.value, want));
    }
    int64_t *strides = tn_arena_alloc(arena, bytes);
    tn_operand result = {.buffer = store.place.buffer,
                         .rank = type.rank,
                         .shape = tn_arena_copy(arena, type.shape, bytes),
                         .strides = strides};
    if (!result.shape || !strides) return tn_status_no_memory();
    tn_shape_strides(type.shape, type.rank, strides);
    plan->units.data[l->unit].results[0] = result;
    tn__value *v = &plan->values[l->result];
    v->inlined = true;
    v->reader = v->owner = l->unit;
    return NULL;
}

tn_status tn__native_visit(tn__plan *plan, const tn_ir_node *node, bool *out_done) {
    library l = {.node = node, .result = node->results[0], .native = find_native(plan, node)};
    tn__library *made;
    *out_done = false;
    if (!l.native || plan->needs.len == 0 || !plan->options->fuse) return NULL;
    l.unit = plan->needs.data[0].unit;
    tn_reason why = plan->needs.len > 1 || tn__has_wants(plan, l.result) ? TN_REASON_MULTIPLE_USERS
                    : plan->options->strict                              ? TN_REASON_EAGER
                                                                         : legal_chain(plan, &l);
    int asked = ask(plan, &l, TN_DECISION_NATIVE);
    bool otherwise = ask(plan, &l, TN_DECISION_EPILOGUE) > 0 ||
                     ask_of(plan, &l, node->origin, TN_DECISION_TEMPLATE) > 0 ||
                     ask_of(plan, &l, node->origin, TN_DECISION_OPAQUE) > 0;
    if (otherwise && asked <= 0) return NULL;
    if (why == TN_REASON_EAGER)
        snprintf(l.detail, sizeof l.detail, "strict keeps the kernel that eager runs call");
    if (why == TN_REASON_OK) {
        TN_TRY(make_library(plan, &l, &made));
        TN_TRY(judge(plan, &l, made, asked, &why));
    }
    /* Where nothing can be built in nobody misses it, unless they ask. */
    bool silent = asked <= 0 && why != TN_REASON_COSTS_MORE && why != TN_REASON_FORBIDDEN;
    if (why != TN_REASON_OK && silent) return NULL;
    if (why != TN_REASON_OK) {
        uint32_t origin = plan->units.data[l.unit].origin;
        TN_TRY(tn__refuse(plan, node->origin, TN_DECISION_NATIVE, why, l.detail));
        return asked > 0 ? tn__refuse(plan, origin, TN_DECISION_NATIVE, why, l.detail) : NULL;
    }
    *out_done = true;
    return attach(plan, &l, made);
}
