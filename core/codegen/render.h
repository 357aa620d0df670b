/* From a schedule to one C translation unit, and to the numbers that each
 * function in it is called with.
 *
 * What is text and what is a number. The text of a kernel follows from its
 * structure: axes, stages, expressions, dtypes, and for every access and axis
 * whether the step is 0, 1, -1 or anything else; then from the choices made
 * here (vector axis, tiling, unrolling). Extents, strides, offsets, index
 * constants and guard bounds are numbers of an entry, in places that the text
 * fixes. So the loops of another shape of the same class give the same text, and
 * an object compiled once serves them all: hash the text, not the schedule.
 * Loops of one schedule with the same text share one function.
 *
 * Running. Entries run in order; the results of one are complete before the next
 * begins. An entry covers its work items [0, items) in disjoint ranges, on any
 * threads, at once; a range begins at a multiple of `grain` where items allow:
 *
 *     ((tn_render_fn)dlsym(object, entry->symbol))(bufs, entry->ints, entry->nums,
 *                                                  scratch, begin, end);
 *
 *   bufs     bufs[i] is the address that entry->pointers[i] describes
 *   scratch  scratch_bytes, aligned to 64, of this call alone while it runs;
 *            contents do not matter
 *
 * A template's entry is called the same way; its launch parameters are part of
 * ints and pointers. The functions touch no global state, call nothing outside
 * their object (but what a template's parameters are the addresses of), leave the rounding mode and MXCSR alone, and may be called from
 * any thread; what overlaps what is the schedule's matter.
 *
 * Order of reductions. With tn_loop.strict the sum and product of floats are
 * made in one order, which depends on nothing but the extents of the reduced
 * axes. Number the inner points 0, 1, 2... row-major in the order of the loop's
 * inner axes. Blocks of 4096 points follow one another. In a block, 16 partial
 * results start at the identity, and point k joins partial k mod 16, in order of
 * k. At the end of each block the 16 partials are combined, one by one, with 16
 * totals that start at the identity; after the last, total l is combined with
 * total l + 8 for l < 8, then with l + 4, l + 2 and l + 1; total 0 is the result.
 * Every combination is "earlier op later" in the compute type of the dtype, and
 * the result is rounded to dt. (Where a partial or total has no point, joining
 * its identity changes no bit: a sum starts from +0.) Without `strict` any order
 * may be used. max, min, any, all, argmax, argmin, and sums and products of
 * integers are the same in every order.
 *
 * Memory: everything belongs to the tn_rendered. Immutable; any thread. */
#ifndef TN_CODEGEN_RENDER_H
#define TN_CODEGEN_RENDER_H

#include "schedule/schedule.h"

typedef void (*tn_render_fn)(void *const *bufs, const int64_t *ints, const tn_scalar *nums,
                             char *scratch, int64_t begin, int64_t end);

/* What the choice between forms of a kernel depends on. Zeros mean: 8 lanes, one
 * thread, 1 MiB of cache a core and 32 MiB shared. */
typedef struct tn_render_options {
    uint32_t lanes; /* of f32 in a vector: tn_cpu_objects_lanes */
    uint32_t threads;
    uint64_t core_cache_bytes; /* what one core has for itself */
    uint64_t shared_cache_bytes;
    /* TEMPLATE steps: what configure answered, by step; params with their values.
     * Others NULL. May be NULL when there is no such step. */
    const tn_launch *const *launches;
} tn_render_options;

/* The first element of a buffer of the schedule plus an offset in bytes, or with
 * buffer == TN_NONE that far into the workspace of the step. */
typedef struct tn_render_pointer {
    uint32_t buffer;
    uint64_t offset;
} tn_render_pointer;

typedef struct tn_render_entry {
    uint32_t step;      /* into schedule.steps; a step may have several entries */
    const char *symbol; /* "tn_k0"; entries may share it */
    const tn_render_pointer *pointers;
    uint32_t n_pointers;
    const int64_t *ints; /* extents, index constants, guard bounds, choices; by place */
    uint32_t n_ints;
    const tn_scalar *nums; /* TN_KX_PARAM, by place */
    uint32_t n_nums;
    int64_t items;
    int64_t grain;
    uint64_t scratch_bytes;
    uint64_t workspace_bytes; /* of the step, shared by its entries; 0: none */
} tn_render_entry;

typedef struct tn_rendered {
    const tn_allocator *allocator;
    tn_arena arena;
    const char *text; /* a complete translation unit; NULL when there are no entries */
    size_t length;
    tn_render_entry *entries;
    uint32_t n_entries;
} tn_rendered;

/* The schedule verifies (tn_schedule_verify) and is not needed afterwards. Fails
 * for lack of memory, for a template whose payload is no C of a known dialect,
 * and for what a kernel cannot hold (TN_UNSUPPORTED, and the message says). */
TN_MUST_USE tn_status tn_render(const tn_allocator *allocator, const tn_schedule *schedule,
                                const tn_render_options *options, tn_rendered **out_rendered);
void tn_rendered_destroy(tn_rendered *rendered); /* NULL is fine */

#endif
