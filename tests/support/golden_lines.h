/* Golden files of many short cases (golden.h has files of one long case):
 *
 *   # A comment; blank lines are kept.
 *   < input, one or more lines
 *   > what it gives, any number of lines
 *
 * With TENON_BLESS=1 in the environment the file is rewritten with what comes out
 * now, comments kept, and the check passes: read the diff before committing. */
#ifndef TN_TESTS_GOLDEN_LINES_H
#define TN_TESTS_GOLDEN_LINES_H

#include <stddef.h>

#include "base/strbuf.h"

/* Appends what the input gives; a last line break is added when it lacks one. */
typedef void (*tn_golden_lines_fn)(void *self, const char *input, size_t length, tn_strbuf *out);

/* Runs every case of the file. NULL when all are as written; else what differs,
 * with the line of each, lent until the next call on this thread. The number of
 * cases goes to out_cases. */
const char *tn_golden_lines_check(const char *path, tn_golden_lines_fn fn, void *self,
                                  unsigned *out_cases);

#endif
