#include "device/cpu/object_file.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "base/allocator.h"
#include "base/file.h"
#include "scratch.h"

static const tn_digest key = {1, 2};

/* This test program is position-independent, and so an object like any other. */
static void read_image(tn_blob *out) {
    expect_ok(tn_file_read(tn_allocator_system(), "/proc/self/exe", out));
}

/* image and trailer, as published */
static char *make_entry(const tn_blob *image, size_t *out_size) {
    tn_cpu_object_trailer trailer;
    tn_cpu_object_seal(image->data, image->size, key, &trailer);
    *out_size = image->size + sizeof trailer;
    char *file = malloc(*out_size);
    cr_assert_not_null(file);
    memcpy(file, image->data, image->size);
    memcpy(file + image->size, &trailer, sizeof trailer);
    return file;
}

Test(object_file, a_whole_entry_passes) {
    tn_blob image;
    read_image(&image);
    expect_ok(tn_cpu_object_image_check(image.data, image.size));
    size_t size;
    char *file = make_entry(&image, &size);
    expect_ok(tn_cpu_object_file_check(file, size, key));
    free(file);
    tn_blob_deinit(&image);
}

Test(object_file, every_damage_is_seen) {
    tn_blob image;
    read_image(&image);
    size_t size;
    char *file = make_entry(&image, &size);
    for (size_t i = 0; i < 200; i++) { /* cut anywhere */
        size_t cut = size - 1 - i * (size / 200);
        tn_status status = tn_cpu_object_file_check(file, cut, key);
        cr_assert_not_null(status, "cut to %zu of %zu passed", cut, size);
        tn_status_free(status);
    }
    for (size_t i = 0; i < 200; i++) { /* one bit anywhere, the trailer included */
        size_t at = i < 64 ? size - 1 - i : i * (size / 200);
        file[at] ^= 0x10;
        tn_status status = tn_cpu_object_file_check(file, size, key);
        cr_assert_not_null(status, "a changed byte at %zu of %zu passed", at, size);
        tn_status_free(status);
        file[at] ^= 0x10;
    }
    expect_ok(tn_cpu_object_file_check(file, size, key));
    expect_failure(tn_cpu_object_file_check(file, size, (tn_digest){1, 3}), TN_PARSE,
                   "another key");
    free(file);
    tn_blob_deinit(&image);
}

Test(object_file, image_check_names_what_is_wrong) {
    tn_blob image;
    read_image(&image);
    Elf64_Ehdr header, bent;
    memcpy(&header, image.data, sizeof header);
    struct {
        const char *says;
        Elf64_Ehdr header;
    } cases[6];
    for (int i = 0; i < 6; i++)
        cases[i].header = header;
    cases[0].says = "magic", cases[0].header.e_ident[1] = 'X';
    cases[1].says = "word size", cases[1].header.e_ident[EI_CLASS] = ELFCLASS32;
    cases[2].says = "another machine", cases[2].header.e_machine = EM_SPARC;
    cases[3].says = "not a shared object", cases[3].header.e_type = ET_REL;
    cases[4].says = "past the end", cases[4].header.e_phoff = UINT64_MAX - 8;
    cases[5].says = "no program headers", cases[5].header.e_phnum = 0;
    for (int i = 0; i < 6; i++) {
        bent = cases[i].header;
        memcpy(image.data, &bent, sizeof bent);
        expect_failure(tn_cpu_object_image_check(image.data, image.size), TN_PARSE, cases[i].says);
    }
    memcpy(image.data, &header, sizeof header);
    expect_failure(tn_cpu_object_image_check(image.data, 2000), TN_PARSE, "cut off");
    expect_failure(tn_cpu_object_image_check(image.data, 10), TN_PARSE, "shorter");
    expect_failure(tn_cpu_object_image_check("", 0), TN_PARSE, "shorter");
    tn_blob_deinit(&image);
}
