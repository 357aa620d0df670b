/* The text of one kernel while it is written: lines of the body, and the numbers
 * it takes, each by its place. Names in the text:
 *
 *   n0 n1 ...   numbers: ints[0], ints[1], ...
 *   b0 b1 ...   the first element of slot 0, 1, ...
 *   c0 c1 ...   the coordinate of a parallel axis    r0 r1 ...   of an inner axis
 *   j           of the vector axis, of lane 0 of copy 0
 *   e7          expression 7, a vector (of equal lanes: it does not depend on j)
 *   e7_1        expression 7 in copy 1: lanes j + TN_W ...
 *   w7          expression 7 as an index
 *   x4_2        access 4, all of it that is known at level 2
 *   m0 m1 ...   how many lanes of a copy count, at the end of a row
 *   k, l        in a loop over lanes: the lane, its coordinate along the vector axis
 *
 * Private to codegen. A failed allocation sticks, as in tn_strbuf. */
#ifndef TN_CODEGEN_WRITER_H
#define TN_CODEGEN_WRITER_H

#include "base/vec.h"
#include "codegen/nest.h"

typedef struct tn__access_text tn__access_text;

typedef struct tn__writer {
    const tn_allocator *allocator;
    tn_arena *arena;
    const tn__nest *nest;
    tn_strbuf body;
    uint32_t depth; /* of indentation */
    bool no_memory;
    TN_VEC(int64_t) ints;
    TN_VEC(tn_scalar) nums;
    tn__access_text *accesses; /* by id */
    uint64_t *declared;        /* by expression: the lane loop that declared w<e> last */
    uint64_t lane_loop;
} tn__writer;

TN_MUST_USE tn_status tn__writer_init(tn__writer *w, const tn_allocator *allocator, tn_arena *arena,
                                      const tn__nest *nest);
void tn__writer_deinit(tn__writer *w);
TN_MUST_USE tn_status tn__writer_status(const tn__writer *w);

/* One line, indented. A line that ends in '{' indents what follows; one that
 * starts with '}' ends that. */
void tn__line(tn__writer *w, const char *fmt, ...) TN_PRINTF(2, 3);
/* A piece of text in the arena; "" when there is no memory. */
const char *tn__text(tn__writer *w, const char *fmt, ...) TN_PRINTF(2, 3);

/* A new number: its name. */
const char *tn__int(tn__writer *w, int64_t value);
/* The same, or "0", "1", "-1". */
const char *tn__step(tn__writer *w, int64_t value);
/* The name of an axis' coordinate; the vector axis has none. */
const char *tn__coordinate(tn__writer *w, uint32_t axis);

/* ----------------------------------------------------------------- accesses */

/* Index of an access as far as it is known at a level, without the vector axis
 * and what depends on it: a sum. */
const char *tn__index_at(tn__writer *w, const tn__access *access, uint32_t level);
/* Gives that a name, x<id>_<level>, if the level adds anything to it. */
void tn__index_name(tn__writer *w, const tn__access *access, uint32_t level);
/* Gives it that name for another index, of the same access at other coordinates, until it is
 * unnamed. */
void tn__index_name_as(tn__writer *w, const tn__access *access, uint32_t level, const char *index);
void tn__index_unname(tn__writer *w, const tn__access *access, uint32_t level);
/* Forgets the names made at `level` and deeper. */
void tn__index_forget(tn__writer *w, uint32_t level);
/* The step along the vector axis: "0", "1", "-1" or a number. */
const char *tn__index_step(tn__writer *w, const tn__access *access);
/* index + coordinate * step. */
const char *tn__index_add(tn__writer *w, const char *index, const char *step,
                          const char *coordinate);

/* In a loop over the lanes of a copy, after tn__lane_begin: declares the values
 * w<e> that differ between lanes and that an access needs, then its index. */
void tn__lane_begin(tn__writer *w);
void tn__lane_values(tn__writer *w, const tn__access *access, uint32_t copy);
const char *tn__lane_index(tn__writer *w, const tn__access *access, uint32_t level);

#endif
