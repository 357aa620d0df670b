/* Reductions and matmul worked by hand. */
#include "check.h"

/* clang-format off */
const tn_example tn_examples_reduce[] = {
    {"example.sum_axes",
     "(%x: i32[2,3,2]) { %a = prim::sum(%x, axes=[1]) %b = prim::sum(%x, axes=[0,2])"
     " %c = prim::sum(%x, axes=[0,1,2]) %d = prim::sum(%x, axes=[]) return %a, %b, %c, %d }",
     {"0..11"}, {"6 9 24 27", "14 22 30", "66", "0..11"}},
    {"example.over_nothing",
     "(%x: f32[2,0], %n: i8[2,0]) { %s = prim::sum(%x, axes=[1]) %p = prim::prod(%x, axes=[1])"
     " %h = prim::reduce_max(%x, axes=[1]) %l = prim::reduce_min(%x, axes=[1])"
     " %i = prim::reduce_max(%n, axes=[1]) return %s, %p, %h, %l, %i }",
     {"", ""}, {"0 0", "1 1", "-inf -inf", "inf inf", "-128 -128"}},
    {"example.extremes_of_nothing",
     "(%a: f8e4m3fn[0], %b: u64[0], %c: bool[0], %d: f16[0]) { %w = prim::reduce_max(%a, axes=[0])"
     " %x = prim::reduce_min(%b, axes=[0]) %y = prim::reduce_min(%c, axes=[0])"
     " %z = prim::reduce_min(%d, axes=[0]) return %w, %x, %y, %z }",
     {"", "", "", ""}, {"-448", "18446744073709551615", "true", "inf"}},
    {"example.any_all",
     "(%x: bool[3,2]) { %a = prim::any(%x, axes=[1]) %b = prim::all(%x, axes=[1])"
     " %c = prim::any(%x, axes=[0,1]) %d = prim::all(%x, axes=[]) return %a, %b, %c, %d }",
     {"false false true false true true"},
     {"false true true", "false false true", "true", "false false true false true true"}},
    {"example.extremes_propagate_nan",
     "(%x: f32[3,3]) { %a = prim::reduce_max(%x, axes=[1]) %b = prim::reduce_min(%x, axes=[1]) return %a, %b }",
     {"1 nan 3 -0.0 0 -0.0 -inf 5 inf"}, {"nan 0 inf", "nan -0.0 -inf"}},
    {"example.argmax_first_and_nan",
     "(%x: f32[4,4]) { %a = prim::argmax(%x, axis=1) %b = prim::argmin(%x, axis=1) return %a, %b }",
     {"1 3 3 0 -0.0 0 0 -0.0 2 nan 9 nan -inf -inf -inf -inf"}, {"1 0 1 0", "3 0 1 0"}},
    {"example.argmax_of_integers",
     "(%x: u64[3], %y: i8[3]) { %a = prim::argmax(%x, axis=0) %b = prim::argmax(%y, axis=0)"
     " %c = prim::argmin(%y, axis=0) return %a, %b, %c }",
     {"1 18446744073709551615 2", "-128 127 -1"}, {"1", "1", "0"}},
    {"example.mean_var",
     "(%x: f64[2,4]) { %m, %v = prim::mean_var(%x, axes=[1], correction=1)"
     " %n, %w = prim::mean_var(%x, axes=[0,1], correction=0) return %m, %v, %n, %w }",
     {"1 2 3 4 2 2 2 2"}, {"2.5 2", "0x1.aaaaaaaaaaaabp0 0", "2.25", "0.6875"}},
    {"example.mean_var_not_finite",
     "(%x: f32[3,2]) { %m, %v = prim::mean_var(%x, axes=[1], correction=0) return %m, %v }",
     {"nan 1 inf 1 inf -inf"}, {"nan inf nan", "nan nan nan"}},
    {"example.mean_var_too_few",
     "(%x: f32[2,0], %y: f32[1,1]) { %m, %v = prim::mean_var(%x, axes=[1], correction=0)"
     " %n, %w = prim::mean_var(%y, axes=[1], correction=1) return %m, %v, %n, %w }",
     {"", "5"}, {"nan nan", "nan nan", "5", "nan"}},
    {"example.sums_accumulate_in_f32",
     "(%x: f16[6], %y: bf16[3]) { %a = prim::sum(%x, axes=[0]) %b = prim::sum(%y, axes=[0]) return %a, %b }",
     {"2048 1 1 1 1 0", "256 1 1"}, {"2052", "258"}},
    {"example.integer_reductions_wrap",
     "(%x: u8[3], %y: i32[2]) { %a = prim::sum(%x, axes=[0]) %b = prim::prod(%x, axes=[0])"
     " %c = prim::sum(%y, axes=[0]) return %a, %b, %c }",
     {"100 200 7", "2147483647 1"}, {"51", "224", "-2147483648"}},
    {"example.reduce_a_view",
     "(%x: i32[2,3]) { %t = prim::permute(%x, perm=[1,0]) %b = prim::broadcast(%t, shape=[3,2,2], axes=[0,2])"
     " %y = prim::sum(%b, axes=[1,2]) return %y }",
     {"0..5"}, {"6 10 14"}},
    {"example.matmul", "(%a: f32[2,3], %b: f32[3,2]) { %y = prim::matmul(%a, %b) return %y }",
     {"1..6", "1 0 0 1 1 1"}, {"4 5 10 11"}},
    {"example.matmul_batched",
     "(%a: i32[2,1,2], %b: i32[2,2,1]) { %y = prim::matmul(%a, %b) return %y }",
     {"1 2 3 4", "5 6 7 8"}, {"17 53"}},
    {"example.matmul_no_terms", "(%a: f32[2,0], %b: f32[0,2]) { %y = prim::matmul(%a, %b) return %y }",
     {"", ""}, {"0 0 0 0"}},
    {"example.matmul_integers_wrap",
     "(%a: i8[1,2], %b: i8[2,1], %c: u64[1,1]) { %y = prim::matmul(%a, %b) %z = prim::matmul(%c, %c) return %y, %z }",
     {"100 3", "2 1", "4294967297"}, {"-53", "8589934593"}},
    {"example.matmul_f16_accumulates_in_f32",
     "(%a: f16[1,2], %b: f16[2,1]) { %y = prim::matmul(%a, %b) return %y }",
     {"300 300", "300 -300"}, {"0"}},
    {"example.matmul_nan_and_zero", "(%a: f32[1,2], %b: f32[2,2]) { %y = prim::matmul(%a, %b) return %y }",
     {"0 1", "inf 1 2 3"}, {"nan 3"}},
};
/* clang-format on */
const uint32_t tn_examples_reduce_count = sizeof tn_examples_reduce / sizeof tn_examples_reduce[0];
