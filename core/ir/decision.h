/* Decisions and their reasons. Legality answers with a reason, profit with a
 * number; every answer that mattered is logged against the node of the source
 * graph it concerns (tn_ir_node.origin), and `explain` prints the log. */
#ifndef TN_IR_DECISION_H
#define TN_IR_DECISION_H

#include "base/strbuf.h"
#include "ir/graph.h"

/* X(NAME, text, explanation) */
#define TN_DECISION_LIST(X)                                                                        \
    X(NONE, "none", "not decided")                                                                 \
    X(VIEW, "view", "moves no data: an index map")                                                 \
    X(PLACED, "placed", "its producers store straight into the larger buffer")                     \
    X(INLINE, "inline", "its primitives are part of a generated loop kernel")                      \
    X(EPILOGUE, "epilogue", "generated code compiled into a template's kernel, on its result")     \
    X(PROLOGUE, "prologue", "generated code compiled into a template's kernel, on its operand")    \
    X(NATIVE, "native", "a library call has exactly this built in")                                \
    X(OPAQUE, "opaque", "the plugin's own kernel")                                                 \
    X(TEMPLATE, "template", "a template's kernel, the host of epilogues and prologues")            \
    X(FOLDED, "folded", "computed at plan time")                                                   \
    X(DEAD, "dead", "nobody uses its result")
typedef enum tn_decision_kind {
#define TN_DECISION_ENUM(name, text, doc) TN_DECISION_##name,
    TN_DECISION_LIST(TN_DECISION_ENUM)
#undef TN_DECISION_ENUM
        TN_DECISION_COUNT
} tn_decision_kind;

/* Why a choice was made or refused. X(NAME, text) */
#define TN_REASON_LIST(X)                                                                          \
    X(OK, "legal")                                                                                 \
    X(FORCED, "an option forces it")                                                               \
    X(FORBIDDEN, "an option forbids it")                                                           \
    X(EAGER, "eager mode runs op by op")                                                           \
    X(NO_LOWERING, "the op has no lowering")                                                       \
    X(LOWERING_DECLINED, "the lowering declined this call")                                        \
    X(NO_KERNEL, "the op has no kernel for this device")                                           \
    X(KERNEL_DECLINED, "its kernel declined this problem")                                         \
    X(NO_TEMPLATE, "the op has no template for this device")                                       \
    X(TEMPLATE_DECLINED, "the template declined this problem")                                     \
    X(SLOT_UNFIT, "the template has no slot for it that this host can fill")                       \
    X(NOT_BUILT_IN, "the library's call does not have it built in")                                \
    X(KERNEL_WINS, "its own kernel is expected to be faster than generated loops")                 \
    X(SAVES_BYTES, "saves reading and writing an intermediate")                                    \
    X(SAVES_LAUNCH, "saves a kernel")                                                              \
    X(INDEX_MAP_ONLY, "only its index map is needed")                                              \
    X(NOT_POINTWISE, "what a template takes in must be pointwise in its own coordinates")          \
    X(OPAQUE_NEIGHBOUR, "its neighbour is opaque, and nothing fuses across that")                  \
    X(DOMAIN_MISMATCH, "the loop domains differ")                                                  \
    X(REDUCTION_MISMATCH, "the kernel already reduces over another domain")                        \
    X(NEEDS_WHOLE_REDUCTION, "reads a reduction at other points than it is computed at")           \
    X(CYCLE, "would make the kernels wait for each other")                                         \
    X(MULTIPLE_USERS, "others need the unfused value too, and recomputing costs more")             \
    X(NOT_AFFINE, "the view is no plain strided view of its buffer")                               \
    X(IS_OUTPUT, "the graph returns it")                                                           \
    X(IS_INPUT, "it is an input of the graph")                                                     \
    X(UNKNOWN_DTYPE, "its dtype is none that primitives know")                                     \
    X(TOO_LARGE, "the kernel would grow too large")                                                \
    X(COSTS_MORE, "the model expects it to be slower")                                             \
    X(MEASURED_SLOWER, "it measured slower")                                                       \
    X(ZERO_SIZE, "it has no elements")                                                             \
    X(RANK, "the loop nest would exceed the greatest rank")
typedef enum tn_reason {
#define TN_REASON_ENUM(name, text) TN_REASON_##name,
    TN_REASON_LIST(TN_REASON_ENUM)
#undef TN_REASON_ENUM
        TN_REASON_COUNT
} tn_reason;

const char *tn_decision_text(tn_decision_kind kind);
const char *tn_reason_text(tn_reason reason);

typedef struct tn_refusal {
    tn_decision_kind what;
    tn_reason why;
    const char *detail; /* what the plugin or the pass said; may be NULL */
} tn_refusal;
typedef struct tn_decision {
    tn_decision_kind kind;
    tn_reason why;
    const char *detail;
    uint32_t step; /* that computes it; TN_NO_NODE when none does */
    int64_t bytes_saved;
    uint32_t launches_saved;
    tn_refusal *refusals;
    uint32_t n_refusals, refusals_cap;
} tn_decision;
/* By node of the source graph. */
typedef struct tn_decision_log {
    tn_arena *arena; /* of whoever owns the log */
    tn_decision *items;
    uint32_t n;
} tn_decision_log;
TN_MUST_USE tn_status tn_decision_log_init(tn_decision_log *log, tn_arena *arena, uint32_t n);
/* Later decisions replace earlier ones; detail is copied. */
TN_MUST_USE tn_status tn_decision_set(tn_decision_log *log, uint32_t origin, tn_decision_kind kind,
                                      tn_reason why, const char *detail);
TN_MUST_USE tn_status tn_decision_refuse(tn_decision_log *log, uint32_t origin,
                                         tn_decision_kind what, tn_reason why, const char *detail);

/* Rules of --force and --forbid: "inline", "opaque:acme::swish", "epilogue:%y". */
typedef struct tn_rule {
    tn_decision_kind kind;
    bool force;        /* else forbid */
    const char *op;    /* full or overload-less name; NULL: any */
    const char *value; /* name of a result, without '%'; NULL: any */
} tn_rule;
typedef struct tn_rules {
    tn_rule *items;
    uint32_t n;
    tn_arena arena;
} tn_rules;
TN_MUST_USE tn_status tn_rules_parse(const tn_allocator *allocator, const char *const *force,
                                     uint32_t n_force, const char *const *forbid, uint32_t n_forbid,
                                     tn_rules *out_rules);
void tn_rules_deinit(tn_rules *rules);
/* Whether each rule can mean something for the graph: its value is computed there, its
 * op is registered (another graph may use it) or a primitive. INVALID says what is. */
TN_MUST_USE tn_status tn_rules_check(const tn_rules *rules, const tn_ir_graph *source,
                                     const tn_op_table *ops);
/* Whether a rule forces (1) or forbids (-1) `kind` for a node of the source
 * graph; 0: none says so. The most specific rule wins (value, op, any), and among
 * equals the later. rules may be NULL. */
int tn_rules_ask(const tn_rules *rules, const tn_ir_graph *source, uint32_t node,
                 tn_decision_kind kind);
/* The same for a choice that concerns two nodes, as what is compiled into a template
 * concerns that too: a rule speaks of it when it names either. */
int tn_rules_ask_either(const tn_rules *rules, const tn_ir_graph *source, uint32_t node,
                        uint32_t other, tn_decision_kind kind);

#endif
