/* The runtime's tn_judge: asks the accept functions of kernels and templates. */
#ifndef TN_RUNTIME_JUDGE_H
#define TN_RUNTIME_JUDGE_H

#include "ir/judge.h"
#include "runtime/runtime.h"

/* self of the judge; lives as long as it. */
typedef struct tn_asker {
    tn_runtime *rt;
    uint32_t flags; /* TN_RUN_... */
} tn_asker;
tn_judge tn_judge_make(tn_asker *asker);

#endif
