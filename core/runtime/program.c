#include "runtime/program.h"

#include <string.h>

#include "base/vec.h"
#include "ir/tensor.h"

typedef struct entry {
    tn_digest key;
    tn_run_plan *plan;
    uint64_t used; /* when, on the program's clock */
} entry;

/* A signature that some thread plans now; it lies on that thread's stack. */
typedef struct making {
    tn_digest key;
    struct making *next;
} making;

struct tn_program {
    tn_runtime *rt;
    const tn_ir_graph *source;
    tn_run_plan_options options;
    tn_rules *rules;
    pthread_mutex_t lock; /* over all below; never held while a plan is made */
    pthread_cond_t made;  /* an entry of `makings` went */
    making *makings;
    entry entries[TN_PROGRAM_PLANS];
    uint32_t n_entries;
    uint64_t clock;
    _Atomic uint64_t plans, runs;
};

tn_status tn_program_create(tn_runtime *rt, const tn_ir_graph *source,
                            const tn_run_plan_options *options, tn_rules *rules,
                            tn_program **out_program) {
    tn_program *program = tn_alloc_zero(rt->allocator, sizeof *program);
    if (program == NULL) return tn_status_no_memory();
    if (pthread_mutex_init(&program->lock, NULL) != 0) {
        tn_free(rt->allocator, program, sizeof *program);
        return tn_status_no_memory();
    }
    if (pthread_cond_init(&program->made, NULL) != 0) {
        pthread_mutex_destroy(&program->lock);
        tn_free(rt->allocator, program, sizeof *program);
        return tn_status_no_memory();
    }
    program->rt = rt;
    program->source = source;
    program->options = *options;
    program->rules = rules;
    program->options.rules = rules;
    *out_program = program;
    return NULL;
}

void tn_program_destroy(tn_program *program) {
    if (program == NULL) return;
    for (uint32_t i = 0; i < program->n_entries; i++)
        tn_run_plan_unref(program->entries[i].plan);
    pthread_cond_destroy(&program->made);
    pthread_mutex_destroy(&program->lock);
    if (program->rules != NULL) {
        tn_rules_deinit(program->rules);
        tn_free(program->rt->allocator, program->rules, sizeof *program->rules);
    }
    tn_free(program->rt->allocator, program, sizeof *program);
}

/* What a plan depends on: extents, and strides where they matter. */
static tn_digest signature(const tn_tensor *const *inputs, uint32_t n) {
    tn_hasher h;
    tn_hasher_init(&h);
    for (uint32_t i = 0; i < n; i++) {
        const tn_tensor *t = inputs[i];
        uint32_t dtype;
        memcpy(&dtype, &t->dtype, sizeof dtype);
        tn_hasher_u64(&h, dtype);
        tn_hasher_u64(&h, (uint64_t)t->ndim);
        bool contiguous = tn_tensor_is_contiguous(t);
        for (int32_t k = 0; k < t->ndim; k++) {
            tn_hasher_u64(&h, (uint64_t)t->shape[k]);
            bool matters = !contiguous && t->shape[k] > 1;
            tn_hasher_u64(&h, matters ? (uint64_t)t->strides[k] : 0);
        }
        tn_hasher_u64(&h, contiguous);
    }
    return tn_hasher_digest(&h);
}

static bool same_key(tn_digest a, tn_digest b) {
    return a.lo == b.lo && a.hi == b.hi;
}

static entry *find(tn_program *program, tn_digest key) {
    for (uint32_t i = 0; i < program->n_entries; i++) {
        if (same_key(program->entries[i].key, key)) return &program->entries[i];
    }
    return NULL;
}

static bool is_being_made(const tn_program *program, tn_digest key) {
    for (const making *m = program->makings; m != NULL; m = m->next) {
        if (same_key(m->key, key)) return true;
    }
    return false;
}

/* Puts a plan in, and returns the one that had to go for it, or NULL. */
static tn_run_plan *keep(tn_program *program, tn_digest key, tn_run_plan *plan) {
    tn_run_plan *gone = NULL;
    entry *e = &program->entries[0];
    if (program->n_entries < TN_PROGRAM_PLANS) {
        e = &program->entries[program->n_entries++];
    } else {
        for (uint32_t i = 1; i < program->n_entries; i++) {
            if (program->entries[i].used < e->used) e = &program->entries[i];
        }
        gone = e->plan;
    }
    *e = (entry){.key = key, .plan = plan, .used = ++program->clock};
    return gone;
}

/* Called and left with the lock held, which it gives up while it plans and compiles:
 * other signatures are found and made meanwhile, and who wants this one waits. */
static tn_status make(tn_program *program, tn_digest key, const tn_tensor *const *inputs,
                      uint32_t n_inputs, tn_run_plan **out_plan) {
    making self = {.key = key, .next = program->makings};
    tn_run_plan *gone = NULL;
    program->makings = &self;
    pthread_mutex_unlock(&program->lock);
    tn_status status = tn_run_plan_create(program->rt, program->source, &program->options, inputs,
                                          n_inputs, out_plan);
    pthread_mutex_lock(&program->lock);
    making **link = &program->makings;
    while (*link != &self)
        link = &(*link)->next;
    *link = self.next;
    pthread_cond_broadcast(&program->made);
    if (status != NULL) return status;
    tn_run_plan_retain(*out_plan); /* the caller's; the first is the entry's */
    gone = keep(program, key, *out_plan);
    program->plans++;
    if (gone != NULL) {
        pthread_mutex_unlock(&program->lock);
        tn_run_plan_unref(gone); /* may unload code and call a plugin's release */
        pthread_mutex_lock(&program->lock);
    }
    return NULL;
}

/* The lock is held. A thread that waited for a plan which then failed tries itself,
 * and so has an error of its own. */
static tn_status find_or_make(tn_program *program, tn_digest key, const tn_tensor *const *inputs,
                              uint32_t n_inputs, tn_run_plan **out_plan) {
    for (;;) {
        entry *e = find(program, key);
        if (e != NULL) {
            e->used = ++program->clock;
            tn_run_plan_retain(e->plan);
            *out_plan = e->plan;
            return NULL;
        }
        if (!is_being_made(program, key)) {
            return make(program, key, inputs, n_inputs, out_plan);
        }
        pthread_cond_wait(&program->made, &program->lock);
    }
}

static tn_status check_count(const tn_program *program, const char *what, uint32_t expected,
                             uint32_t found) {
    if (expected == found) return NULL;
    return tn_status_make(TN_INVALID, "graph @%s: expected %u %s, found %u", program->source->name,
                          expected, what, found);
}

tn_status tn_program_plan(tn_program *program, const tn_tensor *const *inputs, uint32_t n_inputs,
                          tn_run_plan **out_plan) {
    TN_TRY(check_count(program, "inputs", program->source->n_inputs, n_inputs));
    for (uint32_t i = 0; i < n_inputs; i++) {
        const char *name = program->source->values[program->source->inputs[i]].name;
        if (inputs[i] == NULL) {
            return tn_status_make(TN_INVALID, "input %%%s: no tensor was given", name);
        }
        if (inputs[i]->ndim < 0 || inputs[i]->ndim > TN_MAX_RANK) {
            return tn_status_make(TN_INVALID, "input %%%s: rank %d is not between 0 and %d", name,
                                  inputs[i]->ndim, TN_MAX_RANK);
        }
    }
    tn_digest key = signature(inputs, n_inputs);
    pthread_mutex_lock(&program->lock);
    tn_status status = find_or_make(program, key, inputs, n_inputs, out_plan);
    pthread_mutex_unlock(&program->lock);
    return status;
}

tn_status tn_program_run(tn_program *program, const tn_tensor *const *inputs, uint32_t n_inputs,
                         tn_tensor *const *outputs, uint32_t n_outputs) {
    tn_run_plan *plan;
    TN_TRY(check_count(program, "outputs", program->source->n_outputs, n_outputs));
    TN_TRY(tn_program_plan(program, inputs, n_inputs, &plan));
    tn_status status = tn_run_plan_check(plan, inputs, n_inputs, outputs, n_outputs);
    if (status == NULL) status = tn_run_plan_run(plan, inputs, outputs);
    tn_run_plan_unref(plan);
    program->runs++;
    return status;
}

uint64_t tn_program_op_references(tn_program *program, const tn_op_owner *owner) {
    uint64_t n = 0;
    pthread_mutex_lock(&program->lock);
    for (uint32_t i = 0; i < program->n_entries; i++) {
        const tn_ir_graph *graph = program->entries[i].plan->graph;
        for (uint32_t k = 0; k < graph->n_nodes; k++) {
            const struct tn_op *op = graph->nodes[k]->op;
            n += op != NULL && op->owner == owner;
        }
    }
    pthread_mutex_unlock(&program->lock);
    return n;
}

void tn_program_get_stats(tn_program *program, tn_program_stats *out_stats) {
    *out_stats = (tn_program_stats){.plans = program->plans, .runs = program->runs};
}
