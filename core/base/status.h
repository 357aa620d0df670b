/* A result that costs nothing when it is good: NULL. A failure carries a code
 * and a message; the receiver owns it, and frees it or passes it on. Creating
 * one never fails: without memory a static, message-less status stands in. */
#ifndef TN_BASE_STATUS_H
#define TN_BASE_STATUS_H

#include <stdarg.h>

#include "tenon/tenon.h" /* tn_status, tn_code */

#define TN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TN_MUST_USE __attribute__((warn_unused_result))
/* Lets the compiler see that what follows a TN_TRY was initialized. */
#define TN_FAILS __attribute__((returns_nonnull))

/* "code: message" is for people; say what was expected and what was found. */
TN_MUST_USE tn_status tn_status_make(tn_code code, const char *fmt, ...) TN_PRINTF(2, 3) TN_FAILS;
TN_MUST_USE tn_status tn_status_makev(tn_code code, const char *fmt, va_list args)
    TN_PRINTF(2, 0) TN_FAILS;
/* For a failed system call: the message, then ": " and what error (an errno)
 * means. ENOENT is TN_NOT_FOUND, ENOMEM is TN_NO_MEMORY, others are TN_IO. */
TN_MUST_USE tn_status tn_status_from_errno(int error, const char *fmt, ...)
    TN_PRINTF(2, 3) TN_FAILS;
/* Prefixes the message ("plugin x.so: op ns::f: ..."). Takes and returns
 * ownership; NULL stays NULL. */
TN_MUST_USE tn_status tn_status_annotate(tn_status status, const char *fmt, ...) TN_PRINTF(2, 3);
/* The status for a failed allocation. */
TN_MUST_USE tn_status tn_status_no_memory(void) TN_FAILS;
/* Keeps the first failure: frees `later` when `first` is already one. */
TN_MUST_USE tn_status tn_status_join(tn_status first, tn_status later);
/* Drops a failure on purpose. */
void tn_status_ignore(tn_status status);

#define TN_TRY(expr)                                                                               \
    do {                                                                                           \
        tn_status tn_try_status_ = (expr);                                                         \
        if (__builtin_expect(tn_try_status_ != NULL, 0)) return tn_try_status_;                    \
    } while (0)
/* The same for functions that must clean up: sets `status` and jumps. */
#define TN_TRY_GOTO(status, expr, label)                                                           \
    do {                                                                                           \
        if (__builtin_expect(((status) = (expr)) != NULL, 0)) goto label;                          \
    } while (0)

#endif
