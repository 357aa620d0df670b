/* "did you mean": the candidate nearest to a word that was not found. Allocates
 * nothing; candidates are borrowed until tn_near_best. */
#ifndef TN_BASE_NEAR_H
#define TN_BASE_NEAR_H

#include <stddef.h>

typedef struct tn_near {
    const char *word;
    size_t length;
    const char *best; /* NULL-terminated, as it was offered */
    size_t distance;  /* of best; what a better one must stay under */
} tn_near;

void tn_near_init(tn_near *near, const char *word, size_t length);
/* Keeps the candidate when it is nearer than all before it: insertions,
 * deletions, substitutions and swaps of neighbours count one each, and a third of
 * the word (at least one) may differ. */
void tn_near_offer(tn_near *near, const char *candidate);
/* NULL when nothing was near. Of equals the first that was offered. */
const char *tn_near_best(const tn_near *near);

/* For messages: " (did you mean X?)", or "" when nothing was near. */
#define TN_NEAR_TEXT 128
const char *tn_near_hint(const tn_near *near, char out[TN_NEAR_TEXT]);

#endif
