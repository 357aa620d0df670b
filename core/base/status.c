#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A status outlives the context whose allocator it would otherwise need, and
 * tn_status_free is given no allocator: statuses alone come from the C heap. */
#undef malloc
#undef free

struct tn_error {
    tn_code code;
    bool immortal;
    const char *message; /* in the same block, unless immortal */
};

/* Stand in when there is no memory for a message: one for each code, so that
 * at least the code survives. */
#define IMMORTAL_ERROR(name, value, text) {value, true, text},
static struct tn_error immortal_errors[] = {TN_CODE_LIST(IMMORTAL_ERROR)};
enum { IMMORTAL_COUNT = sizeof immortal_errors / sizeof immortal_errors[0] };

static tn_status immortal_error(tn_code code) {
    for (size_t i = 1; i < IMMORTAL_COUNT; i++) {
        if (immortal_errors[i].code == code) return &immortal_errors[i];
    }
    return immortal_error(TN_INTERNAL);
}

/* suffix is appended as it is. */
TN_PRINTF(2, 0)
static tn_status make_error(tn_code code, const char *fmt, va_list args, const char *suffix) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    size_t suffix_size = strlen(suffix) + 1;
    struct tn_error *error = NULL;
    if (length >= 0) error = malloc(sizeof *error + (size_t)length + suffix_size);
    if (!error) return immortal_error(code);
    char *message = (char *)(error + 1);
    vsnprintf(message, (size_t)length + 1, fmt, args);
    memcpy(message + length, suffix, suffix_size);
    *error = (struct tn_error){.code = code == TN_OK ? TN_INTERNAL : code, .message = message};
    return error;
}

tn_status tn_status_makev(tn_code code, const char *fmt, va_list args) {
    return make_error(code, fmt, args, "");
}

tn_status tn_status_make(tn_code code, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    tn_status status = make_error(code, fmt, args, "");
    va_end(args);
    return status;
}

tn_status tn_status_from_errno(int error, const char *fmt, ...) {
    char buffer[128];
    const char *reason = strerror_r(error, buffer, sizeof buffer);
    char suffix[160];
    snprintf(suffix, sizeof suffix, ": %s", reason);
    tn_code code = error == ENOENT ? TN_NOT_FOUND : error == ENOMEM ? TN_NO_MEMORY : TN_IO;
    va_list args;
    va_start(args, fmt);
    tn_status status = make_error(code, fmt, args, suffix);
    va_end(args);
    return status;
}

tn_status tn_status_annotate(tn_status status, const char *fmt, ...) {
    if (!status) return NULL;
    va_list args;
    va_start(args, fmt);
    tn_status annotated = make_error(status->code, fmt, args, status->message);
    va_end(args);
    /* Without memory the message that is there is worth more than none. */
    if (annotated->immortal) return status;
    tn_status_free(status);
    return annotated;
}

tn_status tn_status_no_memory(void) {
    return immortal_error(TN_NO_MEMORY);
}

tn_status tn_status_join(tn_status first, tn_status later) {
    if (!first) return later;
    tn_status_free(later);
    return first;
}

void tn_status_ignore(tn_status status) {
    tn_status_free(status);
}

tn_code tn_status_code(tn_status status) {
    return status ? status->code : TN_OK;
}

const char *tn_status_message(tn_status status) {
    return status ? status->message : tn_code_text(TN_OK);
}

void tn_status_free(tn_status status) {
    if (status && !status->immortal) free(status);
}

const char *tn_code_text(tn_code code) {
    switch (code) {
#define CODE_TEXT(name, value, text)                                                               \
    case TN_##name: return text;
        TN_CODE_LIST(CODE_TEXT)
#undef CODE_TEXT
    default: return "unknown code";
    }
}
