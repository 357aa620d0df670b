/* Writing one kernel: shared by the kernel_*.c files. Private to codegen.
 *
 *   kernel_memory.c   loads, stores and tiles
 *   kernel_guard.c    guards, and loops over lanes
 *   kernel_expr.c     every other expression
 *   kernel_reduce.c   accumulators
 *   kernel_online.c   two reductions in one walk
 *   kernel_late.c     the last stage of a row beside the next row
 *   kernel_fetch.c    asking memory ahead of time
 *   kernel_loops.c    the loops around them
 *   kernel_cost.c     what they cost
 *   kernel.c          the function: parameters, work items
 *   template_slot.c   the same for what fills a slot of a template
 *   render_template.c a template step: payload, parameters */
#ifndef TN_CODEGEN_KERNEL_H
#define TN_CODEGEN_KERNEL_H

#include "codegen/render.h"
#include "codegen/writer.h"

/* Rows that a COLUMN's reductions take at a time. */
#define TN_GROUP 8

/* Points of a block in the order of strict reductions (render.h). */
#define TN_ORDERED_BLOCK 4096

/* The elementwise primitives that a text uses, by the dtype they compute in, and
 * those that it folds in the order of strict reductions. */
typedef struct tn__prim_set {
    uint64_t calls[TN_DT_COUNT][(TN_PRIM_CLZ / 64) + 1];
    uint64_t ordered[TN_DT_COUNT];
} tn__prim_set;

typedef struct tn__kernel {
    tn__writer *w;
    const tn__nest *nest;
    const tn_loop *loop;
    tn__prim_set *prims;
    const char *symbol;
    const tn__machine *machine;
    uint32_t lanes; /* the machine's */
    /* Where text goes now. */
    uint32_t level, stage;
    uint32_t copies;       /* of the vector loop; 1 outside it */
    uint32_t accumulators; /* copies that the accumulators of this stage have */
    bool grouped;          /* accumulators are in a<e>_0 for a group of rows */
    bool masked;           /* lanes m<copy> and up are no elements */
    const char **extent;   /* by axis: its name */
    struct tn__held_row {
        tn_dt dt;
        uint32_t last;      /* stage that reads it */
    } * rows;               /* h0, h1, ...: values kept in scratch for later stages */
    uint32_t *row_of;       /* by expression that is held */
    const char *tile_block; /* the name of nest->tile_block */
    const char *block;      /* the name of nest->block */
    const char **array;     /* by expression: the array of a column's value, or NULL */
    struct tn__bounds {
        const char *lo, *hi;
    } * *bounds;           /* by guard, then term: the names of its numbers */
    uint32_t *guard_level; /* by guard: 1 + the level where g<guard> is declared; 0: nowhere */
    const char *flat;      /* number of the inner point, without the vector axis of a ROW */
    const char *number;    /* that number itself */
    uint32_t late_host;    /* of a ROW: the stage that does the last of the row before; TN_NONE */
    uint64_t fetch_stages; /* a set: those that ask memory for what comes next */
    const char **fetch;    /* by expression: how far that is, or NULL */
    bool fetch_near;       /* into the first cache, not the second */
    uint64_t scratch_bytes;
    const char *stream;  /* the number that says whether results go past the caches; NULL: no */
    tn_dt acc;           /* a template's epilogue: what acc points to, for TN_KX_ACC */
    const char *element; /* its prologue: where the elements from jb on go, of dtype ... */
    tn_dt element_dt;
} tn__kernel;

/* What w, nest and loop say the size of: all arrays, zeroed. */
TN_MUST_USE tn_status tn__kernel_init(tn__kernel *k);

/* "f32": what a value of dt is computed in; its vector type, and one element. */
const char *tn__reg(tn_dt dt);
const char *tn__vector_type(tn_dt dt);
/* e7_1 or e7. */
const char *tn__value(tn__kernel *k, uint32_t e, uint32_t copy);
/* "", " + TN_W", " + 2 * TN_W" */
const char *tn__copy_offset(tn__kernel *k, uint32_t copy);
static inline bool tn__is_vector(const tn__kernel *k, uint32_t e) {
    return tn__nest_is_vector(k->nest, k->nest->expr_axes[e]);
}

/* Declares expression e, here, in every copy. */
void tn__write_expr(tn__kernel *k, uint32_t e);
/* And as an index, w<e>, where index expressions use it and it is one for all
 * lanes. */
void tn__declare_as_index(tn__kernel *k, uint32_t e);
void tn__write_load(tn__kernel *k, uint32_t e);
void tn__write_guard(tn__kernel *k, uint32_t e);
void tn__write_store(tn__kernel *k, uint32_t s);
/* Copies of a tile in scratch: declared once; filled from what is loaded, before the
 * tile's points; and stored from, after them. */
void tn__tile_declare(tn__kernel *k);
void tn__tile_fill(tn__kernel *k);
void tn__tile_store(tn__kernel *k);
/* Asks memory for what copies of a load will be k->fetch[e] further on. */
void tn__write_fetch(tn__kernel *k, uint32_t e);
/* Whether the last stage runs late, once a kernel; what is declared before the items; what a
 * row leaves for later; where its results go, around loops, and its values, in a block. */
void tn__late_choose(tn__kernel *k);
void tn__late_declare(tn__kernel *k);
void tn__late_keep(tn__kernel *k);
void tn__late_open_places(tn__kernel *k);
void tn__late_close_places(tn__kernel *k);
void tn__late_open_values(tn__kernel *k);
/* What to ask for, once a kernel; the asking, in the innermost loop of k->stage. */
void tn__fetch_choose(tn__kernel *k);
void tn__fetch_write(tn__kernel *k);
/* Work of one point of a stage, in instructions or so; above TN_HEAVY_COST it takes longer
 * than its memory. */
#define TN_HEAVY_COST 20
uint32_t tn__stage_cost(const tn__kernel *k, uint32_t stage);
/* Vectors an iteration for work of that cost. */
uint32_t tn__choose_copies(const tn__kernel *k, uint32_t cost);
/* Whether a store may go past the caches; declares `cut`, where from j on its memory is
 * aligned; declares fresh<store>, whether it goes past the caches from there. */
bool tn__store_can_stream(const tn__kernel *k, uint32_t s);
void tn__declare_cut(tn__kernel *k, uint32_t s);
void tn__declare_stream(tn__kernel *k, uint32_t s);
/* A guard's part that does not depend on the vector axis: a C condition; "" when
 * it always holds. */
const char *tn__guard_condition(tn__kernel *k, uint32_t guard);
/* Whether a guard limits the vector axis, and if so whether to a range: then
 * lanes [g<guard>, h<guard>) of coordinates, once tn__declare_range has run. */
bool tn__guard_is_vector(const tn__kernel *k, uint32_t guard);
bool tn__guard_is_range(const tn__kernel *k, uint32_t guard);
void tn__declare_range(tn__kernel *k, uint32_t guard);
/* Opens a loop over the lanes of a copy, to be closed by "}"; then, inside it, the
 * guard for one lane: "" when there is nothing to test. */
void tn__lane_loop(tn__kernel *k, uint32_t copy);
const char *tn__lane_condition(tn__kernel *k, uint32_t guard, uint32_t copy);

/* Text of a literal of dt, as an argument of tn_lit_<reg>. */
const char *tn__literal(tn__kernel *k, tn_dt dt, tn_scalar value);
/* Text of x (of dtype `from`) as `to`. */
const char *tn__cast(tn__kernel *k, tn_dt from, tn_dt to, const char *x);
/* The function that computes a primitive on dt; notes that it is used. */
const char *tn__prim_call(tn__kernel *k, uint32_t prim, tn_dt dt);
/* The function that folds a block of them, in order. */
const char *tn__ordered_call(tn__kernel *k, uint32_t prim, tn_dt dt);
/* The number that is the offset in scratch of so many bytes. */
const char *tn__scratch(tn__kernel *k, uint64_t bytes);

/* Accumulators of the reductions of k->stage: declares them; joins the values of
 * this point, in every copy; what must be done once a row, after all vectors;
 * makes the results. In a COLUMN the arrays are declared by tn__reduce_arrays, and
 * begin and end work on one vector of columns. */
void tn__reduce_arrays(tn__kernel *k);
void tn__reduce_begin(tn__kernel *k);
void tn__reduce_count(tn__kernel *k); /* after begin, before the loops: the counter of steps */
void tn__reduce_step(tn__kernel *k);
void tn__reduce_row(tn__kernel *k);
void tn__reduce_end(tn__kernel *k);
/* In a COLUMN, around the steps of a group of rows on one vector of columns: accumulators from
 * their arrays, and back. */
void tn__reduce_group_begin(tn__kernel *k);
void tn__reduce_group_end(tn__kernel *k);
/* Whether this stage walks for two reductions; whether the one before has walked for it. */
bool tn__online_is_here(const tn__kernel *k);
bool tn__online_is_done(const tn__kernel *k);
/* Before the walk; for each group; around and in its rows; the result of reduction e. */
void tn__online_count(tn__kernel *k);
void tn__online_numbers(tn__kernel *k);
void tn__online_begin(tn__kernel *k);
void tn__online_step(tn__kernel *k, const char *row);
void tn__online_end(tn__kernel *k);
const char *tn__online_result(tn__kernel *k, tn_kx e, const char *value);
/* A place in an array of columns for a copy: "a5 + (j - jb + TN_W)". */
const char *tn__column_at(tn__kernel *k, const char *array, uint32_t copy);

/* What is the same everywhere. */
void tn__write_constants(tn__kernel *k);
/* One run of a template's slot (tn__nest_make_run): coordinates c0, c1... are given, and
 * the last goes from jb to jn. */
void tn__write_run(tn__kernel *k);
/* One work item, whose block of the vector axis (not in a ROW) is q. */
void tn__write_item(tn__kernel *k);
/* What the last item has left for later. */
void tn__write_late_rest(tn__kernel *k);

/* What a rendered loop comes to. Text and arrays in the arena. */
typedef struct tn__kernel_text {
    const char *text; /* from the parameter list on: the name is the caller's */
    size_t length;
    int64_t *ints;
    uint32_t n_ints;
    tn_scalar *nums;
    uint32_t n_nums;
    int64_t items, grain;
    uint64_t scratch_bytes;
} tn__kernel_text;
TN_MUST_USE tn_status tn__kernel_write(const tn_allocator *allocator, tn_arena *arena,
                                       const tn_loop *loop, const tn__machine *machine,
                                       tn__prim_set *prims, tn__kernel_text *out);

/* A template step: text from the definition of what fills its slots on, where TN_ENTRY and
 * TN_NAME are the caller's; numbers and pointers of its entry. */
typedef struct tn__template_text {
    const char *text;
    size_t length;
    tn_render_entry entry; /* all but the symbol */
} tn__template_text;
TN_MUST_USE tn_status tn__template_write(const tn_allocator *allocator, tn_arena *arena,
                                         const tn_schedule *schedule, uint32_t step,
                                         const tn_launch *launch, tn__prim_set *prims,
                                         tn__template_text *out);

/* The functions of a set, in order. */
void tn__prim_set_write(const tn__prim_set *set, tn_strbuf *out);

#endif
