/* A shared object as bytes: what its program headers say, with every offset
 * checked against the size of the file. None of its code runs. Works on any
 * bytes. Private to loader. */
#ifndef TN_LOADER_ELF_IMAGE_H
#define TN_LOADER_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct tn_elf_image {
    const char *bytes; /* borrowed */
    size_t size;
    Elf *elf;
    size_t n_segments;
    /* From the dynamic section. Offsets are into bytes; sizes are what there is
     * at most. A count of symbols of 0 means that it is not known. */
    const char *strings;
    size_t strings_size;
    uint64_t symbols;
    uint64_t n_symbols;
    const char *rpath, *runpath; /* NULL when there is none */
    uint64_t dynamic, dynamic_size;
} tn_elf_image;

/* Checks that the file is a whole shared object for this machine: kind, class,
 * byte order, machine, type, and that nothing it loads lies beyond its end. Its
 * bytes are only read. PARSE or UNSUPPORTED, without the file's name. */
TN_MUST_USE tn_status tn__elf_open(tn_elf_image *image, const void *bytes, size_t size);
void tn__elf_close(tn_elf_image *image);

/* The note number `nth` (from 0) of this owner and type. False when there are not
 * so many, or when the notes are damaged there. */
bool tn__elf_note(const tn_elf_image *image, const char *owner, uint32_t type, unsigned nth,
                  const char **out_text, size_t *out_size);

/* A string of the dynamic string table; NULL when it is not one. */
const char *tn__elf_string(const tn_elf_image *image, uint64_t offset);
/* The name of the library number `nth` (from 0) that the object needs; NULL after
 * the last. */
const char *tn__elf_needed(const tn_elf_image *image, unsigned nth);
/* Dynamic symbol number `index`; false when it is not readable. */
bool tn__elf_symbol(const tn_elf_image *image, uint64_t index, GElf_Sym *out_symbol,
                    const char **out_name);

#endif
