/* Offsets of the TEMP buffers in one block of memory. Two buffers may share bytes
 * only when the last step of one comes before the first step of the other, so no
 * kernel ever sees an operand that overlaps what it writes. */
#include "schedule/schedule.h"

#include "base/vec.h"

#define ALIGNMENT UINT64_C(64)

typedef struct planner {
    tn_schedule *schedule;
    TN_VEC(uint32_t) order;  /* TEMP buffers, greatest first */
    TN_VEC(uint32_t) placed; /* those with an offset, by offset */
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

static void sift(const tn_schedule *s, uint32_t *heap, size_t at, size_t n) {
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_first(s, heap[child], heap[child + 1])) child++;
        if (!comes_first(s, heap[at], heap[child])) return;
        uint32_t t = heap[at];
        heap[at] = heap[child];
        heap[child] = t;
    }
}

static void sort(const tn_schedule *s, uint32_t *ids, size_t n) {
    for (size_t i = n / 2; i-- > 0;)
        sift(s, ids, i, n);
    for (size_t i = n; i-- > 1;) {
        uint32_t t = ids[0];
        ids[0] = ids[i];
        ids[i] = t;
        sift(s, ids, 0, i);
    }
}

static bool alive_together(const tn_buffer *a, const tn_buffer *b) {
    return a->first_step <= b->last_step && b->first_step <= a->last_step;
}

/* The smallest gap, among the buffers alive with b, that b fits in; or the end. */
static uint64_t best_offset(const planner *p, const tn_buffer *b, bool no_reuse) {
    uint64_t end = 0, best = UINT64_MAX, best_size = UINT64_MAX, size = rounded(b);
    for (size_t i = 0; i < p->placed.len; i++) {
        const tn_buffer *other = &p->schedule->buffers[p->placed.data[i]];
        if (!no_reuse && !alive_together(b, other)) continue;
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
    b->offset = best_offset(p, b, no_reuse);
    if (__builtin_add_overflow(b->offset, rounded(b), &end) || end > INT64_MAX)
        return tn_status_make(TN_UNSUPPORTED, "intermediate values need more than 2^63 bytes");
    if (end > s->arena_bytes) s->arena_bytes = end;
    if (!tn_vec_reserve(s->allocator, &p->placed, 1)) return tn_status_no_memory();
    size_t at = p->placed.len++;
    for (; at > 0 && s->buffers[p->placed.data[at - 1]].offset > b->offset; at--)
        p->placed.data[at] = p->placed.data[at - 1];
    p->placed.data[at] = id;
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

tn_status tn_schedule_plan_memory(tn_schedule *s, bool no_reuse) {
    planner p = {.schedule = s};
    tn_status status = NULL;
    s->arena_bytes = s->arena_bound = 0;
    for (uint32_t i = 0; i < s->n_buffers && !status; i++)
        if (s->buffers[i].kind == TN_BUFFER_TEMP && s->buffers[i].first_step != TN_NONE &&
            s->buffers[i].bytes && !tn_vec_push(s->allocator, &p.order, i))
            status = tn_status_no_memory();
    if (!status) sort(s, p.order.data, p.order.len);
    for (size_t i = 0; i < p.order.len && !status; i++)
        status = place(&p, p.order.data[i], no_reuse);
    if (!status) status = set_bound(s);
    tn_vec_free(s->allocator, &p.order);
    tn_vec_free(s->allocator, &p.placed);
    return status;
}
