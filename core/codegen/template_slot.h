/* The functions that fill the slots of a template, as text, and the numbers and buffers that
 * they take from the one entry around them. Private to codegen. */
#ifndef TN_CODEGEN_TEMPLATE_SLOT_H
#define TN_CODEGEN_TEMPLATE_SLOT_H

#include "codegen/kernel.h"

/* What a template's text and entry grow to. Each function's numbers and buffers follow those
 * of the one before. */
typedef struct tn__slots {
    const tn_allocator *allocator;
    tn_arena *arena;
    tn__prim_set *prims;
    tn_strbuf text;
    TN_VEC(int64_t) ints;
    TN_VEC(tn_render_pointer) pointers;
    TN_VEC(tn_scalar) nums;
} tn__slots;

void tn__slots_init(tn__slots *slots, const tn_allocator *allocator, tn_arena *arena,
                    tn__prim_set *prims);
void tn__slots_deinit(tn__slots *slots);

/* TN_EPILOGUE and TN_PROLOGUE_<slot> of tenon/template.h. The loop is over the slot's
 * coordinates, pointwise; a prologue's one store has slot TN_NONE. */
TN_MUST_USE tn_status tn__slot_write_epilogue(tn__slots *slots, const tn_slot *slot,
                                              const tn_loop *loop);
TN_MUST_USE tn_status tn__slot_write_prologue(tn__slots *slots, const tn_slot *slot,
                                              const tn_loop *loop);

#endif
