#include "dispatch/site.h"

#include <string.h>

#include "base/thread.h"

/* Then all are forgotten: shapes that never come back must not fill the memory. */
#define MOST_ALIVE 1024

/* ------------------------------------------------------------- what is kept */

tn_status tn__kept_create(tn_runtime *rt, const tn__key *key, tn__kept **out_kept) {
    tn__kept *k = tn_alloc_zero(rt->allocator, sizeof *k);
    if (k == NULL) return tn_status_no_memory();
    k->rt = rt;
    tn_arena_init(&k->arena, rt->allocator);
    k->n_words = key->n_words;
    k->words = tn_arena_copy(&k->arena, key->words, key->n_words * sizeof *key->words);
    if (k->words == NULL) {
        tn__kept_destroy(k);
        return tn_status_no_memory();
    }
    *out_kept = k;
    return NULL;
}

void tn__kept_destroy(tn__kept *k) {
    if (k == NULL) return;
    tn_run_plan_unref(atomic_load(&k->plan));
    tn_program_destroy(k->program);
    tn_ir_destroy(k->graph);
    tn_arena_deinit(&k->arena);
    tn_free(k->rt->allocator, k, sizeof *k);
}

static void destroy_list(tn__kept *k) {
    while (k != NULL) {
        tn__kept *next = k->next;
        tn__kept_destroy(k);
        k = next;
    }
}

/* ------------------------------------------------------------------ the table */

tn_status tn__sites_init(tn__sites *sites, tn_runtime *rt) {
    *sites = (tn__sites){.rt = rt};
    return pthread_mutex_init(&sites->lock, NULL) == 0 ? NULL : tn_status_no_memory();
}

void tn__sites_deinit(tn__sites *sites) {
    for (uint32_t i = 0; i < TN__SITE_SLOTS; i++) {
        tn__site *s = atomic_load(&sites->slots[i]);
        if (s == NULL) continue;
        tn__kept_destroy(s->kept);
        tn_free(sites->rt->allocator, s, sizeof *s);
    }
    pthread_mutex_destroy(&sites->lock);
}

static _Atomic uint32_t *own_pin(tn__site *s) {
    return &s->pins[tn_thread_number() % TN__SITE_PINS].n;
}

static bool is_pinned(tn__site *s) {
    for (uint32_t i = 0; i < TN__SITE_PINS; i++)
        if (atomic_load(&s->pins[i].n) != 0) return true;
    return false;
}

static bool holds(const tn__kept *kept, const tn__key *key) {
    return kept->n_words == key->n_words &&
           memcmp(kept->words, key->words, key->n_words * sizeof *key->words) == 0;
}

tn__site *tn__sites_pin(tn__sites *sites, const tn__key *key) {
    for (uint32_t n = 0; n < TN__SITE_SLOTS; n++) {
        uint32_t i = (uint32_t)(key->hash >> 1) + n;
        tn__site *s = atomic_load_explicit(&sites->slots[i % TN__SITE_SLOTS], memory_order_acquire);
        if (s == NULL) return NULL;
        if (atomic_load_explicit(&s->hash, memory_order_relaxed) != key->hash) continue;
        atomic_fetch_add(own_pin(s), 1);
        if (atomic_load(&s->alive) && holds(s->kept, key)) return s;
        tn__sites_unpin(sites, s);
    }
    return NULL;
}

/* What a dead site holds, if nobody needs it any more. Under the lock. */
static tn__kept *take_kept(tn__site *s) {
    if (atomic_load(&s->alive) || is_pinned(s)) return NULL;
    tn__kept *kept = s->kept;
    s->kept = NULL;
    return kept;
}

void tn__sites_unpin(tn__sites *sites, tn__site *s) {
    atomic_fetch_sub(own_pin(s), 1);
    if (atomic_load(&s->alive)) return;
    pthread_mutex_lock(&sites->lock);
    tn__kept *kept = take_kept(s);
    pthread_mutex_unlock(&sites->lock);
    tn__kept_destroy(kept);
}

/* Under the lock. Who has it pinned frees what it holds; else it goes to *out_list. */
static void kill(tn__sites *sites, tn__site *s, tn__kept **out_list) {
    atomic_store(&s->alive, false);
    sites->n_alive--;
    tn__kept *kept = take_kept(s);
    if (kept == NULL) return;
    kept->next = *out_list;
    *out_list = kept;
}

static bool is_of(const tn_op_owner *owner, const tn_ir_graph *graph) {
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const struct tn_op *op = graph->nodes[i]->op;
        if (op != NULL && op->owner == owner) return true;
    }
    return false;
}

/* Plans hold the ops that decompositions call, too. */
static uint64_t references_of(const tn__kept *kept, const tn_op_owner *owner) {
    return is_of(owner, kept->graph) + tn_program_op_references(kept->program, owner);
}

static tn__kept *kill_all(tn__sites *sites, const tn_op_owner *owner) {
    tn__kept *list = NULL;
    for (uint32_t i = 0; i < TN__SITE_SLOTS; i++) {
        tn__site *s = atomic_load(&sites->slots[i]);
        if (s == NULL || !atomic_load(&s->alive)) continue;
        if (owner == NULL || references_of(s->kept, owner) > 0) kill(sites, s, &list);
    }
    return list;
}

/* The site that holds this key, or the first that can take it. Under the lock. */
static tn_status find_place(tn__sites *sites, const tn__key *key, tn__site **out_site) {
    tn__site *free_site = NULL;
    for (uint32_t n = 0; n < TN__SITE_SLOTS; n++) {
        uint32_t i = ((uint32_t)(key->hash >> 1) + n) % TN__SITE_SLOTS;
        tn__site *s = atomic_load(&sites->slots[i]);
        if (s == NULL) {
            if (free_site == NULL) {
                free_site = tn_alloc_aligned(sites->rt->allocator, sizeof *s, 64);
                if (free_site == NULL) return tn_status_no_memory();
                memset(free_site, 0, sizeof *free_site);
                atomic_store_explicit(&sites->slots[i], free_site, memory_order_release);
            }
            break;
        }
        bool alive = atomic_load(&s->alive);
        if (alive && atomic_load(&s->hash) == key->hash && holds(s->kept, key)) {
            *out_site = s;
            return NULL;
        }
        if (!alive && s->kept == NULL && free_site == NULL) free_site = s;
    }
    /* Half of the slots are dead at least, but others may have theirs pinned. */
    if (free_site == NULL) {
        return tn_status_make(TN_BUSY, "more than %d forgotten kinds of calls are under way",
                              TN__SITE_SLOTS - MOST_ALIVE);
    }
    *out_site = free_site;
    return NULL;
}

tn_status tn__sites_add(tn__sites *sites, const tn__key *key, tn__kept *kept, tn__site **out_site) {
    tn__kept *gone = NULL;
    tn__site *s;
    pthread_mutex_lock(&sites->lock);
    if (sites->n_alive >= MOST_ALIVE) gone = kill_all(sites, NULL);
    tn_status status = find_place(sites, key, &s);
    if (status == NULL && !atomic_load(&s->alive)) {
        s->kept = kept;
        kept = NULL;
        atomic_store(&s->hash, key->hash);
        atomic_fetch_add(own_pin(s), 1);
        atomic_store(&s->alive, true);
        sites->n_alive++;
        *out_site = s;
    } else if (status == NULL) {
        atomic_fetch_add(own_pin(s), 1);
        *out_site = s;
    }
    pthread_mutex_unlock(&sites->lock);
    destroy_list(gone);
    tn__kept_destroy(kept); /* another thread was first */
    return status;
}

void tn__sites_forget(tn__sites *sites, const tn_op_owner *owner) {
    pthread_mutex_lock(&sites->lock);
    tn__kept *gone = kill_all(sites, owner);
    pthread_mutex_unlock(&sites->lock);
    destroy_list(gone);
}

uint64_t tn__sites_references(tn__sites *sites, const tn_op_owner *owner) {
    uint64_t n = 0;
    pthread_mutex_lock(&sites->lock);
    for (uint32_t i = 0; i < TN__SITE_SLOTS; i++) {
        tn__site *s = atomic_load(&sites->slots[i]);
        if (s != NULL && atomic_load(&s->alive)) n += references_of(s->kept, owner);
    }
    pthread_mutex_unlock(&sites->lock);
    return n;
}
