/* Exact rewrites only. Each states its condition; what depends on a dtype or on
 * finiteness asks for it (x*0 is not 0 for floats, x+0.0 clears a negative zero). */
#include <string.h>

#include "base/hash.h"
#include "ir/interp.h"
#include "transform/emit.h"
#include "transform/passes.h"
#include "transform/rewrite.h"

/* Nothing is built until it is known that something changes: values are those of the
 * input graph, and `same` says which earlier one stands for each. */
typedef struct simplifier {
    const tn_ir_graph *graph;
    const tn_pass_options *options;
    tn_vid *same;
    /* By value: whether every element is one known number, which; whether the value is
     * a constant, written so or folded; whether it was folded. */
    tn_scalar *numbers;
    uint8_t *uniform, *constant, *folded;
    /* Nodes by what they compute: 1 + the node, open addressing. */
    uint32_t *seen;
    uint64_t *hashes; /* by node */
    size_t capacity;
    tn_strbuf key;
    uint32_t changes;
} simplifier;

/* The node that makes a value, unless it was folded: then it is no longer that. */
static const tn_ir_node *def(const simplifier *s, tn_vid v) {
    uint32_t node = s->graph->values[v].def;
    return node == TN_NO_NODE || s->folded[v] ? NULL : s->graph->nodes[node];
}

static tn_dt dt_of(const simplifier *s, tn_vid v) {
    return s->graph->values[v].type.dt;
}

static void set_number(simplifier *s, tn_vid v, tn_scalar number) {
    s->numbers[v] = number;
    s->uniform[v] = 1;
}

/* Constants are one number everywhere, and moves keep that. */
static void note_uniform(simplifier *s, const tn_ir_node *node) {
    if (node->n_results != 1) return;
    tn_vid v = node->results[0];
    switch (node->prim) {
    case TN_PRIM_BROADCAST:
    case TN_PRIM_PERMUTE:
    case TN_PRIM_RESHAPE:
    case TN_PRIM_SLICE:
    case TN_PRIM_FLIP: {
        tn_vid from = s->same[node->operands[0]];
        if (s->uniform[from]) set_number(s, v, s->numbers[from]);
        break;
    }
    case TN_PRIM_CONSTANT: {
        const tn_arg *value = tn_ir_attr(node, "value");
        bool is_float = value->tag == TN_TAG_FLOAT;
        tn_scalar raw = {.i = value->v.i};
        if (is_float) raw.f = value->v.f;
        set_number(s, v, tn_scalar_cast(raw, is_float ? TN_DT_F64 : TN_DT_I64, dt_of(s, v)));
        s->constant[v] = 1;
        break;
    }
    default: break;
    }
}

static bool is_number(const simplifier *s, tn_vid v, double number, bool negative_zero) {
    if (!s->uniform[v]) return false;
    tn_dt dt = dt_of(s, v);
    tn_scalar found = s->numbers[v];
    if (tn_dt_is_float(dt)) {
        return found.f == number && (number != 0 || __builtin_signbit(found.f) == negative_zero);
    }
    return tn_dt_is_int(dt) && found.i == (int64_t)number;
}

static tn_vid binary_rule(const simplifier *s, const tn_ir_node *node, tn_vid a, tn_vid b) {
    bool is_float = tn_dt_is_float(dt_of(s, a));
    switch (node->prim) {
    case TN_PRIM_MUL:
        if (is_number(s, b, 1, false)) return a;
        if (is_number(s, a, 1, false)) return b;
        if (!is_float && is_number(s, b, 0, false)) return b;
        if (!is_float && is_number(s, a, 0, false)) return a;
        break;
    case TN_PRIM_ADD: /* x + -0.0 is x; x + 0.0 is not for x = -0.0 */
        if (is_number(s, b, 0, is_float)) return a;
        if (is_number(s, a, 0, is_float)) return b;
        break;
    case TN_PRIM_SUB:
        if (is_number(s, b, 0, false)) return a;
        break;
    case TN_PRIM_DIV:
        if (is_number(s, b, 1, false)) return a;
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
static tn_vid unary_rule(const simplifier *s, const tn_ir_node *node, tn_vid a) {
    const tn_ir_node *inner = def(s, a);
    switch (node->prim) {
    case TN_PRIM_NEG:
    case TN_PRIM_NOT:
        if (inner != NULL && inner->prim == node->prim) return s->same[inner->operands[0]];
        break;
    case TN_PRIM_CAST:
        if (dt_of(s, a) == tn_ir_attr_dtype(node, "dtype")) return a;
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
static tn_vid move_rule(const simplifier *s, const tn_ir_node *node, tn_vid a,
                        const tn_type *result) {
    int64_t v[TN_MAX_RANK];
    uint32_t n;
    switch (node->prim) {
    case TN_PRIM_BROADCAST:
    case TN_PRIM_RESHAPE: return same_shape(&s->graph->values[a].type, result) ? a : TN_NO_VALUE;
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
        return same_shape(&s->graph->values[a].type, result) ? a : TN_NO_VALUE;
    case TN_PRIM_PAD: return same_shape(&s->graph->values[a].type, result) ? a : TN_NO_VALUE;
    case TN_PRIM_FLIP: return tn_ir_attr_ints(node, "axes", v) == 0 ? a : TN_NO_VALUE;
    case TN_PRIM_CONCAT: return node->n_operands == 1 ? a : TN_NO_VALUE;
    case TN_PRIM_SELECT: break;
    default: break;
    }
    return TN_NO_VALUE;
}

static tn_vid select_rule(const simplifier *s, tn_vid cond, tn_vid a, tn_vid b) {
    if (a == b) return a;
    if (!s->uniform[cond]) return TN_NO_VALUE;
    return s->numbers[cond].i != 0 ? a : b;
}

/* An earlier value that equals the node's only result, or none. */
static tn_vid replacement(const simplifier *s, const tn_ir_node *node) {
    if (node->op != NULL || node->n_operands == 0 || node->n_results != 1) return TN_NO_VALUE;
    tn_vid in[3] = {TN_NO_VALUE, TN_NO_VALUE, TN_NO_VALUE};
    for (uint32_t i = 0; i < node->n_operands && i < 3; i++)
        in[i] = s->same[node->operands[i]];
    const tn_type *result = &s->graph->values[node->results[0]].type;
    if (node->prim == TN_PRIM_SELECT) return select_rule(s, in[0], in[1], in[2]);
    tn_vid found = move_rule(s, node, in[0], result);
    if (found == TN_NO_VALUE && node->n_operands == 1) found = unary_rule(s, node, in[0]);
    if (found == TN_NO_VALUE && node->n_operands == 2) found = binary_rule(s, node, in[0], in[1]);
    return found;
}

/* Elementwise on 0-d constants becomes a constant, computed by the interpreter: the
 * same body as everywhere. */
static tn_status fold(simplifier *s, const tn_ir_node *node) {
    const tn_prim_info *info = tn_prim_get(node->prim);
    const tn_ir_graph *graph = s->graph;
    if (info == NULL || info->klass != TN_PRIM_CLASS_ELEMENTWISE) return NULL;
    tn_vid result = node->results[0];
    const tn_type *type = &graph->values[result].type;
    if (type->rank != 0 || node->n_operands > 3) return NULL;
    uint64_t storage[4] = {0};
    tn_tensor tensors[4] = {0};
    const tn_tensor *operands[3];
    for (uint32_t i = 0; i < node->n_operands; i++) {
        tn_vid v = s->same[node->operands[i]];
        if (!s->constant[v]) return NULL;
        tn_scalar_store(dt_of(s, v), &storage[i], s->numbers[v]);
        tensors[i] = (tn_tensor){.data = &storage[i],
                                 .device = {TN_DEVICE_CPU, 0},
                                 .dtype = graph->values[v].type.dtype};
        operands[i] = &tensors[i];
    }
    tensors[3] = (tn_tensor){
        .data = &storage[3], .device = {TN_DEVICE_CPU, 0}, .dtype = type->dtype};
    tn_tensor *results[1] = {&tensors[3]};
    TN_TRY(
        tn_interp_prim(node, graph, s->options->allocator, operands, results, s->options->strict));
    set_number(s, result, tn_scalar_load(type->dt, &storage[3]));
    s->constant[result] = s->folded[result] = 1;
    s->changes++;
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

static bool same_args(const tn_arg *a, const tn_arg *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (a[i].tag != b[i].tag || a[i].count != b[i].count) return false;
        bool same = true;
        switch (a[i].tag) {
        case TN_TAG_LIST: same = same_args(a[i].v.list, b[i].v.list, a[i].count); break;
        case TN_TAG_STRING: same = memcmp(a[i].v.str, b[i].v.str, a[i].count) == 0; break;
        case TN_TAG_DTYPE:
            same = memcmp(&a[i].v.dtype, &b[i].v.dtype, sizeof(tn_dtype)) == 0;
            break;
        case TN_TAG_VALUE: break; /* an operand */
        default: same = memcmp(&a[i].v, &b[i].v, 8) == 0; break;
        }
        if (!same) return false;
    }
    return true;
}

/* Whether two nodes of primitives compute the same. */
static bool same_nodes(const simplifier *s, const tn_ir_node *a, const tn_ir_node *b) {
    if (a->prim != b->prim || a->n_operands != b->n_operands) return false;
    for (uint32_t i = 0; i < a->n_operands; i++) {
        if (s->same[a->operands[i]] != s->same[b->operands[i]]) return false;
    }
    return same_args(a->args, b->args, a->schema->n_params);
}

static tn_status hash_node(simplifier *s, const tn_ir_node *node) {
    tn_strbuf *key = &s->key;
    tn_strbuf_clear(key);
    tn_strbuf_bytes(key, &node->prim, sizeof node->prim);
    for (uint32_t i = 0; i < node->n_operands; i++)
        tn_strbuf_bytes(key, &s->same[node->operands[i]], sizeof(tn_vid));
    for (uint32_t i = 0; i < node->schema->n_params; i++)
        key_arg(key, &node->args[i]);
    TN_TRY(tn_strbuf_status(key));
    s->hashes[node->id] = tn_hash64(key->data, key->length, 0);
    return NULL;
}

/* The same primitive on the same operands was computed before: that is used. */
static tn_status reuse(simplifier *s, const tn_ir_node *node, bool *reused) {
    TN_TRY(hash_node(s, node));
    uint64_t hash = s->hashes[node->id];
    size_t at = (size_t)hash & (s->capacity - 1);
    for (; s->seen[at] != 0; at = (at + 1) & (s->capacity - 1)) {
        const tn_ir_node *first = s->graph->nodes[s->seen[at] - 1];
        if (s->hashes[first->id] != hash || !same_nodes(s, first, node)) continue;
        for (uint32_t r = 0; r < node->n_results; r++)
            s->same[node->results[r]] = first->results[r];
        s->changes++;
        *reused = true;
        return NULL;
    }
    s->seen[at] = 1 + node->id;
    return NULL;
}

static tn_status simplify_node(simplifier *s, const tn_ir_node *node) {
    tn_vid same = replacement(s, node);
    if (same != TN_NO_VALUE) {
        s->same[node->results[0]] = same;
        s->changes++;
        return NULL;
    }
    if (node->op != NULL || node->n_results == 0) return NULL;
    bool reused = false;
    TN_TRY(reuse(s, node, &reused));
    if (reused) return NULL;
    note_uniform(s, node);
    return fold(s, node);
}

static tn_status emit_constant(simplifier *s, tn_rewrite *rw, const tn_ir_node *node) {
    tn_vid v = node->results[0];
    const tn_type *type = &s->graph->values[v].type;
    tn_arg literal = {.tag = TN_TAG_INT, .v.i = s->numbers[v].i};
    if (tn_dt_is_float(type->dt)) literal = (tn_arg){.tag = TN_TAG_FLOAT, .v.f = s->numbers[v].f};
    if (type->dt == TN_DT_BOOL) literal.tag = TN_TAG_BOOL;
    tn_attr attrs[2] = {{"value", literal},
                        {"dtype", {.tag = TN_TAG_DTYPE, .v.dtype = type->dtype}}};
    return tn_ir_emit(rw->out, TN_PRIM_CONSTANT, NULL, 0, attrs, 2, node->origin, &rw->map[v], 1);
}

/* The graph of what is left and needed. */
static tn_status rebuild(simplifier *s, const uint8_t *live, tn_ir_graph **out_graph) {
    const tn_ir_graph *graph = s->graph;
    tn_rewrite rw;
    tn_status status = tn_rewrite_begin(&rw, graph, s->options->allocator);
    for (uint32_t i = 0; status == NULL && i < graph->n_nodes; i++) {
        const tn_ir_node *node = graph->nodes[i];
        if (!live[i]) {
            status = tn__note_dead(s->options, node);
        } else if (node->n_results > 0 && s->folded[node->results[0]]) {
            status = emit_constant(s, &rw, node);
        } else {
            status = tn_rewrite_copy(&rw, node);
        }
        /* What stands for a later value is defined by now. */
        for (uint32_t r = 0; status == NULL && r < node->n_results; r++) {
            tn_vid v = node->results[r];
            if (s->same[v] != v) rw.map[v] = rw.map[s->same[v]];
        }
    }
    if (status == NULL) status = tn_rewrite_finish(&rw, out_graph);
    tn_rewrite_end(&rw);
    return status;
}

static tn_status simplify(simplifier *s, tn_arena *arena, tn_ir_graph **out_graph) {
    const tn_ir_graph *graph = s->graph;
    size_t n = graph->n_values;
    s->capacity = 16;
    while (s->capacity / 2 < graph->n_nodes)
        s->capacity *= 2;
    s->same = tn_arena_array(arena, n, sizeof *s->same);
    s->numbers = tn_arena_array(arena, n, sizeof *s->numbers);
    s->uniform = tn_arena_array(arena, n, 1);
    s->constant = tn_arena_array(arena, n, 1);
    s->folded = tn_arena_array(arena, n, 1);
    s->seen = tn_arena_array(arena, s->capacity, sizeof *s->seen);
    s->hashes = tn_arena_array(arena, graph->n_nodes, sizeof *s->hashes);
    uint8_t *values = tn_arena_array(arena, n, 1),
            *nodes = tn_arena_array(arena, graph->n_nodes, 1);
    if (s->same == NULL || s->numbers == NULL || s->uniform == NULL || s->constant == NULL ||
        s->folded == NULL || s->seen == NULL || s->hashes == NULL || values == NULL ||
        nodes == NULL) {
        return tn_status_no_memory();
    }
    for (uint32_t i = 0; i < graph->n_values; i++)
        s->same[i] = i;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        TN_TRY(simplify_node(s, graph->nodes[i]));
    uint32_t live = tn_rewrite_live(graph, s->same, s->folded, values, nodes);
    if (s->changes == 0 && live == graph->n_nodes) return NULL;
    return rebuild(s, nodes, out_graph);
}

tn_status tn_pass_simplify(const tn_ir_graph *graph, const tn_pass_options *options,
                           tn_ir_graph **out_graph) {
    simplifier s = {.graph = graph, .options = options};
    tn_arena arena;
    *out_graph = NULL;
    tn_arena_init(&arena, options->allocator);
    tn_strbuf_init(&s.key, options->allocator);
    tn_status status = simplify(&s, &arena, out_graph);
    tn_strbuf_deinit(&s.key);
    tn_arena_deinit(&arena);
    return status;
}
