/* Whether a template pays: what it costs by its own estimate, with the passes that it saves,
 * beside the op's own kernel with them. */
#include "schedule/plan.h"

/* A pass over what is in memory or a shared cache: bytes a second for each thread, up to as
 * many threads as keep memory busy; starting it; an element's work, for a step of cost 1. */
#define PASS_RATE 16e9
#define PASS_THREADS 8
#define LAUNCH_SECONDS 1e-6
#define STEP_SECONDS 5e-11
/* A template that saves nothing must be this much faster than the op's own kernel. */
#define CLEARLY 0.8
/* Nodes that make an operand, looked at before they are visited. */
#define CHAIN_SEARCH 64
/* Without an estimate, on the CPU: an epilogue pays while making a tile costs less than a pass
 * over memory, at so many products for each element. */
#define MOST_PRODUCTS_FOR_EPILOGUE 256

/* Pointwise work that makes an operand and whose results nobody else uses. */
typedef struct chain {
    const tn_ir_node *host;
    uint32_t budget, cost;
    int wish; /* of the last value, or of what it is made of */
} chain;

bool tn__is_pointwise(const tn_ir_node *node) {
    if (!node || !node->prim) return false;
    tn_prim_class klass = tn_prim_get(node->prim)->klass;
    return klass != TN_PRIM_CLASS_REDUCE && klass != TN_PRIM_CLASS_CONTRACT;
}

static bool walk(const tn__plan *plan, tn_vid value, chain *c) {
    const tn_ir_node *def = tn__def(plan, value);
    uint32_t user = plan->first_user[value];
    if (!tn__is_pointwise(def) || c->budget == 0 || user == TN_NONE ||
        plan->next_user[user] != TN_NONE || tn__has_wants(plan, value))
        return false;
    bool first = c->budget-- == CHAIN_SEARCH;
    int wish = tn_rules_ask_either(plan->options->rules, plan->options->source, def->origin,
                                   c->host->origin, TN_DECISION_PROLOGUE);
    if (first || wish > 0) c->wish = first || c->wish == 0 ? wish : c->wish;
    c->cost += tn__prim_cost(def->prim);
    for (uint32_t i = 0; i < def->n_operands; i++)
        walk(plan, def->operands[i], c);
    return true;
}

/* Operands that may be computed by prologues, as a set; those that must be. */
typedef struct candidates {
    uint32_t all, forced;
    uint64_t slot[TN_MAX_PROLOGUES]; /* its bit */
    uint32_t index[TN_MAX_PROLOGUES];
    double pass[TN_MAX_PROLOGUES], again[TN_MAX_PROLOGUES]; /* seconds */
} candidates;

static double threads_of(const tn__plan *plan) {
    return plan->options->threads ? plan->options->threads : 1;
}

/* Writing a value and reading it again, in a kernel of its own. */
double tn__pass_seconds(const tn__plan *plan, tn_vid value) {
    double threads = threads_of(plan), bytes = (double)plan->values[value].numel *
                                               (double)tn_dt_size(tn__type(plan, value)->dt);
    return LAUNCH_SECONDS +
           2 * bytes / (PASS_RATE * (threads < PASS_THREADS ? threads : PASS_THREADS));
}

static void find_candidates(const tn__plan *plan, const tn_ir_node *node, const tn_template *t,
                            candidates *out) {
    *out = (candidates){0};
    for (uint32_t i = 0; i < node->n_operands && i < TN_MAX_PROLOGUES; i++) {
        const tn_slot *slot;
        char detail[256];
        uint32_t place;
        chain c = {.host = node, .budget = CHAIN_SEARCH};
        tn_vid value = node->operands[i];
        if (plan->values[value].numel == 0 ||
            tn__prologue_slot(plan, t, node, i, &slot, &place, detail) != TN_REASON_OK ||
            !walk(plan, value, &c) || c.wish < 0 || (c.cost == 0 && c.wish == 0))
            continue;
        out->all |= 1u << i;
        if (c.wish > 0) out->forced |= 1u << i;
        out->slot[i] = UINT64_C(1) << place;
        out->index[i] = place;
        out->pass[i] = tn__pass_seconds(plan, value);
        out->again[i] = (2 + c.cost) * STEP_SECONDS * (double)plan->values[value].numel /
                        threads_of(plan);
    }
}

/* Seconds of the template with these operands computed, and of the op's own kernel with a
 * pass for each candidate. */
static tn_status compare(tn__plan *plan, const tn__host_choice *h, const candidates *c,
                         uint32_t taken, double *times, double *out_template, double *out_kernel,
                         bool *out_known) {
    uint64_t slots = UINT64_C(1) << h->epilogue_index;
    tn_estimate e = {.times = times};
    for (uint32_t i = 0; i < TN_MAX_PROLOGUES; i++)
        if (taken >> i & 1) slots |= c->slot[i];
    TN_TRY(tn_judge_estimate(plan->options->judge, plan->graph, h->node, h->template_, h->config,
                             slots, &e, out_known));
    *out_template = e.seconds;
    *out_kernel = e.kernel_seconds;
    for (uint32_t i = 0; i < TN_MAX_PROLOGUES; i++) {
        if (!(c->all >> i & 1)) continue;
        double more = times[c->index[i]] > 1 ? times[c->index[i]] - 1 : 0;
        *out_template += taken >> i & 1 ? more * c->again[i] : c->pass[i];
        *out_kernel += c->pass[i];
    }
    return NULL;
}

/* By convention of contractions the first operand's last axis is summed over. */
static bool has_short_sums(const tn__plan *plan, const tn_ir_node *node) {
    if (plan->options->device_type != TN_DEVICE_CPU) return true;
    const tn_type *first = node->n_operands ? tn__type(plan, node->operands[0]) : NULL;
    return first && first->rank > 0 && first->shape[first->rank - 1] <= MOST_PRODUCTS_FOR_EPILOGUE;
}

tn_status tn__host_choose(tn__plan *plan, tn__host_choice *h, bool epilogue) {
    candidates c;
    double best = 0;
    h->pays = false;
    find_candidates(plan, h->node, h->template_, &c);
    h->forced = c.forced != 0;
    h->takes = c.forced;
    double *times = tn_arena_array(&plan->arena, h->template_->n_slots, sizeof *times);
    if (!times) return tn_status_no_memory();
    uint32_t free_ones = plan->options->strict ? 0 : c.all & ~c.forced;
    /* All subsets of what may be computed, beside what must be. */
    for (uint32_t some = free_ones;; some = (some - 1) & free_ones) {
        double by_template, by_kernel;
        bool known;
        TN_TRY(compare(plan, h, &c, some | c.forced, times, &by_template, &by_kernel, &known));
        if (!known) {
            h->pays = epilogue && has_short_sums(plan, h->node);
            return NULL;
        }
        if (epilogue) by_kernel += tn__pass_seconds(plan, h->node->results[0]);
        bool saves = epilogue || some || c.forced;
        if ((best == 0 || by_template < best)) {
            best = by_template;
            h->takes = some | c.forced;
            h->pays = by_kernel > 0 && by_template < by_kernel * (saves ? 1 : CLEARLY);
        }
        if (some == 0) return NULL;
    }
}
