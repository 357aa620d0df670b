/* Exact rewrites only. Each states its condition; what depends on a dtype or on
 * finiteness asks for it (x*0 is not 0 for floats, x+0.0 clears a negative zero). */
#include <string.h>

#include "base/hash.h"
#include "ir/interp.h"
#include "transform/emit.h"
#include "transform/passes.h"
#include "transform/rewrite.h"

typedef struct simplifier {
    tn_rewrite rw;
    const tn_pass_options *options;
    tn_map seen; /* what a node computes, as bytes, to its first result */
    tn_strbuf key;
} simplifier;

static const tn_ir_node *def(const tn_ir_graph *g, tn_vid v) {
    uint32_t node = g->values[v].def;
    return node == TN_NO_NODE ? NULL : g->nodes[node];
}

/* Whether every element of v is one known constant. Moves keep that. */
static bool uniform(const tn_ir_graph *g, tn_vid v, tn_scalar *out) {
    for (int depth = 0; depth < 8; depth++) {
        const tn_ir_node *node = def(g, v);
        if (node == NULL) return false;
        switch (node->prim) {
        case TN_PRIM_BROADCAST:
        case TN_PRIM_PERMUTE:
        case TN_PRIM_RESHAPE:
        case TN_PRIM_SLICE:
        case TN_PRIM_FLIP: v = node->operands[0]; break;
        case TN_PRIM_CONSTANT: {
            const tn_arg *value = tn_ir_attr(node, "value");
            bool is_float = value->tag == TN_TAG_FLOAT;
            tn_scalar raw = {.i = value->v.i};
            if (is_float) raw.f = value->v.f;
            *out = tn_scalar_cast(raw, is_float ? TN_DT_F64 : TN_DT_I64,
                                  g->values[node->results[0]].type.dt);
            return true;
        }
        default: return false;
        }
    }
    return false;
}

static bool is_number(const tn_ir_graph *g, tn_vid v, double number, bool negative_zero) {
    tn_scalar s;
    if (!uniform(g, v, &s)) return false;
    tn_dt dt = g->values[v].type.dt;
    if (tn_dt_is_float(dt)) {
        return s.f == number && (number != 0 || __builtin_signbit(s.f) == negative_zero);
    }
    return tn_dt_is_int(dt) && s.i == (int64_t)number;
}

static tn_vid binary_rule(const tn_ir_graph *g, const tn_ir_node *node, tn_vid a, tn_vid b) {
    bool is_float = tn_dt_is_float(g->values[a].type.dt);
    switch (node->prim) {
    case TN_PRIM_MUL:
        if (is_number(g, b, 1, false)) return a;
        if (is_number(g, a, 1, false)) return b;
        if (!is_float && is_number(g, b, 0, false)) return b;
        if (!is_float && is_number(g, a, 0, false)) return a;
        break;
    case TN_PRIM_ADD: /* x + -0.0 is x; x + 0.0 is not for x = -0.0 */
        if (is_number(g, b, 0, is_float)) return a;
        if (is_number(g, a, 0, is_float)) return b;
        break;
    case TN_PRIM_SUB:
        if (is_number(g, b, 0, false)) return a;
        break;
    case TN_PRIM_DIV:
        if (is_number(g, b, 1, false)) return a;
        break;
    case TN_PRIM_MAX:
    case TN_PRIM_MIN:
    case TN_PRIM_AND:
    case TN_PRIM_OR:
        if (a == b) return a;
        break;
    default: break;
    }
    return TN_NO_VALUE;
}

/* neg(neg(x)) and not(not(x)) are x, wrapping included. */
static tn_vid unary_rule(const tn_ir_graph *g, const tn_ir_node *node, tn_vid a) {
    const tn_ir_node *inner = def(g, a);
    switch (node->prim) {
    case TN_PRIM_NEG:
    case TN_PRIM_NOT:
        if (inner != NULL && inner->prim == node->prim) return inner->operands[0];
        break;
    case TN_PRIM_CAST:
        if (g->values[a].type.dt == tn_ir_attr_dtype(node, "dtype")) return a;
        break;
    default: break;
    }
    return TN_NO_VALUE;
}

static bool same_shape(const tn_type *a, const tn_type *b) {
    return a->rank == b->rank &&
           memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

/* Moves that move nothing. */
static tn_vid move_rule(const tn_ir_graph *g, const tn_ir_node *node, tn_vid a,
                        const tn_type *result) {
    int64_t v[TN_MAX_RANK];
    uint32_t n;
    switch (node->prim) {
    case TN_PRIM_BROADCAST:
    case TN_PRIM_RESHAPE: return same_shape(&g->values[a].type, result) ? a : TN_NO_VALUE;
    case TN_PRIM_PERMUTE:
        n = tn_ir_attr_ints(node, "perm", v);
        for (uint32_t i = 0; i < n; i++) {
            if (v[i] != i) return TN_NO_VALUE;
        }
        return a;
    case TN_PRIM_SLICE:
        n = tn_ir_attr_ints(node, "step", v);
        for (uint32_t i = 0; i < n; i++) {
            if (v[i] != 1) return TN_NO_VALUE;
        }
        return same_shape(&g->values[a].type, result) ? a : TN_NO_VALUE;
    case TN_PRIM_PAD: return same_shape(&g->values[a].type, result) ? a : TN_NO_VALUE;
    case TN_PRIM_FLIP: return tn_ir_attr_ints(node, "axes", v) == 0 ? a : TN_NO_VALUE;
    case TN_PRIM_CONCAT: return node->n_operands == 1 ? a : TN_NO_VALUE;
    case TN_PRIM_SELECT: break;
    default: break;
    }
    return TN_NO_VALUE;
}

static tn_vid select_rule(const tn_ir_graph *g, tn_vid cond, tn_vid a, tn_vid b) {
    tn_scalar s;
    if (a == b) return a;
    if (!uniform(g, cond, &s)) return TN_NO_VALUE;
    return s.i != 0 ? a : b;
}

/* A value of the output graph that equals the node's only result, or none. */
static tn_vid replacement(simplifier *s, const tn_ir_node *node) {
    const tn_ir_graph *g = s->rw.out;
    if (node->op != NULL || node->n_operands == 0 || node->n_results != 1) return TN_NO_VALUE;
    tn_vid in[3] = {TN_NO_VALUE, TN_NO_VALUE, TN_NO_VALUE};
    for (uint32_t i = 0; i < node->n_operands && i < 3; i++)
        in[i] = s->rw.map[node->operands[i]];
    const tn_type *result = &s->rw.in->values[node->results[0]].type;
    if (node->prim == TN_PRIM_SELECT) return select_rule(g, in[0], in[1], in[2]);
    tn_vid found = move_rule(g, node, in[0], result);
    if (found == TN_NO_VALUE && node->n_operands == 1) found = unary_rule(g, node, in[0]);
    if (found == TN_NO_VALUE && node->n_operands == 2) found = binary_rule(g, node, in[0], in[1]);
    return found;
}

/* Elementwise on 0-d constants becomes a constant, computed by the interpreter: the
 * same body as everywhere. */
static tn_status fold(simplifier *s, const tn_ir_node *node, bool *folded) {
    const tn_prim_info *info = node->op == NULL ? tn_prim_get(node->prim) : NULL;
    if (info == NULL || info->klass != TN_PRIM_CLASS_ELEMENTWISE) return NULL;
    const tn_ir_graph *in = s->rw.in;
    const tn_type *type = &in->values[node->results[0]].type;
    if (type->rank != 0 || node->n_operands > 3) return NULL;
    uint64_t storage[4] = {0};
    tn_tensor tensors[4] = {0};
    const tn_tensor *operands[3];
    for (uint32_t i = 0; i < node->n_operands; i++) {
        tn_vid v = s->rw.map[node->operands[i]];
        const tn_ir_node *source = def(s->rw.out, v);
        tn_scalar value;
        if (source == NULL || source->prim != TN_PRIM_CONSTANT) return NULL;
        if (!uniform(s->rw.out, v, &value)) return NULL;
        tn_scalar_store(s->rw.out->values[v].type.dt, &storage[i], value);
        tensors[i] = (tn_tensor){.data = &storage[i],
                                 .device = {TN_DEVICE_CPU, 0},
                                 .dtype = s->rw.out->values[v].type.dtype};
        operands[i] = &tensors[i];
    }
    tensors[3] = (tn_tensor){
        .data = &storage[3], .device = {TN_DEVICE_CPU, 0}, .dtype = type->dtype};
    tn_tensor *results[1] = {&tensors[3]};
    TN_TRY(tn_interp_prim(node, in, s->options->allocator, operands, results, s->options->strict));
    tn_scalar value = tn_scalar_load(type->dt, &storage[3]);
    tn_arg literal = {.tag = TN_TAG_INT, .v.i = value.i};
    if (tn_dt_is_float(type->dt)) literal = (tn_arg){.tag = TN_TAG_FLOAT, .v.f = value.f};
    if (type->dt == TN_DT_BOOL) literal.tag = TN_TAG_BOOL;
    tn_attr attrs[2] = {{"value", literal},
                        {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = type->dtype}}};
    TN_TRY(tn_ir_emit(s->rw.out, TN_PRIM_CONSTANT, NULL, 0, attrs, 2, node->origin,
                      &s->rw.map[node->results[0]], 1));
    *folded = true;
    return NULL;
}

static void key_arg(tn_strbuf *key, const tn_arg *arg) {
    tn_strbuf_bytes(key, &arg->tag, sizeof arg->tag);
    tn_strbuf_bytes(key, &arg->count, sizeof arg->count);
    if (arg->tag == TN_TAG_LIST) {
        for (uint32_t i = 0; i < arg->count; i++)
            key_arg(key, &arg->v.list[i]);
    } else if (arg->tag == TN_TAG_STRING) {
        tn_strbuf_bytes(key, arg->v.str, arg->count);
    } else if (arg->tag != TN_TAG_VALUE) {
        tn_strbuf_bytes(key, &arg->v, arg->tag == TN_TAG_DTYPE ? sizeof(tn_dtype) : 8);
    }
}

/* The same primitive on the same operands was computed before: use that. */
static tn_status reuse(simplifier *s, const tn_ir_node *node, bool *reused) {
    if (node->op != NULL) return NULL;
    tn_strbuf *key = &s->key;
    tn_strbuf_clear(key);
    tn_strbuf_bytes(key, &node->prim, sizeof node->prim);
    for (uint32_t i = 0; i < node->n_operands; i++) {
        tn_strbuf_bytes(key, &s->rw.map[node->operands[i]], sizeof(tn_vid));
    }
    for (uint32_t i = 0; i < node->schema->n_params; i++)
        key_arg(key, &node->args[i]);
    TN_TRY(tn_strbuf_status(key));
    uint64_t first;
    if (tn_map_get(&s->seen, key->data, key->length, &first)) {
        for (uint32_t r = 0; r < node->n_results; r++) {
            s->rw.map[node->results[r]] = (tn_vid)first + r;
        }
        *reused = true;
    }
    return NULL;
}

static tn_status simplify_node(simplifier *s, const tn_ir_node *node) {
    tn_vid same = replacement(s, node);
    if (same != TN_NO_VALUE) {
        s->rw.map[node->results[0]] = same;
        return NULL;
    }
    bool done = false;
    TN_TRY(reuse(s, node, &done));
    if (!done) TN_TRY(fold(s, node, &done));
    if (done) return NULL;
    TN_TRY(tn_rewrite_copy(&s->rw, node));
    if (node->op != NULL || node->n_results == 0) return NULL;
    /* fold leaves the key alone, so it still is this node's. */
    if (!tn_map_set(&s->seen, s->key.data, s->key.length, s->rw.map[node->results[0]])) {
        return tn_status_no_memory();
    }
    return NULL;
}

tn_status tn_pass_simplify(const tn_ir_graph *graph, const tn_pass_options *options,
                           tn_ir_graph **out_graph) {
    simplifier s = {.options = options};
    tn_ir_graph *rewritten = NULL;
    tn_map_init(&s.seen, options->allocator);
    tn_strbuf_init(&s.key, options->allocator);
    tn_status status = tn_rewrite_begin(&s.rw, graph, options->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        status = simplify_node(&s, graph->nodes[i]);
    }
    if (status == NULL) status = tn_rewrite_finish(&s.rw, &rewritten);
    tn_rewrite_end(&s.rw);
    tn_strbuf_deinit(&s.key);
    tn_map_deinit(&s.seen);
    if (status == NULL) status = tn_pass_prune(rewritten, options, out_graph);
    tn_ir_destroy(rewritten);
    return status;
}
