/* Movement, sources and select on every dtype, in layouts that are not dense too. */
#include "check.h"

#define MOVES(name_, inputs_, body_)                                                               \
    {                                                                                              \
        .name = "move." name_, .inputs = inputs_, .body = body_, .outputs = "%y$",                 \
        .domain = TN_ON_ANY, .sources = {TN_FROM_MIXED, TN_FROM_MIXED, TN_FROM_MIXED},             \
        .closeness = TN_CLOSE_EXACT                                                                \
    }
#define TAKES(name_, inputs_, body_)                                                               \
    {                                                                                              \
        .name = "move." name_, .inputs = inputs_, .body = body_, .outputs = "%y$",                 \
        .domain = TN_ON_ANY, .sources = {TN_FROM_MIXED, TN_FROM_INDEX},                            \
        .closeness = TN_CLOSE_EXACT                                                                \
    }

/* clang-format off */
const tn_sweep tn_sweeps_move[] = {
    MOVES("select", "%c$: bool[3,7], %a$: {T}[3,7] strides=[1,3], %b$: {T}[3,7] strides=[0,-1]",
          "%y$ = prim::select(%c$, %a$, %b$)"),
    MOVES("broadcast", "%x$: {T}[3,1]", "%y$ = prim::broadcast(%x$, shape=[2,3,4], axes=[1,2])"),
    MOVES("broadcast_0d", "%x$: {T}[]", "%y$ = prim::broadcast(%x$, shape=[19], axes=[])"),
    MOVES("broadcast_last", "%x$: {T}[5]", "%y$ = prim::broadcast(%x$, shape=[4,5], axes=[1])"),
    MOVES("broadcast_first", "%x$: {T}[5]", "%y$ = prim::broadcast(%x$, shape=[5,4], axes=[0])"),
    MOVES("broadcast_to_nothing", "%x$: {T}[1,3]",
          "%y$ = prim::broadcast(%x$, shape=[0,3], axes=[0,1])"),
    MOVES("permute", "%x$: {T}[2,3,4]", "%y$ = prim::permute(%x$, perm=[2,0,1])"),
    MOVES("permute_strided", "%x$: {T}[4,5] strides=[1,-4]", "%y$ = prim::permute(%x$, perm=[1,0])"),
    MOVES("permute_large", "%x$: {T}[33,65]", "%y$ = prim::permute(%x$, perm=[1,0])"),
    MOVES("permute_nothing", "%x$: {T}[0,5]", "%y$ = prim::permute(%x$, perm=[1,0])"),
    MOVES("reshape", "%x$: {T}[4,6]", "%y$ = prim::reshape(%x$, shape=[3,2,4])"),
    MOVES("reshape_transposed", "%x$: {T}[4,6] strides=[1,4]",
          "%y$ = prim::reshape(%x$, shape=[24])"),
    MOVES("reshape_0d", "%x$: {T}[]", "%y$ = prim::reshape(%x$, shape=[1,1,1])"),
    MOVES("reshape_to_0d", "%x$: {T}[1,1]", "%y$ = prim::reshape(%x$, shape=[])"),
    MOVES("reshape_nothing", "%x$: {T}[0,3]", "%y$ = prim::reshape(%x$, shape=[5,0])"),
    MOVES("slice", "%x$: {T}[7,9]",
          "%y$ = prim::slice(%x$, start=[1,0], size=[3,5], step=[2,2])"),
    MOVES("slice_back", "%x$: {T}[7,9]",
          "%y$ = prim::slice(%x$, start=[6,8], size=[7,3], step=[-1,-4])"),
    MOVES("slice_one", "%x$: {T}[7,9]",
          "%y$ = prim::slice(%x$, start=[6,8], size=[1,1], step=[100,-100])"),
    MOVES("slice_nothing", "%x$: {T}[7,9]",
          "%y$ = prim::slice(%x$, start=[7,0], size=[0,9], step=[1,1])"),
    MOVES("pad", "%x$: {T}[3,2], %v$: {T}[]", "%y$ = prim::pad(%x$, %v$, low=[1,0], high=[2,3])"),
    MOVES("pad_none", "%x$: {T}[3,2], %v$: {T}[]",
          "%y$ = prim::pad(%x$, %v$, low=[0,0], high=[0,0])"),
    MOVES("pad_nothing", "%x$: {T}[0,2], %v$: {T}[]",
          "%y$ = prim::pad(%x$, %v$, low=[2,0], high=[1,0])"),
    MOVES("concat", "%a$: {T}[2,3], %b$: {T}[2,1], %c$: {T}[2,4] strides=[1,2]",
          "%y$ = prim::concat([%a$, %b$, %c$], axis=1)"),
    MOVES("concat_nothing", "%a$: {T}[0,3], %b$: {T}[2,3], %c$: {T}[0,3]",
          "%y$ = prim::concat([%a$, %b$, %c$], axis=0)"),
    MOVES("concat_same", "%a$: {T}[5]", "%y$ = prim::concat([%a$, %a$, %a$, %a$, %a$], axis=0)"),
    MOVES("flip", "%x$: {T}[3,4,2]", "%y$ = prim::flip(%x$, axes=[0,2])"),
    MOVES("flip_none", "%x$: {T}[3]", "%y$ = prim::flip(%x$, axes=[])"),
    MOVES("flip_nothing", "%x$: {T}[0,3]", "%y$ = prim::flip(%x$, axes=[0])"),
    MOVES("window", "%x$: {T}[2,9]", "%y$ = prim::window(%x$, axis=1, size=3, step=2, dilation=2)"),
    MOVES("window_first", "%x$: {T}[5,2]",
          "%y$ = prim::window(%x$, axis=0, size=2, step=1, dilation=1)"),
    MOVES("window_too_long", "%x$: {T}[4]",
          "%y$ = prim::window(%x$, axis=0, size=3, step=1, dilation=2)"),
    MOVES("window_one", "%x$: {T}[4]",
          "%y$ = prim::window(%x$, axis=0, size=1, step=7, dilation=7)"),
    TAKES("take", "%x$: {T}[5,3], %i$: i64[4]", "%y$ = prim::take(%x$, %i$, axis=0)"),
    TAKES("take_inner", "%x$: {T}[2,5,3], %i$: i32[2,6]", "%y$ = prim::take(%x$, %i$, axis=1)"),
    TAKES("take_0d", "%x$: {T}[5,3], %i$: i64[]", "%y$ = prim::take(%x$, %i$, axis=1)"),
    TAKES("take_strided", "%x$: {T}[5,3] strides=[-1,5], %i$: i32[9] strides=[-2]",
          "%y$ = prim::take(%x$, %i$, axis=0)"),
    TAKES("take_from_nothing", "%x$: {T}[0,3], %i$: i64[4]", "%y$ = prim::take(%x$, %i$, axis=0)"),
    TAKES("take_nothing", "%x$: {T}[5,3], %i$: i64[0,2]", "%y$ = prim::take(%x$, %i$, axis=0)"),
    MOVES("chain", "%x$: {T}[4,6] strides=[1,4], %b$: {T}[3]",
          "%p$ = prim::permute(%x$, perm=[1,0])\n"
          "  %f$ = prim::flip(%p$, axes=[0])\n"
          "  %s$ = prim::slice(%f$, start=[5,3], size=[3,2], step=[-2,-1])\n"
          "  %r$ = prim::reshape(%s$, shape=[2,3])\n"
          "  %w$ = prim::broadcast(%b$, shape=[2,3], axes=[1])\n"
          "  %e$ = prim::eq(%r$, %w$)\n"
          "  %y$ = prim::select(%e$, %r$, %w$)"),
    {.name = "move.iota", .inputs = "", .outputs = "%y$, %z$", .domain = TN_ON_NUMBER,
     .body = "%y$ = prim::iota(shape=[3,300], axis=1, dtype={T})\n"
             "  %z$ = prim::iota(shape=[300,3], axis=0, dtype={T})"},
    {.name = "move.constant", .inputs = "", .outputs = "%a$, %b$, %c$, %d$, %e$, %f$, %g$",
     .domain = TN_ON_ANY,
     .body = "%a$ = prim::constant(value=-3, dtype={T})\n"
             "  %b$ = prim::constant(value=0.1, dtype={T})\n"
             "  %c$ = prim::constant(value=nan, dtype={T})\n"
             "  %d$ = prim::constant(value=-inf, dtype={T})\n"
             "  %e$ = prim::constant(value=true, dtype={T})\n"
             "  %f$ = prim::constant(value=-0.0, dtype={T})\n"
             "  %g$ = prim::constant(value=9223372036854775807, dtype={T})"},
    {.name = "move.size", .inputs = "", .outputs = "%a$, %b$", .domain = TN_ON_ANY,
     .body = "%a$ = prim::size(value=1234567, dtype={T})\n"
             "  %b$ = prim::size(value=-2, dtype={T})"},
};
/* clang-format on */
const uint32_t tn_sweeps_move_count = sizeof tn_sweeps_move / sizeof tn_sweeps_move[0];
