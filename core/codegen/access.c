#include "codegen/access.h"

/* Sums nest as deep as the scheduler's own sums are long; a limit keeps hostile
 * depth off the stack. */
#define MAX_DEPTH 256

typedef struct collector {
    const tn_loop *loop;
    const uint32_t *expr_axes;
    tn__access *access;
    bool overflow;
} collector;

static uint32_t axes_of(const tn_loop *loop, tn_ix ix, const uint32_t *expr_axes, bool *has_value,
                        uint32_t depth) {
    const tn_ix_node *node = &loop->ixs[ix];
    if (depth == MAX_DEPTH) return UINT32_MAX;
    switch (node->kind) {
    case TN_IX_CONST: return 0;
    case TN_IX_AXIS: return 1u << node->a;
    case TN_IX_ADD:
        return axes_of(loop, node->a, expr_axes, has_value, depth + 1) |
               axes_of(loop, node->b, expr_axes, has_value, depth + 1);
    case TN_IX_MUL:
    case TN_IX_DIV:
    case TN_IX_MOD: return axes_of(loop, node->a, expr_axes, has_value, depth + 1);
    case TN_IX_VALUE: *has_value = true; return expr_axes[node->a];
    }
    return 0;
}

uint32_t tn__ix_value_axes(const tn_loop *loop, tn_ix ix, const uint32_t *expr_axes) {
    const tn_ix_node *node = &loop->ixs[ix];
    switch (node->kind) {
    case TN_IX_ADD:
        return tn__ix_value_axes(loop, node->a, expr_axes) |
               tn__ix_value_axes(loop, node->b, expr_axes);
    case TN_IX_MUL:
    case TN_IX_DIV:
    case TN_IX_MOD: return tn__ix_value_axes(loop, node->a, expr_axes);
    case TN_IX_VALUE: return expr_axes[node->a];
    default: return 0;
    }
}

uint32_t tn__ix_value_level(const tn_loop *loop, tn_ix ix, const uint32_t *level) {
    const tn_ix_node *node = &loop->ixs[ix];
    switch (node->kind) {
    case TN_IX_ADD: {
        uint32_t a = tn__ix_value_level(loop, node->a, level);
        uint32_t b = tn__ix_value_level(loop, node->b, level);
        return a > b ? a : b;
    }
    case TN_IX_MUL:
    case TN_IX_DIV:
    case TN_IX_MOD: return tn__ix_value_level(loop, node->a, level);
    case TN_IX_VALUE: return level[node->a];
    default: return 0;
    }
}

void tn__ix_mark_values(const tn_loop *loop, tn_ix ix, uint64_t stages, uint64_t *use) {
    const tn_ix_node *node = &loop->ixs[ix];
    switch (node->kind) {
    case TN_IX_ADD:
        tn__ix_mark_values(loop, node->a, stages, use);
        tn__ix_mark_values(loop, node->b, stages, use);
        break;
    case TN_IX_MUL:
    case TN_IX_DIV:
    case TN_IX_MOD: tn__ix_mark_values(loop, node->a, stages, use); break;
    case TN_IX_VALUE: use[node->a] |= stages; break;
    default: break;
    }
}

static uint32_t count_terms(const tn_loop *loop, tn_ix ix, uint32_t depth) {
    const tn_ix_node *node = &loop->ixs[ix];
    if (depth == MAX_DEPTH) return 0;
    switch (node->kind) {
    case TN_IX_ADD:
        return count_terms(loop, node->a, depth + 1) + count_terms(loop, node->b, depth + 1);
    case TN_IX_MUL: return count_terms(loop, node->a, depth + 1);
    case TN_IX_DIV:
    case TN_IX_MOD:
    case TN_IX_VALUE: return 1;
    default: return 0;
    }
}

static void add_product(collector *c, int64_t *sum, int64_t a, int64_t b) {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(*sum, product, sum))
        c->overflow = true;
}

static void collect(collector *c, tn_ix ix, int64_t factor, uint32_t depth) {
    const tn_ix_node *node = &c->loop->ixs[ix];
    tn__access *access = c->access;
    if (depth == MAX_DEPTH) {
        c->overflow = true;
        return;
    }
    switch (node->kind) {
    case TN_IX_CONST: add_product(c, &access->offset, node->c, factor); break;
    case TN_IX_AXIS: add_product(c, &access->step[node->a], 1, factor); break;
    case TN_IX_ADD:
        collect(c, node->a, factor, depth + 1);
        collect(c, node->b, factor, depth + 1);
        break;
    case TN_IX_MUL:
        if (__builtin_mul_overflow(factor, node->c, &factor))
            c->overflow = true;
        else if (factor)
            collect(c, node->a, factor, depth + 1);
        break;
    case TN_IX_DIV:
    case TN_IX_MOD:
    case TN_IX_VALUE:
        access->terms[access->n_terms++] = (tn__access_term){
            .factor = factor,
            .node = ix,
            .axes = axes_of(c->loop, ix, c->expr_axes, &access->has_value, 0)};
        access->term_axes |= access->terms[access->n_terms - 1].axes;
        break;
    }
}

tn_status tn__access_make(const tn_loop *loop, tn_ix ix, const uint32_t *expr_axes, tn_arena *arena,
                          tn__access *out) {
    *out = (tn__access){.lo = loop->ixs[ix].lo, .hi = loop->ixs[ix].hi};
    out->terms = tn_arena_array(arena, count_terms(loop, ix, 0), sizeof *out->terms);
    if (!out->terms) return tn_status_no_memory();
    collector c = {.loop = loop, .expr_axes = expr_axes, .access = out};
    collect(&c, ix, 1, 0);
    if (c.overflow)
        return tn_status_make(TN_UNSUPPORTED,
                              "kernel k%u: an index expression leaves 64 bits or nests too deep",
                              loop->id);
    out->axes = out->term_axes;
    for (uint32_t a = 0; a < loop->n_axes; a++)
        if (out->step[a]) out->axes |= 1u << a;
    return NULL;
}
