/* Reductions and matmul: whole numbers, whose sums are exact in any order, and
 * arbitrary ones, within what reordering may change. */
#include "check.h"

#define ROW(name_, domain_, source_, closeness_, inputs_, body_)                                   \
    {                                                                                              \
        .name = name_, .inputs = inputs_, .body = body_, .outputs = "%y$", .domain = domain_,      \
        .sources = {source_, source_, source_}, .closeness = closeness_                            \
    }
#define SMALL(name_, inputs_, body_)                                                               \
    ROW(name_, TN_ON_NUMBER, TN_FROM_SMALL, TN_CLOSE_EXACT, inputs_, body_)
#define ANY(name_, domain_, inputs_, body_)                                                        \
    ROW(name_, domain_, TN_FROM_MIXED, TN_CLOSE_EXACT, inputs_, body_)
#define RANDOM(name_, inputs_, body_)                                                              \
    ROW(name_, TN_ON_FLOAT, TN_FROM_RANDOM, TN_CLOSE_SUM, inputs_, body_)
#define ARG(name_, source_, inputs_, body_)                                                        \
    ROW(name_, TN_ON_ANY, source_, TN_CLOSE_EXACT, inputs_, body_)
#define MEAN_VAR(name_, source_, inputs_, body_)                                                   \
    {                                                                                              \
        .name = name_, .inputs = inputs_, .body = body_, .outputs = "%m$, %v$",                    \
        .domain = TN_ON_FLOAT, .sources = {source_}, .closeness = TN_CLOSE_SUM                     \
    }

/* clang-format off */
const tn_sweep tn_sweeps_reduce[] = {
    SMALL("reduce.sum_last", "%x$: {T}[5,37]", "%y$ = prim::sum(%x$, axes=[1])"),
    SMALL("reduce.sum_first", "%x$: {T}[37,5]", "%y$ = prim::sum(%x$, axes=[0])"),
    SMALL("reduce.sum_all", "%x$: {T}[6,7,8]", "%y$ = prim::sum(%x$, axes=[0,1,2])"),
    SMALL("reduce.sum_unsorted", "%x$: {T}[6,7,8]", "%y$ = prim::sum(%x$, axes=[2,0])"),
    SMALL("reduce.sum_middle", "%x$: {T}[6,7,8]", "%y$ = prim::sum(%x$, axes=[1])"),
    SMALL("reduce.sum_no_axis", "%x$: {T}[3,4]", "%y$ = prim::sum(%x$, axes=[])"),
    SMALL("reduce.sum_0d", "%x$: {T}[]", "%y$ = prim::sum(%x$, axes=[])"),
    SMALL("reduce.sum_strided", "%x$: {T}[9,21] strides=[1,-9]", "%y$ = prim::sum(%x$, axes=[1])"),
    SMALL("reduce.sum_repeated", "%x$: {T}[9,21] strides=[0,1]", "%y$ = prim::sum(%x$, axes=[0])"),
    SMALL("reduce.sum_of_nothing", "%x$: {T}[0,3]", "%y$ = prim::sum(%x$, axes=[0])"),
    SMALL("reduce.sum_no_results", "%x$: {T}[0,3]", "%y$ = prim::sum(%x$, axes=[1])"),
    SMALL("reduce.sum_long", "%x$: {T}[2,1003]", "%y$ = prim::sum(%x$, axes=[1])"),
    SMALL("reduce.prod", "%x$: {T}[7,9]", "%y$ = prim::prod(%x$, axes=[1])"),
    SMALL("reduce.prod_of_nothing", "%x$: {T}[2,0]", "%y$ = prim::prod(%x$, axes=[1])"),
    RANDOM("reduce.sum_random", "%x$: {T}[11,259]", "%y$ = prim::sum(%x$, axes=[1])"),
    RANDOM("reduce.sum_random_first", "%x$: {T}[259,11]", "%y$ = prim::sum(%x$, axes=[0])"),
    RANDOM("reduce.prod_random", "%x$: {T}[3,9]", "%y$ = prim::prod(%x$, axes=[1])"),
    ANY("reduce.max", TN_ON_ANY, "%x$: {T}[40,5]", "%y$ = prim::reduce_max(%x$, axes=[1])"),
    ANY("reduce.max_first", TN_ON_ANY, "%x$: {T}[3,70]", "%y$ = prim::reduce_max(%x$, axes=[0])"),
    ANY("reduce.max_long", TN_ON_ANY, "%x$: {T}[3,70]", "%y$ = prim::reduce_max(%x$, axes=[1])"),
    ANY("reduce.max_of_nothing", TN_ON_ANY, "%x$: {T}[3,0]",
        "%y$ = prim::reduce_max(%x$, axes=[1])"),
    ANY("reduce.min", TN_ON_ANY, "%x$: {T}[40,5]", "%y$ = prim::reduce_min(%x$, axes=[1])"),
    ANY("reduce.min_strided", TN_ON_ANY, "%x$: {T}[40,5] strides=[-1,40]",
        "%y$ = prim::reduce_min(%x$, axes=[1])"),
    ANY("reduce.min_of_nothing", TN_ON_ANY, "%x$: {T}[3,0]",
        "%y$ = prim::reduce_min(%x$, axes=[1])"),
    ANY("reduce.any", TN_ON_BOOL, "%x$: {T}[50,2]", "%y$ = prim::any(%x$, axes=[1])"),
    ANY("reduce.all", TN_ON_BOOL, "%x$: {T}[2,50]", "%y$ = prim::all(%x$, axes=[0])"),
    ANY("reduce.any_of_nothing", TN_ON_BOOL, "%x$: {T}[2,0]", "%y$ = prim::any(%x$, axes=[1])"),
    ANY("reduce.all_of_nothing", TN_ON_BOOL, "%x$: {T}[2,0]", "%y$ = prim::all(%x$, axes=[1])"),
    ARG("reduce.argmax", TN_FROM_MIXED, "%x$: {T}[40,6]", "%y$ = prim::argmax(%x$, axis=1)"),
    ARG("reduce.argmax_ties", TN_FROM_SMALL, "%x$: {T}[9,67]", "%y$ = prim::argmax(%x$, axis=1)"),
    ARG("reduce.argmax_first", TN_FROM_SMALL, "%x$: {T}[67,9]", "%y$ = prim::argmax(%x$, axis=0)"),
    ARG("reduce.argmin", TN_FROM_MIXED, "%x$: {T}[40,6]", "%y$ = prim::argmin(%x$, axis=1)"),
    ARG("reduce.argmin_ties", TN_FROM_SMALL, "%x$: {T}[9,67]", "%y$ = prim::argmin(%x$, axis=1)"),
    ARG("reduce.argmin_middle", TN_FROM_SMALL, "%x$: {T}[3,17,4]",
        "%y$ = prim::argmin(%x$, axis=1)"),
    ARG("reduce.argmax_strided", TN_FROM_SMALL, "%x$: {T}[9,17] strides=[1,-9]",
        "%y$ = prim::argmax(%x$, axis=1)"),
    ARG("reduce.argmax_one", TN_FROM_MIXED, "%x$: {T}[5,1]", "%y$ = prim::argmax(%x$, axis=1)"),
    ARG("reduce.argmax_no_results", TN_FROM_MIXED, "%x$: {T}[0,5]",
        "%y$ = prim::argmax(%x$, axis=1)"),
    MEAN_VAR("reduce.mean_var", TN_FROM_RANDOM, "%x$: {T}[5,133]",
             "%m$, %v$ = prim::mean_var(%x$, axes=[1], correction=1)"),
    MEAN_VAR("reduce.mean_var_first", TN_FROM_RANDOM, "%x$: {T}[133,5]",
             "%m$, %v$ = prim::mean_var(%x$, axes=[0], correction=0)"),
    MEAN_VAR("reduce.mean_var_all", TN_FROM_RANDOM, "%x$: {T}[4,5,6]",
             "%m$, %v$ = prim::mean_var(%x$, axes=[0,2,1], correction=0)"),
    MEAN_VAR("reduce.mean_var_one", TN_FROM_RANDOM, "%x$: {T}[5,1]",
             "%m$, %v$ = prim::mean_var(%x$, axes=[1], correction=1)"),
    MEAN_VAR("reduce.mean_var_few", TN_FROM_RANDOM, "%x$: {T}[5,2]",
             "%m$, %v$ = prim::mean_var(%x$, axes=[1], correction=5)"),
    MEAN_VAR("reduce.mean_var_of_nothing", TN_FROM_RANDOM, "%x$: {T}[5,0]",
             "%m$, %v$ = prim::mean_var(%x$, axes=[1], correction=0)"),
    SMALL("matmul.small", "%a$: {T}[2,3], %b$: {T}[3,4]", "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.tails", "%a$: {T}[19,33], %b$: {T}[33,21]", "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.batched", "%a$: {T}[2,3,4,5], %b$: {T}[2,3,5,6]",
          "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.row", "%a$: {T}[1,65], %b$: {T}[65,9]", "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.column", "%a$: {T}[9,65], %b$: {T}[65,1]", "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.transposed", "%a$: {T}[7,9] strides=[1,7], %b$: {T}[9,8] strides=[1,9]",
          "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.strided", "%a$: {T}[3,7,9] strides=[0,-9,1], %b$: {T}[3,9,8] strides=[72,0,2]",
          "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.no_terms", "%a$: {T}[2,0], %b$: {T}[0,3]", "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.nothing", "%a$: {T}[0,2], %b$: {T}[2,3]", "%y$ = prim::matmul(%a$, %b$)"),
    SMALL("matmul.no_batch", "%a$: {T}[0,2,2], %b$: {T}[0,2,2]", "%y$ = prim::matmul(%a$, %b$)"),
    RANDOM("matmul.random", "%a$: {T}[17,129], %b$: {T}[129,31]", "%y$ = prim::matmul(%a$, %b$)"),
    ROW("matmul.integers_wrap", TN_ON_INT, TN_FROM_RANDOM, TN_CLOSE_EXACT,
        "%a$: {T}[5,17], %b$: {T}[17,6]", "%y$ = prim::matmul(%a$, %b$)"),
    ROW("reduce.integers_wrap", TN_ON_INT, TN_FROM_RANDOM, TN_CLOSE_EXACT, "%x$: {T}[5,61]",
        "%s$ = prim::sum(%x$, axes=[1])\n  %p$ = prim::prod(%x$, axes=[1])\n"
        "  %y$ = prim::sub(%s$, %p$)"),
};
/* clang-format on */
const uint32_t tn_sweeps_reduce_count = sizeof tn_sweeps_reduce / sizeof tn_sweeps_reduce[0];
