/* Reductions: for each element of the result, one fold over the axes that
 * vanish, in row-major order. */
#include <math.h>

#include "ir/interp_exec.h"

/* A sum of doubles that keeps what rounding takes (Neumaier). */
typedef struct sum_state {
    double sum, lost;
} sum_state;

static void sum_add(sum_state *s, double x) {
    const double next = s->sum + x;
    if (fabs(s->sum) >= fabs(x))
        s->lost += (s->sum - next) + x;
    else
        s->lost += (x - next) + s->sum;
    s->sum = next;
}

/* Beyond the finite numbers nothing was lost that could be brought back. */
static double sum_value(const sum_state *s) {
    return isfinite(s->sum) ? s->sum + s->lost : s->sum;
}

static tn_scalar fold_sum(const tn__strided *x) {
    const bool is_float = tn_dt_is_float(x->dt);
    sum_state sum = {0.0, 0.0};
    uint64_t total = 0;
    tn__walk walk;
    tn__walk_init(&walk, x->rank, x->shape);
    tn__walk_add(&walk, x);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        const tn_scalar value = tn__load(x, walk.at[0]);
        if (is_float)
            sum_add(&sum, value.f);
        else
            total += value.u;
    }
    return is_float ? (tn_scalar){.f = sum_value(&sum)} : (tn_scalar){.u = total};
}

static tn_scalar fold_prod(const tn__strided *x) {
    const bool is_float = tn_dt_is_float(x->dt);
    tn_scalar product = is_float ? (tn_scalar){.f = 1.0} : (tn_scalar){.u = 1};
    tn__walk walk;
    tn__walk_init(&walk, x->rank, x->shape);
    tn__walk_add(&walk, x);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        const tn_scalar value = tn__load(x, walk.at[0]);
        if (is_float)
            product.f *= value.f;
        else
            product.u *= value.u;
    }
    return product;
}

/* What reduce_max gives over nothing, or reduce_min. */
static tn_scalar extreme_of_nothing(tn_dt dt, bool is_max) {
    if (dt == TN_DT_BOOL) return (tn_scalar){.u = is_max ? 0 : 1};
    /* The cast saturates; f8e4m3fn has no infinity, and its largest is 448. */
    const double limit = dt == TN_DT_F8E4M3FN ? 448.0 : INFINITY;
    return tn_scalar_cast((tn_scalar){.f = is_max ? -limit : limit}, TN_DT_F64, dt);
}

/* max, min, or, and: an elementwise primitive from the first element on. */
static tn_scalar fold_with(uint32_t prim, const tn__strided *x, tn_scalar of_nothing) {
    tn_scalar operands[2] = {of_nothing, of_nothing};
    bool first = true;
    tn__walk walk;
    tn__walk_init(&walk, x->rank, x->shape);
    tn__walk_add(&walk, x);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        operands[1] = tn__load(x, walk.at[0]);
        operands[0] = first ? operands[1] : tn_prim_eval(prim, x->dt, operands);
        first = false;
    }
    return operands[0];
}

static bool is_nan(tn_dt dt, tn_scalar value) {
    return tn_dt_is_float(dt) && isnan(value.f);
}

/* The coordinate along the one axis: NaN beats numbers, the first beats later. */
static tn_scalar fold_arg(uint32_t prim, const tn__strided *x) {
    const uint32_t better = prim == TN_PRIM_ARGMAX ? TN_PRIM_GT : TN_PRIM_LT;
    tn_scalar operands[2] = {{0}}, best = {.i = 0};
    tn__walk walk;
    tn__walk_init(&walk, x->rank, x->shape);
    tn__walk_add(&walk, x);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        operands[0] = tn__load(x, walk.at[0]);
        const bool first = walk.index[0] == 0;
        const bool nan_wins = is_nan(x->dt, operands[0]) && !is_nan(x->dt, operands[1]);
        if (!first && !nan_wins && tn_prim_eval(better, x->dt, operands).u == 0) continue;
        best.i = walk.index[0];
        operands[1] = operands[0];
    }
    return best;
}

static double fold_squares(const tn__strided *x, double mean) {
    sum_state sum = {0.0, 0.0};
    tn__walk walk;
    tn__walk_init(&walk, x->rank, x->shape);
    tn__walk_add(&walk, x);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        const double deviation = tn__load(x, walk.at[0]).f - mean;
        sum_add(&sum, deviation * deviation);
    }
    return sum_value(&sum);
}

/* A sum made in doubles, as far as the type that computes could hold it. */
static double as_held(double sum, tn_dt dt) {
    if (tn_dt_compute(dt) == TN_DT_F64 || isinf((float)sum) == 0) return sum;
    return copysign((double)INFINITY, sum);
}

/* Two passes. 0 / 0, of no or too few elements, is the NaN it should be. */
static void fold_mean_var(const tn__strided *x, int64_t correction, tn_scalar out[2]) {
    int64_t n = 1;
    for (int32_t i = 0; i < x->rank; i++)
        n *= x->shape[i];
    const int64_t divisor = n > correction ? n - correction : 0;
    const double mean = as_held(fold_sum(x).f, x->dt) / (double)n;
    out[0].f = mean;
    out[1].f = as_held(fold_squares(x, mean), x->dt) / (double)divisor;
}

static void fold(const tn__exec *e, const tn__strided *x, tn_scalar out[2]) {
    const uint32_t prim = e->info->id;
    switch (prim) {
    case TN_PRIM_SUM: out[0] = fold_sum(x); break;
    case TN_PRIM_PROD: out[0] = fold_prod(x); break;
    case TN_PRIM_REDUCE_MAX:
        out[0] = fold_with(TN_PRIM_MAX, x, extreme_of_nothing(x->dt, true));
        break;
    case TN_PRIM_REDUCE_MIN:
        out[0] = fold_with(TN_PRIM_MIN, x, extreme_of_nothing(x->dt, false));
        break;
    case TN_PRIM_ANY: out[0] = fold_with(TN_PRIM_OR, x, (tn_scalar){.u = 0}); break;
    case TN_PRIM_ALL: out[0] = fold_with(TN_PRIM_AND, x, (tn_scalar){.u = 1}); break;
    case TN_PRIM_MEAN_VAR: fold_mean_var(x, tn_ir_attr_int(e->node, "correction"), out); break;
    default: out[0] = fold_arg(prim, x); break;
    }
}

/* x's axes in two views: those that stay, and those that are folded. */
static void split_axes(const tn__exec *e, tn__strided *kept, tn__strided *folded) {
    const tn__strided *x = &e->in[0];
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 1;
    if (e->info->id == TN_PRIM_ARGMAX || e->info->id == TN_PRIM_ARGMIN)
        axes[0] = tn_ir_attr_int(e->node, "axis");
    else
        n = tn_ir_attr_ints(e->node, "axes", axes);
    *kept = *folded = *x;
    kept->rank = folded->rank = 0;
    for (int32_t i = 0; i < x->rank; i++) {
        bool is_folded = false;
        for (uint32_t k = 0; k < n; k++)
            is_folded |= axes[k] == i;
        tn__strided *to = is_folded ? folded : kept;
        to->shape[to->rank] = x->shape[i];
        to->stride[to->rank++] = x->stride[i];
    }
}

void tn__exec_reduce(const tn__exec *e) {
    const uint32_t n_results = e->node->n_results;
    tn__strided kept, folded;
    split_axes(e, &kept, &folded);
    tn__walk walk;
    tn__walk_init(&walk, kept.rank, kept.shape);
    tn__walk_add(&walk, &kept);
    for (uint32_t i = 0; i < n_results; i++)
        tn__walk_add(&walk, &e->out[i]);
    for (bool more = walk.more; more; more = tn__walk_next(&walk)) {
        tn_scalar values[TN__EXEC_MAX_RESULTS] = {{0}};
        folded.data = walk.at[0];
        fold(e, &folded, values);
        for (uint32_t i = 0; i < n_results; i++)
            tn__store(&e->out[i], walk.at[1 + i], values[i], e->strict);
    }
}
