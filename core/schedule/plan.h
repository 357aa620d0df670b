/* The state of one planning run, shared by the files of this folder.
 *
 * How a schedule is made. Values are visited backwards, users before operands
 * (sweep.c). When a value's turn comes, everything that needs it is known: the
 * demands, each "this kernel needs the value at these coordinates", and the
 * wants, each "the whole value must lie there in memory". So one look decides
 * (legality.c says what may be, profit.c what pays):
 *
 *   inline   each demand becomes an expression in its kernel, whose operands are
 *            new demands on earlier values (expand.c);
 *   store    one unit computes and stores it, an existing kernel that meets each
 *            element once or a new one; the others load it and wait for that unit.
 *
 * Units (unit.c) are kernels, op calls and joins, and each wait is checked for a
 * cycle before it is made; a kernel of its own is always possible. Kernels that
 * need the same value at the same coordinates of the same domain are merged.
 * At the end each kernel's expressions become a tn_loop (finish.c), and the units
 * are put in order (order.c).
 *
 * Demands are expressions that are not resolved yet, so nothing is built twice. */
#ifndef TN_SCHEDULE_PLAN_H
#define TN_SCHEDULE_PLAN_H

#include "ir/slot.h"
#include "schedule/coords.h"
#include "schedule/schedule.h"

typedef enum tn__expr_kind {
    TN__EXPR_PENDING, /* a demand: `value` at `coords`, wherever `guard` holds */
    TN__EXPR_ALIAS,   /* in[0] */
    TN__EXPR_LOAD,    /* `value` at `coords` from its home */
    TN__EXPR_CONST,
    TN__EXPR_PARAM,
    TN__EXPR_INDEX, /* `ix` as dt */
    TN__EXPR_GUARD, /* whether `guard` holds */
    TN__EXPR_PRIM,
    TN__EXPR_REDUCE, /* in[0] over the inner axes */
    TN__EXPR_ACC
} tn__expr_kind;
typedef struct tn__expr {
    tn__expr_kind kind;
    tn_dt dt;
    uint32_t unit; /* may have been merged: tn__unit_root */
    uint32_t prim;
    tn_vid value;
    tn__coords coords;
    tn__guard guard;
    uint32_t in[3];
    uint32_t n_in;
    tn__ix ix;
    uint32_t next; /* PENDING: the next demand of the value; TN_NONE ends */
    tn_scalar constant;
} tn__expr;

/* Where a value lies, or must lie, in memory. Strides in elements. */
typedef struct tn__place {
    uint32_t buffer; /* TN_NONE: nowhere */
    int64_t offset;
    const int64_t *strides;
} tn__place;

typedef enum tn__want_kind { TN__WANT_OUTPUT, TN__WANT_OPERAND, TN__WANT_PLACE } tn__want_kind;
typedef struct tn__want {
    tn__want_kind kind;
    uint32_t unit;   /* OPERAND: the call; PLACE: the join */
    uint32_t index;  /* OUTPUT: which; OPERAND: which operand */
    tn__place place; /* PLACE */
    /* OPERAND: the operand is the value seen at these coordinates, functions of
     * axes 0, 1, ... that run over the operand's own shape. */
    tn__coords coords;
    uint32_t owner; /* OPERAND, once served: the unit it waits for */
    uint32_t next;
} tn__want;

typedef struct tn__value {
    uint32_t first_demand, first_want; /* TN_NONE ends */
    tn__place home;
    uint32_t owner; /* the unit that readers of home wait for, or TN_NONE */
    int64_t numel;
    uint8_t repeats; /* how many cheap steps above it are computed repeatedly */
    bool visited;
    /* For the log. */
    bool inlined, stored, as_view, placed;
    uint32_t reader; /* one unit that evaluates it, or TN_NONE */
    tn_reason why_stored;
} tn__value;

/* What ties a loop to a template: the axes of its slot, and each axis of the unit as
 * a function of them. */
typedef struct tn__hosting {
    const tn_template *template_;
    uint32_t config;
    uint32_t rank;
    int64_t extents[TN_MAX_RANK];
    tn__ix axes[TN_MAX_RANK];
    uint32_t prologues[TN_MAX_PROLOGUES]; /* units, by operand; TN_NONE */
    uint32_t takes; /* operands for which that was expected to pay, as a set */
} tn__hosting;

/* A library's call, and what is built in. The operands of the chain follow the node's, in
 * the shape of its result. */
typedef struct tn__library {
    const tn_native *native;
    const tn_chain *chain;
    tn_type *extra;
    uint32_t n_extra;
} tn__library;

typedef enum tn__unit_kind {
    TN__UNIT_LOOP,
    TN__UNIT_CALL,
    TN__UNIT_TEMPLATE, /* a call by template; its axes and stores are the epilogue */
    TN__UNIT_PROLOGUE, /* no step: what a template does to an operand */
    TN__UNIT_JOIN      /* no step: ready when all parts of a placed value are */
} tn__unit_kind;
typedef struct tn__unit {
    tn__unit_kind kind;
    uint32_t parent; /* itself, unless merged away */
    uint32_t n_axes;
    int64_t extents[TN_MAX_RANK];
    uint32_t inner;  /* bit a: axis a is an inner axis */
    uint32_t weight; /* what its expressions take to compile: see TN__MAX_WEIGHT */
    uint32_t n_stores, n_reductions;
    uint32_t first_store, last_store;
    uint32_t first_wait; /* units that must run before */
    uint32_t origin;     /* of its root, for eager mode */
    uint32_t key;        /* place in the graph, for the order of steps */
    uint32_t stamp;
    const tn_ir_node *node; /* CALL, TEMPLATE */
    tn_operand *operands, *results;
    tn__hosting *hosting; /* TEMPLATE, PROLOGUE */
    tn__library *library; /* CALL: by a library, with a chain; NULL: the op's kernel */
    uint32_t step;        /* once ordered */
} tn__unit;

typedef struct tn__wait {
    uint32_t unit, next;
} tn__wait;

typedef struct tn__store {
    uint32_t expr;
    tn_vid value;
    tn__coords coords; /* of the value, as the unit's axes run */
    tn__place place;
    uint32_t next;
} tn__store;

/* What needs the value that is being looked at, without repetition: one demand for
 * each unit and coordinates, ordered by coordinates. */
typedef struct tn__need {
    uint32_t expr;
    uint32_t unit; /* a root */
    tn__coords coords;
    tn__guard guard;
} tn__need;

typedef struct tn__plan {
    const tn_allocator *allocator;
    const tn_ir_graph *graph;
    const tn_schedule_options *options;
    tn_schedule *schedule; /* its arena holds what the result keeps */
    tn_arena arena;        /* everything else */
    tn__space space;
    tn__value *values;
    TN_VEC(tn__expr) exprs;
    TN_VEC(tn__unit) units;
    TN_VEC(tn__want) wants;
    TN_VEC(tn__wait) waits;
    TN_VEC(tn__store) stores;
    TN_VEC(tn_buffer) buffers;
    TN_VEC(uint32_t) stack; /* of tn__unit_reaches */
    TN_VEC(tn__need) needs;
    uint64_t *most_read;      /* by buffer, once all exist: most bytes one step reads of it */
    uint32_t *output_buffers; /* by output */
    /* Who reads a value: first_user[value] is an edge, next_user[edge] the next one
     * (TN_NONE ends), users[edge] the node. */
    uint32_t *first_user, *next_user, *users;
    uint32_t stamp;
    uint32_t last_effect; /* the unit of the last effectful call; TN_NONE */
    /* By node, of those that are called: why no template runs it. OK: nobody asked for one. */
    struct tn__no_template {
        tn_reason why;
        const char *detail;
    } * no_template;
} tn__plan;

static inline const tn_type *tn__type(const tn__plan *plan, tn_vid value) {
    return &plan->graph->values[value].type;
}
static inline const tn_ir_node *tn__def(const tn__plan *plan, tn_vid value) {
    uint32_t def = plan->graph->values[value].def;
    return def == TN_NO_NODE ? NULL : plan->graph->nodes[def];
}

/* ------------------------------------------------------------------ units */

TN_MUST_USE tn_status tn__unit_add(tn__plan *plan, tn__unit_kind kind, uint32_t origin,
                                   uint32_t key, uint32_t *out_unit);
uint32_t tn__unit_root(tn__plan *plan, uint32_t unit);
static inline tn__unit *tn__unit_get(tn__plan *plan, uint32_t unit) {
    return &plan->units.data[tn__unit_root(plan, unit)];
}
/* Whether `from` waits for `to`, directly or not; also true when that would take
 * too long to find out. A unit reaches itself. */
TN_MUST_USE tn_status tn__unit_reaches(tn__plan *plan, uint32_t from, uint32_t to, bool *out);
/* Stamps with plan->stamp all that `from` waits for, and itself; false: too many. */
TN_MUST_USE tn_status tn__unit_mark(tn__plan *plan, uint32_t from, bool *out_complete);
/* unit waits for before: the caller has made sure that no cycle results. */
TN_MUST_USE tn_status tn__unit_wait(tn__plan *plan, uint32_t unit, uint32_t before);
/* Makes one kernel of two with agreeing domains (tn__legal_merge). */
void tn__unit_merge(tn__plan *plan, uint32_t into, uint32_t other);
TN_MUST_USE tn_status tn__unit_store(tn__plan *plan, uint32_t unit, uint32_t expr, tn_vid value,
                                     tn__coords coords, tn__place place);
/* Points of the domain: of the parallel axes, or of all. Saturates. */
int64_t tn__unit_points(const tn__unit *unit, bool parallel_only);
uint32_t tn__unit_axes(const tn__unit *unit, bool parallel_only); /* as a set */

/* ------------------------------------------------------------ expressions */

/* A demand on value; zero-element values give the constant zero. */
TN_MUST_USE tn_status tn__demand(tn__plan *plan, uint32_t unit, tn_vid value, tn__coords coords,
                                 tn__guard guard, uint32_t *out_expr);
/* Turns a pending demand on a primitive's result into an expression of its
 * operands. A reduction must be legal (tn__legal_reduce). */
TN_MUST_USE tn_status tn__expand(tn__plan *plan, uint32_t expr);
/* Follows aliases. */
uint32_t tn__expr_resolve(tn__plan *plan, uint32_t expr);

/* --------------------------------------------------------------- legality */

/* Beyond these a kernel compiles slowly and spills registers. An expression weighs 1,
 * one of an elementwise primitive its tn__prim_cost: compile time goes with the
 * instructions, and faster. Of a chain of tanh and exp, gcc 12 takes 9 ms a function for
 * 16 or 32 in one kernel, 14 for 128, 17 for 192, 28 and more for 500; of additions and
 * products it takes 0.2 ms each for 500. So a kernel takes about 0.3 s at most, and a
 * chain compiles in time that goes with its length. Kernels of 25 functions compute for
 * longer than their two trips through memory take. */
#define TN__MAX_WEIGHT 500
/* A part of a concatenation that a kernel chooses from weighs as much as eight do in
 * 0.7 s: gcc 12 takes 80 ms a part up to 8 of them, 100 for 12, and a second and more
 * for 50. Of more parts each is stored where it belongs, by a kernel of its own. */
#define TN__PART_WEIGHT 60
#define TN__MAX_PARTS 8
/* Each may be a stage of its own. Renderers hold 62 of those, but compile time grows
 * faster than the kernel: 50 softmaxes in a row take 7 s in kernels of 48. */
#define TN__MAX_REDUCTIONS 12
#define TN__MAX_STORES 12

/* How a reduction would run in a unit. */
typedef struct tn__reduction {
    int64_t extents[TN_MAX_RANK]; /* of the reduced axes, without those of 1 */
    uint32_t n;
    uint32_t inner;    /* the unit's inner axes if it takes place there */
    uint32_t new_axes; /* how many of them the unit does not have yet */
} tn__reduction;
uint32_t tn__reduced_axes(const tn_ir_node *node); /* as a set */
tn_reason tn__legal_reduce(tn__plan *plan, const tn_ir_node *node, uint32_t unit, tn__coords coords,
                           tn__guard guard, tn__reduction *out);
/* Adds the new axes and makes them inner. */
void tn__reduction_commit(tn__plan *plan, uint32_t unit, const tn__reduction *reduction);
/* Whether the unit, with those inner axes, can store the value from this demand: it
 * meets each element exactly once. Cycles are the caller's question. */
tn_reason tn__legal_store(tn__plan *plan, uint32_t expr, uint32_t inner);
/* Whether two loops can become one; they share the demand's coordinates. */
TN_MUST_USE tn_status tn__legal_merge(tn__plan *plan, uint32_t a, uint32_t b, tn_reason *out);

/* ----------------------------------------------------------------- profit */

/* Relative work of one element: 0 index maps, 1 an addition, 20 an exponential. */
uint32_t tn__prim_cost(uint32_t prim);
bool tn__profit_merge(tn__plan *plan, uint32_t a, uint32_t b, tn_vid shared);
/* How often the demand evaluates the value: points of the loop level it runs at. */
int64_t tn__evaluations(tn__plan *plan, uint32_t expr);
/* Whether computing the value again is better than storing it once: for these
 * demands, in n_units kernels. */
bool tn__profit_repeat(tn__plan *plan, tn_vid value, const uint32_t *exprs, uint32_t n,
                       uint32_t n_units);
/* Whether a legal reduction of the node pays in a consumer's kernel. */
bool tn__profit_reduce(tn__plan *plan, const tn_ir_node *node, uint32_t unit,
                       const tn__reduction *reduction);

/* ------------------------------------------------------------------ sweep */

TN_MUST_USE tn_status tn__sweep(tn__plan *plan);
/* Collects plan->needs from the demands on value and merges kernels (needs.c). */
TN_MUST_USE tn_status tn__needs_collect(tn__plan *plan, tn_vid value, bool merge);
static inline bool tn__has_wants(const tn__plan *plan, tn_vid value) {
    return plan->values[value].first_want != TN_NONE;
}
/* Stores the value at every place that is wanted, or in a buffer of its own, and
 * settles all needs (store.c). */
typedef enum tn__store_mode {
    TN__STORE_VALUE, /* one kernel computes and stores it, the others load it */
    TN__STORE_VIEW,  /* one kernel stores it, all go on seeing through it */
    TN__STORE_COPY   /* it has a home already: all load it from there */
} tn__store_mode;
TN_MUST_USE tn_status tn__store_value(tn__plan *plan, tn_vid value, tn__store_mode mode);
/* The need becomes a load from the value's home, and its unit waits for the owner. */
TN_MUST_USE tn_status tn__need_load(tn__plan *plan, const tn__need *need);
/* The need becomes an expression in its unit; a reduction is committed there. */
TN_MUST_USE tn_status tn__need_inline(tn__plan *plan, const tn__need *need);

/* The reduction that `value` at these coordinates is computed from through
 * elementwise primitives and views, or NULL; *out_coords is where it is read. It
 * tells the inner domain of a kernel before the reduction itself is reached. */
const tn_ir_node *tn__find_reduction(tn__plan *plan, tn_vid value, tn__coords coords,
                                     tn__coords *out_coords);

/* Makes the unit the one that calls the op node: it wants the operands (operand.c). */
TN_MUST_USE tn_status tn__call_init(tn__plan *plan, uint32_t unit, const tn_ir_node *node);
/* Whether the parts of a concatenation that lies in memory should be stored straight
 * into it, and making it so: each part is wanted at its place (placed.c). */
/* Operands of a concatenation that have elements. */
uint32_t tn__concat_parts(const tn__plan *plan, const tn_ir_node *node);
tn_reason tn__placed_reason(tn__plan *plan, tn_vid value, const tn_ir_node *node);
TN_MUST_USE tn_status tn__place_parts(tn__plan *plan, tn_vid value, const tn_ir_node *node);
/* Runs the op by a template when rules or the model say so, with a kernel that needs
 * the result as its epilogue (template.c). */
TN_MUST_USE tn_status tn__template_visit(tn__plan *plan, const tn_ir_node *node, bool *out_done);
/* Runs the op and the one kernel that needs its result by a library's call, when rules or
 * the model say so (native.c). The needs of the result are collected. */
TN_MUST_USE tn_status tn__native_visit(tn__plan *plan, const tn_ir_node *node, bool *out_done);
/* Seconds that writing a value and reading it again takes, in a kernel of its own. */
double tn__pass_seconds(const tn__plan *plan, tn_vid value);
/* Appends a kernel of the value's own (LOOP or PROLOGUE) to the needs. */
TN_MUST_USE tn_status tn__needs_add_kernel(tn__plan *plan, tn_vid value, tn__unit_kind kind);
/* Whether everybody else who needs the value may wait for the unit. */
TN_MUST_USE tn_status tn__may_wait_for(tn__plan *plan, tn_vid value, uint32_t unit, bool *out);
/* Stores the expression of a need in all places that are wanted, and in a new buffer
 * when none is and `own`. The home is a whole buffer when there is one, since callees
 * take that as it is. */
TN_MUST_USE tn_status tn__add_stores(tn__plan *plan, tn_vid value, const tn__need *owner, bool own,
                                     tn__place *out_home);
/* Makes what computes a template's operand a part of the template, when rules say so or
 * it is expected to pay (prologue.c). The needs of the value are collected. */
TN_MUST_USE tn_status tn__prologue_visit(tn__plan *plan, tn_vid value, bool *out_done);
/* The slot for operand `index` of a template's node, when it can be filled. */
tn_reason tn__prologue_slot(const tn__plan *plan, const tn_template *template_,
                            const tn_ir_node *node, uint32_t index, const tn_slot **out_slot,
                            uint32_t *out_place, char detail[256]);
bool tn__is_pointwise(const tn_ir_node *node); /* may be NULL */
/* Whether a template pays for a node, and for which operands: an expectation, as what makes
 * them has not been visited yet (hosting.c). */
typedef struct tn__host_choice {
    const tn_ir_node *node;
    const tn_template *template_;
    uint32_t config, epilogue_index;
    /* Results. */
    bool pays, forced; /* forced: a rule wants some operand computed */
    uint32_t takes;    /* operands that are to be computed, as a set */
} tn__host_choice;
/* epilogue: a kernel could be one. */
TN_MUST_USE tn_status tn__host_choose(tn__plan *plan, tn__host_choice *h, bool epilogue);
/* Ties the unit, which runs over a value of that type at these coordinates, to a slot of
 * a template: (batch, m, n), where the value's leading axes together are batch. */
TN_MUST_USE tn_status tn__host(tn__plan *plan, uint32_t unit, const tn_type *type,
                               tn__coords coords, const tn_slot *slot, tn__hosting **out);
/* The parameter of the schema that an operand slot belongs to. */
uint32_t tn__parameter_of(const tn_ir_node *node, uint32_t slot);
const tn_kernel *tn__kernel_of(const tn__plan *plan, const tn_ir_node *node);
/* Passes the operand wants of a view on to what it looks at, where the callee
 * accepts what results. */
TN_MUST_USE tn_status tn__operands_through_view(tn__plan *plan, tn_vid value);
/* Serves the operand wants of a value that has a home; those whose callee does not
 * accept the layout get a copy, whose kernel is a new demand on the value. */
TN_MUST_USE tn_status tn__operands_serve(tn__plan *plan, tn_vid value);

TN_MUST_USE tn_status tn__buffer_add(tn__plan *plan, tn_buffer_kind kind, uint32_t index,
                                     tn_vid value, const tn_type *type, uint32_t *out_buffer);
TN_MUST_USE tn_status tn__want_add(tn__plan *plan, tn_vid value, tn__want want);
/* A contiguous place in a new TEMP buffer of that type, or the whole of a buffer. */
TN_MUST_USE tn_status tn__place_new(tn__plan *plan, tn_vid value, const tn_type *type,
                                    tn__place *out);
TN_MUST_USE tn_status tn__place_output(tn__plan *plan, uint32_t output, tn__place *out);

/* ----------------------------------------------------------------- finish */

/* Puts the units in order and makes the schedule's steps and buffers of them. */
TN_MUST_USE tn_status tn__order(tn__plan *plan);
TN_MUST_USE tn_status tn__log_decisions(tn__plan *plan);
/* An error when something that is forced did not come about (forced.c). */
TN_MUST_USE tn_status tn__forced_check(const tn__plan *plan);
/* Notes a refusal against a node of the source graph, when there is a log. */
TN_MUST_USE tn_status tn__refuse(tn__plan *plan, uint32_t origin, tn_decision_kind what,
                                 tn_reason why, const char *detail);

#endif
