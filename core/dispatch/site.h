/* The calls that are known: for each kind of call a graph of one node and its plan,
 * found without a lock and without waiting. Private to dispatch.
 *
 * A caller pins a site before it looks into it, and then looks whether it is alive;
 * who forgets a site first declares it dead, and then looks for pins. So one of the two
 * sees the other, and what a site holds is freed by the last who needs it. Sites
 * themselves are freed with the table: a reader may touch a dead one at any time. */
#ifndef TN_DISPATCH_SITE_H
#define TN_DISPATCH_SITE_H

#include <pthread.h>
#include <stdatomic.h>

#include "dispatch/key.h"
#include "runtime/program.h"

/* What a site holds. Immutable but for the plan, which the first call makes. */
typedef struct tn__kept {
    tn_runtime *rt;
    tn_arena arena; /* of what follows */
    uint64_t *words;
    uint32_t n_words;
    tn_op_results results; /* by meta */
    uint32_t n_tensors, n_outputs;
    tn_ir_graph *graph;
    tn_program *program;
    _Atomic(tn_run_plan *) plan;
    struct tn__kept *next; /* while a list of them is freed */
} tn__kept;

/* Zeroed but for the arena and the words. */
TN_MUST_USE tn_status tn__kept_create(tn_runtime *rt, const tn__key *key, tn__kept **out_kept);
void tn__kept_destroy(tn__kept *kept); /* NULL is fine */

enum {
    TN__SITE_PINS = 8,    /* threads pin in different places, so as not to wait for a line */
    TN__SITE_SLOTS = 2048 /* twice as many as sites that are alive */
};

typedef struct tn__site {
    struct {
        _Alignas(64) _Atomic uint32_t n;
    } pins[TN__SITE_PINS];
    _Atomic uint64_t hash;
    atomic_bool alive;
    tn__kept *kept; /* read while pinned and alive, or under the lock */
} tn__site;

typedef struct tn__sites {
    tn_runtime *rt;
    pthread_mutex_t lock; /* over changes */
    _Atomic(tn__site *) slots[TN__SITE_SLOTS];
    uint32_t n_alive;
} tn__sites;

TN_MUST_USE tn_status tn__sites_init(tn__sites *sites, tn_runtime *rt);
void tn__sites_deinit(tn__sites *sites); /* nothing is pinned */

/* The pinned site of this key, or NULL. Takes no lock. */
tn__site *tn__sites_pin(tn__sites *sites, const tn__key *key);
/* The same; makes it of `kept` if it is not there. Takes kept in every case. */
TN_MUST_USE tn_status tn__sites_add(tn__sites *sites, const tn__key *key, tn__kept *kept,
                                    tn__site **out_site);
void tn__sites_unpin(tn__sites *sites, tn__site *site);

/* Forgets those that hold an op of this owner; NULL: all. */
void tn__sites_forget(tn__sites *sites, const tn_op_owner *owner);
/* How many references to ops of this owner they hold. */
uint64_t tn__sites_references(tn__sites *sites, const tn_op_owner *owner);

#endif
