/* What every elementwise primitive means, written a second time and otherwise:
 * floats in long double or by cases, integers in __int128. */
#ifndef TN_TESTS_PRIM_MODEL_H
#define TN_TESTS_PRIM_MODEL_H

#include "ir/prim.h"

/* The float result, not yet rounded to the compute type. Whether it is exact, so
 * that rounding it gives the one right answer, goes to out_exact. */
long double tn_model_float(uint32_t prim, tn_dt dt, const double *x, bool *out_exact);
/* The integer or bool result before it wraps. */
__int128 tn_model_int(uint32_t prim, tn_dt dt, const __int128 *x);
/* The result of a primitive that returns bool, on floats. */
bool tn_model_float_bool(uint32_t prim, const double *x);

#endif
