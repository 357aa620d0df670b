/* The public fault cases NUM that mean something for primitives. Others concern
 * ops (promotion, importers) or scans. */
#include "check.h"

#define SIGMOID(x, n)                                                                              \
    " %one = prim::constant(value=1.0, dtype=f32) %ones = prim::broadcast(%one, shape=[" n         \
    "], axes=[])"                                                                                  \
    " %neg = prim::neg(" x ") %exp = prim::exp(%neg) %den = prim::add(%ones, %exp)"                \
    " %sig = prim::div(%ones, %den)"

/* clang-format off */
const tn_example tn_cases_num[] = {
    {"NUM-01.extremes_propagate_nan_from_either_side",
     "(%a: f32[4], %b: f32[4]) { %h = prim::constant(value=0.5, dtype=f32)"
     " %hs = prim::broadcast(%h, shape=[4], axes=[]) %p = prim::max(%a, %b) %q = prim::max(%b, %a)"
     " %r = prim::max(%a, %hs) return %p, %q, %r }",
     {"nan -2 0.25 5", "1 nan 1 nan"}, {"nan nan 1 nan", "nan nan 1 nan", "nan 0.5 0.5 5"}},
    {"NUM-03.clip_keeps_nan_for_the_select_after_it",
     "(%x: f32[2,2], %lo: f32[2,2], %hi: f32[2,2], %z: f32[2,2]) { %c = prim::clamp(%x, %lo, %hi)"
     " %n = prim::isnan(%c) %y = prim::select(%n, %z, %c) return %c, %y }",
     {"nan -20 3 nan", "4*-10", "4*10", "4*0"}, {"nan -10 3 nan", "0 -10 3 0"}},
    {"NUM-05.a_nan_bound_makes_all_nan",
     "(%x: f32[4], %lo: f32[4], %hi: f32[4]) { %y = prim::clamp(%x, %lo, %hi) return %y }",
     {"0.5 -3 4 nan", "4*0", "4*nan"}, {"4*nan"}},
    {"NUM-07.adding_zero_clears_a_negative_zero",
     "(%x: f32[1]) { %z = prim::constant(value=0.0, dtype=f32) %zs = prim::broadcast(%z, shape=[1], axes=[])"
     " %one = prim::constant(value=1.0, dtype=f32) %ones = prim::broadcast(%one, shape=[1], axes=[])"
     " %c = prim::ceil(%x) %a = prim::add(%c, %zs) %y = prim::div(%ones, %a) %w = prim::div(%ones, %c)"
     " return %y, %w }",
     {"-0.5"}, {"inf", "-inf"}},
    {"NUM-09.minimum_of_zeros",
     "(%a: f32[17], %b: f32[17]) { %p = prim::min(%a, %b) %q = prim::min(%b, %a) return %p, %q }",
     {"17*-0.0", "17*0.0"}, {"17*-0.0", "17*-0.0"}},
    {"NUM-09.minimum_of_zeros_one_element",
     "(%a: f64[1], %b: f64[1]) { %p = prim::min(%a, %b) %q = prim::max(%b, %a) return %p, %q }",
     {"-0.0", "0.0"}, {"-0.0", "0.0"}},
    {"NUM-09.minimum_of_zeros_narrow",
     "(%a: f16[16], %b: f16[16], %c: bf16[3], %d: bf16[3]) { %p = prim::min(%a, %b)"
     " %q = prim::min(%d, %c) return %p, %q }",
     {"16*0.0", "16*-0.0", "3*-0.0", "3*0.0"}, {"16*-0.0", "3*-0.0"}},
    {"NUM-11.times_zero_is_not_always_zero",
     "(%x: f32[3], %i: i32[3]) { %z = prim::constant(value=0.0, dtype=f32)"
     " %zs = prim::broadcast(%z, shape=[3], axes=[]) %m = prim::mul(%x, %zs) %y = prim::isnan(%m)"
     " %k = prim::constant(value=0, dtype=i32) %ks = prim::broadcast(%k, shape=[3], axes=[])"
     " %j = prim::mul(%i, %ks) return %y, %j }",
     {"inf nan 2", "7 0 -2"}, {"true true false", "0 0 0"}},
    {"NUM-11.difference_and_quotient_of_itself",
     "(%x: f32[4]) { %d = prim::sub(%x, %x) %q = prim::div(%x, %x) return %d, %q }",
     {"inf nan 2 0"}, {"nan nan 0 0", "nan nan 1 nan"}},
    {"NUM-13.ceiling_division", "(%a: i32[4], %b: i32[4]) { %y = prim::ceildiv(%a, %b) return %y }",
     {"-9 9 -8 9", "4 4 4 -4"}, {"-2 3 -2 -2"}},
    {"NUM-15.integer_division_is_not_a_reciprocal",
     "(%n: i32[3], %d: i32[3]) { %q = prim::floordiv(%n, %d) %r = prim::mod(%n, %d) return %q, %r }",
     {"82 287 533", "3*41"}, {"2 7 13", "0 0 0"}},
    {"NUM-17.division_is_correctly_rounded",
     "(%a: f32[3], %b: f32[3]) { %q = prim::div(%a, %b) %y = prim::trunc(%q) return %y }",
     {"82 533 7", "41 41 7"}, {"2 13 1"}},
    {"NUM-19.narrow_sums_wrap_before_a_cast",
     "(%x: u8[1], %y: u8[1]) { %s = prim::add(%x, %y) %z = prim::cast(%s, dtype=i16) return %z }",
     {"200", "100"}, {"44"}},
    {"NUM-19.narrow_products_wrap_before_a_comparison",
     "(%x: i8[2], %y: i8[2]) { %p = prim::mul(%x, %y) %z = prim::lt(%p, %x) %w = prim::shr(%p, %y)"
     " return %z, %w }",
     {"100 3", "2 2"}, {"true false", "-14 1"}},
    {"NUM-21.functions_of_narrow_integers_stay_narrow",
     "(%x: u8[2]) { %a = prim::abs(%x) %y = prim::neg(%a) %c = prim::concat([%y, %y], axis=0)"
     " %w = prim::cast(%c, dtype=i64) %s = prim::sum(%w, axes=[0]) return %y, %s }",
     {"150 150"}, {"106 106", "424"}},
    {"NUM-23.float_to_u8_saturates_on_both_sides",
     "(%x: f32[7]) { %y = prim::cast(%x, dtype=u8) return %y }",
     {"-2 127 128 200 255 256 nan"}, {"0 127 128 200 255 255 0"}},
    {"NUM-25.any_as_u8_wraps_later",
     "(%x: u8[3], %m: u8[], %b: u8[]) { %z = prim::constant(value=0, dtype=u8)"
     " %zs = prim::broadcast(%z, shape=[3], axes=[]) %n = prim::ne(%x, %zs) %a = prim::any(%n, axes=[0])"
     " %c = prim::cast(%a, dtype=u8) %p = prim::mul(%c, %m) %y = prim::add(%p, %b) return %y }",
     {"0 4 0", "150", "120"}, {"14"}},
    {"NUM-27.the_cast_of_a_scalar_comes_first",
     "(%x: bf16[1], %s: f64[]) { %c = prim::cast(%s, dtype=bf16) %b = prim::broadcast(%c, shape=[1], axes=[])"
     " %y = prim::add(%x, %b) return %y }",
     {"0.7", "-0.7"}, {"0"}},
    {"NUM-29.a_cast_after_a_product_is_kept",
     "(%a: f32[1,1], %b: f32[1,1]) { %m = prim::matmul(%a, %b) %h = prim::cast(%m, dtype=bf16)"
     " %w = prim::cast(%h, dtype=f32) %t = prim::reshape(%w, shape=[1])" SIGMOID("%t", "1")
     " %y = prim::mul(%t, %sig) return %t, %y }",
     {"0.3", "1"}, {"0.30078125", "0.172838"}, .rel = 1e-5},
    {"NUM-31.log2_is_exact_at_powers_of_two",
     "(%x: f32[4]) { %l = prim::log2(%x) %y = prim::ceil(%l) return %y }",
     {"8 8.000000954 1 0.5"}, {"3 4 0 -1"}},
    {"NUM-33.gelu_does_not_cancel",
     "(%x: f32[3], %k: f32[3], %c: f32[3]) { %x2 = prim::mul(%x, %x) %x3 = prim::mul(%x2, %x)"
     " %q = prim::mul(%k, %x3) %s = prim::add(%x, %q) %u = prim::mul(%c, %s)" SIGMOID("%u", "3")
     " %y = prim::mul(%x, %sig) return %y }",
     {"-4.5 -5.5 -6.5", "3*0.044715", "3*1.5957691216"},
     {"-5.1367e-6 -5.9276e-9 -6.2783e-13"}, .rel = 1e-4},
    {"NUM-37.mixed_signs_compare_as_a_common_type",
     "(%x: u8[2], %b: i8[3]) { %w = prim::cast(%x, dtype=i16) %c = prim::cast(%b, dtype=i16)"
     " %p = prim::broadcast(%w, shape=[2,3], axes=[0]) %q = prim::broadcast(%c, shape=[2,3], axes=[1])"
     " %l = prim::lt(%q, %p) %n = prim::cast(%l, dtype=i64) %y = prim::sum(%n, axes=[1]) return %y }",
     {"2 5", "-10 -7 -3"}, {"3 3"}},
    {"NUM-43.folded_or_not_nan_wins",
     "(%x: f32[2,2]) { %y = prim::argmin(%x, axis=1) return %y }", {"0 nan nan 0"}, {"1 0"}},
    {"NUM-43.of_constants",
     "() { %z = prim::constant(value=0.0, dtype=f32) %n = prim::constant(value=nan, dtype=f32)"
     " %zs = prim::broadcast(%z, shape=[1], axes=[]) %ns = prim::broadcast(%n, shape=[1], axes=[])"
     " %a = prim::concat([%zs, %ns], axis=0) %b = prim::concat([%ns, %zs], axis=0)"
     " %p = prim::argmin(%a, axis=0) %q = prim::argmin(%b, axis=0) return %p, %q }",
     {0}, {"1", "0"}},
};
/* clang-format on */
const uint32_t tn_cases_num_count = sizeof tn_cases_num / sizeof tn_cases_num[0];
