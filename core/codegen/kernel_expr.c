/* Expressions other than loads, guards and reductions. */
#include <math.h>
#include <string.h>

#include "codegen/kernel.h"

const char *tn__reg(tn_dt dt) {
    return tn_dt_text(tn_dt_compute(dt));
}

const char *tn__vector_type(tn_dt dt) {
    switch (tn_dt_compute(dt)) {
    case TN_DT_BOOL: return "vmask";
    case TN_DT_U8: return "vu8";
    case TN_DT_U16: return "vu16";
    case TN_DT_U32: return "vu32";
    case TN_DT_U64: return "vu64";
    case TN_DT_I8: return "vi8";
    case TN_DT_I16: return "vi16";
    case TN_DT_I32: return "vi32";
    case TN_DT_I64: return "vi64";
    case TN_DT_F64: return "vf64";
    default: return "vf32";
    }
}

const char *tn__value(tn__kernel *k, uint32_t e, uint32_t copy) {
    return tn__is_vector(k, e) ? tn__text(k->w, "e%u_%u", e, copy) : tn__text(k->w, "e%u", e);
}

const char *tn__copy_offset(tn__kernel *k, uint32_t copy) {
    if (copy == 0) return "";
    if (copy == 1) return " + TN_W";
    return tn__text(k->w, " + %u * TN_W", copy);
}

/* ----------------------------------------------------------------- literals */

static const char *float_literal(tn__kernel *k, double value) {
    if (isnan(value)) return "__builtin_nan(\"\")";
    if (isinf(value)) return value > 0 ? "__builtin_inf()" : "-__builtin_inf()";
    tn_strbuf text;
    tn_strbuf_init(&text, k->w->allocator);
    tn_strbuf_double(&text, value);
    const char *out = tn__text(k->w, "%s", tn_strbuf_cstr(&text));
    if (text.failed) k->w->no_memory = true;
    tn_strbuf_deinit(&text);
    return out;
}

const char *tn__literal(tn__kernel *k, tn_dt dt, tn_scalar value) {
    if (tn_dt_is_float(dt)) return float_literal(k, value.f);
    if (dt == TN_DT_BOOL) return value.u ? "1" : "0";
    if (!tn_dt_is_signed(dt)) return tn__text(k->w, "%lluull", (unsigned long long)value.u);
    if (value.i == INT64_MIN) return "-9223372036854775807ll - 1";
    return tn__text(k->w, "%lldll", (long long)value.i);
}

static void write_number(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    const char *reg = tn__reg(expr->dt), *value;
    if (expr->kind == TN_KX_PARAM) {
        if (!tn_vec_push(k->w->allocator, &k->w->nums, expr->value)) k->w->no_memory = true;
        const char *member = tn_dt_is_float(expr->dt) ? "f" : tn_dt_is_signed(expr->dt) ? "i" : "u";
        const char *type = expr->dt == TN_DT_BOOL ? "" : tn__text(k->w, "(tn_%s)", reg);
        value = tn__text(k->w, "%snums[%zu].%s", type, k->w->nums.len - 1, member);
    } else {
        value = tn__literal(k, expr->dt, expr->value);
    }
    tn__line(k->w, "const %s e%u = tn_lit_%s(%s);", tn__vector_type(expr->dt), e, reg, value);
}

/* -------------------------------------------------------------------- casts */

static bool is_small_float(tn_dt dt) {
    return tn_dt_is_float(dt) && tn_dt_compute(dt) != dt;
}

/* Rounding to a small float happens in one step from what holds the exact value:
 * wide sources go through a form that rounds to f32 without losing which side of
 * a tie they were on. */
const char *tn__cast(tn__kernel *k, tn_dt from, tn_dt to, const char *x) {
    tn_dt a = tn_dt_compute(from), b = tn_dt_compute(to);
    if (a == b) return x;
    if (to == TN_DT_BOOL)
        return tn__text(k->w, "tn_ne_%s(%s, tn_lit_%s(0))", tn_dt_text(a), x, tn_dt_text(a));
    if (from == TN_DT_BOOL)
        return tn__text(k->w, "tn_keep_%s(%s, tn_lit_%s(1))", tn_dt_text(b), x, tn_dt_text(b));
    const char *odd = is_small_float(to) && tn_dt_size(a) >= 4 ? "_odd" : "";
    return tn__text(k->w, "tn_%s_to_%s%s(%s)", tn_dt_text(a), tn_dt_text(b), odd, x);
}

static const char *bits_type(tn_dt dt) {
    switch (tn_dt_size(dt)) {
    case 1: return "vu8";
    case 2: return "vu16";
    case 4: return "vu32";
    default: return "vu64";
    }
}

static const char *bitcast(tn__kernel *k, tn_dt from, tn_dt to, const char *x) {
    if (from == to) return x;
    if (is_small_float(from)) x = tn__text(k->w, "tn_enc_%s(%s)", tn_dt_text(from), x);
    if (from == TN_DT_BOOL) x = tn__text(k->w, "tn_keep_u8(%s, tn_lit_u8(1))", x);
    x = tn__text(k->w, "(%s)%s", bits_type(from), x);
    if (is_small_float(to)) return tn__text(k->w, "tn_dec_%s(%s)", tn_dt_text(to), x);
    if (to == TN_DT_BOOL) return tn__text(k->w, "tn_ne_u8(%s, tn_lit_u8(0))", x);
    return tn__text(k->w, "(%s)(%s)", tn__vector_type(to), x);
}

/* --------------------------------------------------------------- primitives */

static const char *prim_text(tn__kernel *k, const tn_kx_node *expr, uint32_t copy) {
    tn_dt in = k->loop->exprs[expr->in[0]].dt;
    const char *a = tn__value(k, expr->in[0], copy);
    const char *b = expr->n_in > 1 ? tn__value(k, expr->in[1], copy) : "";
    const char *c = expr->n_in > 2 ? tn__value(k, expr->in[2], copy) : "";
    switch (expr->prim) {
    case TN_PRIM_SELECT: return tn__text(k->w, "tn_sel_%s(%s, %s, %s)", tn__reg(expr->dt), a, b, c);
    case TN_PRIM_CAST: return tn__cast(k, in, expr->dt, a);
    case TN_PRIM_BITCAST: return bitcast(k, in, expr->dt, a);
    default: break;
    }
    const char *call = tn__prim_call(k, expr->prim, in);
    if (expr->n_in == 1) return tn__text(k->w, "%s(%s)", call, a);
    if (expr->n_in == 2) return tn__text(k->w, "%s(%s, %s)", call, a, b);
    return tn__text(k->w, "%s(%s, %s, %s)", call, a, b, c);
}

static void write_prim(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    for (uint32_t u = 0; u < (tn__is_vector(k, e) ? k->copies : 1); u++) {
        const char *value = prim_text(k, expr, u);
        if (expr->rounded && is_small_float(expr->dt))
            value = tn__text(k->w, "tn_round_%s(%s)", tn_dt_text(expr->dt), value);
        tn__line(k->w, "const %s %s = %s;", tn__vector_type(expr->dt), tn__value(k, e, u), value);
    }
}

/* -------------------------------------------------------------- coordinates */

/* Coordinates that fit 32 bits are made in 32 bits: half the registers. */
static void write_index(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    const tn__access *access = &k->nest->loads[e];
    bool narrow = access->lo >= INT32_MIN && access->hi <= INT32_MAX;
    tn_dt dt = narrow ? TN_DT_I32 : TN_DT_I64;
    const char *t = tn_dt_text(dt), *type = tn__vector_type(expr->dt);
    const char *base = tn__index_at(k->w, access, k->level);
    if (!tn__is_vector(k, e)) {
        const char *value = tn__text(k->w, "tn_lit_%s((tn_%s)(%s))", t, t, base);
        tn__line(k->w, "const %s e%u = %s;", type, e, tn__cast(k, dt, expr->dt, value));
        return;
    }
    bool lanewise = tn__nest_is_vector(k->nest, access->term_axes);
    const char *step = tn__index_step(k->w, access);
    for (uint32_t u = 0; u < k->copies; u++) {
        const char *name = tn__value(k, e, u), *offset = tn__copy_offset(k, u), *value;
        if (lanewise) {
            tn__line(k->w, "tn_i64 %s_i[TN_W];", name);
            tn__lane_begin(k->w);
            tn__line(k->w, "for (int k = 0; k < TN_W; k++) {");
            tn__line(k->w, "const tn_i64 l = j%s + k;", offset);
            tn__lane_values(k->w, access, u);
            tn__line(k->w, "%s_i[k] = %s;", name, tn__lane_index(k->w, access, k->level));
            tn__line(k->w, "}");
            value = tn__cast(k, TN_DT_I64, expr->dt, tn__text(k->w, "tn_load_i64(%s_i)", name));
        } else if (strcmp(step, "1") == 0) {
            value = tn__text(k->w, "tn_iota_%s((tn_%s)(%s + j%s))", t, t, base, offset);
            value = tn__cast(k, dt, expr->dt, value);
        } else {
            value = tn__text(k->w, "tn_lit_%s((tn_%s)(%s)) + tn_iota_%s((tn_%s)(j%s)) * (tn_%s)%s",
                             t, t, base, t, t, offset, t, step);
            value = tn__cast(k, dt, expr->dt, tn__text(k->w, "(%s)", value));
        }
        tn__line(k->w, "const %s %s = %s;", type, name, value);
    }
}

/* A template hands over accumulators from coordinate jb on. */
static void write_accumulator(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    const char *t = tn_dt_text(k->acc);
    for (uint32_t u = 0; u < k->copies; u++) {
        const char *at = tn__text(k->w, "acc + (j - jb%s)", tn__copy_offset(k, u));
        const char *value = k->masked ? tn__text(k->w, "tn_load_part_%s(%s, m%u)", t, at, u)
                                      : tn__text(k->w, "tn_load_%s(%s)", t, at);
        value = tn__cast(k, k->acc, expr->dt, value);
        if (expr->rounded && is_small_float(expr->dt))
            value = tn__text(k->w, "tn_round_%s(%s)", tn_dt_text(expr->dt), value);
        tn__line(k->w, "const %s %s = %s;", tn__vector_type(expr->dt), tn__value(k, e, u), value);
    }
}

void tn__declare_as_index(tn__kernel *k, uint32_t e) {
    if (!k->nest->is_index[e] || tn__is_vector(k, e)) return;
    tn__line(k->w, "const tn_i64 w%u = (tn_i64)tn_get_%s(e%u, 0);", e,
             tn__reg(k->loop->exprs[e].dt), e);
}

void tn__write_expr(tn__kernel *k, uint32_t e) {
    const tn_kx_node *expr = &k->loop->exprs[e];
    switch (expr->kind) {
    case TN_KX_LOAD: tn__write_load(k, e); break;
    case TN_KX_CONST:
    case TN_KX_PARAM: write_number(k, e); break;
    case TN_KX_INDEX: write_index(k, e); break;
    case TN_KX_GUARD: tn__write_guard(k, e); break;
    case TN_KX_PRIM: write_prim(k, e); break;
    case TN_KX_ACC: write_accumulator(k, e); break;
    case TN_KX_REDUCE: return; /* declared by whoever makes it */
    }
    tn__declare_as_index(k, e);
}
