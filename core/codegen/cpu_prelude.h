/* The start of a generated C file: what of core/codegen/prelude the rest of the
 * file uses. The text lies in this library; cpu_core.inc says what it offers. */
#ifndef TN_CODEGEN_CPU_PRELUDE_H
#define TN_CODEGEN_CPU_PRELUDE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Appends the sections that define the names (tn_..., TN_...) which code uses,
 * and what those need: compiling all of it would cost more than a kernel. The
 * same names in any order give the same text. lanes fixes TN_W (4, 8 or 16, at
 * most what the target's registers hold of f32); 0 leaves it to the target. code
 * need not be complete C. Names that are not the prelude's are left alone. */
TN_MUST_USE tn_status tn_cpu_prelude_append(tn_strbuf *out, uint32_t lanes, const char *code,
                                            size_t length);

/* The whole text. */
const char *tn_cpu_prelude_text(size_t *out_length);

#endif
