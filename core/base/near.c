#include "base/near.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Longer words have no near ones: a name that long is no typing mistake. */
enum { MAX_LENGTH = 64 };

static uint8_t smaller(uint8_t a, uint8_t b) {
    return a < b ? a : b;
}

/* Optimal string alignment, row by row. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb) {
    uint8_t rows[3][MAX_LENGTH + 1];
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (uint8_t)j;
    for (size_t i = 1; i <= na; i++) {
        uint8_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (uint8_t)i;
        for (size_t j = 1; j <= nb; j++) {
            uint8_t d = (uint8_t)(above[j - 1] + (a[i - 1] != b[j - 1]));
            d = smaller(d, (uint8_t)(above[j] + 1));
            d = smaller(d, (uint8_t)(row[j - 1] + 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = smaller(d, (uint8_t)(above2[j - 2] + 1));
            row[j] = d;
        }
    }
    return rows[na % 3][nb];
}

void tn_near_init(tn_near *near, const char *word, size_t length) {
    size_t most = length / 3 > 1 ? length / 3 : 1;
    *near = (tn_near){.word = word, .length = length, .distance = most + 1};
}

void tn_near_offer(tn_near *near, const char *candidate) {
    size_t length = strnlen(candidate, MAX_LENGTH + 1);
    size_t gap = length > near->length ? length - near->length : near->length - length;
    if (near->length == 0 || near->length > MAX_LENGTH || length > MAX_LENGTH) return;
    if (gap >= near->distance) return;
    size_t d = distance(near->word, near->length, candidate, length);
    /* A word of two letters is as near to any other of its first letter. */
    if (d >= near->distance || d >= near->length) return;
    near->best = candidate;
    near->distance = d;
}

const char *tn_near_best(const tn_near *near) {
    return near->best;
}

const char *tn_near_hint(const tn_near *near, char out[TN_NEAR_TEXT]) {
    out[0] = '\0';
    if (near->best) snprintf(out, TN_NEAR_TEXT, " (did you mean %s?)", near->best);
    return out;
}
