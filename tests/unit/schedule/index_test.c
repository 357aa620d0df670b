/* Index expressions: what simplification makes of them has the same value at every
 * point, lies within its stated range, and is canonical where it should be. */
#include "schedule/index.h"

#include <criterion/criterion.h>

#include "support/failing_allocator.h"

#define MAX_POINTS 1024

static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* An expression and its value at every point, computed the plain way. */
typedef struct model {
    tn__ix ix;
    int64_t at[MAX_POINTS];
} model;

typedef struct world {
    tn_arena arena;
    tn__index index;
    int64_t extents[4];
    uint32_t n_axes, n_points;
    int64_t coords[MAX_POINTS][4];
} world;

static void open_world(world *w, const int64_t *extents, uint32_t n) {
    const tn_allocator *a = tn_allocator_system();
    w->n_axes = n;
    w->n_points = 1;
    tn_arena_init(&w->arena, a);
    cr_assert_null(tn__index_init(&w->index, a, &w->arena));
    for (uint32_t i = 0; i < n; i++) {
        w->extents[i] = extents[i];
        w->n_points *= (uint32_t)extents[i];
    }
    cr_assert_leq(w->n_points, MAX_POINTS);
    for (uint32_t p = 0; p < w->n_points; p++) {
        int64_t rest = p;
        for (uint32_t i = n; i-- > 0; rest /= extents[i])
            w->coords[p][i] = rest % extents[i];
    }
}

static void close_world(world *w) {
    cr_assert_null(tn__index_status(&w->index));
    tn__index_deinit(&w->index);
    tn_arena_deinit(&w->arena);
}

static void expect_equal(world *w, const model *m, const char *what) {
    const tn__ix_sum *s = tn__ix_get(&w->index, m->ix);
    for (uint32_t p = 0; p < w->n_points; p++) {
        int64_t found = tn__ix_at(&w->index, m->ix, w->coords[p]);
        cr_assert_eq(found, m->at[p], "%s at point %u: expected %ld, found %ld", what, p,
                     (long)m->at[p], (long)found);
        cr_assert(s->lo <= found && found <= s->hi, "%s: %ld is outside [%ld, %ld]", what,
                  (long)found, (long)s->lo, (long)s->hi);
    }
}

static model random_axis(world *w, uint64_t *seed) {
    uint32_t axis = (uint32_t)(next_random(seed) % w->n_axes);
    model m = {.ix = tn__ix_axis(&w->index, axis, w->extents[axis])};
    for (uint32_t p = 0; p < w->n_points; p++)
        m.at[p] = w->coords[p][axis];
    return m;
}

/* Divisors that are products of extents meet the interesting rules more often. */
static int64_t random_divisor(world *w, uint64_t *seed) {
    int64_t d = 1;
    for (uint32_t i = 0; i < w->n_axes; i++)
        if (next_random(seed) % 2) d *= w->extents[i];
    return next_random(seed) % 4 == 0 ? 1 + (int64_t)(next_random(seed) % 13) : d;
}

static model combine(world *w, uint64_t *seed, const model *x, const model *y, const char **what) {
    model m = {0};
    int64_t k = (int64_t)(next_random(seed) % 41) - 12, d = random_divisor(w, seed);
    uint64_t op = next_random(seed) % 6;
    for (uint32_t p = 0; p < w->n_points; p++) {
        int64_t quotient = tn__floor_div(x->at[p], d);
        m.at[p] = op == 0   ? x->at[p] + y->at[p]
                  : op == 1 ? x->at[p] * k
                  : op == 2 ? x->at[p] + k
                  : op == 3 ? quotient
                  : op == 4 ? x->at[p] - d * quotient
                            : x->at[p] * d + y->at[p];
    }
    switch (op) {
    case 0: m.ix = tn__ix_add(&w->index, x->ix, y->ix); break;
    case 1: m.ix = tn__ix_scale(&w->index, x->ix, k); break;
    case 2: m.ix = tn__ix_offset(&w->index, x->ix, k); break;
    case 3: m.ix = tn__ix_div(&w->index, x->ix, d); break;
    case 4: m.ix = tn__ix_mod(&w->index, x->ix, d); break;
    default: m.ix = tn__ix_add(&w->index, tn__ix_scale(&w->index, x->ix, d), y->ix); break;
    }
    static const char *const names[] = {"add", "scale", "offset", "div", "mod", "linear"};
    *what = names[op];
    return m;
}

Test(index, simplified_is_equal_everywhere) {
    static model models[12];
    static const int64_t choices[] = {1, 2, 3, 4, 5, 6, 8};
    for (uint64_t round = 0; round < 400; round++) {
        uint64_t seed = round;
        int64_t extents[4];
        for (uint32_t i = 0; i < 4; i++)
            extents[i] = choices[next_random(&seed) % (i < 2 ? 7 : 4)];
        static world w;
        open_world(&w, extents, 4);
        for (uint32_t i = 0; i < 12; i++)
            models[i] = random_axis(&w, &seed);
        for (uint32_t step = 0; step < 40; step++) {
            const char *what;
            model m = combine(&w, &seed, &models[next_random(&seed) % 12],
                              &models[next_random(&seed) % 12], &what);
            expect_equal(&w, &m, what);
            int64_t size = 0;
            for (uint32_t p = 0; p < w.n_points; p++)
                size |= m.at[p] < 0 ? -m.at[p] : m.at[p];
            if (size < 1 << 20) models[next_random(&seed) % 12] = m;
        }
        close_world(&w);
    }
}

Test(index, substitution_is_evaluation) {
    static model models[8];
    for (uint64_t round = 0; round < 200; round++) {
        uint64_t seed = round + 1000;
        const int64_t extents[4] = {2, 3, 4, 5};
        static world w;
        open_world(&w, extents, 4);
        for (uint32_t i = 0; i < 8; i++)
            models[i] = random_axis(&w, &seed);
        for (uint32_t step = 0; step < 20; step++) {
            const char *what;
            models[next_random(&seed) % 8] = combine(&w, &seed, &models[next_random(&seed) % 8],
                                                     &models[next_random(&seed) % 8], &what);
        }
        /* The axes in reverse, each cut to its own extent. */
        tn__ix map[TN_MAX_RANK] = {0};
        for (uint32_t i = 0; i < 4; i++)
            map[i] = tn__ix_mod(&w.index, tn__ix_axis(&w.index, 3 - i, extents[3 - i]), extents[i]);
        tn__ix out = tn__ix_substitute(&w.index, models[0].ix, map);
        for (uint32_t p = 0; p < w.n_points; p++) {
            int64_t turned[4];
            for (uint32_t i = 0; i < 4; i++)
                turned[i] = w.coords[p][3 - i] % extents[i];
            cr_assert_eq(tn__ix_at(&w.index, out, w.coords[p]),
                         tn__ix_at(&w.index, models[0].ix, turned));
        }
        close_world(&w);
    }
}

static tn__ix linear(world *w, const tn__ix *items, const int64_t *extents, uint32_t n) {
    tn__ix x = 0;
    for (uint32_t i = 0; i < n; i++)
        x = tn__ix_add(&w->index, tn__ix_scale(&w->index, x, extents[i]), items[i]);
    return x;
}

Test(index, linearize_undoes_delinearize) {
    static world w;
    const int64_t extents[3] = {4, 6, 20}, shape[3] = {8, 5, 12};
    open_world(&w, extents, 3);
    tn__ix axes[3], parts[3];
    for (uint32_t i = 0; i < 3; i++)
        axes[i] = tn__ix_axis(&w.index, i, extents[i]);
    tn__ix x = linear(&w, axes, extents, 3), rest = x;
    for (uint32_t i = 3; i-- > 0; rest = tn__ix_div(&w.index, rest, shape[i]))
        parts[i] = tn__ix_mod(&w.index, rest, shape[i]);
    cr_expect_eq(linear(&w, parts, shape, 3), x);
    /* And the other way: the digits of a number made of digits are those. */
    rest = x;
    for (uint32_t i = 3; i-- > 0; rest = tn__ix_div(&w.index, rest, extents[i]))
        cr_expect_eq(tn__ix_mod(&w.index, rest, extents[i]), axes[i]);
    cr_expect_eq(rest, 0);
    close_world(&w);
}

Test(index, keeps_what_is_affine_affine) {
    static world w;
    const int64_t extents[3] = {3, 4, 5};
    open_world(&w, extents, 3);
    tn__index *p = &w.index;
    tn__ix i = tn__ix_axis(p, 0, 3), j = tn__ix_axis(p, 1, 4), k = tn__ix_axis(p, 2, 5);
    /* (i*S*D + j*D + k) / D = i*S + j */
    tn__ix x = tn__ix_add(p, tn__ix_add(p, tn__ix_scale(p, i, 20), tn__ix_scale(p, j, 5)), k);
    cr_expect_eq(tn__ix_div(p, x, 5), tn__ix_add(p, tn__ix_scale(p, i, 4), j));
    cr_expect_eq(tn__ix_div(p, x, 20), i);
    cr_expect_eq(tn__ix_mod(p, x, 20), tn__ix_add(p, tn__ix_scale(p, j, 5), k));
    /* A quotient of a quotient is one, a remainder of a remainder too. */
    tn__ix odd = tn__ix_add(p, tn__ix_scale(p, i, 7), k);
    cr_expect_eq(tn__ix_div(p, tn__ix_div(p, odd, 2), 3), tn__ix_div(p, odd, 6));
    cr_expect_eq(tn__ix_mod(p, tn__ix_mod(p, odd, 6), 3), tn__ix_mod(p, odd, 3));
    /* Negative steps and offsets are floored, not cut. */
    tn__ix back = tn__ix_offset(p, tn__ix_scale(p, k, -1), -1);
    cr_expect_eq(tn__ix_div(p, back, 5), tn__ix_const(p, -1));
    cr_expect_eq(tn__ix_mod(p, back, 5), tn__ix_offset(p, back, 5));
    cr_expect_eq(tn__ix_axis(p, 9, 1), 0, "an axis of one element is the constant 0");
    close_world(&w);
}

Test(index, equal_expressions_are_one) {
    static world w;
    const int64_t extents[2] = {7, 9};
    open_world(&w, extents, 2);
    tn__index *p = &w.index;
    tn__ix a = tn__ix_axis(p, 0, 7), b = tn__ix_axis(p, 1, 9);
    cr_expect_eq(tn__ix_add(p, a, b), tn__ix_add(p, b, a));
    cr_expect_eq(tn__ix_add(p, tn__ix_add(p, a, b), tn__ix_scale(p, b, -1)), a);
    cr_expect_neq(tn__ix_axis(p, 0, 7), tn__ix_axis(p, 0, 8), "the extent is part of an axis");
    int64_t c[TN_MAX_RANK], constant;
    cr_expect(tn__ix_affine(p, tn__ix_offset(p, tn__ix_scale(p, a, 3), 4), c, &constant));
    cr_expect(c[0] == 3 && c[1] == 0 && constant == 4);
    cr_expect_not(tn__ix_affine(p, tn__ix_div(p, a, 2), c, &constant));
    cr_expect_eq(tn__ix_plain_axis(p, b), 1);
    cr_expect_eq(tn__ix_plain_axis(p, tn__ix_scale(p, b, 2)), TN_NONE);
    close_world(&w);
}

Test(index, overflow_is_an_error_that_sticks) {
    static world w;
    const int64_t extents[1] = {9};
    open_world(&w, extents, 1);
    tn__index *p = &w.index;
    tn__ix big = tn__ix_scale(p, tn__ix_axis(p, 0, 9), INT64_MAX / 2);
    cr_expect_null(tn__index_status(p), "a range beyond 64 bits is just unknown");
    cr_expect_eq(tn__ix_get(p, big)->hi, INT64_MAX);
    tn__ix gone = tn__ix_scale(p, big, 3);
    cr_expect_eq(gone, 0);
    tn_status status = tn__index_status(p);
    cr_expect_eq(tn_status_code(status), TN_UNSUPPORTED);
    tn_status_free(status);
    cr_expect_eq(tn__ix_axis(p, 0, 5), 0, "nothing is made after that");
    p->overflow = false;
    close_world(&w);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    (void)self;
    tn_arena arena;
    tn__index index;
    tn_arena_init(&arena, allocator);
    tn_status status = tn__index_init(&index, allocator, &arena);
    tn__ix x = 0;
    for (uint32_t i = 0; i < 16 && !status; i++) {
        x = tn__ix_add(&index, tn__ix_scale(&index, x, 3), tn__ix_axis(&index, i, 5));
        x = tn__ix_add(&index, x, tn__ix_mod(&index, tn__ix_div(&index, x, 4), 7));
    }
    if (!status) status = tn__index_status(&index);
    tn__index_deinit(&index);
    tn_arena_deinit(&arena);
    return status;
}

Test(index, survives_every_failed_allocation) {
    const char *problem = tn_sweep_allocations(sweep_step, NULL, false, NULL);
    cr_expect_null(problem, "%s", problem);
}
