/* Which overload of an op a call means.
 *
 * A call that names no overload ("ns::op") may mean any of the op's. They are offered
 * in order: the one without an overload name, then by name. One that takes every
 * argument as it is given wins over one that converts any (an int to float, one number
 * to a list); of those that fit alike the one without a name wins. Two with names that
 * fit alike are an error, and so is that none fits: both list every overload, and why
 * it does not fit. So adding an overload changes no call that fitted the one without a
 * name as it was given. */
#ifndef TN_SCHEMA_OVERLOAD_H
#define TN_SCHEMA_OVERLOAD_H

#include "schema/schema.h"

typedef enum tn_overload_fit {
    TN_OVERLOAD_NO_FIT,
    TN_OVERLOAD_CONVERTS,
    TN_OVERLOAD_EXACT
} tn_overload_fit;

typedef struct tn_overload_choice {
    uint32_t n;    /* offered so far */
    uint32_t best; /* place of the best; of no meaning before one fits */
    tn_overload_fit fit;
    bool best_is_named, ambiguous;
    tn_strbuf list; /* "\n  SCHEMA: why" for each */
} tn_overload_choice;

void tn_overload_init(tn_overload_choice *choice, const tn_allocator *allocator);
void tn_overload_deinit(tn_overload_choice *choice);

/* The next overload takes the call: bound is what tn_schema_bind made of it. */
void tn_overload_offer(tn_overload_choice *choice, const tn_schema *schema, const tn_arg *args,
                       uint32_t n_args, const tn_attr *named, uint32_t n_named,
                       const tn_arg *bound);
/* The next overload does not take the call. */
void tn_overload_refuse(tn_overload_choice *choice, const tn_schema *schema, const char *why);
/* Whether no later overload can win: then they need not be offered. */
bool tn_overload_is_settled(const tn_overload_choice *choice);
/* NULL when `best` is meant; else what is wrong, without the list. */
const char *tn_overload_problem(const tn_overload_choice *choice);

/* All of the above for arguments that are values: binds to the overload that is meant,
 * into an array of the arena, one for each of its parameters. schemas: all of one op,
 * in order. A single one is bound as by tn_schema_bind, with its errors. */
TN_MUST_USE tn_status tn_overload_bind(const tn_schema *const *schemas, uint32_t n,
                                       const tn_arg *args, uint32_t n_args, const tn_attr *named,
                                       uint32_t n_named, struct tn_arena *arena,
                                       uint32_t *out_index, tn_arg **out_args);

#endif
