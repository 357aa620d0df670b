/* Golden files: each holds an input, a line "====", and the output expected of it.
 * `TENON_BLESS=1 ctest -R NAME` writes what came out into the files instead of
 * comparing; look at the diff before committing it. Knows no test framework. */
#ifndef TN_TESTS_GOLDEN_H
#define TN_TESTS_GOLDEN_H

#include "base/strbuf.h"

/* Appends the output for an input; file is its name without the folder. A status
 * is the output, too: its message. */
typedef tn_status (*tn_golden_fn)(void *self, const char *file, const char *input, size_t length,
                                  tn_strbuf *out);

/* Runs the files of the folder that end in .SUFFIX, in order of name. report receives what differs,
 * and an error when there are no such files; empty when all is well. */
void tn_golden_run(const char *folder, const char *suffix, tn_golden_fn fn, void *self,
                   tn_strbuf *report);

#endif
