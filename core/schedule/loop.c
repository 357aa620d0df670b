#include "schedule/loop.h"

#include <inttypes.h>

#include "schedule/index.h"

bool tn_ix_coefficient(const tn_loop *loop, tn_ix ix, uint32_t axis, int64_t *out) {
    const tn_ix_node *n = &loop->ixs[ix];
    int64_t a, b;
    switch (n->kind) {
    case TN_IX_CONST: *out = 0; return true;
    case TN_IX_AXIS: *out = n->a == axis; return true;
    case TN_IX_ADD:
        if (!tn_ix_coefficient(loop, n->a, axis, &a) || !tn_ix_coefficient(loop, n->b, axis, &b))
            return false;
        *out = a + b;
        return true;
    case TN_IX_MUL:
        if (!tn_ix_coefficient(loop, n->a, axis, &a)) return false;
        *out = a * n->c;
        return true;
    case TN_IX_DIV:
    case TN_IX_MOD:
        /* Not affine in the axes inside, but free of the others. */
        *out = 0;
        return tn_ix_coefficient(loop, n->a, axis, &a) && a == 0;
    case TN_IX_VALUE: *out = 0; return false;
    }
    return false;
}

int64_t tn_ix_eval(const tn_loop *loop, tn_ix ix, const int64_t *coords) {
    const tn_ix_node *n = &loop->ixs[ix];
    switch (n->kind) {
    case TN_IX_CONST: return n->c;
    case TN_IX_AXIS: return coords[n->a];
    case TN_IX_ADD: return tn_ix_eval(loop, n->a, coords) + tn_ix_eval(loop, n->b, coords);
    case TN_IX_MUL: return tn_ix_eval(loop, n->a, coords) * n->c;
    case TN_IX_DIV: return tn__floor_div(tn_ix_eval(loop, n->a, coords), n->c);
    case TN_IX_MOD: {
        int64_t v = tn_ix_eval(loop, n->a, coords);
        return v - n->c * tn__floor_div(v, n->c);
    }
    case TN_IX_VALUE: break;
    }
    return 0;
}

/* ---------------------------------------------------------------- printing */

static void print_ix(const tn_loop *loop, tn_ix ix, bool tight, tn_strbuf *out) {
    const tn_ix_node *n = &loop->ixs[ix];
    switch (n->kind) {
    case TN_IX_CONST: tn_strbuf_printf(out, "%" PRId64, n->c); break;
    case TN_IX_AXIS:
        if (n->a < loop->n_parallel)
            tn_strbuf_printf(out, "p%u", n->a);
        else
            tn_strbuf_printf(out, "r%u", n->a - loop->n_parallel);
        break;
    case TN_IX_VALUE: tn_strbuf_printf(out, "e%u", n->a); break;
    case TN_IX_ADD:
        if (tight) tn_strbuf_char(out, '(');
        print_ix(loop, n->a, false, out);
        tn_strbuf_text(out, " + ");
        print_ix(loop, n->b, false, out);
        if (tight) tn_strbuf_char(out, ')');
        break;
    default:
        print_ix(loop, n->a, true, out);
        tn_strbuf_printf(out, "%s%" PRId64,
                         n->kind == TN_IX_MUL   ? "*"
                         : n->kind == TN_IX_DIV ? "/"
                                                : "%",
                         n->c);
        break;
    }
}

static void print_guard(const tn_loop *loop, uint32_t guard, tn_strbuf *out) {
    for (uint32_t i = 0; i < loop->guards[guard].n_terms; i++) {
        const tn_guard_term *t = &loop->guards[guard].terms[i];
        tn_strbuf_printf(out, "%s%" PRId64 " <= ", i ? " and " : "", t->lo);
        print_ix(loop, t->ix, false, out);
        tn_strbuf_printf(out, " < %" PRId64, t->hi);
    }
}

static void print_scalar(tn_dt dt, tn_scalar value, tn_strbuf *out) {
    if (tn_dt_is_float(dt))
        tn_strbuf_double(out, value.f);
    else if (dt == TN_DT_BOOL)
        tn_strbuf_text(out, value.i ? "true" : "false");
    else if (tn_dt_is_signed(dt))
        tn_strbuf_printf(out, "%" PRId64, value.i);
    else
        tn_strbuf_printf(out, "%" PRIu64, value.u);
}

static void print_expr(const tn_loop *loop, uint32_t id, tn_strbuf *out) {
    static const char *const levels[] = {"const", "row", "full"};
    const tn_kx_node *e = &loop->exprs[id];
    tn_strbuf_printf(out, "  e%u: %s %s", id, tn_dt_text(e->dt), levels[e->level]);
    if (loop->n_stages > 1 && e->level != TN_LEVEL_CONST) tn_strbuf_printf(out, ".%u", e->stage);
    tn_strbuf_text(out, " = ");
    switch (e->kind) {
    case TN_KX_LOAD:
        tn_strbuf_printf(out, "load s%u[", e->slot);
        print_ix(loop, e->ix, false, out);
        tn_strbuf_char(out, ']');
        break;
    case TN_KX_CONST:
    case TN_KX_PARAM:
        tn_strbuf_text(out, e->kind == TN_KX_CONST ? "" : "param ");
        print_scalar(e->dt, e->value, out);
        break;
    case TN_KX_INDEX:
        tn_strbuf_text(out, "index ");
        print_ix(loop, e->ix, false, out);
        break;
    case TN_KX_GUARD:
        tn_strbuf_text(out, "guard ");
        print_guard(loop, e->guard, out);
        break;
    case TN_KX_ACC: tn_strbuf_text(out, "accumulator"); break;
    case TN_KX_PRIM:
    case TN_KX_REDUCE:
        tn_strbuf_printf(out, "%s%s", e->kind == TN_KX_REDUCE ? "over r: " : "",
                         tn_prim_get(e->prim)->name);
        for (uint32_t i = 0; i < e->n_in; i++)
            tn_strbuf_printf(out, " e%u", e->in[i]);
        break;
    }
    if (e->kind == TN_KX_LOAD && e->guard != TN_NONE) {
        tn_strbuf_text(out, " where ");
        print_guard(loop, e->guard, out);
        if (e->n_in) tn_strbuf_printf(out, " else e%u", e->in[0]);
    }
    tn_strbuf_printf(out, "%s%s\n", e->rounded ? " rounded" : "", e->held ? " held" : "");
}

void tn_loop_print(const tn_loop *loop, tn_strbuf *out) {
    tn_strbuf_printf(out, "kernel k%u [", loop->id);
    for (uint32_t a = 0; a < loop->n_axes; a++) {
        bool inner = a >= loop->n_parallel;
        tn_strbuf_printf(out, "%s%c%u=%" PRId64,
                         a == 0                  ? ""
                         : a == loop->n_parallel ? " | "
                                                 : " ",
                         inner ? 'r' : 'p', inner ? a - loop->n_parallel : a, loop->axes[a].extent);
    }
    tn_strbuf_printf(out, "] stages=%u%s bytes=%" PRId64 "\n", loop->n_stages,
                     loop->strict ? " strict" : "", loop->bytes_moved);
    for (uint32_t i = 0; i < loop->n_slots; i++)
        tn_strbuf_printf(out, "  s%u: %s b%u %s\n", i, tn_dt_text(loop->slots[i].dt),
                         loop->slots[i].buffer, loop->slots[i].written ? "written" : "read");
    for (uint32_t i = 0; i < loop->n_exprs; i++)
        print_expr(loop, i, out);
    for (uint32_t i = 0; i < loop->n_stores; i++) {
        const tn_loop_store *s = &loop->stores[i];
        tn_strbuf_printf(out, "  store");
        if (loop->n_stages > 1)
            tn_strbuf_printf(out, " %s.%u", s->level == TN_LEVEL_FULL ? "full" : "row", s->stage);
        if (s->slot == TN_NONE) {
            tn_strbuf_printf(out, " element = e%u\n", s->value);
            continue;
        }
        tn_strbuf_printf(out, " s%u[", s->slot);
        print_ix(loop, s->ix, false, out);
        tn_strbuf_printf(out, "] = e%u", s->value);
        if (s->guard != TN_NONE) {
            tn_strbuf_text(out, " where ");
            print_guard(loop, s->guard, out);
        }
        tn_strbuf_char(out, '\n');
    }
}
