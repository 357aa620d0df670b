/* The public fault cases RED that mean something for primitives. Others need
 * scatter or scans. */
#include "check.h"

/* Softmax over the last axis of f32[r, c]. */
#define SOFTMAX(r, c)                                                                              \
    " %max = prim::reduce_max(%x, axes=[1])"                                                       \
    " %maxs = prim::broadcast(%max, shape=[" r "," c "], axes=[0]) %d = prim::sub(%x, %maxs)"      \
    " %e = prim::exp(%d) %sum = prim::sum(%e, axes=[1])"                                           \
    " %sums = prim::broadcast(%sum, shape=[" r "," c "], axes=[0])"

/* clang-format off */
const tn_example tn_cases_red[] = {
    {"RED-01.argmax_counts_logical_positions",
     "(%b: f32[3,2,2]) { %x = prim::permute(%b, perm=[1,0,2]) %s = prim::sum(%x, axes=[2])"
     " %f = prim::reshape(%s, shape=[6]) %k = prim::argmax(%f, axis=0) return %s, %k }",
     {"0 2 3 3 4 6 5 3 2 2 1 -1"}, {"2 10 4 6 8 0", "1"}},
    {"RED-03.the_first_nan_wins",
     "(%x: f32[2], %y: f32[4]) { %a = prim::argmax(%x, axis=0) %b = prim::argmax(%y, axis=0)"
     " %c = prim::argmin(%y, axis=0) return %a, %b, %c }",
     {"nan 4.6", "1 nan 2 nan"}, {"0", "1", "1"}},
    {"RED-05.an_output_more_changes_nothing",
     "(%p: f32[6], %q: f32[6], %x: f32[6]) { %d = prim::div(%p, %q) %t = prim::tan(%x)"
     " %m = prim::mul(%d, %t) %z = prim::sub(%m, %m) %k = prim::argmax(%z, axis=0) return %z, %k }",
     {"1 2 3 4 5 7", "3 7 11 13 17 19", "0.1 0.7 1.3 -2.9 10.1 100.3"}, {"6*0", "0"}},
    {"RED-05.alone",
     "(%p: f32[6], %q: f32[6], %x: f32[6]) { %d = prim::div(%p, %q) %t = prim::tan(%x)"
     " %m = prim::mul(%d, %t) %z = prim::sub(%m, %m) %k = prim::argmax(%z, axis=0) return %k }",
     {"1 2 3 4 5 7", "3 7 11 13 17 19", "0.1 0.7 1.3 -2.9 10.1 100.3"}, {"0"}},
    {"RED-07.variance_of_too_few",
     "(%x: f32[1], %y: f32[2]) { %m, %v = prim::mean_var(%x, axes=[0], correction=1)"
     " %n, %w = prim::mean_var(%y, axes=[0], correction=3) return %m, %v, %n, %w }",
     {"3", "1 2"}, {"3", "nan", "1.5", "inf"}},
    {"RED-09.variance_does_not_cancel",
     "(%x: f32[2,3]) { %m, %v = prim::mean_var(%x, axes=[1], correction=1) return %m, %v }",
     {"4096 4097 4098 100000 100001 100002"}, {"4097 100001", "1 1"}, .rel = 1e-6},
    {"RED-09.variance_in_f64_does_not_overflow",
     "(%x: f32[3]) { %d = prim::cast(%x, dtype=f64) %m, %v = prim::mean_var(%d, axes=[0], correction=1)"
     " %s = prim::sqrt(%v) %y = prim::cast(%s, dtype=f32) return %y }",
     {"1e30 2e30 3e30"}, {"1e30"}, .rel = 1e-6},
    {"RED-11.no_elements",
     "(%x: f32[0,4], %a: f32[0], %b: f32[0], %c: f32[2]) { %y = prim::sum(%x, axes=[0])"
     " %z = prim::add(%a, %b) %w = prim::concat([%a, %c], axis=0) return %y, %z, %w }",
     {"", "", "", "1 2"}, {"4*0", "", "1 2"}},
    {"RED-13.squares_of_f16_in_f32",
     "(%x: f16[1,4]) { %w = prim::cast(%x, dtype=f32) %q = prim::mul(%w, %w) %s = prim::sum(%q, axes=[1])"
     " %n = prim::constant(value=4.0, dtype=f32) %ns = prim::broadcast(%n, shape=[1], axes=[])"
     " %m = prim::div(%s, %ns) %r = prim::rsqrt(%m) %rs = prim::broadcast(%r, shape=[1,4], axes=[0])"
     " %p = prim::mul(%w, %rs) %y = prim::cast(%p, dtype=f16) return %y }",
     {"4*300"}, {"4*1"}},
    {"RED-15.softmax_with_a_leading_run_of_minus_infinity",
     "(%x: f32[1,32]) {" SOFTMAX("1", "32") " %y = prim::div(%e, %sums) return %y }",
     {"16*-inf 16*1"}, {"16*0 16*0.0625"}, .rel = 1e-6},
    {"RED-17.log_softmax_of_narrow_rows",
     "(%x: f32[2,3]) {" SOFTMAX("2", "3") " %l = prim::log(%sums) %y = prim::sub(%d, %l) return %y }",
     {"0 0 0 1 1 1"}, {"6*-1.0986123"}, .rel = 1e-6},
    {"RED-17.rows_of_one",
     "(%x: f32[3,1]) {" SOFTMAX("3", "1") " %y = prim::div(%e, %sums) return %y }",
     {"-5 0 1e30"}, {"3*1"}},
    {"RED-19.a_nan_row_is_not_a_masked_row",
     "(%x: f32[1,3]) {" SOFTMAX("1", "3") " %y = prim::div(%e, %sums) return %y }",
     {"nan -inf -inf"}, {"3*nan"}},
    {"RED-23.two_reductions_of_different_extents",
     "(%t: i32[5]) { %a = prim::slice(%t, start=[1], size=[4], step=[1])"
     " %b = prim::slice(%t, start=[0], size=[3], step=[1]) %m = prim::reduce_max(%a, axes=[0])"
     " %n = prim::reduce_min(%b, axes=[0]) %y = prim::sub(%m, %n) return %y }",
     {"5 9 4 8 1"}, {"5"}},
};
/* clang-format on */
const uint32_t tn_cases_red_count = sizeof tn_cases_red / sizeof tn_cases_red[0];
