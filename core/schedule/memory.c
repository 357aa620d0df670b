/* Offsets of the TEMP buffers in one block of memory. Two buffers may share bytes
 * only when the last step of one comes before the first step of the other, so no
 * kernel ever sees an operand that overlaps what it writes. */
#include "schedule/schedule.h"

#include "base/vec.h"

#define ALIGNMENT UINT64_C(64)

typedef struct planner {
    tn_schedule *schedule;
    TN_VEC(uint32_t) order; /* TEMP buffers, greatest first */
    /* The same by first step, and over them a tree of maxima: 1 + the last step of what
     * has an offset, 0 of what has none yet. It finds what is alive with a buffer
     * without looking at all the others. */
    uint32_t *by_start, *place_of, *tree;
    size_t leaves;
    TN_VEC(uint32_t) alive; /* what it found, by offset */
} planner;

static uint64_t rounded(const tn_buffer *b) {
    return (b->bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static bool comes_first(const tn_schedule *s, uint32_t a, uint32_t b) {
    const tn_buffer *x = &s->buffers[a], *y = &s->buffers[b];
    if (x->bytes != y->bytes) return x->bytes > y->bytes;
    if (x->first_step != y->first_step) return x->first_step < y->first_step;
    return a < b;
}

static bool starts_first(const tn_schedule *s, uint32_t a, uint32_t b) {
    const tn_buffer *x = &s->buffers[a], *y = &s->buffers[b];
    return x->first_step != y->first_step ? x->first_step < y->first_step : a < b;
}

static bool lies_first(const tn_schedule *s, uint32_t a, uint32_t b) {
    const tn_buffer *x = &s->buffers[a], *y = &s->buffers[b];
    return x->offset != y->offset ? x->offset < y->offset : a < b;
}

typedef bool (*before_fn)(const tn_schedule *s, uint32_t a, uint32_t b);

static void sift(const tn_schedule *s, before_fn before, uint32_t *heap, size_t at, size_t n) {
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(s, heap[child], heap[child + 1])) child++;
        if (!before(s, heap[at], heap[child])) return;
        uint32_t t = heap[at];
        heap[at] = heap[child];
        heap[child] = t;
    }
}

static void sort(const tn_schedule *s, before_fn before, uint32_t *ids, size_t n) {
    for (size_t i = n / 2; i-- > 0;)
        sift(s, before, ids, i, n);
    for (size_t i = n; i-- > 1;) {
        uint32_t t = ids[0];
        ids[0] = ids[i];
        ids[i] = t;
        sift(s, before, ids, 0, i);
    }
}

/* Adds those with an offset below tree node `at` that are alive with b. There is room
 * for all. Starts are in order, so one too late ends a subtree's search at its left. */
static void find_alive(planner *p, const tn_buffer *b, size_t at) {
    if (p->tree[at] <= b->first_step) return; /* all have ended, or are not placed */
    if (at < p->leaves) {
        size_t left = at;
        while (left < p->leaves)
            left *= 2;
        const tn_buffer *first = &p->schedule->buffers[p->by_start[left - p->leaves]];
        if (first->first_step > b->last_step) return;
        find_alive(p, b, 2 * at);
        find_alive(p, b, 2 * at + 1);
        return;
    }
    uint32_t id = p->by_start[at - p->leaves];
    if (p->schedule->buffers[id].first_step <= b->last_step) p->alive.data[p->alive.len++] = id;
}

/* The smallest gap, among the buffers alive with b, that b fits in; or the end. */
static uint64_t best_offset(planner *p, const tn_buffer *b) {
    uint64_t end = 0, best = UINT64_MAX, best_size = UINT64_MAX, size = rounded(b);
    p->alive.len = 0;
    find_alive(p, b, 1);
    sort(p->schedule, lies_first, p->alive.data, p->alive.len);
    for (size_t i = 0; i < p->alive.len; i++) {
        const tn_buffer *other = &p->schedule->buffers[p->alive.data[i]];
        if (other->offset > end && other->offset - end >= size && other->offset - end < best_size) {
            best = end;
            best_size = other->offset - end;
        }
        if (other->offset + rounded(other) > end) end = other->offset + rounded(other);
    }
    return best == UINT64_MAX ? end : best;
}

static tn_status place(planner *p, uint32_t id, bool no_reuse) {
    tn_schedule *s = p->schedule;
    tn_buffer *b = &s->buffers[id];
    uint64_t end;
    b->offset = no_reuse ? s->arena_bytes : best_offset(p, b);
    if (__builtin_add_overflow(b->offset, rounded(b), &end) || end > INT64_MAX)
        return tn_status_make(TN_UNSUPPORTED, "intermediate values need more than 2^63 bytes");
    if (end > s->arena_bytes) s->arena_bytes = end;
    size_t at = p->leaves + p->place_of[id];
    p->tree[at] = b->last_step + 1;
    while ((at /= 2) > 0 && p->tree[at] < b->last_step + 1)
        p->tree[at] = b->last_step + 1;
    return NULL;
}

/* The most bytes alive at one step, which no plan can go below. */
static tn_status set_bound(tn_schedule *s) {
    uint64_t *change = tn_alloc_array(s->allocator, (size_t)s->n_steps + 1, sizeof *change);
    if (!change) return tn_status_no_memory();
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        const tn_buffer *b = &s->buffers[i];
        if (b->kind != TN_BUFFER_TEMP || b->first_step == TN_NONE) continue;
        change[b->first_step] += rounded(b);
        change[b->last_step + 1] -= rounded(b); /* wraps, and back again */
    }
    uint64_t alive = 0;
    for (uint32_t i = 0; i < s->n_steps; i++) {
        alive += change[i];
        if (alive > s->arena_bound) s->arena_bound = alive;
    }
    tn_free(s->allocator, change, ((size_t)s->n_steps + 1) * sizeof *change);
    return NULL;
}

/* Places every buffer of p->order. */
static tn_status place_all(planner *p, tn_arena *arena, bool no_reuse) {
    tn_schedule *s = p->schedule;
    size_t n = p->order.len;
    p->leaves = 1;
    while (p->leaves < n)
        p->leaves *= 2;
    p->by_start = tn_arena_array(arena, p->leaves, sizeof *p->by_start);
    p->place_of = tn_arena_array(arena, s->n_buffers, sizeof *p->place_of);
    p->tree = tn_arena_array(arena, 2 * p->leaves, sizeof *p->tree);
    if (!p->by_start || !p->place_of || !p->tree || !tn_vec_reserve(s->allocator, &p->alive, n))
        return tn_status_no_memory();
    for (size_t i = 0; i < n; i++)
        p->by_start[i] = p->order.data[i];
    sort(s, starts_first, p->by_start, n);
    for (size_t i = 0; i < n; i++)
        p->place_of[p->by_start[i]] = (uint32_t)i;
    sort(s, comes_first, p->order.data, n);
    for (size_t i = 0; i < n; i++)
        TN_TRY(place(p, p->order.data[i], no_reuse));
    return NULL;
}

tn_status tn_schedule_plan_memory(tn_schedule *s, bool no_reuse) {
    planner p = {.schedule = s};
    tn_arena arena;
    tn_status status = NULL;
    tn_arena_init(&arena, s->allocator);
    s->arena_bytes = s->arena_bound = 0;
    for (uint32_t i = 0; i < s->n_buffers && !status; i++)
        if (s->buffers[i].kind == TN_BUFFER_TEMP && s->buffers[i].first_step != TN_NONE &&
            s->buffers[i].bytes && !tn_vec_push(s->allocator, &p.order, i))
            status = tn_status_no_memory();
    if (!status && p.order.len) status = place_all(&p, &arena, no_reuse);
    if (!status) status = set_bound(s);
    tn_vec_free(s->allocator, &p.order);
    tn_vec_free(s->allocator, &p.alive);
    tn_arena_deinit(&arena);
    return status;
}
