/* Quotients that are not the primitive div. Operands have one dtype and shape. */
#ifndef TN_ELEMENTWISE_QUOTIENT_H
#define TN_ELEMENTWISE_QUOTIENT_H

#include "tenon/lower.h"

/* The quotient rounded down; right also where x / y, rounded, has reached the next
 * integer. Takes integers and floats. */
tn_value tn__quotient_floor(const tn_lower_context *l, tn_value x, tn_value y);

#endif
