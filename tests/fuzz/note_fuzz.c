/* Bytes as a plugin file, and as the text of a note. Whatever they are, inspection
 * answers: a description or an error with a message, within the bytes, and again
 * the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "loader/inspect.h"
#include "loader/note_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
    if (!holds) abort();
}

static void check_failure(tn_status status) {
    check(tn_status_code(status) != TN_INTERNAL && tn_status_message(status)[0] != '\0');
    tn_status_free(status);
}

static void as_file(const uint8_t *data, size_t size) {
    tn_manifest *m, *again;
    tn_status status = tn_manifest_parse(tn_allocator_system(), "/fuzz/x.so", data, size, &m);
    if (status) {
        check(m == NULL);
        check_failure(status);
        return;
    }
    check(m->info.name[0] && m->info.version[0] && strlen(m->info.sha256) == 64);
    for (uint32_t i = 0; i < m->info.n_ops; i++) {
        check(m->info.schemas[i][0] != '\0');
    }
    check((m->problem_code == TN_OK) == (m->info.problem[0] == '\0'));
    check(tn_manifest_parse(tn_allocator_system(), "/fuzz/x.so", data, size, &again) == NULL);
    check(strcmp(m->info.problem, again->info.problem) == 0);
    check(strcmp(m->info.build_id, again->info.build_id) == 0);
    tn_manifest_free(again);
    tn_manifest_free(m);
}

static void as_note(const uint8_t *data, size_t size) {
    tn_arena arena;
    tn_arena_init(&arena, tn_allocator_system());
    tn_note_text note;
    tn_status status = tn_note_text_parse((const char *)data, size, &arena, &note);
    if (status) {
        check_failure(status);
    } else {
        check(note.plugin[0] && note.version[0]);
        check(strlen(note.plugin) + strlen(note.version) < size);
        for (uint32_t i = 0; i < note.n_schemas; i++) {
            check(strchr(note.schemas[i], '\n') == NULL);
        }
    }
    tn_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    as_file(data, size);
    as_note(data, size);
    return 0;
}
