/* Elementwise primitives, casts and constants worked by hand. */
#include "check.h"

/* clang-format off */
const tn_example tn_examples_other[] = {
    {"example.select_leaves_no_trace",
     "(%c: bool[4], %a: f32[4], %b: f32[4]) { %y = prim::select(%c, %a, %b) return %y }",
     {"true false true false", "nan nan 2 inf", "3 4 nan -0.0"}, {"nan 4 2 -0.0"}},
    {"example.floor", "(%x: f32[3]) { %y = prim::floor(%x) return %y }", {"-0.5 -0.0 2.5"}, {"-1 -0.0 2"}},
    {"example.round_half_to_even", "(%x: f32[8]) { %y = prim::round(%x) return %y }",
     {"-2.5 -1.5 -0.5 0.5 1.5 2.5 8388609.5 nan"}, {"-2 -2 -0.0 0 2 2 8388610 nan"}},
    {"example.compare_with_nan",
     "(%a: f32[3], %b: f32[3]) { %eq = prim::eq(%a, %b) %ne = prim::ne(%a, %b) %lt = prim::lt(%a, %b)"
     " %ge = prim::ge(%a, %b) return %eq, %ne, %lt, %ge }",
     {"nan 1 -0.0", "nan nan 0.0"},
     {"false false true", "true true false", "false false false", "false false true"}},
    {"example.division_by_zero",
     "(%a: i32[4], %b: i32[4]) { %f = prim::floordiv(%a, %b) %t = prim::truncdiv(%a, %b)"
     " %m = prim::mod(%a, %b) %r = prim::rem(%a, %b) return %f, %t, %m, %r }",
     {"7 -7 0 -2147483648", "0 0 0 -1"},
     {"-1 -1 -1 -2147483648", "-1 -1 -1 -2147483648", "7 -7 0 0", "7 -7 0 0"}},
    {"example.unsigned_division_by_zero",
     "(%a: u8[2], %b: u8[2]) { %f = prim::floordiv(%a, %b) %m = prim::mod(%a, %b) return %f, %m }",
     {"7 200", "0 3"}, {"255 66", "7 2"}},
    {"example.u64_above_i64",
     "(%a: u64[3], %b: u64[3]) { %d = prim::truncdiv(%a, %b) %m = prim::max(%a, %b)"
     " %l = prim::lt(%a, %b) %f = prim::cast(%a, dtype=f64) return %d, %m, %l, %f }",
     {"18446744073709551615 9223372036854775808 1", "2 1 9223372036854775808"},
     {"9223372036854775807 9223372036854775808 0",
      "18446744073709551615 9223372036854775808 9223372036854775808", "false false true",
      "18446744073709551616 9223372036854775808 1"}},
    {"example.shifts",
     "(%a: i8[6], %n: i8[6]) { %l = prim::shl(%a, %n) %r = prim::shr(%a, %n) return %l, %r }",
     {"1 -128 -128 127 3 -1", "7 1 8 -1 6 0"}, {"-128 0 0 0 -64 -1", "0 -64 -1 0 0 -1"}},
    {"example.counts", "(%a: u16[4]) { %p = prim::popcount(%a) %c = prim::clz(%a) return %p, %c }",
     {"0 1 65535 256"}, {"0 1 16 1", "16 15 0 7"}},
    {"example.cast_saturates",
     "(%x: f32[6]) { %a = prim::cast(%x, dtype=i8) %b = prim::cast(%x, dtype=u8)"
     " %c = prim::cast(%x, dtype=i64) %d = prim::cast(%x, dtype=u64) return %a, %b, %c, %d }",
     {"300 -300 nan inf -inf -0.9"},
     {"127 -128 0 127 -128 0", "255 0 0 255 0 0",
      "300 -300 0 9223372036854775807 -9223372036854775808 0",
      "300 0 0 18446744073709551615 0 0"}},
    {"example.cast_rounds_once_to_f16",
     "(%x: f64[6]) { %y = prim::cast(%x, dtype=f16) return %y }",
     {"65519.99 65520 1e-8 0.1 -0.0 0x1.002000001p0"},
     {"65504 inf 0 0.0999755859375 -0.0 0x1.004p0"}},
    {"example.cast_to_f8", "(%x: f32[6]) { %a = prim::cast(%x, dtype=f8e4m3fn)"
     " %b = prim::cast(%x, dtype=f8e5m2) return %a, %b }",
     {"464 465 61439 61440 -inf 0.001"},
     {"448 nan nan nan nan 0.001953125", "448 448 57344 inf -inf 0.0009765625"}},
    {"example.cast_integers_wraps",
     "(%x: i32[3]) { %a = prim::cast(%x, dtype=u8) %b = prim::cast(%x, dtype=i8)"
     " %c = prim::cast(%x, dtype=u64) %d = prim::cast(%x, dtype=bool) return %a, %b, %c, %d }",
     {"-1 300 256"},
     {"255 44 0", "-1 44 0", "18446744073709551615 300 256", "true true true"}},
    {"example.cast_integers_to_narrow_floats",
     "(%x: i64[3]) { %a = prim::cast(%x, dtype=bf16) %b = prim::cast(%x, dtype=f32) return %a, %b }",
     {"1157425104234217473 1152921573326323713 -16777217"},
     {"0x1.02p60 1152921504606846976 -16777216", "0x1.01p60 0x1.000002p60 -16777216"}},
    {"example.bitcast", "(%x: f32[3]) { %y = prim::bitcast(%x, dtype=i32) %z = prim::bitcast(%y, dtype=f32) return %y, %z }",
     {"1 -0.0 inf"}, {"1065353216 -2147483648 2139095040", "1 -0.0 inf"}},
    {"example.f16_computes_in_f32",
     "(%a: f16[3], %b: f16[3]) { %s = prim::add(%a, %b) %m = prim::mul(%a, %b) return %s, %m }",
     {"2048 2050 300", "1 1 300"}, {"2048 2052 600", "2048 2050 inf"}},
    {"example.casts_are_kept",
     "(%x: f32[2]) { %h = prim::cast(%x, dtype=f16) %y = prim::cast(%h, dtype=f32) return %y }",
     {"2049 1e-8"}, {"2048 0"}},
    {"example.fma_rounds_once",
     "(%a: f32[1], %b: f32[1], %c: f32[1]) { %y = prim::fma(%a, %b, %c) %p = prim::mul(%a, %b)"
     " %z = prim::add(%p, %c) return %y, %z }",
     {"0x1.000002p0", "0x1.fffffep-1", "-1"}, {"0x1.fffffcp-25", "0"}},
    {"example.clamp",
     "(%x: f32[6], %lo: f32[6], %hi: f32[6]) { %y = prim::clamp(%x, %lo, %hi) return %y }",
     {"-5 0.5 5 2 nan 1", "-1 -1 -1 3 0 nan", "1 1 1 1 1 2"}, {"-1 0.5 1 1 nan nan"}},
    {"example.mod_takes_the_divisor_s_sign",
     "(%a: f32[6], %b: f32[6]) { %m = prim::mod(%a, %b) %r = prim::rem(%a, %b) return %m, %r }",
     {"-7 7 -6 6 -1 5", "3 -3 3 -3 inf 0"}, {"2 -2 0 -0.0 inf nan", "-1 1 -0.0 0 -1 nan"}},
    {"example.bool_logic",
     "(%a: bool[4], %b: bool[4]) { %x = prim::xor(%a, %b) %n = prim::not(%a) %m = prim::max(%a, %b)"
     " %l = prim::lt(%a, %b) return %x, %n, %m, %l }",
     {"false false true true", "false true false true"},
     {"false true true false", "true true false false", "false true true true",
      "false true false false"}},
    {"example.constants",
     "() { %a = prim::constant(value=300, dtype=u8) %b = prim::constant(value=-1.5, dtype=i32)"
     " %c = prim::constant(value=0.1, dtype=bf16) %d = prim::constant(value=true, dtype=f64)"
     " %e = prim::constant(value=nan, dtype=i16) return %a, %b, %c, %d, %e }",
     {0}, {"44", "-1", "0.10009765625", "1", "0"}},
};
/* clang-format on */
const uint32_t tn_examples_other_count = sizeof tn_examples_other / sizeof tn_examples_other[0];
