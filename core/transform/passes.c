#include "transform/passes.h"

const tn_pass *tn_passes(uint32_t *out_count) {
    static const tn_pass passes[] = {
        {"bind", "sizes and types of every value", NULL, true},
        {"decompose", "ops in terms of other ops", tn_pass_decompose, true},
        {"lower", "lowerings take the place of ops", tn_pass_lower, true},
        {"prune", "what nobody uses is gone", tn_pass_prune, true},
        {"legalize", "mean_var and matmul as loops know them", tn_pass_legalize, false},
        {"simplify", "exact rewrites, constants folded", tn_pass_simplify, false},
        {"split", "long reductions in two steps", tn_pass_split, false},
    };
    *out_count = sizeof passes / sizeof passes[0];
    return passes;
}
