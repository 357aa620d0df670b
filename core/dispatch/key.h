/* What a call is, but for its data: all that its plan depends on, in words that are
 * compared exactly. Private to dispatch. */
#ifndef TN_DISPATCH_KEY_H
#define TN_DISPATCH_KEY_H

#include "base/arena.h"
#include "ir/op.h"

enum { TN__KEY_WORDS = 64, TN__KEY_TENSORS = 16 };

/* Arguments as they were given: defaults are not filled in. Op, tags, values, and of
 * tensors dtype, extents, and strides unless contiguous. */
typedef struct tn__key {
    uint64_t *words; /* `few`, or from the arena when those do not suffice */
    uint32_t n_words, words_cap;
    const tn_tensor **tensors; /* the tensor arguments, in order; likewise */
    uint32_t n_tensors, tensors_cap;
    uint64_t hash; /* never 0 */
    uint64_t few[TN__KEY_WORDS];
    const tn_tensor *few_tensors[TN__KEY_TENSORS];
} tn__key;

/* The arguments are borrowed. Errors: a tensor that is NULL, has no strides, or a rank
 * out of range. The arena is used for what is large alone. */
TN_MUST_USE tn_status tn__key_make(tn__key *key, const struct tn_op *op, const tn_arg *args,
                                   uint32_t n_args, tn_arena *arena);

#endif
