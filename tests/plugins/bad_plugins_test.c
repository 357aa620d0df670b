/* Every way that we know in which a plugin can be wrong. Each is refused with an
 * error that names the file and the reason; nothing of it is registered, and the
 * host works on. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocator.h"
#include "loader/load.h"
#include "plugins/bad_files.h"

/* -------------------------------------------------------------- files made here */

typedef bool (*make_fn)(const char *path);

static bool make_nothing(const char *path) {
    return path != NULL;
}
static bool make_folder(const char *path) {
    return mkdir(path, 0755) == 0;
}
static bool make_pipe(const char *path) {
    return mkfifo(path, 0600) == 0;
}
static bool make_empty(const char *path) {
    return tn_test_write(path, "", 0);
}
static bool make_text(const char *path) {
    return tn_test_write(path, "graph @mlp() {}\n", 16);
}
static bool make_script(const char *path) {
    return tn_test_write(path, "#!/bin/sh\n", 10);
}
static bool make_archive(const char *path) {
    return tn_test_write(path, "!<arch>\nlibfoo.o/", 17);
}
static bool make_dll(const char *path) {
    return tn_test_write(path, "MZ\x90", 3);
}
static bool make_magic_alone(const char *path) {
    return tn_test_write(path, ELFMAG, SELFMAG);
}
static bool copy_sample(const char *path) {
    return tn_test_copy(tn_test_plugin("sample"), path, SIZE_MAX);
}
static bool make_half(const char *path) {
    const char *sample = tn_test_plugin("sample");
    return tn_test_copy(sample, path, tn_test_size(sample) / 2);
}
/* The last byte is part of the table of sections, which nothing loads: the file
 * was cut all the same. */
static bool make_one_byte_short(const char *path) {
    const char *sample = tn_test_plugin("sample");
    return tn_test_copy(sample, path, tn_test_size(sample) - 1);
}
static bool make_header_alone(const char *path) {
    return tn_test_copy(tn_test_plugin("sample"), path, sizeof(Elf64_Ehdr));
}
static bool make_32_bit(const char *path) {
    return copy_sample(path) && tn_test_patch(path, EI_CLASS, (char[]){ELFCLASS32}, 1);
}
static bool make_other_endian(const char *path) {
    char other = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
    return copy_sample(path) && tn_test_patch(path, EI_DATA, &other, 1);
}
static bool patch_u16(const char *path, size_t offset, uint16_t value) {
    return copy_sample(path) && tn_test_patch(path, offset, &value, sizeof value);
}
static bool make_other_machine(const char *path) {
    return patch_u16(path, offsetof(Elf64_Ehdr, e_machine), EM_SPARCV9);
}
static bool make_object_file(const char *path) {
    return patch_u16(path, offsetof(Elf64_Ehdr, e_type), ET_REL);
}
static bool make_program(const char *path) {
    return tn_test_copy("/proc/self/exe", path, SIZE_MAX);
}
static bool make_odd_segments(const char *path) {
    return patch_u16(path, offsetof(Elf64_Ehdr, e_phentsize), 17);
}
static bool make_no_segments(const char *path) {
    return patch_u16(path, offsetof(Elf64_Ehdr, e_phnum), 0);
}
static bool make_far_segments(const char *path) {
    uint64_t far = UINT64_MAX - 8;
    return copy_sample(path) &&
           tn_test_patch(path, offsetof(Elf64_Ehdr, e_phoff), &far, sizeof far);
}
static bool make_format_2(const char *path) {
    return copy_sample(path) && tn_test_replace(path, "tenon-note 1\n", "tenon-note 2\n");
}
static bool make_format_lost(const char *path) {
    return copy_sample(path) && tn_test_replace(path, "tenon-note 1\n", "tenon-tone 1\n");
}
static bool make_control_character(const char *path) {
    return copy_sample(path) && tn_test_replace(path, "plugin sample", "plugin \033[2Jle");
}
static bool make_key_twice(const char *path) {
    return copy_sample(path) && tn_test_replace(path, "pointer 8\n", "abi 1\nx 1\n");
}
static bool make_pointer_4(const char *path) {
    return copy_sample(path) && tn_test_replace(path, "pointer 8\n", "pointer 4\n");
}
static bool make_abi_word(const char *path) {
    return copy_sample(path) && tn_test_replace(path, "abi 1\n", "abi x\n");
}
static bool make_no_plugin_line(const char *path) {
    return copy_sample(path) &&
           tn_test_replace(path, "plugin sample 1.2.3\n", "pluxin sample 1.2.3\n");
}
static bool make_no_end(const char *path) {
    return copy_sample(path) && tn_test_replace(path, "-> Tensor\n", "-> Tensor ");
}
static bool make_writable_by_all(const char *path) {
    return copy_sample(path) && chmod(path, 0646) == 0;
}

/* -------------------------------------------------------------------- the list */

static const struct bad {
    const char *name; /* of a plugin in tests/plugins/bad, or of the file made */
    tn_code code;
    const char *reason;
    make_fn make;
} list[] = {
    {"missing", TN_NOT_FOUND, "cannot be found: No such file", make_nothing},
    {"folder", TN_INVALID, "it is a folder, a shared object was expected", make_folder},
    {"pipe", TN_INVALID, "it is not a regular file", make_pipe},
    {"empty", TN_PARSE, "it is empty", make_empty},
    {"text", TN_PARSE, "it begins with byte 0x67, expected 0x7f 'ELF'", make_text},
    {"script", TN_PARSE, "it is a script", make_script},
    {"archive", TN_PARSE, "it is a static library; link a shared object", make_archive},
    {"dll", TN_PARSE, "it is a Windows program or DLL", make_dll},
    {"magic_alone", TN_PARSE,
     "it is truncated: the ELF header reaches to byte 64, but the file "
     "has only 4",
     make_magic_alone},
    {"header_alone", TN_PARSE, "it is truncated: its table of segments", make_header_alone},
    {"half", TN_PARSE, "it is truncated", make_half},
    {"one_byte_short", TN_PARSE, "it is truncated: its table of sections", make_one_byte_short},
    {"32_bit", TN_UNSUPPORTED, "it is a 32-bit object, this host is 64-bit", make_32_bit},
    {"other_endian", TN_UNSUPPORTED, "-endian, this host is", make_other_endian},
    {"other_machine", TN_UNSUPPORTED, "it was built for machine number 43, this host is",
     make_other_machine},
    {"object_file", TN_UNSUPPORTED, "it is an object file; link it with -shared", make_object_file},
    {"program", TN_UNSUPPORTED, "it is not a shared object: it is a program", make_program},
    {"odd_segments", TN_PARSE, "its program headers are 17 bytes each", make_odd_segments},
    {"no_segments", TN_PARSE, "it has no segment to load", make_no_segments},
    {"far_segments", TN_PARSE, "it is truncated: its table of segments", make_far_segments},
    {"format_2", TN_UNSUPPORTED, "its note is of format 2, this host reads format 1",
     make_format_2},
    {"format_lost", TN_PARSE, "line 1 of its note is 'tenon-tone 1', expected 'tenon-note 1'",
     make_format_lost},
    {"control_character", TN_PARSE, "line 2 of its note holds the control character 0x1b",
     make_control_character},
    {"key_twice", TN_PARSE, "states 'abi' a second time", make_key_twice},
    {"pointer_4", TN_UNSUPPORTED, "it states pointers of 4 bytes", make_pointer_4},
    {"abi_word", TN_PARSE, "line 3 of its note is 'abi x', expected 'abi NUMBER'", make_abi_word},
    {"no_plugin_line", TN_PARSE, "its note has no line 'plugin'", make_no_plugin_line},
    {"no_end", TN_PARSE, "its note does not end in a newline", make_no_end},
    {"writable_by_all", TN_INVALID, "everyone may write to the file", make_writable_by_all},
    {"copy", TN_EXISTS, "op sample::twice is already registered by ", copy_sample},

    {"no_note", TN_PLUGIN, "it is not a Tenon plugin: it has no ELF note of owner 'Tenon'", NULL},
    {"two_notes", TN_PARSE, "it has more than one Tenon note", NULL},
    {"abi_99", TN_UNSUPPORTED, "it needs ABI 99, this host offers 1 to 1: use a newer host", NULL},
    {"abi_0", TN_UNSUPPORTED, "it needs ABI 0", NULL},
    {"sanitizer", TN_UNSUPPORTED, "it was built with -fsanitize=memory, this host was not", NULL},
    {"note_key", TN_UNSUPPORTED, "has the key '!future', which must be understood", NULL},
    {"note_junk", TN_PARSE, "of its note is 'op', expected 'KEY VALUE'", NULL},
    {"note_schema", TN_PARSE, "op 0 of its note: ", NULL},
    {"note_name", TN_PLUGIN, "disagree on its name: the note says 'simple', the code 'sample'",
     NULL},
    {"note_version", TN_PLUGIN, "disagree on its version: the note says '1.2.4'", NULL},
    {"note_abi", TN_PLUGIN, "disagree on the ABI it needs: the note says 1, the code 7", NULL},
    {"note_lacks", TN_PLUGIN,
     "op sample::twice is returned by tenon_plugin_query, but not in its "
     "note",
     NULL},
    {"note_more", TN_PLUGIN, "op sample::thrice is in its note, but tenon_plugin_query does not",
     NULL},
    {"note_differs", TN_PLUGIN,
     "disagree on op sample::twice: the note says 'sample::twice(Tensor "
     "x, float beta=1.0) -> Tensor', the code 'sample::twice(Tensor x)",
     NULL},
    {"requires_other", TN_UNSUPPORTED,
     "it requires sample 7, but sample is here from plugin "
     "sample 1.2.3",
     NULL},
    {"requires_junk", TN_INVALID, "it requires 'sample', expected a namespace and a major", NULL},
    {"entry_mangled", TN_PLUGIN, "_Z18tenon_plugin_queryj: that name was mangled by a C++", NULL},
    {"entry_hidden", TN_PLUGIN, "the function is there, but hidden", NULL},
    {"entry_misspelled", TN_PLUGIN, "the nearest name that it exports is tenon_plugin_qeury", NULL},
    {"entry_missing", TN_PLUGIN, "it does not export tenon_plugin_query", NULL},
    {"entry_variable", TN_PLUGIN, "its tenon_plugin_query is not a function", NULL},
    {"query_null", TN_UNSUPPORTED, "tenon_plugin_query(1) returned NULL", NULL},
    {"dependency_missing", TN_NOT_FOUND,
     "it needs libtn_test_gone.so.3, which this machine does "
     "not have",
     NULL},
    {"symbol_missing", TN_PLUGIN, "undefined symbol: tn_test_nowhere", NULL},
    {"plugin_unsized", TN_PLUGIN, "its tn_plugin: its struct_size is 0, expected ", NULL},
    {"plugin_oversized", TN_PLUGIN, "its struct_size is 2147483647", NULL},
    {"plugin_misaligned", TN_PLUGIN, "which is not aligned for a struct", NULL},
    {"ops_null", TN_PLUGIN, "it has 1 entries called op, but the list is NULL", NULL},
    {"ops_many", TN_PLUGIN, "it has 3735928559 entries called op, at most 65536", NULL},
    {"op_null", TN_PLUGIN, "op 0: it is NULL", NULL},
    {"op_unsized", TN_PLUGIN, "op 0: its struct_size is 8", NULL},
    {"extension_required", TN_UNSUPPORTED, "it requires the extension 'acme.magic.v1'", NULL},
    {"extension_loop", TN_PLUGIN, "its chain of extensions is longer than 64", NULL},
    {"meta_null", TN_INVALID, "op sample::twice: it has no meta function", NULL},
    {"schema_null", TN_PLUGIN, "op 0 of what tenon_plugin_query returned has no schema", NULL},
    {"schema_prim", TN_INVALID, "the namespace prim is that of the primitives", NULL},
    {"schema_int", TN_UNSUPPORTED, "op sample::count: result 0 is not a Tensor", NULL},
    {"op_twice", TN_INVALID, "op sample::twice is described twice", NULL},
    {"name_upper", TN_INVALID, "its name is 'Sample', expected [a-z][a-z0-9_]*", NULL},
    {"version_short", TN_INVALID, "its version is '1.2', expected major.minor.patch", NULL},
    {"kernel_run_null", TN_INVALID, "op sample::twice: kernel 0 has no run function", NULL},
    {"kernel_twice", TN_INVALID, "kernels 0 and 1 are both for device type 1", NULL},
    {"kernel_flags", TN_UNSUPPORTED, "kernel 0: its flags hold 0x1000", NULL},
    {"traits", TN_UNSUPPORTED, "its traits hold 0x4000", NULL},
    {"nothing_to_run", TN_INVALID, "it cannot run: it has no kernel, lowering", NULL},
    {"kernel_unknown_device", TN_INVALID, "or template that this host knows", NULL},
    {"two_lowerings", TN_INVALID, "a lowering function and a lowering text; give one", NULL},
    {"layouts", TN_INVALID, "there are 2 layouts for 1 arguments", NULL},
    {"template_bare", TN_INVALID, "template 'bare': it has no accept function", NULL},
    {"device_init", TN_UNSUPPORTED, "device_init for the CPU: no licence for this machine", NULL},
    {"vendor_b", TN_EXISTS, "op shared::gemm is already registered by ", NULL},
};
enum { N_BAD = sizeof list / sizeof list[0] };

/* -------------------------------------------------------------------- the host */

typedef struct host {
    tn_catalog *catalog;
    tn_loader *loader;
    tn_test_folder folder;
} host;

static void load_good(host *h, const char *name) {
    tn_status status = tn_loader_load(h->loader, tn_test_plugin(name), NULL, NULL);
    cr_assert_null(status, "%s", tn_status_message(status));
}

static void host_start(host *h) {
    const tn_allocator *allocator = tn_allocator_system();
    cr_assert_null(tn_catalog_create(allocator, &h->catalog));
    cr_assert_null(tn_loader_create(allocator, h->catalog, NULL, &h->loader));
    cr_assert(tn_test_folder_make(&h->folder));
    load_good(h, "sample");
    load_good(h, "vendor_a");
}

static void host_stop(host *h) {
    tn_test_folder_remove(&h->folder);
    tn_catalog_destroy(h->catalog);
    tn_loader_destroy(h->loader);
}

static bool count_op(void *self, const struct tn_op *op) {
    (void)op;
    ++*(int *)self;
    return true;
}

/* The two good plugins are there, and nothing else is. */
static bool host_is_well(host *h) {
    int n = 0;
    tn_catalog_visit(h->catalog, count_op, &n);
    const struct tn_op *op;
    static const char name[] = "sample::twice";
    tn_status status = tn_catalog_find(h->catalog, name, sizeof name - 1, &op);
    if (status) tn_status_free(status);
    return n == 2 && op && strcmp(op->owner->plugin_path, tn_test_plugin("sample")) == 0;
}

/* Loads it; says what is wrong with the answer, or NULL when it is right. */
static const char *try_bad(host *h, const struct bad *bad, char text[1024]) {
    const char *path = bad->make ? tn_test_path(&h->folder, bad->name) : tn_test_plugin(bad->name);
    if (bad->make && !bad->make(path)) return "the file could not be made";
    tn_status status = tn_loader_load(h->loader, path, NULL, NULL);
    const char *message = tn_status_message(status);
    bool right = tn_status_code(status) == bad->code && strstr(message, path) &&
                 strstr(message, bad->reason) && strncmp(message, "plugin ", 7) == 0;
    snprintf(text, 1024, "%s: %s", tn_code_text(tn_status_code(status)), message);
    tn_status_free(status);
    if (!right) return text;
    return host_is_well(h) ? NULL : "the host changed";
}

/* Each in a process of its own, to count those that take the host with them. */
Test(bad_plugins, each_is_caught_and_no_host_dies, .timeout = 300) {
    host h;
    host_start(&h);
    int caught = 0, crashes = 0;
    for (size_t i = 0; i < N_BAD; i++) {
        fflush(NULL);
        pid_t child = fork();
        cr_assert(child >= 0);
        if (child == 0) {
            char text[1024];
            const char *problem = try_bad(&h, &list[i], text);
            if (problem) fprintf(stderr, "%s: %s\n", list[i].name, problem);
            _exit(problem != NULL);
        }
        int ended = 0;
        cr_assert_eq(waitpid(child, &ended, 0), child);
        caught += WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
        crashes += WIFSIGNALED(ended);
        cr_expect(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "%s ended with 0x%x", list[i].name,
                  (unsigned)ended);
    }
    const char *folder = getenv("TN_TEST_SUMMARY_DIR");
    if (folder) {
        char path[512];
        snprintf(path, sizeof path, "%s/bad_plugins.summary", folder);
        FILE *summary = fopen(path, "a");
        cr_assert_not_null(summary);
        fprintf(summary, "plugins: bad plugins: %d of %d caught, host crashes: %d\n", caught, N_BAD,
                crashes);
        fclose(summary);
    }
    cr_expect_eq(crashes, 0);
    cr_expect_eq(caught, N_BAD);
    host_stop(&h);
}

/* All in one process, one after another, twice. */
Test(bad_plugins, one_host_survives_them_all, .timeout = 300) {
    host h;
    host_start(&h);
    char text[1024];
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < N_BAD; i++) {
            const char *problem = try_bad(&h, &list[i], text);
            cr_expect_null(problem, "%s: %s", list[i].name, problem);
        }
        tn_test_folder_remove(&h.folder);
        cr_assert(tn_test_folder_make(&h.folder));
    }
    host_stop(&h);
}

/* A file that is there and cannot be read: by its mode, where that matters, and by
 * what the system says while it reads. */
Test(bad_plugins, unreadable) {
    host h;
    host_start(&h);
    tn_status status = tn_loader_load(h.loader, "/proc/self/mem", NULL, NULL);
    cr_assert_eq(tn_status_code(status), TN_IO, "%s", tn_status_message(status));
    cr_assert_not_null(strstr(tn_status_message(status), "/mem: cannot read "));
    tn_status_free(status);
    const char *path = tn_test_path(&h.folder, "locked.so");
    cr_assert(copy_sample(path));
    cr_assert_eq(chmod(path, 0), 0);
    status = tn_loader_load(h.loader, path, NULL, NULL);
    if (geteuid() == 0) {
        cr_assert_eq(tn_status_code(status), TN_EXISTS); /* root reads everything: a copy */
    } else {
        cr_assert_eq(tn_status_code(status), TN_IO);
        cr_assert_not_null(strstr(tn_status_message(status), "Permission denied"));
    }
    tn_status_free(status);
    cr_assert(host_is_well(&h));
    host_stop(&h);
}

/* Cut anywhere, a plugin is refused, or it is a whole one. */
Test(bad_plugins, cut_at_every_length, .timeout = 300) {
    host h;
    host_start(&h);
    const char *sample = tn_test_plugin("newer");
    size_t size = tn_test_size(sample);
    cr_assert_gt(size, 4096);
    for (size_t length = 0; length < size; length += length < 4096 ? 61 : 331) {
        const char *path = tn_test_path(&h.folder, "cut.so");
        cr_assert(tn_test_copy(sample, path, length));
        tn_status status = tn_loader_load(h.loader, path, NULL, NULL);
        cr_assert_eq(tn_status_code(status), TN_PARSE, "cut at %zu: %s", length,
                     tn_status_message(status));
        tn_status_free(status);
    }
    cr_assert(host_is_well(&h));
    host_stop(&h);
}
