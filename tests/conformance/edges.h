/* Values at the edges of each dtype, for every test that goes over them. */
#ifndef TN_TESTS_CONFORMANCE_EDGES_H
#define TN_TESTS_CONFORMANCE_EDGES_H

#include "ir/dtype.h"

enum { TN_EDGES_MAX = 56 };
/* Already rounded or wrapped to dt; some may coincide. Returns how many. */
int tn_edges(tn_dt dt, tn_scalar out[TN_EDGES_MAX]);

#endif
