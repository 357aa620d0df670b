#include "dispatch/key.h"

#include <string.h>

#include "base/hash.h"
#include "ir/graph.h" /* TN_MAX_RANK */
#include "ir/tensor.h"

typedef struct maker {
    tn__key *key;
    const struct tn_op *op;
    tn_arena *arena;
} maker;

static bool add_word(maker *m, uint64_t word) {
    tn__key *k = m->key;
    if (k->n_words == k->words_cap) {
        uint64_t *more = tn_arena_array(m->arena, (size_t)k->words_cap * 2, sizeof *more);
        if (more == NULL) return false;
        memcpy(more, k->words, k->n_words * sizeof *more);
        k->words = more;
        k->words_cap *= 2;
    }
    k->words[k->n_words++] = word;
    return true;
}

static bool add_words(maker *m, const int64_t *values, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        if (!add_word(m, (uint64_t)values[i])) return false;
    return true;
}

static bool add_bytes(maker *m, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, n - i < sizeof word ? n - i : sizeof word);
        if (!add_word(m, word)) return false;
    }
    return true;
}

static bool keep_tensor(maker *m, const tn_tensor *t) {
    tn__key *k = m->key;
    if (k->n_tensors == k->tensors_cap) {
        const tn_tensor **more = tn_arena_array(m->arena, (size_t)k->tensors_cap * 2,
                                                sizeof(const tn_tensor *));
        if (more == NULL) return false;
        memcpy(more, k->tensors, k->n_tensors * sizeof(const tn_tensor *));
        k->tensors = more;
        k->tensors_cap *= 2;
    }
    k->tensors[k->n_tensors++] = t;
    return true;
}

static tn_status add_tensor(maker *m, const tn_tensor *t) {
    const char *name = m->op->schema->full_name;
    uint32_t index = m->key->n_tensors, dtype;
    if (t == NULL || t->strides == NULL) {
        return tn_status_make(TN_INVALID, "op %s: tensor argument %u: %s", name, index,
                              t == NULL ? "is NULL" : "its strides are NULL");
    }
    if (t->ndim < 0 || t->ndim > TN_MAX_RANK) {
        return tn_status_make(TN_INVALID,
                              "op %s: tensor argument %u: rank %d is not between 0 and %d", name,
                              index, t->ndim, TN_MAX_RANK);
    }
    bool contiguous = tn_tensor_is_contiguous(t);
    memcpy(&dtype, &t->dtype, sizeof dtype);
    uint64_t head = (uint64_t)dtype << 32 | (uint64_t)t->ndim << 1 | contiguous;
    bool fits = keep_tensor(m, t) && add_word(m, head) && add_words(m, t->shape, t->ndim);
    for (int32_t i = 0; fits && !contiguous && i < t->ndim; i++) {
        fits = add_word(m, t->shape[i] > 1 ? (uint64_t)t->strides[i] : 0);
    }
    return fits ? NULL : tn_status_no_memory();
}

static tn_status add_arg(maker *m, const tn_arg *arg) {
    if (!add_word(m, (uint64_t)arg->tag << 32 | arg->count)) return tn_status_no_memory();
    switch (arg->tag) {
    case TN_TAG_NONE: return NULL;
    case TN_TAG_TENSOR: return add_tensor(m, arg->v.tensor);
    case TN_TAG_STRING: return add_bytes(m, arg->v.str, arg->count) ? NULL : tn_status_no_memory();
    case TN_TAG_LIST:
        for (uint32_t i = 0; i < arg->count; i++)
            TN_TRY(add_arg(m, &arg->v.list[i]));
        return NULL;
    case TN_TAG_DTYPE: {
        uint32_t dtype;
        memcpy(&dtype, &arg->v.dtype, sizeof dtype);
        return add_word(m, dtype) ? NULL : tn_status_no_memory();
    }
    default: return add_word(m, (uint64_t)arg->v.i) ? NULL : tn_status_no_memory();
    }
}

tn_status tn__key_make(tn__key *key, const struct tn_op *op, const tn_arg *args, uint32_t n_args,
                       tn_arena *arena) {
    maker m = {key, op, arena};
    key->words = key->few;
    key->words_cap = TN__KEY_WORDS;
    key->tensors = key->few_tensors;
    key->tensors_cap = TN__KEY_TENSORS;
    key->n_words = key->n_tensors = 0;
    add_word(&m, (uintptr_t)op); /* a site retains its op */
    for (uint32_t i = 0; i < n_args; i++)
        TN_TRY(add_arg(&m, &args[i]));
    key->hash = tn_hash64(key->words, key->n_words * sizeof *key->words, 0) | 1;
    return NULL;
}
