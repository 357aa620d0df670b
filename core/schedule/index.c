#include "schedule/index.h"

#include <string.h>

#define UNKNOWN_LO INT64_MIN
#define UNKNOWN_HI INT64_MAX

int64_t tn__floor_div(int64_t a, int64_t b) {
    int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
}

static int64_t gcd(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

/* ------------------------------------------------------------- interning */

typedef struct sum_key {
    int64_t constant;
    const tn__ix_term *terms;
    uint32_t n_terms;
} sum_key;

static bool sum_eq(const void *self, const void *key, uint32_t id) {
    const tn__ix_sum *s = &((const tn__index *)self)->sums.data[id];
    const sum_key *k = key;
    if (s->constant != k->constant || s->n_terms != k->n_terms) return false;
    for (uint32_t i = 0; i < k->n_terms; i++)
        if (s->terms[i].atom != k->terms[i].atom ||
            s->terms[i].coefficient != k->terms[i].coefficient)
            return false;
    return true;
}

static bool atom_eq(const void *self, const void *key, uint32_t id) {
    const tn__ix_atom *a = &((const tn__index *)self)->atoms.data[id];
    const tn__ix_atom *k = key;
    return a->kind == k->kind && a->a == k->a && a->c == k->c &&
           (a->kind != TN_IX_VALUE || (a->lo == k->lo && a->hi == k->hi));
}

static uint32_t mix(uint32_t hash, uint64_t value) {
    uint64_t h = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 29) ^ (uint32_t)h;
}

/* Adds coefficient * [lo, hi] to bounds that may already be unknown. */
static void widen(int64_t *lo, int64_t *hi, int64_t coefficient, const tn__ix_atom *atom) {
    int64_t a = coefficient > 0 ? atom->lo : atom->hi, b = coefficient > 0 ? atom->hi : atom->lo;
    if (*lo == UNKNOWN_LO || *hi == UNKNOWN_HI || atom->lo == UNKNOWN_LO ||
        atom->hi == UNKNOWN_HI || __builtin_mul_overflow(a, coefficient, &a) ||
        __builtin_mul_overflow(b, coefficient, &b) || __builtin_add_overflow(*lo, a, lo) ||
        __builtin_add_overflow(*hi, b, hi)) {
        *lo = UNKNOWN_LO;
        *hi = UNKNOWN_HI;
    }
}

/* terms: sorted, no zero coefficient; may be the scratch. */
static tn__ix intern_sum(tn__index *x, int64_t constant, const tn__ix_term *terms, uint32_t n) {
    if (x->no_memory || x->overflow) return 0;
    sum_key key = {constant, terms, n};
    uint32_t hash = mix(n, (uint64_t)constant);
    for (uint32_t i = 0; i < n; i++)
        hash = mix(mix(hash, terms[i].atom), (uint64_t)terms[i].coefficient);
    tn__intern_slot *slot = tn__intern_find(&x->sum_table, hash, sum_eq, x, &key);
    if (slot && slot->id_plus_1) return slot->id_plus_1 - 1;
    tn__ix_sum s = {.constant = constant, .lo = constant, .hi = constant, .n_terms = n};
    for (uint32_t i = 0; i < n; i++) {
        const tn__ix_atom *atom = &x->atoms.data[terms[i].atom];
        widen(&s.lo, &s.hi, terms[i].coefficient, atom);
        s.axes |= atom->axes;
        s.has_mod |= atom->kind == TN_IX_MOD;
        s.has_value |= atom->has_value;
    }
    s.terms = n ? tn_arena_copy(x->arena, terms, n * sizeof *terms) : NULL;
    if (!slot || (n && !s.terms) || !tn_vec_push(x->allocator, &x->sums, s)) {
        x->no_memory = true;
        return 0;
    }
    tn__intern_put(&x->sum_table, slot, hash, (uint32_t)x->sums.len - 1);
    return (tn__ix)x->sums.len - 1;
}

/* The sum 1 * atom. */
static tn__ix intern_atom(tn__index *x, tn__ix_atom atom) {
    if (x->no_memory || x->overflow) return 0;
    uint32_t hash = mix(mix(atom.kind, atom.a), (uint64_t)atom.c);
    if (atom.kind == TN_IX_VALUE) hash = mix(mix(hash, (uint64_t)atom.lo), (uint64_t)atom.hi);
    tn__intern_slot *slot = tn__intern_find(&x->atom_table, hash, atom_eq, x, &atom);
    uint32_t id;
    if (slot && slot->id_plus_1) {
        id = slot->id_plus_1 - 1;
    } else {
        if (!slot || !tn_vec_push(x->allocator, &x->atoms, atom)) {
            x->no_memory = true;
            return 0;
        }
        id = (uint32_t)x->atoms.len - 1;
        tn__intern_put(&x->atom_table, slot, hash, id);
    }
    tn__ix_term term = {id, 1};
    return intern_sum(x, 0, &term, 1);
}

tn_status tn__index_init(tn__index *x, const tn_allocator *allocator, tn_arena *arena) {
    *x = (tn__index){.allocator = allocator, .arena = arena};
    tn__intern_init(&x->sum_table, allocator);
    tn__intern_init(&x->atom_table, allocator);
    tn__ix zero = intern_sum(x, 0, NULL, 0);
    (void)zero;
    return tn__index_status(x);
}

void tn__index_deinit(tn__index *x) {
    tn_vec_free(x->allocator, &x->sums);
    tn_vec_free(x->allocator, &x->atoms);
    tn_vec_free(x->allocator, &x->scratch);
    tn__intern_deinit(&x->sum_table);
    tn__intern_deinit(&x->atom_table);
}

tn_status tn__index_status(const tn__index *x) {
    if (x->no_memory) return tn_status_no_memory();
    if (x->overflow)
        return tn_status_make(TN_UNSUPPORTED, "index arithmetic needs more than 64 bits: the "
                                              "tensors are too large");
    return NULL;
}

/* --------------------------------------------------------------- the sums */

tn__ix tn__ix_const(tn__index *x, int64_t value) {
    return intern_sum(x, value, NULL, 0);
}

tn__ix tn__ix_axis(tn__index *x, uint32_t axis, int64_t extent) {
    if (extent == 1) return 0;
    return intern_atom(x, (tn__ix_atom){.kind = TN_IX_AXIS,
                                        .a = axis,
                                        .c = extent,
                                        .lo = 0,
                                        .hi = extent - 1,
                                        .axes = UINT32_C(1) << axis});
}

tn__ix tn__ix_value(tn__index *x, uint32_t expression, int64_t lo, int64_t hi, uint32_t axes) {
    return intern_atom(x, (tn__ix_atom){.kind = TN_IX_VALUE,
                                        .a = expression,
                                        .lo = lo,
                                        .hi = hi,
                                        .axes = axes,
                                        .has_value = true});
}

/* x + factor * y into the scratch; false on a failure that stuck. */
static bool merge(tn__index *p, tn__ix x, tn__ix y, int64_t factor, int64_t *out_constant) {
    const tn__ix_sum *a = tn__ix_get(p, x), *b = tn__ix_get(p, y);
    p->scratch.len = 0;
    if (!tn_vec_reserve(p->allocator, &p->scratch, (size_t)a->n_terms + b->n_terms)) {
        p->no_memory = true;
        return false;
    }
    int64_t scaled;
    bool overflow = __builtin_mul_overflow(b->constant, factor, &scaled) ||
                    __builtin_add_overflow(a->constant, scaled, out_constant);
    tn__ix_term *out = p->scratch.data;
    uint32_t i = 0, j = 0, n = 0;
    while (i < a->n_terms || j < b->n_terms) {
        tn__ix_term t;
        if (j == b->n_terms || (i < a->n_terms && a->terms[i].atom < b->terms[j].atom)) {
            t = a->terms[i++];
        } else {
            t.atom = b->terms[j].atom;
            overflow |= __builtin_mul_overflow(b->terms[j++].coefficient, factor, &t.coefficient);
            if (i < a->n_terms && a->terms[i].atom == t.atom)
                overflow |= __builtin_add_overflow(t.coefficient, a->terms[i++].coefficient,
                                                   &t.coefficient);
        }
        if (t.coefficient) out[n++] = t;
    }
    p->scratch.len = n;
    if (overflow) p->overflow = true;
    return !overflow;
}

static tn__ix add_scaled(tn__index *p, tn__ix x, tn__ix y, int64_t factor) {
    int64_t constant;
    if (p->no_memory || p->overflow || !merge(p, x, y, factor, &constant)) return 0;
    return intern_sum(p, constant, p->scratch.data, (uint32_t)p->scratch.len);
}

static int64_t coefficient_of(const tn__ix_sum *s, uint32_t atom) {
    for (uint32_t i = 0; i < s->n_terms; i++)
        if (s->terms[i].atom == atom) return s->terms[i].coefficient;
    return 0;
}

/* The atom when x is exactly 1 * atom; TN_NONE otherwise. */
static uint32_t single_atom(const tn__index *p, tn__ix x) {
    const tn__ix_sum *s = tn__ix_get(p, x);
    return s->n_terms == 1 && s->constant == 0 && s->terms[0].coefficient == 1 ? s->terms[0].atom
                                                                               : TN_NONE;
}

/* One step of putting back together what division took apart:
 *   m * (s mod k) + m*k * (s div k)              ->  m * s
 *   m * (s mod k) + m*k * ((s div k) mod e)      ->  m * (s mod k*e)  */
static tn__ix rejoin_term(tn__index *p, tn__ix x, tn__ix_term term) {
    tn__ix_atom atom = p->atoms.data[term.atom];
    int64_t above, product;
    if (atom.kind != TN_IX_MOD || __builtin_mul_overflow(term.coefficient, atom.c, &above))
        return x;
    tn__ix quotient = tn__ix_div(p, atom.a, atom.c);
    tn__ix mod = intern_sum(p, 0, &(tn__ix_term){term.atom, 1}, 1);
    uint32_t single = single_atom(p, quotient);
    if (single != TN_NONE && coefficient_of(tn__ix_get(p, x), single) == above) {
        x = add_scaled(p, x, quotient, -above);
        x = add_scaled(p, x, mod, -term.coefficient);
        return add_scaled(p, x, atom.a, term.coefficient);
    }
    const tn__ix_sum *s = tn__ix_get(p, x);
    for (uint32_t i = 0; i < s->n_terms; i++) {
        const tn__ix_atom *other = &p->atoms.data[s->terms[i].atom];
        if (other->kind != TN_IX_MOD || s->terms[i].coefficient != above || other->a != quotient ||
            __builtin_mul_overflow(atom.c, other->c, &product))
            continue;
        tn__ix outer = intern_sum(p, 0, &(tn__ix_term){s->terms[i].atom, 1}, 1);
        x = add_scaled(p, x, outer, -above);
        x = add_scaled(p, x, mod, -term.coefficient);
        return add_scaled(p, x, tn__ix_mod(p, atom.a, product), term.coefficient);
    }
    return x;
}

static tn__ix rejoin(tn__index *p, tn__ix x) {
    for (uint32_t i = 0; i < tn__ix_get(p, x)->n_terms; i++) {
        if (p->no_memory || p->overflow) return 0;
        tn__ix joined = rejoin_term(p, x, tn__ix_get(p, x)->terms[i]);
        if (joined != x) {
            x = joined;
            i = UINT32_MAX; /* from the start: each step leaves fewer terms or divisions */
        }
    }
    return x;
}

tn__ix tn__ix_add(tn__index *p, tn__ix x, tn__ix y) {
    if (x == 0) return y;
    if (y == 0) return x;
    tn__ix sum = add_scaled(p, x, y, 1);
    const tn__ix_sum *s = tn__ix_get(p, sum);
    return s->has_mod && s->n_terms > 1 ? rejoin(p, sum) : sum;
}

tn__ix tn__ix_scale(tn__index *p, tn__ix x, int64_t factor) {
    return factor == 1 ? x : add_scaled(p, 0, x, factor);
}

tn__ix tn__ix_offset(tn__index *p, tn__ix x, int64_t amount) {
    return amount == 0 ? x : add_scaled(p, x, tn__ix_const(p, amount), 1);
}

/* --------------------------------------------------------------- division */

/* Splits x into  divisor * quotient + rest,  rest holding the terms that
 * divisor does not divide and a constant in [0, divisor). */
static void split(tn__index *p, tn__ix x, int64_t divisor, tn__ix *out_quotient, tn__ix *out_rest) {
    *out_quotient = *out_rest = 0;
    const tn__ix_sum s = *tn__ix_get(p, x);
    p->scratch.len = 0;
    if (p->no_memory || p->overflow || !tn_vec_reserve(p->allocator, &p->scratch, s.n_terms)) {
        p->no_memory |= !p->overflow;
        return;
    }
    tn__ix_term *t = p->scratch.data;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s.n_terms; i++)
        if (s.terms[i].coefficient % divisor == 0)
            t[n++] = (tn__ix_term){s.terms[i].atom, s.terms[i].coefficient / divisor};
    int64_t whole = tn__floor_div(s.constant, divisor);
    *out_quotient = intern_sum(p, whole, t, n);
    n = 0;
    for (uint32_t i = 0; i < s.n_terms; i++)
        if (s.terms[i].coefficient % divisor != 0) t[n++] = s.terms[i];
    *out_rest = intern_sum(p, s.constant - whole * divisor, t, n);
}

/* When floor(x / divisor) is the same over the whole range of x. */
static bool constant_quotient(const tn__index *p, tn__ix x, int64_t divisor, int64_t *out) {
    const tn__ix_sum *s = tn__ix_get(p, x);
    if (s->lo == UNKNOWN_LO || s->hi == UNKNOWN_HI) return false;
    *out = tn__floor_div(s->lo, divisor);
    return *out == tn__floor_div(s->hi, divisor);
}

/* x = k*X + Y with k > 1 dividing divisor and floor(Y / k) the constant t: then
 * floor(x / divisor) = floor((X + t) / (divisor / k)). The greatest such k. */
static bool find_factor(tn__index *p, tn__ix x, int64_t divisor, int64_t *out_k, tn__ix *out_upper,
                        tn__ix *out_lower) {
    int64_t best = 1;
    for (uint32_t i = 0; i < tn__ix_get(p, x)->n_terms; i++) {
        int64_t k = gcd(tn__ix_get(p, x)->terms[i].coefficient, divisor), t;
        if (k <= best || k == divisor) continue;
        tn__ix upper, lower;
        split(p, x, k, &upper, &lower);
        if (!constant_quotient(p, lower, k, &t)) continue;
        best = k;
        *out_k = k;
        *out_upper = tn__ix_offset(p, upper, t);
        *out_lower = add_scaled(p, lower, tn__ix_const(p, t), -k);
    }
    return best > 1;
}

tn__ix tn__ix_div(tn__index *p, tn__ix x, int64_t divisor) {
    if (divisor == 1) return x;
    int64_t t, k, product;
    tn__ix quotient, rest, upper, lower;
    split(p, x, divisor, &quotient, &rest);
    if (p->no_memory || p->overflow) return 0;
    if (constant_quotient(p, rest, divisor, &t)) return tn__ix_offset(p, quotient, t);
    if (find_factor(p, rest, divisor, &k, &upper, &lower))
        return tn__ix_add(p, quotient, tn__ix_div(p, upper, divisor / k));
    uint32_t single = single_atom(p, rest);
    if (single != TN_NONE) {
        tn__ix_atom a = p->atoms.data[single];
        if (a.kind == TN_IX_DIV && !__builtin_mul_overflow(a.c, divisor, &product))
            return tn__ix_add(p, quotient, tn__ix_div(p, a.a, product));
        if (a.kind == TN_IX_MOD && a.c % divisor == 0)
            return tn__ix_add(p, quotient,
                              tn__ix_mod(p, tn__ix_div(p, a.a, divisor), a.c / divisor));
    }
    const tn__ix_sum *s = tn__ix_get(p, rest);
    bool unknown = s->lo == UNKNOWN_LO || s->hi == UNKNOWN_HI;
    tn__ix_atom atom = {.kind = TN_IX_DIV,
                        .a = rest,
                        .c = divisor,
                        .lo = unknown ? UNKNOWN_LO : tn__floor_div(s->lo, divisor),
                        .hi = unknown ? UNKNOWN_HI : tn__floor_div(s->hi, divisor),
                        .axes = s->axes,
                        .has_value = s->has_value};
    return tn__ix_add(p, quotient, intern_atom(p, atom));
}

/* m * (s mod a) = m * s modulo divisor when divisor divides m * a. */
static tn__ix drop_inner_mods(tn__index *p, tn__ix x, int64_t divisor) {
    for (uint32_t i = 0; i < tn__ix_get(p, x)->n_terms; i++) {
        tn__ix_term term = tn__ix_get(p, x)->terms[i];
        tn__ix_atom atom = p->atoms.data[term.atom];
        int64_t product;
        if (atom.kind != TN_IX_MOD || __builtin_mul_overflow(term.coefficient, atom.c, &product) ||
            product % divisor)
            continue;
        tn__ix rest = add_scaled(p, x, intern_sum(p, 0, &(tn__ix_term){term.atom, 1}, 1),
                                 -term.coefficient);
        return add_scaled(p, rest, atom.a, term.coefficient);
    }
    return x;
}

tn__ix tn__ix_mod(tn__index *p, tn__ix x, int64_t divisor) {
    if (divisor == 1) return 0;
    int64_t t, k;
    tn__ix quotient, rest, upper, lower;
    split(p, x, divisor, &quotient, &rest);
    if (p->no_memory || p->overflow) return 0;
    if (constant_quotient(p, rest, divisor, &t))
        return add_scaled(p, rest, tn__ix_const(p, t), -divisor);
    tn__ix simpler = drop_inner_mods(p, rest, divisor);
    if (simpler != rest) return tn__ix_mod(p, simpler, divisor);
    if (find_factor(p, rest, divisor, &k, &upper, &lower))
        return tn__ix_add(p, tn__ix_scale(p, tn__ix_mod(p, upper, divisor / k), k), lower);
    const tn__ix_sum *s = tn__ix_get(p, rest);
    tn__ix_atom atom = {.kind = TN_IX_MOD,
                        .a = rest,
                        .c = divisor,
                        .lo = 0,
                        .hi = divisor - 1,
                        .axes = s->axes,
                        .has_value = s->has_value};
    return intern_atom(p, atom);
}

tn__ix tn__ix_substitute(tn__index *p, tn__ix x, const tn__ix *map) {
    tn__ix_sum s = *tn__ix_get(p, x); /* a copy: what follows may move the sums */
    tn__ix out = tn__ix_const(p, s.constant);
    for (uint32_t i = 0; i < s.n_terms && !p->no_memory && !p->overflow; i++) {
        tn__ix_atom atom = p->atoms.data[s.terms[i].atom];
        tn__ix term = 0;
        switch (atom.kind) {
        case TN_IX_AXIS: term = map[atom.a]; break;
        case TN_IX_DIV: term = tn__ix_div(p, tn__ix_substitute(p, atom.a, map), atom.c); break;
        case TN_IX_MOD: term = tn__ix_mod(p, tn__ix_substitute(p, atom.a, map), atom.c); break;
        default: term = intern_sum(p, 0, &(tn__ix_term){s.terms[i].atom, 1}, 1); break;
        }
        out = tn__ix_add(p, out, tn__ix_scale(p, term, s.terms[i].coefficient));
    }
    return out;
}

/* --------------------------------------------------------------- questions */

uint32_t tn__ix_plain_axis(const tn__index *p, tn__ix x) {
    uint32_t atom = single_atom(p, x);
    return atom != TN_NONE && p->atoms.data[atom].kind == TN_IX_AXIS ? p->atoms.data[atom].a
                                                                     : TN_NONE;
}

bool tn__ix_affine(const tn__index *p, tn__ix x, int64_t out[TN_MAX_RANK], int64_t *out_constant) {
    const tn__ix_sum *s = tn__ix_get(p, x);
    memset(out, 0, TN_MAX_RANK * sizeof *out);
    *out_constant = s->constant;
    for (uint32_t i = 0; i < s->n_terms; i++) {
        const tn__ix_atom *atom = &p->atoms.data[s->terms[i].atom];
        if (atom->kind != TN_IX_AXIS) return false;
        out[atom->a] = s->terms[i].coefficient;
    }
    return true;
}

int64_t tn__ix_at(const tn__index *p, tn__ix x, const int64_t *coords) {
    const tn__ix_sum *s = tn__ix_get(p, x);
    int64_t total = s->constant;
    for (uint32_t i = 0; i < s->n_terms; i++) {
        const tn__ix_atom *atom = &p->atoms.data[s->terms[i].atom];
        int64_t v = 0;
        switch (atom->kind) {
        case TN_IX_AXIS: v = coords[atom->a]; break;
        case TN_IX_DIV: v = tn__floor_div(tn__ix_at(p, atom->a, coords), atom->c); break;
        case TN_IX_MOD:
            v = tn__ix_at(p, atom->a, coords);
            v -= atom->c * tn__floor_div(v, atom->c);
            break;
        default: break;
        }
        total += s->terms[i].coefficient * v;
    }
    return total;
}
