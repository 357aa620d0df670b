/* Movement worked by hand. */
#include "check.h"

/* clang-format off */
const tn_example tn_examples_move[] = {
    {"example.broadcast", "(%x: f32[2,1]) { %y = prim::broadcast(%x, shape=[3,2,2], axes=[1,2]) return %y }",
     {"1 2"}, {"1 1 2 2 1 1 2 2 1 1 2 2"}},
    {"example.broadcast_to_the_left", "(%x: i16[2]) { %y = prim::broadcast(%x, shape=[2,3], axes=[0]) return %y }",
     {"7 -8"}, {"7 7 7 -8 -8 -8"}},
    {"example.permute", "(%x: i32[2,3,2]) { %y = prim::permute(%x, perm=[2,0,1]) return %y }",
     {"0..11"}, {"0 2 4 6 8 10 1 3 5 7 9 11"}},
    {"example.reshape_follows_coordinates",
     "(%x: i32[2,3] strides=[1,2]) { %y = prim::reshape(%x, shape=[3,2]) return %y }",
     {"0..5"}, {"0..5"}},
    {"example.reshape_after_permute",
     "(%x: i32[2,3]) { %t = prim::permute(%x, perm=[1,0]) %y = prim::reshape(%t, shape=[6]) return %y }",
     {"0..5"}, {"0 3 1 4 2 5"}},
    {"example.slice_negative_step",
     "(%x: i32[3,4]) { %y = prim::slice(%x, start=[0,3], size=[2,2], step=[2,-3]) return %y }",
     {"0..11"}, {"3 0 11 8"}},
    {"example.slice_of_slice",
     "(%x: i32[10]) { %s = prim::slice(%x, start=[9], size=[5], step=[-2])"
     " %y = prim::slice(%s, start=[4], size=[3], step=[-2]) return %y }",
     {"0..9"}, {"1 5 9"}},
    {"example.pad", "(%x: f32[2,2], %v: f32[]) { %y = prim::pad(%x, %v, low=[1,0], high=[0,2]) return %y }",
     {"1 -0.0 nan 4", "9"}, {"9 9 9 9 1 -0.0 9 9 nan 4 9 9"}},
    {"example.concat", "(%a: i32[2,1], %b: i32[2,2]) { %y = prim::concat([%a, %b], axis=1) return %y }",
     {"1 2", "3 4 5 6"}, {"1 3 4 2 5 6"}},
    {"example.flip", "(%x: i32[2,3]) { %y = prim::flip(%x, axes=[1]) %z = prim::flip(%x, axes=[0,1]) return %y, %z }",
     {"0..5"}, {"2 1 0 5 4 3", "5 4 3 2 1 0"}},
    {"example.window", "(%x: i32[6]) { %y = prim::window(%x, axis=0, size=3, step=2, dilation=1)"
     " %z = prim::window(%x, axis=0, size=3, step=1, dilation=2) return %y, %z }",
     {"0..5"}, {"0 1 2 2 3 4", "0 2 4 1 3 5"}},
    {"example.window_first_axis",
     "(%x: i32[3,2]) { %y = prim::window(%x, axis=0, size=2, step=1, dilation=1) return %y }",
     {"0..5"}, {"0 2 1 3 2 4 3 5"}},
    {"example.take_out_of_range",
     "(%x: f32[3,2], %i: i64[4]) { %y = prim::take(%x, %i, axis=0) return %y }",
     {"1..6", "2 0 -1 3"}, {"5 6 1 2 0 0 0 0"}},
    {"example.take_extreme_index",
     "(%x: bool[3], %i: i64[4]) { %y = prim::take(%x, %i, axis=0) return %y }",
     {"true true true", "-9223372036854775808 9223372036854775807 4294967296 2"},
     {"false false false true"}},
    {"example.take_inner", "(%x: i32[2,3], %i: i32[2]) { %y = prim::take(%x, %i, axis=1) return %y }",
     {"0..5", "2 2"}, {"2 2 5 5"}},
    {"example.take_0d_index", "(%x: i32[2,3], %i: i32[]) { %y = prim::take(%x, %i, axis=0) return %y }",
     {"0..5", "1"}, {"3 4 5"}},
    {"example.take_2d_index", "(%x: i32[3], %i: i64[2,2]) { %y = prim::take(%x, %i, axis=0) return %y }",
     {"10 20 30", "2 1 0 3"}, {"30 20 10 0"}},
    {"example.iota", "() { %a = prim::iota(shape=[2,3], axis=1, dtype=i64)"
     " %b = prim::iota(shape=[2,2], axis=0, dtype=f32)"
     " %c = prim::iota(shape=[258], axis=0, dtype=u8)"
     " %d = prim::iota(shape=[0,2], axis=1, dtype=i32) return %a, %b, %c, %d }",
     {0}, {"0 1 2 0 1 2", "0 0 1 1", "0..255 0 1", ""}},
    {"example.iota_rounds", "() { %a = prim::iota(shape=[2052], axis=0, dtype=f16)"
     " %y = prim::slice(%a, start=[2047], size=[5], step=[1]) return %y }",
     {0}, {"2047 2048 2048 2050 2052"}},
    {"example.moves_keep_every_bit",
     "(%x: u32[4]) { %f = prim::bitcast(%x, dtype=f32) %r = prim::flip(%f, axes=[0])"
     " %c = prim::concat([%r, %f], axis=0) %y = prim::bitcast(%c, dtype=u32) return %y }",
     {"0x7f800001 0xffc12345 0x80000000 1"},
     {"1 0x80000000 0xffc12345 0x7f800001 0x7f800001 0xffc12345 0x80000000 1"}},
    {"example.input_is_output", "(%x: f32[3] strides=[-1]) { return %x, %x }",
     {"1 2 3"}, {"1 2 3", "1 2 3"}},
};
/* clang-format on */
const uint32_t tn_examples_move_count = sizeof tn_examples_move / sizeof tn_examples_move[0];
