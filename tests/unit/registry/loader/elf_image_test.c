/* Shared objects as bytes. */
#include "loader/elf_image.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "base/file.h"
#include "loader/entry_symbol.h"
#include "loader/needed.h"
#include "plugins/bad_files.h"

static tn_blob blob;

static void read_plugin(const char *name) {
    cr_assert_null(tn_file_read(tn_allocator_system(), tn_test_plugin(name), &blob));
}

static void open_plugin(tn_elf_image *image, const char *name) {
    read_plugin(name);
    tn_status status = tn__elf_open(image, blob.data, blob.size);
    cr_assert_null(status, "%s", tn_status_message(status));
}

static void close_plugin(tn_elf_image *image) {
    tn__elf_close(image);
    tn_blob_deinit(&blob);
}

static bool has_symbol(const tn_elf_image *image, const char *wanted) {
    GElf_Sym symbol;
    const char *name;
    for (uint64_t i = 0; tn__elf_symbol(image, i, &symbol, &name); i++) {
        if (strcmp(name, wanted) == 0) return true;
    }
    return false;
}

Test(elf_image, a_whole_plugin) {
    tn_elf_image image;
    open_plugin(&image, "dependency_missing");
    cr_assert_gt(image.n_symbols, 1);
    cr_assert(has_symbol(&image, "tenon_plugin_query"));
    cr_assert(has_symbol(&image, "tn_test_gone"));
    cr_assert_not(has_symbol(&image, "adjust"), "a static function is not in the dynamic table");
    bool needs_gone = false;
    for (unsigned i = 0; tn__elf_needed(&image, i); i++) {
        needs_gone |= strcmp(tn__elf_needed(&image, i), "libtn_test_gone.so.3") == 0;
    }
    cr_assert(needs_gone);
    const char *text;
    size_t size;
    cr_assert(tn__elf_note(&image, "Tenon", 1, 0, &text, &size));
    cr_assert_eq(strncmp(text, "tenon-note 1\n", 13), 0);
    cr_assert_eq(text[size - 1], '\0');
    cr_assert_not(tn__elf_note(&image, "Tenon", 1, 1, &text, &size));
    cr_assert_not(tn__elf_note(&image, "Tenon", 2, 0, &text, &size));
    cr_assert_not(tn__elf_note(&image, "Teno", 1, 0, &text, &size));
    cr_assert(tn__elf_note(&image, "GNU", 3, 0, &text, &size));
    cr_assert_eq(size, 20);
    cr_assert_null(tn__elf_string(&image, UINT64_MAX));
    close_plugin(&image);
}

/* Symbols are counted by whichever hash table there is. */
Test(elf_image, both_kinds_of_hash_table) {
    tn_elf_image image;
    open_plugin(&image, "older");
    cr_assert(has_symbol(&image, "tenon_plugin_query"));
    close_plugin(&image);
    open_plugin(&image, "newer");
    cr_assert(has_symbol(&image, "tenon_plugin_query"));
    close_plugin(&image);
}

Test(elf_image, machines_have_names) {
    static const struct {
        uint16_t machine;
        const char *name;
    } machines[] = {{EM_386, "for i386"},        {EM_X86_64, "for x86-64"},
                    {EM_ARM, "for 32-bit ARM"},  {EM_AARCH64, "for AArch64"},
                    {EM_RISCV, "for RISC-V"},    {EM_PPC64, "for PowerPC64"},
                    {EM_CUDA, "for a CUDA GPU"}, {EM_MIPS, "for machine number 8"}};
    read_plugin("sample");
    uint16_t own;
    char *field = blob.data + offsetof(Elf64_Ehdr, e_machine);
    memcpy(&own, field, sizeof own);
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        memcpy(field, &machines[i].machine, sizeof own);
        tn_elf_image image;
        tn_status status = tn__elf_open(&image, blob.data, blob.size);
        if (machines[i].machine == own) {
            cr_assert_null(status);
            tn__elf_close(&image);
            continue;
        }
        cr_assert_eq(tn_status_code(status), TN_UNSUPPORTED);
        cr_assert_not_null(strstr(tn_status_message(status), machines[i].name), "%s",
                           tn_status_message(status));
        tn_status_free(status);
    }
    tn_blob_deinit(&blob);
}

Test(elf_image, missing_libraries_are_named) {
    tn_elf_image image;
    tn_strbuf missing;
    tn_strbuf_init(&missing, tn_allocator_system());
    open_plugin(&image, "dependency_missing");
    cr_assert_null(tn__needed_find_missing(tn_allocator_system(), &image, "/x/y.so", &missing));
    cr_assert_str_eq(tn_strbuf_cstr(&missing), "libtn_test_gone.so.3");
    tn_strbuf_clear(&missing);
    /* Beside the object, once it says that it looks there. */
    image.runpath = "/nowhere::$ORIGIN/gone";
    char path[512];
    snprintf(path, sizeof path, "%s", tn_test_plugin("dependency_missing"));
    cr_assert_null(tn__needed_find_missing(tn_allocator_system(), &image, path, &missing));
    cr_assert_str_eq(tn_strbuf_cstr(&missing), "");
    image.runpath = "/nowhere:$LIB/what";
    cr_assert_null(tn__needed_find_missing(tn_allocator_system(), &image, path, &missing));
    cr_assert_str_eq(tn_strbuf_cstr(&missing), "", "in doubt it counts as found");
    close_plugin(&image);
    open_plugin(&image, "sample");
    cr_assert_null(tn__needed_find_missing(tn_allocator_system(), &image, path, &missing));
    cr_assert_str_eq(tn_strbuf_cstr(&missing), "");
    tn_strbuf_deinit(&missing);
    close_plugin(&image);
}

/* strip, and what is left of an object without section headers. */
Test(elf_image, sections_are_not_needed) {
    tn_elf_image image;
    read_plugin("sample");
    Elf64_Ehdr header;
    memcpy(&header, blob.data, sizeof header);
    size_t size = header.e_shoff;
    header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
    memcpy(blob.data, &header, sizeof header);
    cr_assert_null(tn__elf_open(&image, blob.data, size));
    const char *text;
    size_t length;
    cr_assert(tn__elf_note(&image, "Tenon", 1, 0, &text, &length));
    cr_assert_null(tn__entry_symbol_check(&image));
    close_plugin(&image);
}

/* Every byte of the headers changed, one at a time: an answer, and no crash. The
 * fuzz target goes on from here. */
Test(elf_image, damaged_headers, .timeout = 60) {
    read_plugin("sample");
    for (size_t at = 0; at < 1200; at++) {
        char old = blob.data[at];
        for (int bit = 0; bit < 8; bit += 3) {
            blob.data[at] = (char)(old ^ (1 << bit));
            tn_elf_image image;
            tn_status status = tn__elf_open(&image, blob.data, blob.size);
            if (!status) {
                const char *text;
                size_t size;
                if (tn__elf_note(&image, "Tenon", 1, 0, &text, &size) && size) {
                    cr_assert(text >= blob.data && text + size <= blob.data + blob.size);
                }
                for (unsigned i = 0; i < 8 && tn__elf_needed(&image, i); i++)
                    cr_assert(tn__elf_needed(&image, i)[0] < 127);
                tn_status_ignore(tn__entry_symbol_check(&image));
                tn__elf_close(&image);
            }
            tn_status_free(status);
        }
        blob.data[at] = old;
    }
    tn_blob_deinit(&blob);
}
