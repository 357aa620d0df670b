#include "codegen/writer.h"

#include <stdio.h>
#include <string.h>

/* What an access is made of, as text; the same wherever it is used, so that its
 * numbers have one place each. */
struct tn__access_text {
    bool ready;
    uint32_t named; /* bit l: x<id>_<l> is in scope */
    const char *offset;
    const char *step[TN_MAX_RANK];
    const char **terms; /* " + n3 * (...)" */
};

tn_status tn__writer_init(tn__writer *w, const tn_allocator *allocator, tn_arena *arena,
                          const tn__nest *nest) {
    *w = (tn__writer){.allocator = allocator, .arena = arena, .nest = nest};
    tn_strbuf_init(&w->body, allocator);
    w->depth = 1;
    w->accesses = tn_arena_array(arena, nest->n_accesses, sizeof *w->accesses);
    w->declared = tn_arena_array(arena, nest->loop->n_exprs, sizeof *w->declared);
    return w->accesses && w->declared ? NULL : tn_status_no_memory();
}

void tn__writer_deinit(tn__writer *w) {
    tn_strbuf_deinit(&w->body);
    tn_vec_free(w->allocator, &w->ints);
    tn_vec_free(w->allocator, &w->nums);
}

tn_status tn__writer_status(const tn__writer *w) {
    if (w->no_memory) return tn_status_no_memory();
    return tn_strbuf_status(&w->body);
}

void tn__line(tn__writer *w, const char *fmt, ...) {
    size_t start;
    va_list args;
    if (fmt[0] == '}' && w->depth) w->depth--;
    for (uint32_t i = 0; i < w->depth; i++)
        tn_strbuf_text(&w->body, "    ");
    start = w->body.length;
    va_start(args, fmt);
    tn_strbuf_vprintf(&w->body, fmt, args);
    va_end(args);
    if (w->body.length > start && w->body.data[w->body.length - 1] == '{') w->depth++;
    tn_strbuf_char(&w->body, '\n');
}

const char *tn__text(tn__writer *w, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = length < 0 ? NULL : tn_arena_alloc(w->arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, fmt, again);
    else
        w->no_memory = true;
    va_end(again);
    return text ? text : "";
}

const char *tn__int(tn__writer *w, int64_t value) {
    if (!tn_vec_push(w->allocator, &w->ints, value)) w->no_memory = true;
    return tn__text(w, "n%zu", w->ints.len - 1);
}

const char *tn__step(tn__writer *w, int64_t value) {
    if (value == 0) return "0";
    if (value == 1) return "1";
    if (value == -1) return "-1";
    return tn__int(w, value);
}

/* "", " + x", " - x" or " + x * n3": what a coordinate adds to an index. */
static const char *plus_product(tn__writer *w, const char *step, const char *coordinate) {
    if (strcmp(step, "0") == 0) return "";
    if (strcmp(step, "1") == 0) return tn__text(w, " + %s", coordinate);
    if (strcmp(step, "-1") == 0) return tn__text(w, " - %s", coordinate);
    return tn__text(w, " + %s * %s", coordinate, step);
}

const char *tn__coordinate(tn__writer *w, uint32_t axis) {
    if (axis < w->nest->n_parallel) return tn__text(w, "c%u", axis);
    return tn__text(w, "r%u", axis - w->nest->n_parallel);
}

/* base + rest, where rest is empty or begins with " + " or " - ". */
static const char *sum_of(tn__writer *w, const char *base, const char *rest) {
    if (strcmp(base, "0") == 0 && strncmp(rest, " + ", 3) == 0) return rest + 3;
    return *rest ? tn__text(w, "%s%s", base, rest) : base;
}

/* ------------------------------------------------------------ index terms */

static const char *index_text(tn__writer *w, tn_ix ix);

/* Truncating division is floor division where nothing is negative; 32 bits where
 * they are enough. */
static const char *division(tn__writer *w, const tn_ix_node *node, const char *op) {
    const tn_ix_node *a = &w->nest->loop->ixs[node->a];
    const char *text = index_text(w, node->a);
    const char *divisor = tn__int(w, node->c);
    if (a->lo < 0)
        return tn__text(w, "tn_floor_%s(%s, %s)", *op == '/' ? "div" : "mod", text, divisor);
    if (a->hi <= UINT32_MAX && node->c <= UINT32_MAX)
        return tn__text(w, "(tn_i64)((tn_u32)(%s) %s (tn_u32)%s)", text, op, divisor);
    return tn__text(w, "(%s %s %s)", text, op, divisor);
}

static const char *index_text(tn__writer *w, tn_ix ix) {
    const tn_ix_node *node = &w->nest->loop->ixs[ix];
    switch (node->kind) {
    case TN_IX_CONST: return tn__step(w, node->c);
    case TN_IX_AXIS: {
        uint32_t axis = w->nest->axis_of[node->a];
        if (axis == TN_NONE) return "0";
        return axis == w->nest->vector ? "l" : tn__coordinate(w, axis);
    }
    case TN_IX_ADD: {
        const char *a = index_text(w, node->a);
        return tn__text(w, "(%s + %s)", a, index_text(w, node->b));
    }
    case TN_IX_MUL: {
        const char *a = index_text(w, node->a);
        return tn__text(w, "(%s * %s)", a, tn__step(w, node->c));
    }
    case TN_IX_DIV: return division(w, node, "/");
    case TN_IX_MOD: return division(w, node, "%");
    case TN_IX_VALUE: return tn__text(w, "w%u", node->a);
    }
    return "0";
}

static tn__access_text *access_text(tn__writer *w, const tn__access *access) {
    tn__access_text *text = &w->accesses[access->id];
    if (text->ready) return text;
    text->ready = true;
    text->offset = tn__step(w, access->offset);
    for (uint32_t a = 0; a < w->nest->n_axes; a++)
        text->step[a] = tn__step(w, access->step[a]);
    text->terms = tn_arena_array(w->arena, access->n_terms, sizeof *text->terms);
    if (!text->terms) w->no_memory = true;
    for (uint32_t i = 0; text->terms && i < access->n_terms; i++) {
        const char *factor = tn__step(w, access->terms[i].factor);
        text->terms[i] = plus_product(w, factor, index_text(w, access->terms[i].node));
    }
    return text;
}

/* ---------------------------------------------------------------- accesses */

/* All of the access that becomes known at levels (from, to]. */
static const char *parts_between(tn__writer *w, const tn__access *access, uint32_t from,
                                 uint32_t to, bool lane) {
    const tn__nest *nest = w->nest;
    tn__access_text *text = access_text(w, access);
    const char *sum = "";
    for (uint32_t a = 0; a < nest->n_axes; a++) {
        if (a == nest->vector) continue;
        uint32_t level = tn__level_of(nest, 1u << a);
        if (level > from && level <= to && access->step[a])
            sum = tn__text(w, "%s%s", sum, plus_product(w, text->step[a], tn__coordinate(w, a)));
    }
    for (uint32_t i = 0; text->terms && i < access->n_terms; i++) {
        const tn__access_term *term = &access->terms[i];
        bool vector = tn__nest_is_vector(nest, term->axes);
        if (vector ? lane : (term->level > from || from == 0) && term->level <= to)
            sum = tn__text(w, "%s%s", sum, text->terms[i]);
    }
    return sum;
}

static uint32_t named_level(const tn__access_text *text, uint32_t level) {
    for (uint32_t l = level; l > 0; l--)
        if (text->named >> l & 1) return l;
    return 0;
}

static const char *index_parts(tn__writer *w, const tn__access *access, uint32_t level, bool lane) {
    tn__access_text *text = access_text(w, access);
    uint32_t from = named_level(text, level);
    const char *base = from ? tn__text(w, "x%u_%u", access->id, from) : text->offset;
    return sum_of(w, base, parts_between(w, access, from, level, lane));
}

const char *tn__index_at(tn__writer *w, const tn__access *access, uint32_t level) {
    return index_parts(w, access, level, false);
}

void tn__index_name(tn__writer *w, const tn__access *access, uint32_t level) {
    tn__access_text *text = access_text(w, access);
    uint32_t from = named_level(text, level);
    if (from == level) return;
    if (!*parts_between(w, access, from, level, false)) return;
    tn__line(w, "const tn_i64 x%u_%u = %s;", access->id, level, tn__index_at(w, access, level));
    text->named |= 1u << level;
}

void tn__index_name_as(tn__writer *w, const tn__access *access, uint32_t level, const char *index) {
    tn__line(w, "const tn_i64 x%u_%u = %s;", access->id, level, index);
    access_text(w, access)->named |= 1u << level;
}

void tn__index_unname(tn__writer *w, const tn__access *access, uint32_t level) {
    access_text(w, access)->named &= ~(1u << level);
}

void tn__index_forget(tn__writer *w, uint32_t level) {
    for (uint32_t i = 0; i < w->nest->n_accesses; i++)
        w->accesses[i].named &= (1u << level) - 1;
}

const char *tn__index_add(tn__writer *w, const char *index, const char *step,
                          const char *coordinate) {
    return sum_of(w, index, plus_product(w, step, coordinate));
}

const char *tn__index_step(tn__writer *w, const tn__access *access) {
    return access_text(w, access)->step[w->nest->vector];
}

const char *tn__lane_index(tn__writer *w, const tn__access *access, uint32_t level) {
    const char *index = index_parts(w, access, level, true);
    return sum_of(w, index, plus_product(w, tn__index_step(w, access), "l"));
}

static void declare_values_in(tn__writer *w, tn_ix ix, uint32_t copy, uint64_t stamp) {
    const tn_loop *loop = w->nest->loop;
    const tn_ix_node *node = &loop->ixs[ix];
    switch (node->kind) {
    case TN_IX_ADD: declare_values_in(w, node->b, copy, stamp); __attribute__((fallthrough));
    case TN_IX_MUL:
    case TN_IX_DIV:
    case TN_IX_MOD: declare_values_in(w, node->a, copy, stamp); break;
    case TN_IX_VALUE:
        if (!tn__nest_is_vector(w->nest, w->nest->expr_axes[node->a])) break;
        if (w->declared[node->a] == stamp) break;
        w->declared[node->a] = stamp;
        tn__line(w, "const tn_i64 w%u = (tn_i64)tn_get_%s(e%u_%u, k);", node->a,
                 tn_dt_text(loop->exprs[node->a].dt), node->a, copy);
        break;
    default: break;
    }
}

void tn__lane_begin(tn__writer *w) {
    w->lane_loop++;
}

void tn__lane_values(tn__writer *w, const tn__access *access, uint32_t copy) {
    for (uint32_t i = 0; i < access->n_terms; i++)
        declare_values_in(w, access->terms[i].node, copy, w->lane_loop);
}
