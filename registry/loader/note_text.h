/* The text inside a plugin's ELF note (its format: tenon/note.h). Works on any
 * bytes. */
#ifndef TN_LOADER_NOTE_TEXT_H
#define TN_LOADER_NOTE_TEXT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

typedef struct tn_note_text {
    const char *plugin, *version;
    uint32_t abi, pointer_size, cuda_major;
    const char *sms, *sanitizer; /* "" when not stated */
    const char **requires_ns;    /* "tn 1" */
    uint32_t n_requires;
    const char **schemas; /* as written */
    uint32_t n_schemas;
} tn_note_text;

/* text is NUL-terminated within size. Everything in *out_note comes from the
 * arena. PARSE names the line; UNSUPPORTED for a format or a must-know key that
 * is younger than this build. Schemas are not parsed here. */
TN_MUST_USE tn_status tn_note_text_parse(const char *text, size_t size, tn_arena *arena,
                                         tn_note_text *out_note);

#endif
