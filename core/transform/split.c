/* Reductions of much to little, in two steps: parts, which many cores can make at
 * once, and what is made of the parts. Which are split, and into what, depends on
 * extents alone, so results do not depend on the machine. */
#include "transform/emit.h"
#include "transform/passes.h"
#include "transform/rewrite.h"

/* A reduction is split when it has fewer results than this ... */
#define FEW_RESULTS 32
/* ... of at least so many elements each. */
#define MANY_ELEMENTS 65536
/* Parts altogether, at most, and elements of a part, at least. */
#define MOST_PARTS 256
#define LEAST_ELEMENTS 4096

typedef struct splitter {
    tn_emitter e;
    uint32_t prim;
    tn_vid x;                     /* what is reduced */
    tn_dt dt;                     /* of the result */
    int64_t kept[TN_MAX_RANK];    /* axes, and then the extents of the result */
    int64_t reduced[TN_MAX_RANK]; /* axes of extents above 1 */
    uint32_t n_kept, n_reduced;
    int64_t results, elements;
} splitter;

static const tn_type *type_of(const splitter *s, tn_vid v) {
    return &s->e.graph->values[v].type;
}

/* False: the node is no reduction, or need not be split. */
static bool examine(splitter *s, const tn_ir_graph *graph, const tn_ir_node *node) {
    int64_t axes[TN_MAX_RANK];
    const tn_prim_info *info = tn_prim_get(node->prim);
    if (node->op || !info || info->klass != TN_PRIM_CLASS_REDUCE || node->n_results != 1)
        return false;
    bool arg = node->prim == TN_PRIM_ARGMAX || node->prim == TN_PRIM_ARGMIN;
    uint32_t n = 1, set = 0;
    if (arg)
        axes[0] = tn_ir_attr_int(node, "axis");
    else
        n = tn_ir_attr_ints(node, "axes", axes);
    for (uint32_t i = 0; i < n; i++)
        set |= 1u << axes[i];
    *s = (splitter){.prim = node->prim,
                    .dt = graph->values[node->results[0]].type.dt,
                    .results = 1,
                    .elements = 1};
    const tn_type *type = &graph->values[node->operands[0]].type;
    for (uint32_t i = 0; i < (uint32_t)type->rank; i++) {
        int64_t *total = set >> i & 1 ? &s->elements : &s->results;
        *total *= type->shape[i];
        if (!(set >> i & 1))
            s->kept[s->n_kept++] = i;
        else if (type->shape[i] != 1)
            s->reduced[s->n_reduced++] = i;
    }
    return s->results > 0 && s->results < FEW_RESULTS && s->elements >= MANY_ELEMENTS &&
           s->n_kept + 2 <= TN_MAX_RANK;
}

/* How many parts: one that divides the elements if there is one. */
static int64_t parts_of(const splitter *s) {
    int64_t most = MOST_PARTS / s->results, enough = s->elements / LEAST_ELEMENTS;
    if (most > enough) most = enough;
    for (int64_t n = most; n > most / 2; n--)
        if (s->elements % n == 0) return n;
    return most;
}

/* What the padding holds, which changes no result. */
static tn_vid identity(splitter *s, tn_dt dt) {
    bool low = s->prim == TN_PRIM_REDUCE_MAX || s->prim == TN_PRIM_ARGMAX;
    bool high = s->prim == TN_PRIM_REDUCE_MIN || s->prim == TN_PRIM_ARGMIN;
    double limit = dt == TN_DT_F8E4M3FN ? 448.0 : (double)__builtin_inf();
    tn_arg value = {.tag = TN_TAG_INT, .v.i = s->prim == TN_PRIM_PROD};
    if (dt == TN_DT_BOOL)
        value = (tn_arg){.tag = TN_TAG_BOOL, .v.i = s->prim == TN_PRIM_ALL || high};
    else if (low || high)
        value = (tn_arg){.tag = TN_TAG_FLOAT, .v.f = low ? -limit : limit};
    return tn_emit_constant(&s->e, value, dt);
}

static tn_vid fold(splitter *s, uint32_t prim, tn_vid x, const int64_t *axes, uint32_t n) {
    return tn_emit_reduce(&s->e, prim, x, axes, n);
}

/* x with the kept axes first, and the others as [parts, elements of a part]. */
static tn_vid chop(splitter *s, tn_vid x, int64_t parts, int64_t *out_each) {
    int64_t perm[TN_MAX_RANK], shape[TN_MAX_RANK], low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
    uint32_t n = s->n_kept;
    int32_t rank = type_of(s, x)->rank, at = 0;
    uint32_t set = 0;
    for (uint32_t i = 0; i < n; i++) {
        perm[at++] = s->kept[i];
        set |= 1u << s->kept[i];
        shape[i] = type_of(s, x)->shape[s->kept[i]];
    }
    for (int32_t i = 0; i < rank; i++)
        if (!(set >> i & 1)) perm[at++] = i;
    x = tn_emit_permute(&s->e, x, perm, rank);
    shape[n] = s->elements;
    x = tn_emit_reshape(&s->e, x, shape, (int32_t)n + 1);
    *out_each = (s->elements + parts - 1) / parts;
    high[n] = *out_each * parts - s->elements;
    if (high[n] && !s->e.status)
        x = tn_emit_pad(&s->e, x, identity(s, type_of(s, x)->dt), low, high, (int32_t)n + 1);
    shape[n] = parts;
    shape[n + 1] = *out_each;
    return tn_emit_reshape(&s->e, x, shape, (int32_t)n + 2);
}

/* Sums and products are kept wide until the end. */
static tn_vid plain(splitter *s) {
    bool wide = s->prim == TN_PRIM_SUM || s->prim == TN_PRIM_PROD;
    tn_vid x = wide ? tn_emit_cast(&s->e, s->x, tn_dt_compute(s->dt)) : s->x;
    int64_t last = s->n_kept + 1, first = s->n_kept, each;
    const tn_type *type = type_of(s, s->x);
    if (s->n_reduced > 1 && type->shape[s->reduced[0]] >= 8 &&
        type->shape[s->reduced[0]] <= LEAST_ELEMENTS) {
        /* Along an axis that is there: no index needs a division. */
        int64_t axes[TN_MAX_RANK], own = 0;
        uint32_t n = 0;
        for (uint32_t i = 0; i < (uint32_t)type->rank; i++) {
            bool kept = i == s->reduced[0];
            for (uint32_t k = 0; k < s->n_kept; k++)
                kept |= s->kept[k] == i;
            if (!kept) axes[n++] = i;
        }
        for (uint32_t k = 0; k < s->n_kept; k++)
            own += s->kept[k] < s->reduced[0];
        x = fold(s, s->prim, x, axes, n);
        x = fold(s, s->prim, x, &own, 1);
    } else {
        x = chop(s, x, parts_of(s), &each);
        x = fold(s, s->prim, x, &last, 1);
        x = fold(s, s->prim, x, &first, 1);
    }
    return tn_emit_cast(&s->e, x, s->dt);
}

/* The best of each part, the first part that has the best of all, and in it the
 * place; NaN is best in both steps. Places are put together in integers. */
static tn_vid arg(splitter *s) {
    int64_t parts = parts_of(s), last = s->n_kept + 1, first = s->n_kept, each;
    int64_t shape[TN_MAX_RANK], axes[TN_MAX_RANK], n = s->n_kept;
    tn_vid x = chop(s, s->x, parts, &each);
    if (s->e.status) return TN_NO_VALUE;
    for (int64_t i = 0; i < n + 1; i++) {
        shape[i] = type_of(s, x)->shape[i];
        axes[i] = i;
    }
    bool max = s->prim == TN_PRIM_ARGMAX;
    tn_vid place = fold(s, s->prim, x, &last, 1);
    tn_vid best = fold(s, max ? TN_PRIM_REDUCE_MAX : TN_PRIM_REDUCE_MIN, x, &last, 1);
    tn_vid winner = fold(s, s->prim, best, &first, 1);
    tn_vid winners = tn_emit_broadcast(&s->e, winner, shape, (int32_t)n + 1, axes, (uint32_t)n);
    tn_vid part = tn_emit_iota(&s->e, shape, (int32_t)n + 1, n, TN_DT_I64);
    tn_vid size = tn_emit_broadcast(&s->e, tn_emit_size(&s->e, each, TN_DT_I64), shape,
                                    (int32_t)n + 1, NULL, 0);
    tn_arg nothing = {.tag = TN_TAG_INT, .v.i = 0};
    tn_vid zero = tn_emit_broadcast(&s->e, tn_emit_constant(&s->e, nothing, TN_DT_I64), shape,
                                    (int32_t)n + 1, NULL, 0);
    tn_vid whole = tn_emit_binary(&s->e, TN_PRIM_ADD,
                                  tn_emit_binary(&s->e, TN_PRIM_MUL, part, size), place);
    tn_vid mine = tn_emit_select(&s->e, tn_emit_binary(&s->e, TN_PRIM_EQ, part, winners), whole,
                                 zero);
    return tn_emit_sum(&s->e, mine, &first, 1);
}

static tn_status split(tn_rewrite *rw, const tn_ir_node *node) {
    splitter s;
    if (!examine(&s, rw->in, node)) return tn_rewrite_copy(rw, node);
    s.e = (tn_emitter){rw->out, node->origin, NULL};
    s.x = rw->map[node->operands[0]];
    bool is_arg = node->prim == TN_PRIM_ARGMAX || node->prim == TN_PRIM_ARGMIN;
    rw->map[node->results[0]] = is_arg ? arg(&s) : plain(&s);
    return s.e.status;
}

tn_status tn_pass_split(const tn_ir_graph *graph, const tn_pass_options *options,
                        tn_ir_graph **out_graph) {
    tn_rewrite rw;
    splitter s;
    bool any = false;
    *out_graph = NULL;
    for (uint32_t i = 0; !any && i < graph->n_nodes; i++)
        any = examine(&s, graph, graph->nodes[i]);
    if (!any) return NULL;
    tn_status status = tn_rewrite_begin(&rw, graph, options->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++)
        status = split(&rw, graph->nodes[i]);
    if (status == NULL) status = tn_rewrite_finish(&rw, out_graph);
    tn_rewrite_end(&rw);
    return status;
}
