/* Inside core/ir: the state of one instantiation of lowering text. */
#ifndef TN_IR_LOWERING_H
#define TN_IR_LOWERING_H

#include "ir/parse.h"

enum { TN__MAX_VARIABLES = 64 };

/* A size (n) or a dtype (T) that inputs have bound. */
typedef struct tn__variable {
    tn_token name;
    bool is_dtype;
    tn_dtype dtype;
    int64_t size;
} tn__variable;

struct tn__lowering {
    /* The call that is lowered. */
    const tn_schema *schema;
    const tn_arg *args;
    const tn_vid *operands;
    uint32_t n_operands;
    uint32_t origin;
    tn_device device;
    /* What the text returns. */
    tn_vid *outs;
    uint32_t n_outs, n_returned;
    /* What it defined so far. */
    uint32_t n_inputs;
    tn_map values; /* by name */
    tn__variable variables[TN__MAX_VARIABLES];
    uint32_t n_variables;
    bool has_leading;
    int64_t leading[TN_MAX_RANK]; /* of "..." */
    int32_t n_leading;
    uint32_t depth; /* of the expression being read */
};

const tn__variable *tn__lowering_variable(const tn__lowering *l, const tn_token *name);

#endif
