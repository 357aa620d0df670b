/* What pays. Numbers are elements, bytes and relative work; constants are round
 * and come from measurements on one core: an addition on data in cache takes
 * about 0.05 ns, an exponential twenty times that, a launch about 1 us. */
#include "schedule/plan.h"

/* Evaluations that reading more operands from cache may add to a kernel, in launches. */
#define CACHED_LAUNCHES 16
/* Steps of at most this cost may be computed again for each user ... */
#define CHEAP_COST 4
/* ... so many in a row. */
#define MAX_REPEATS 6
/* Rows that keep the cores of any machine we know busy. */
#define ENOUGH_ROWS 64

uint32_t tn__prim_cost(uint32_t prim) {
    switch (prim) {
    case TN_PRIM_DIV:
    case TN_PRIM_SQRT:
    case TN_PRIM_FLOOR:
    case TN_PRIM_CEIL:
    case TN_PRIM_TRUNC:
    case TN_PRIM_ROUND:
    case TN_PRIM_CLAMP: return 4;
    case TN_PRIM_RSQRT:
    case TN_PRIM_FLOORDIV:
    case TN_PRIM_CEILDIV:
    case TN_PRIM_TRUNCDIV:
    case TN_PRIM_MOD:
    case TN_PRIM_REM: return 10;
    default: break;
    }
    if (prim >= TN_PRIM_EXP && prim <= TN_PRIM_ERFC) return 20;
    switch (tn_prim_get(prim)->klass) {
    case TN_PRIM_CLASS_SOURCE:
    case TN_PRIM_CLASS_VIEW: return 0;
    case TN_PRIM_CLASS_GATHER: return 2;
    case TN_PRIM_CLASS_REDUCE:
    case TN_PRIM_CLASS_CONTRACT: return 1000;
    default: return 1;
    }
}

/* Work not worth a kernel of its own or a trip through memory: about a launch. */
static int64_t small_work(const tn__plan *plan) {
    uint64_t work = plan->options->launch_work;
    return work == 0 ? 32768 : work < INT32_MAX ? (int64_t)work : INT32_MAX;
}

static int64_t saturating_mul(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t tn__evaluations(tn__plan *plan, uint32_t expr) {
    const tn__expr *e = &plan->exprs.data[expr];
    const tn__unit *unit = tn__unit_get(plan, e->unit);
    uint32_t axes = tn__coords_get(&plan->space, e->coords)->axes |
                    tn__guard_get(&plan->space, e->guard)->axes;
    return tn__unit_points(unit, unit->inner && !(axes & unit->inner));
}

/* Bytes of the operands that are read in about full, against those of the value:
 * what each further kernel reads if it computes the value itself. */
static bool reads_no_more(const tn__plan *plan, tn_vid value) {
    const tn_ir_node *node = tn__def(plan, value);
    int64_t numel = plan->values[value].numel,
            size = (int64_t)tn_dt_size(tn__type(plan, value)->dt);
    int64_t bytes = 0;
    for (uint32_t i = 0; i < node->n_operands; i++) {
        tn_vid operand = node->operands[i];
        for (const tn_ir_node *def = tn__def(plan, operand);
             def && def->prim && tn_prim_get(def->prim)->klass == TN_PRIM_CLASS_VIEW;
             def = tn__def(plan, operand))
            operand = def->operands[0];
        const tn_ir_node *def = tn__def(plan, operand);
        if (def && def->prim && tn_prim_get(def->prim)->klass == TN_PRIM_CLASS_SOURCE) continue;
        if (plan->values[operand].numel > numel / 4)
            bytes += plan->values[operand].numel * (int64_t)tn_dt_size(tn__type(plan, operand)->dt);
    }
    return bytes <= saturating_mul(numel, size);
}

bool tn__profit_repeat(tn__plan *plan, tn_vid value, const uint32_t *exprs, uint32_t n,
                       uint32_t n_units) {
    const tn_ir_node *node = tn__def(plan, value);
    uint32_t cost = tn__prim_cost(node->prim);
    if (cost == 0) return true;
    int64_t numel = plan->values[value].numel, total = 0;
    for (uint32_t i = 0; i < n; i++)
        if (__builtin_add_overflow(total, tn__evaluations(plan, exprs[i]), &total))
            total = INT64_MAX;
    if (n == 1 && total <= numel) return true;
    int64_t extra = total > numel ? total - numel : 0;
    if (cost > CHEAP_COST) return n_units == 1 && saturating_mul(extra, cost) <= small_work(plan);
    if (plan->values[value].repeats >= MAX_REPEATS) return false;
    /* Inside of one kernel what it reads again is in cache, which is not free either. */
    return (n_units == 1 && extra <= CACHED_LAUNCHES * small_work(plan)) ||
           reads_no_more(plan, value);
}

bool tn__profit_reduce(tn__plan *plan, const tn_ir_node *node, uint32_t in_unit,
                       const tn__reduction *reduction) {
    const tn__unit *unit = tn__unit_get(plan, in_unit);
    int64_t rows = 1, inner = 1;
    for (uint32_t a = 0; a < unit->n_axes; a++)
        if (!(reduction->inner >> a & 1)) rows = saturating_mul(rows, unit->extents[a]);
    for (uint32_t i = 0; i < reduction->n; i++)
        inner = saturating_mul(inner, reduction->extents[i]);
    int64_t numel = plan->values[node->results[0]].numel;
    return rows <= numel || saturating_mul(rows - numel, inner) <= small_work(plan);
}

bool tn__profit_merge(tn__plan *plan, uint32_t a, uint32_t b, tn_vid shared) {
    const tn__unit *x = tn__unit_get(plan, a), *y = tn__unit_get(plan, b);
    int64_t px = tn__unit_points(x, false), py = tn__unit_points(y, false);
    int64_t points = px > py ? px : py;
    /* Reading `shared` once instead of twice must matter. */
    const tn_ir_node *node = tn__def(plan, shared);
    bool reduction = node && node->prim && tn_prim_get(node->prim)->klass == TN_PRIM_CLASS_REDUCE;
    if (!reduction && plan->values[shared].numel < points / 4) return false;
    if (x->inner == y->inner || points <= small_work(plan)) return true;
    return tn__unit_points(x->inner ? x : y, true) >= ENOUGH_ROWS;
}
