#include "loader/mapped.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "tenon/note.h"

enum { GNU_BUILD_ID = 3 };

typedef struct probe {
    const tn_manifest *manifest;
    uintptr_t base;
    const char *name;
    bool is_found, same_note, same_build_id;
} probe;

static bool is_loaded(const struct dl_phdr_info *object, const ElfW(Phdr) * segment) {
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *load = &object->dlpi_phdr[i];
        if (load->p_type == PT_LOAD && segment->p_vaddr >= load->p_vaddr &&
            segment->p_memsz <= load->p_memsz &&
            segment->p_vaddr - load->p_vaddr <= load->p_memsz - segment->p_memsz) {
            return true;
        }
    }
    return false;
}

static bool is_hex_of(const char *hex, const unsigned char *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    if (strlen(hex) != 2 * size) return false;
    for (size_t i = 0; i < size; i++) {
        if (hex[2 * i] != digits[bytes[i] >> 4] || hex[2 * i + 1] != digits[bytes[i] & 15]) {
            return false;
        }
    }
    return true;
}

static void look_at_note(probe *p, const ElfW(Nhdr) * note, const char *owner, const char *text) {
    if (note->n_type == TN_NOTE_TYPE && note->n_namesz == sizeof TN_NOTE_OWNER &&
        memcmp(owner, TN_NOTE_OWNER, sizeof TN_NOTE_OWNER) == 0) {
        p->same_note = note->n_descsz == p->manifest->note_size &&
                       memcmp(text, p->manifest->note, note->n_descsz) == 0;
    } else if (note->n_type == GNU_BUILD_ID && note->n_namesz == sizeof "GNU" &&
               memcmp(owner, "GNU", sizeof "GNU") == 0) {
        p->same_build_id = is_hex_of(p->manifest->info.build_id, (const unsigned char *)text,
                                     note->n_descsz);
    }
}

static size_t padded(size_t size, size_t alignment) {
    return (size + alignment - 1) & ~(alignment - 1);
}

/* The file's notes were walked by libelf already; these are the same bytes, or
 * those of an older file that passed the same checks. */
static void look_at_notes(probe *p, const char *at, size_t size, size_t alignment) {
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t text_at = padded(sizeof note + note.n_namesz, alignment);
        size_t next = padded(text_at + note.n_descsz, alignment);
        if (text_at > size || note.n_descsz > size - text_at) return;
        look_at_note(p, &note, at + sizeof note, at + text_at);
        if (next >= size) return;
        at += next;
        size -= next;
    }
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *self) {
    (void)size;
    probe *p = self;
    if (object->dlpi_addr != p->base || strcmp(object->dlpi_name, p->name) != 0) return 0;
    p->is_found = true;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE || !is_loaded(object, segment)) continue;
        look_at_notes(p, (const char *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz,
                      segment->p_align == 8 ? 8 : 4);
    }
    return 1;
}

tn_status tn__mapped_check(void *handle, const tn_manifest *manifest) {
    const char *path = manifest->info.path;
    struct link_map *map;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        return tn_status_make(TN_INTERNAL, "plugin %s: %s", path, dlerror());
    }
    probe p = {.manifest = manifest,
               .base = map->l_addr,
               .name = map->l_name,
               .same_build_id = manifest->info.build_id[0] == '\0'};
    dl_iterate_phdr(look_at_object, &p);
    if (p.is_found && p.same_note && p.same_build_id) return NULL;
    return tn_status_make(TN_BUSY,
                          "plugin %s: an earlier content of this file is still mapped in this "
                          "process, and code that others may call is never unmapped; start a new "
                          "process, or load it under another path",
                          path);
}
