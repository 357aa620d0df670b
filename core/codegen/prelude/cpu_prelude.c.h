/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole prelude, in order, for what compiles it as a file. */
#include "cpu_core.c.h"

#include "cpu_convert.c.h"

#include "cpu_memory.c.h"

#include "cpu_poly.c.h"

#include "cpu_math_f64.c.h"

#include "cpu_math_f32.c.h"
