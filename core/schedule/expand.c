/* One step backwards: a demand on a primitive's result becomes an expression of
 * demands on its operands. */
#include "schedule/plan.h"

static tn_status expr_add(tn__plan *plan, tn__expr expr, uint32_t *out) {
    if (!tn_vec_push(plan->allocator, &plan->exprs, expr)) return tn_status_no_memory();
    *out = (uint32_t)plan->exprs.len - 1;
    tn__unit_get(plan, expr.unit)->weight++;
    return NULL;
}

static tn_status constant(tn__plan *plan, uint32_t unit, tn_dt dt, tn_scalar value, uint32_t *out) {
    tn__expr e = {.kind = TN__EXPR_CONST,
                  .dt = dt,
                  .unit = unit,
                  .value = TN_NO_VALUE,
                  .constant = value,
                  .next = TN_NONE};
    return expr_add(plan, e, out);
}

static tn_status guard_expr(tn__plan *plan, uint32_t unit, tn__guard guard, uint32_t *out) {
    tn__expr e = {.kind = TN__EXPR_GUARD,
                  .dt = TN_DT_BOOL,
                  .unit = unit,
                  .value = TN_NO_VALUE,
                  .guard = guard,
                  .next = TN_NONE};
    return expr_add(plan, e, out);
}

tn_status tn__demand(tn__plan *plan, uint32_t unit, tn_vid value, tn__coords coords,
                     tn__guard guard, uint32_t *out) {
    tn_dt dt = tn__type(plan, value)->dt;
    TN_TRY(tn__index_status(&plan->space.index)); /* before anyone reads these coordinates */
    /* Nothing of it is ever read: the domain is empty or the guard never holds. */
    if (plan->values[value].numel == 0 || guard == TN__GUARD_NEVER)
        return constant(plan, unit, dt, (tn_scalar){.i = 0}, out);
    tn__expr e = {.kind = TN__EXPR_PENDING,
                  .dt = dt,
                  .unit = unit,
                  .value = value,
                  .coords = coords,
                  .guard = guard,
                  .next = plan->values[value].first_demand};
    TN_TRY(expr_add(plan, e, out));
    plan->values[value].first_demand = *out;
    return NULL;
}

uint32_t tn__expr_resolve(tn__plan *plan, uint32_t expr) {
    tn__expr *e = plan->exprs.data;
    while (e[expr].kind == TN__EXPR_ALIAS)
        expr = e[expr].in[0];
    return expr;
}

static void alias(tn__expr *x, uint32_t to) {
    x->kind = TN__EXPR_ALIAS;
    x->in[0] = to;
    x->n_in = 1;
}

static tn_scalar literal(const tn_ir_node *node, tn_dt dt) {
    const tn_arg *arg = tn_ir_attr(node, "value");
    if (arg->tag == TN_TAG_FLOAT) return tn_scalar_cast((tn_scalar){.f = arg->v.f}, TN_DT_F64, dt);
    tn_dt from = arg->tag == TN_TAG_BOOL ? TN_DT_BOOL : TN_DT_I64;
    return tn_scalar_cast((tn_scalar){.i = arg->v.i}, from, dt);
}

/* x where guard holds, else other. */
static tn_status choose(tn__plan *plan, tn__expr *x, tn__guard guard, uint32_t then,
                        uint32_t other) {
    uint32_t condition;
    TN_TRY(guard_expr(plan, x->unit, guard, &condition));
    x->kind = TN__EXPR_PRIM;
    x->prim = TN_PRIM_SELECT;
    x->in[0] = condition;
    x->in[1] = then;
    x->in[2] = other;
    x->n_in = 3;
    return NULL;
}

static tn_status expand_pad(tn__plan *plan, const tn_ir_node *node, tn__expr *x) {
    tn__space *space = &plan->space;
    const tn_type *type = tn__type(plan, node->operands[0]);
    tn__coords_data c = *tn__coords_get(space, x->coords);
    int64_t low[TN_MAX_RANK];
    tn__ix inner[TN_MAX_RANK];
    tn__guard guard = x->guard;
    tn_ir_attr_ints(node, "low", low);
    for (uint32_t i = 0; i < c.n; i++) {
        inner[i] = tn__ix_offset(&space->index, c.items[i], -low[i]);
        guard = tn__guard_and(space, guard, inner[i], 0, type->shape[i]);
    }
    uint32_t then, other;
    TN_TRY(tn__demand(plan, x->unit, node->operands[0], tn__coords_make(space, inner, c.n), guard,
                      &then));
    if (guard == x->guard) {
        alias(x, then);
        return NULL;
    }
    TN_TRY(tn__demand(plan, x->unit, node->operands[1], TN__COORDS_EMPTY, x->guard, &other));
    if (guard == TN__GUARD_NEVER) {
        alias(x, other);
        return NULL;
    }
    return choose(plan, x, guard, then, other);
}

/* The operands one after another, the last one where no earlier guard holds. */
static tn_status expand_concat(tn__plan *plan, const tn_ir_node *node, tn__expr *x) {
    tn__space *space = &plan->space;
    tn__coords_data c = *tn__coords_get(space, x->coords);
    uint32_t axis = (uint32_t)tn_ir_attr_int(node, "axis");
    tn__ix at[TN_MAX_RANK];
    for (uint32_t i = 0; i < c.n; i++)
        at[i] = c.items[i];
    int64_t end = tn__type(plan, x->value)->shape[axis];
    uint32_t rest = TN_NONE;
    tn__expr result = *x;
    tn__unit_get(plan, x->unit)->weight += TN__PART_WEIGHT * tn__concat_parts(plan, node);
    for (uint32_t i = node->n_operands; i-- > 0;) {
        int64_t extent = tn__type(plan, node->operands[i])->shape[axis];
        int64_t begin = end - extent;
        tn__guard guard = tn__guard_and(space, x->guard, c.items[axis], begin, end);
        end = begin;
        if (extent == 0 || guard == TN__GUARD_NEVER) continue;
        at[axis] = tn__ix_offset(&space->index, c.items[axis], -begin);
        uint32_t part;
        TN_TRY(tn__demand(plan, x->unit, node->operands[i], tn__coords_make(space, at, c.n), guard,
                          &part));
        if (rest == TN_NONE || guard == x->guard) {
            alias(&result, part);
        } else {
            TN_TRY(choose(plan, &result, guard, part, rest));
        }
        if (begin > 0) {
            result.next = TN_NONE;
            TN_TRY(expr_add(plan, result, &rest));
        }
    }
    uint32_t next = x->next;
    *x = result;
    x->next = next;
    return NULL;
}

/* An index outside [0, extent) gives 0. The coordinate is the run-time value with
 * the range that the guard assures, so that what is made of it can be bounded. */
static tn_status expand_take(tn__plan *plan, const tn_ir_node *node, tn__expr *x) {
    tn__space *space = &plan->space;
    const tn_type *source = tn__type(plan, node->operands[0]);
    const tn_type *index = tn__type(plan, node->operands[1]);
    tn__coords_data c = *tn__coords_get(space, x->coords);
    uint32_t axis = (uint32_t)tn_ir_attr_int(node, "axis"), rank = (uint32_t)index->rank;
    int64_t extent = source->shape[axis];
    tn__coords at_index = tn__coords_make(space, c.items + axis, rank);
    uint32_t which, then, zero;
    TN_TRY(constant(plan, x->unit, x->dt, (tn_scalar){.i = 0}, &zero));
    if (extent == 0) {
        alias(x, zero);
        return NULL;
    }
    TN_TRY(tn__demand(plan, x->unit, node->operands[1], at_index, x->guard, &which));
    uint32_t axes = tn__coords_get(space, at_index)->axes | tn__guard_get(space, x->guard)->axes;
    bool narrow = index->dt == TN_DT_I32;
    tn__ix raw = tn__ix_value(&space->index, which, narrow ? INT32_MIN : INT64_MIN,
                              narrow ? INT32_MAX : INT64_MAX, axes);
    tn__guard guard = tn__guard_and(space, x->guard, raw, 0, extent);
    tn__ix inner[TN_MAX_RANK];
    for (uint32_t i = 0; i < (uint32_t)source->rank; i++)
        inner[i] = i < axis     ? c.items[i]
                   : i > axis   ? c.items[i + rank - 1]
                   : extent > 1 ? tn__ix_value(&space->index, which, 0, extent - 1, axes)
                                : 0;
    TN_TRY(tn__demand(plan, x->unit, node->operands[0],
                      tn__coords_make(space, inner, (uint32_t)source->rank), guard, &then));
    return choose(plan, x, guard, then, zero);
}

/* What a reduction over nothing gives. */
static tn_scalar identity(uint32_t prim, tn_dt dt) {
    double limit = dt == TN_DT_F8E4M3FN ? 448.0 : (double)__builtin_inf(); /* it has no infinity */
    switch (prim) {
    case TN_PRIM_PROD: return tn_scalar_cast((tn_scalar){.i = 1}, TN_DT_I64, dt);
    case TN_PRIM_ALL: return (tn_scalar){.i = 1};
    case TN_PRIM_REDUCE_MAX:
        if (dt == TN_DT_BOOL) return (tn_scalar){.i = 0};
        return tn_scalar_cast((tn_scalar){.f = -limit}, TN_DT_F64, dt);
    case TN_PRIM_REDUCE_MIN:
        if (dt == TN_DT_BOOL) return (tn_scalar){.i = 1};
        return tn_scalar_cast((tn_scalar){.f = limit}, TN_DT_F64, dt);
    default: return (tn_scalar){.i = 0};
    }
}

/* Over one element: 0 + x for a sum, the element or its place otherwise. */
static tn_status reduce_one(tn__plan *plan, const tn_ir_node *node, tn__expr *x, uint32_t operand) {
    if (node->prim == TN_PRIM_ARGMAX || node->prim == TN_PRIM_ARGMIN) {
        x->kind = TN__EXPR_CONST;
        x->constant = (tn_scalar){.i = 0};
        return NULL;
    }
    if (node->prim != TN_PRIM_SUM) {
        alias(x, operand);
        return NULL;
    }
    uint32_t zero;
    TN_TRY(constant(plan, x->unit, x->dt, (tn_scalar){.i = 0}, &zero));
    x->kind = TN__EXPR_PRIM;
    x->prim = TN_PRIM_ADD;
    x->in[0] = zero;
    x->in[1] = operand;
    x->n_in = 2;
    return NULL;
}

static tn_status expand_reduce(tn__plan *plan, const tn_ir_node *node, tn__expr *x) {
    tn__space *space = &plan->space;
    const tn_type *type = tn__type(plan, node->operands[0]);
    uint32_t reduced = tn__reduced_axes(node), kept = 0, n_inner = 0;
    tn__coords_data c = *tn__coords_get(space, x->coords);
    const tn__unit *unit = tn__unit_get(plan, x->unit);
    uint32_t inner = unit->inner;
    tn__ix at[TN_MAX_RANK];
    if (plan->values[node->operands[0]].numel == 0) {
        x->kind = TN__EXPR_CONST;
        x->constant = identity(node->prim, x->dt);
        return NULL;
    }
    for (uint32_t i = 0; i < (uint32_t)type->rank; i++) {
        if (!(reduced >> i & 1)) {
            at[i] = c.items[kept++];
            continue;
        }
        at[i] = 0;
        for (int64_t left = type->shape[i]; left > 1; n_inner++) {
            uint32_t axis = (uint32_t)__builtin_ctz(inner);
            int64_t extent = unit->extents[axis];
            inner &= inner - 1;
            left /= extent;
            at[i] = tn__ix_add(&space->index, tn__ix_scale(&space->index, at[i], extent),
                               tn__ix_axis(&space->index, axis, extent));
        }
    }
    uint32_t operand;
    TN_TRY(tn__demand(plan, x->unit, node->operands[0],
                      tn__coords_make(space, at, (uint32_t)type->rank), x->guard, &operand));
    if (n_inner == 0) return reduce_one(plan, node, x, operand);
    x->kind = TN__EXPR_REDUCE;
    x->prim = node->prim;
    x->in[0] = operand;
    x->n_in = 1;
    return NULL;
}

static tn_status expand_elementwise(tn__plan *plan, const tn_ir_node *node, tn__expr *x) {
    x->kind = TN__EXPR_PRIM;
    x->prim = node->prim;
    x->n_in = node->n_operands;
    tn__unit_get(plan, x->unit)->weight += tn__prim_cost(node->prim) - 1;
    for (uint32_t i = 0; i < node->n_operands; i++)
        TN_TRY(tn__demand(plan, x->unit, node->operands[i], x->coords, x->guard, &x->in[i]));
    return NULL;
}

tn_status tn__expand(tn__plan *plan, uint32_t expr) {
    tn__expr x = plan->exprs.data[expr];
    const tn_ir_node *node = tn__def(plan, x.value);
    switch (tn_prim_get(node->prim)->klass) {
    case TN_PRIM_CLASS_ELEMENTWISE: TN_TRY(expand_elementwise(plan, node, &x)); break;
    case TN_PRIM_CLASS_SOURCE:
        if (node->prim == TN_PRIM_IOTA) {
            x.kind = TN__EXPR_INDEX;
            x.ix = tn__coords_get(&plan->space, x.coords)->items[tn_ir_attr_int(node, "axis")];
        } else {
            x.kind = node->prim == TN_PRIM_SIZE ? TN__EXPR_PARAM : TN__EXPR_CONST;
            x.constant = literal(node, x.dt);
        }
        break;
    case TN_PRIM_CLASS_VIEW: {
        uint32_t to;
        tn__coords through = tn__coords_through(&plan->space, node,
                                                tn__type(plan, node->operands[0]),
                                                tn__type(plan, x.value), x.coords);
        TN_TRY(tn__demand(plan, x.unit, node->operands[0], through, x.guard, &to));
        alias(&x, to);
        break;
    }
    case TN_PRIM_CLASS_GATHER:
        TN_TRY(node->prim == TN_PRIM_PAD      ? expand_pad(plan, node, &x)
               : node->prim == TN_PRIM_CONCAT ? expand_concat(plan, node, &x)
                                              : expand_take(plan, node, &x));
        break;
    case TN_PRIM_CLASS_REDUCE: TN_TRY(expand_reduce(plan, node, &x)); break;
    default:
        return tn_status_make(TN_INTERNAL, "prim::%s reached the scheduler: legalize replaces it",
                              tn_prim_get(node->prim)->name);
    }
    plan->exprs.data[expr] = x;
    return NULL;
}
