/* SPDX-License-Identifier: Apache-2.0
 *
 * tenon/template.h: what a kernel template is and what its code may count on.
 * The structs (tn_template, tn_slot, tn_launch, tn_param) are in tenon/plugin.h.
 * Nothing here is C for the plugin to compile: it says what the host gives to the
 * text of a payload, so that a template can be written from this file alone.
 *
 * A template is a kernel with holes. The plugin writes the algorithm of one op (a
 * matrix product, a convolution) and leaves named slots; where the graph follows
 * the op with pointwise work, the host generates code for it, puts it into the
 * epilogue slot, and compiles both as one function. Results then never go to
 * memory and back. The op keeps its own kernel for all other cases.
 *
 * What is asked, in order, for each configuration in [0, n_configs):
 *   accept     while planning: dtypes, ranks, shapes. Strides are those of a
 *              contiguous tensor, as the layout of an operand is not yet known,
 *              and no data is constant. Decline with a reason, which `tenon
 *              explain` prints. Asked again when the layout is known, and must not
 *              decline for strides then: whoever cannot read them copies.
 *   estimate   optional, while planning: what it costs with these slots filled, beside
 *              the op's own kernel. The host adds what passes over memory cost, and
 *              takes the cheapest. Strides are as for accept.
 *   prepare    optional: packs constants, makes a plan. `*out_state` is kept.
 *   configure  how it is launched, below. The state is released with the plan.
 *
 * A template of a primitive (in tn_plugin.templates) is asked about each primitive of that
 * name that is left once lowerings have run. Its problem has the primitive's schema. A
 * contraction runs by the first template that accepts it, in place of generated loops; other
 * primitives only where the user forces `template`.
 *
 * A template may also carry a library's call that has pointwise work built in (tn_native):
 * accept is not asked about that, and it needs no payload.
 *
 * With TN_RUN_STRICT among problem->flags the accumulators must be bit for bit what
 * the op's own kernel computes.
 *
 * Slots. `rank` is how many coordinates name an element, 1 to 8. The axes of a
 * tensor are counted from the last; those that do not fit are merged, row-major,
 * into the first coordinate, and coordinates without an axis are 0: with rank 3, a
 * tensor [2,3,4,5] is (batch in [0,6), m in [0,4), n in [0,5)), and a tensor [5]
 * is (0, 0, n). Coordinates are logical: they say nothing about memory. `dtype` is
 * that of the values handed over: the dtype of the tensor, or what primitives
 * compute it in (f32 for f16, bf16 and f8), so that one f32 slot serves all four.
 * One value a coordinate (accumulators 0 or 1), and any vector_width. Names are
 * identifiers of C. A slot that is otherwise is never filled, and `tenon explain`
 * says why; without an epilogue that can be filled the template is not used.
 *
 * An epilogue (TN_SLOT_EPILOGUE) takes over result `operand`, which is 0. It
 * replaces the store: the template itself writes no result, and the epilogue is
 * always filled and always stores something.
 *
 * A prologue (TN_SLOT_PROLOGUE) computes the tensor argument with the number
 * `operand` in the schema, which must be no list. It is filled when the host finds
 * pointwise work that makes the argument and nothing else needs the result of, and
 * it pays or is asked for; otherwise the argument lies in memory as ever. Bit i of
 * problem->slots says that slots[i] is filled, in prepare, configure and estimate;
 * accept is asked before anybody knows, with 0, and what it accepts it accepts with
 * any of its prologues filled. An argument that is computed has no address, and is
 * described with the strides of a contiguous tensor.
 *
 * The value of a computed element is what an unfused run would have stored, in the
 * slot's dtype. In strict runs this is so to the bit: each op on the way rounds to
 * its own dtype. Otherwise what lies between is kept in f32, and with an f32 slot
 * the last value is not rounded to the argument's dtype either.
 *
 * ----------------------------------------------------------------------- CPU
 *
 * A payload of kind TN_CODE_C, dialect 1, is text, in C17 with GNU extensions, that
 * becomes a part of the graph's one translation unit, once for every kernel made
 * from it. No header is included and none may be: what follows is all there is.
 *
 *   tn_i8 tn_u8 ... tn_i64 tn_u64 tn_f32 tn_f64   numbers, as they are named
 *   tn_f16 tn_bf16 tn_bool ...                    what these are in memory: bits
 *
 *   typedef union tn_word { tn_i64 i; tn_u64 u; tn_f64 f; void *p; } tn_word;
 *   typedef struct tn_work {
 *       const tn_word *params; // tn_launch.params, in order
 *       char *scratch;         // shared_bytes, aligned to 64, of this call alone
 *       tn_i64 begin, end;     // do the work items [begin, end)
 *       ...                    // the host's
 *   } tn_work;
 *
 *   TN_NAME(x)   a name of this kernel's own. Every function, object and type at
 *                file scope must be so named and static, as other copies of the
 *                text may be in the file. #undef what you #define. `epilogue` and
 *                names that begin with `prologue_` are the host's.
 *   TN_EPILOGUE(work, c0, ..., n, count, acc)
 *                takes over the elements (c0, ..., n), (c0, ..., n + 1), ... of the
 *                result, `count` of them along the last coordinate, from
 *                acc[0 .. count), an array of the slot's dtype without alignment.
 *                Call it exactly once for each element, from any thread, for
 *                disjoint elements at once; acc is not kept. Runs of at least
 *                some hundred elements make it fast.
 *   TN_PROLOGUE_<slot>(work, c0, ..., m, n, rows, count, out, pitch)
 *                a macro that exists where the prologue slot of this name is filled,
 *                so #ifdef chooses between it and the argument in memory. Computes
 *                the rectangle (c0, ..., m + i, n + j), 0 <= i < rows,
 *                0 <= j < count, of the argument and stores it at
 *                out[i * pitch + j], an array of the slot's dtype without alignment
 *                that is the payload's own (scratch, workspace or stack); pitch is
 *                at least count, and nothing between the rows is touched. With
 *                rank 1 rows must be 1. The rectangle lies inside the argument, and
 *                its coordinates are the argument's own: where the op broadcasts it,
 *                the payload asks for the element again. Reads whatever the work
 *                needs in whatever layout, and may be called from any thread, in any
 *                order, any number of times, with the same bits each time; each call
 *                computes anew, so keep a panel and use it often. Rectangles of some
 *                thousand elements make it fast.
 *
 * The payload defines one function, whose name is tn_payload.entry (without one,
 * the template's name):
 *
 *     static void TN_NAME(gemm)(const tn_work *work) {
 *         const struct TN_NAME(plan) *plan = work->params[0].p;
 *         for (tn_i64 item = work->begin; item < work->end; item++) {
 *             tn_f32 *acc = (tn_f32 *)(void *)work->scratch;
 *             ...
 *             TN_EPILOGUE(work, batch, row, 0, columns, acc);
 *         }
 *     }
 *
 * It cannot fail, calls nothing outside the file but functions whose addresses are
 * among its parameters, starts no threads, and keeps no state. Item ranges run on
 * any thread, several at once, each item in exactly one.
 *
 * tn_launch:
 *   grid[0]       work items; the other two are 1 (or 0)
 *   grain         items worth waking a thread for; ranges begin at a multiple of it
 *   shared_bytes  scratch
 *   params        kinds NUMBER (the low `bytes` of value, the rest zero), ARGUMENT
 *                 (the address of the first element: the tensor with this index among
 *                 the schema's parameters, `item` of a Tensor[]; NULL when absent) and
 *                 WORKSPACE. RESULT is refused: results belong to the epilogue. An
 *                 address of the plugin's own, of a function or of what prepare made,
 *                 is a NUMBER of 8 bytes, and params[i].p. A NUMBER with
 *                 TN_PARAM_LITERAL_OK is a constant to the compiler, and kernels with
 *                 other values are compiled apart.
 *   workspace_*   uninitialized memory of each run, shared by its work items
 *   block, cluster, tensor_maps   unused
 *   cost          seconds by estimate, or 0
 *
 * ---------------------------------------------------------------------- CUDA
 *
 * Payloads of kind TN_CODE_CUDA and on have a dialect of their own, which later
 * releases define; this host skips them.
 */
#ifndef TENON_TEMPLATE_H
#define TENON_TEMPLATE_H

#include "tenon/plugin.h"

/* The latest dialect of TN_CODE_C payloads; tn_payload.dialect 0 means 1. */
#define TN_TEMPLATE_C_DIALECT 1u

/* A number that travels as it is. */
static inline tn_param tn_param_number(int64_t value) {
    tn_param p = {TN_PARAM_NUMBER, 0, 0, 8, 0, 0};
    p.value = (uint64_t)value;
    return p;
}
/* An address that stays valid until release. */
static inline tn_param tn_param_address(const void *address) {
    tn_param p = {TN_PARAM_NUMBER, 0, 0, 8, 0, 0};
    p.value = (uint64_t)(uintptr_t)address;
    return p;
}
/* The first element of a tensor argument, by its place in the schema. */
static inline tn_param tn_param_argument(uint16_t index) {
    tn_param p = {TN_PARAM_ARGUMENT, 0, 0, 8, 0, 0};
    p.index = index;
    return p;
}

#endif
