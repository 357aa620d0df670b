#include "device/cpu/compiler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "device/cpu/host_cpu.h"
#include "device/cpu/process.h"

enum { DEFAULT_TIMEOUT_MS = 60000, OUTPUT_LIMIT = 16384, MESSAGE_LIMIT = 2000 };

extern char **environ;

/* Arithmetic as written, nothing linked in, nothing that a distribution's
 * hardened defaults would add. Warnings are for people, not for generated code. */
static const char *const base_flags[] = {
    "-std=gnu17",
    "-O2",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-ident",
    "-fPIC",
    "-shared",
    "-nostdlib",
    /* What the renderer cannot have meant, a number where a pointer belongs, is an
     * error; -w would silence that too. */
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=implicit-function-declaration",
    "-Wl,-Bsymbolic",
    "-Wl,-z,noexecstack",
    "-Wl,--build-id=none",
#if defined(__x86_64__)
    "-fcf-protection=none",
#endif
};

/* What would change the compiler's output or write files behind our back. */
static const char *const dropped_variables[] = {
    "CPATH=",
    "C_INCLUDE_PATH=",
    "LIBRARY_PATH=",
    "DEPENDENCIES_OUTPUT=",
    "SUNPRO_DEPENDENCIES=",
    "GCC_COMPARE_DEBUG=",
    "CCC_OVERRIDE_OPTIONS=",
    "LD_PRELOAD=",
    "TMPDIR=",
    "LC_ALL=",
    "LANGUAGE=",
};

struct tn_cpu_compiler {
    const tn_allocator *allocator;
    tn_arena arena;       /* every string below */
    const char **command; /* the program's path, then the user's own arguments; NULL ends */
    uint32_t n_command;
    const char *march;
    const char *extra; /* one more flag, or NULL */
    const char *version;
    const char *identity;
    uint32_t timeout_ms;
};

typedef TN_VEC(const char *) text_list;

static bool push(tn_arena *arena, text_list *list, const char *text) {
    return tn_vec_push(arena->allocator, list, text);
}

/* ------------------------------------------------------------ finding it */

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* name along $PATH, or as a path when it has a '/'. *out_path stays NULL when
 * there is no such program. */
static tn_status search(tn_arena *arena, const char *name, const char **out_path) {
    *out_path = NULL;
    tn_strbuf path;
    tn_strbuf_init(&path, arena->allocator);
    const char *dirs = strchr(name, '/') ? "" : getenv("PATH");
    if (!dirs) dirs = "/usr/local/bin:/usr/bin:/bin";
    for (const char *at = dirs;; at++) {
        size_t length = strcspn(at, ":");
        tn_strbuf_clear(&path);
        if (dirs[0]) {
            /* An empty or relative entry would run whatever lies in the working folder. */
            if (at[0] == '/') {
                tn_strbuf_bytes(&path, at, length);
                tn_strbuf_char(&path, '/');
                tn_strbuf_text(&path, name);
            }
        } else {
            tn_strbuf_text(&path, name);
        }
        if (path.failed) break;
        if (path.length && is_program(path.data)) {
            *out_path = tn_arena_strdup(arena, path.data);
            path.failed = !*out_path;
            break;
        }
        at += length;
        if (!*at) break;
    }
    tn_status status = tn_strbuf_status(&path);
    tn_strbuf_deinit(&path);
    return status;
}

/* "ccache gcc -m64": the program and its arguments. Quoting is not understood. */
static tn_status set_command(tn_cpu_compiler *c, const char *command, bool *out_found) {
    text_list words = {0};
    *out_found = false;
    tn_status status = NULL;
    for (const char *at = command + strspn(command, " \t"); *at;) {
        size_t length = strcspn(at, " \t");
        const char *word = tn_arena_strndup(&c->arena, at, length);
        if (!word || !push(&c->arena, &words, word)) {
            status = tn_status_no_memory();
            goto done;
        }
        at += length;
        at += strspn(at, " \t");
    }
    if (words.len == 0) goto done;
    const char *path;
    TN_TRY_GOTO(status, search(&c->arena, words.data[0], &path), done);
    if (!path) goto done;
    words.data[0] = path;
    c->command = tn_arena_array(&c->arena, words.len + 1, sizeof *c->command);
    if (!c->command) {
        status = tn_status_no_memory();
        goto done;
    }
    memcpy(c->command, words.data, words.len * sizeof *c->command);
    c->n_command = (uint32_t)words.len;
    *out_found = true;
done:
    tn_vec_free(c->allocator, &words);
    return status;
}

static tn_status locate(tn_cpu_compiler *c, const char *command) {
    bool found;
    if (command && command[0]) {
        TN_TRY(set_command(c, command, &found));
        if (found) return NULL;
        return tn_status_make(
            TN_NOT_FOUND,
            "no C compiler: '%s' is not a program; name one that is, such as gcc, "
            "or leave the option out to search for one",
            command);
    }
    const char *cc = getenv("CC");
    const char *const names[] = {cc && cc[0] ? cc : "cc", "cc", "gcc", "clang"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        TN_TRY(set_command(c, names[i], &found));
        if (found) return NULL;
    }
    return tn_status_make(TN_NOT_FOUND,
                          "no C compiler: tried %s%s%scc, gcc and clang along PATH; install gcc or "
                          "clang, or set CC",
                          cc && cc[0] ? "CC='" : "", cc && cc[0] ? cc : "",
                          cc && cc[0] ? "', " : "");
}

/* ----------------------------------------------------------- running it */

static bool is_dropped(const char *variable) {
    for (size_t i = 0; i < sizeof dropped_variables / sizeof *dropped_variables; i++) {
        const char *name = dropped_variables[i];
        if (strncmp(variable, name, strlen(name)) == 0) return true;
    }
    return false;
}

static bool make_environment(tn_arena *arena, const char *temp, text_list *out) {
    for (char **v = environ; v && *v; v++) {
        if (!is_dropped(*v) && !push(arena, out, *v)) return false;
    }
    if (!push(arena, out, "LC_ALL=C")) return false;
    if (temp) {
        tn_strbuf s;
        tn_strbuf_init(&s, arena->allocator);
        tn_strbuf_printf(&s, "TMPDIR=%s", temp);
        char *copy = s.failed ? NULL : tn_arena_strdup(arena, s.data);
        tn_strbuf_deinit(&s);
        if (!copy || !push(arena, out, copy)) return false;
    }
    return push(arena, out, NULL);
}

/* The command with these arguments; temp is where it may write. */
static tn_status run(const tn_cpu_compiler *c, const char *const *args, size_t n_args,
                     const char *temp, tn_strbuf *out_output, tn_cpu_process_end *out_end) {
    tn_arena arena;
    tn_arena_init(&arena, c->allocator);
    text_list argv = {0}, variables = {0};
    bool ok = make_environment(&arena, temp, &variables);
    for (uint32_t i = 0; ok && i < c->n_command; i++)
        ok = push(&arena, &argv, c->command[i]);
    for (size_t i = 0; ok && i < n_args; i++)
        ok = push(&arena, &argv, args[i]);
    ok = ok && push(&arena, &argv, NULL);
    tn_status status = NULL;
    if (ok) {
        tn_cpu_process process = {.argv = argv.data,
                                  .environ = variables.data,
                                  .timeout_ms = c->timeout_ms,
                                  .output_limit = OUTPUT_LIMIT};
        status = tn_cpu_process_run(&process, out_output, out_end);
    } else {
        status = tn_status_no_memory();
    }
    tn_vec_free(c->allocator, &argv);
    tn_vec_free(c->allocator, &variables);
    tn_arena_deinit(&arena);
    return status;
}

/* ------------------------------------------------------- identifying it */

static tn_status read_version(tn_cpu_compiler *c) {
    tn_strbuf output;
    tn_strbuf_init(&output, c->allocator);
    tn_cpu_process_end end;
    const char *const args[] = {"--version"};
    tn_status status = run(c, args, 1, NULL, &output, &end);
    const char *text = tn_strbuf_cstr(&output);
    if (!status && (end.timed_out || (end.exit_code != 0 && !end.unknown) || !text[0]))
        status = tn_status_make(TN_NOT_FOUND, "no C compiler: %s does not answer --version",
                                c->command[0]);
    if (!status) {
        c->version = tn_arena_strndup(&c->arena, text, strcspn(text, "\n"));
        if (!c->version) status = tn_status_no_memory();
    }
    tn_strbuf_deinit(&output);
    return status;
}

/* Size and time of change stand for the compiler's content: reading a megabyte
 * driver each time would cost more than a cached kernel. */
static tn_status make_identity(tn_cpu_compiler *c) {
    struct stat info = {0};
    if (stat(c->command[0], &info) != 0)
        return tn_status_from_errno(errno, "cannot stat %s", c->command[0]);
    tn_strbuf s;
    tn_strbuf_init(&s, c->allocator);
    for (uint32_t i = 0; i < c->n_command; i++)
        tn_strbuf_printf(&s, "%s ", c->command[i]);
    tn_strbuf_printf(&s, "\n%s\n%lld %lld.%09ld\n-march=%s", c->version, (long long)info.st_size,
                     (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, c->march);
    for (size_t i = 0; i < sizeof base_flags / sizeof *base_flags; i++)
        tn_strbuf_printf(&s, " %s", base_flags[i]);
    tn_strbuf_printf(&s, " %s\n", c->extra ? c->extra : "");
    tn_cpu_host_identity(&s);
    tn_status status = tn_strbuf_status(&s);
    if (!status) {
        c->identity = tn_arena_strdup(&c->arena, s.data);
        if (!c->identity) status = tn_status_no_memory();
    }
    tn_strbuf_deinit(&s);
    return status;
}

/* clang 14 makes wrong code of vectors of 16 lanes: where a select is merged into a
 * three-operand logic instruction with a broadcast constant, the table that it is
 * given is that of other operands (copysign under a comparison shows it). No way is
 * known to tell a good release, so AVX-512 is left to gcc. */
static void choose_extra(tn_cpu_compiler *c) {
#if defined(__x86_64__)
    if (strstr(c->version, "clang")) c->extra = "-mno-avx512f";
#else
    (void)c;
#endif
}

static tn_status setup(tn_cpu_compiler *c, const tn_cpu_compiler_options *options) {
    TN_TRY(locate(c, options->command));
    c->march = tn_arena_strdup(&c->arena, options->march ? options->march : "native");
    TN_TRY(c->march ? NULL : tn_status_no_memory());
    TN_TRY(read_version(c));
    choose_extra(c);
    return make_identity(c);
}

tn_status tn_cpu_compiler_find(const tn_allocator *allocator,
                               const tn_cpu_compiler_options *options,
                               tn_cpu_compiler **out_compiler) {
    static const tn_cpu_compiler_options defaults = {0};
    *out_compiler = NULL;
    if (!options) options = &defaults;
    tn_cpu_compiler *c = tn_alloc_zero(allocator, sizeof *c);
    if (!c) return tn_status_no_memory();
    c->allocator = allocator;
    c->timeout_ms = options->timeout_ms ? options->timeout_ms : DEFAULT_TIMEOUT_MS;
    tn_arena_init(&c->arena, allocator);
    tn_status status = setup(c, options);
    if (status)
        tn_cpu_compiler_destroy(c);
    else
        *out_compiler = c;
    return status;
}

void tn_cpu_compiler_destroy(tn_cpu_compiler *c) {
    if (!c) return;
    tn_arena_deinit(&c->arena);
    tn_free(c->allocator, c, sizeof *c);
}

const char *tn_cpu_compiler_path(const tn_cpu_compiler *c) {
    return c->command[0];
}

const char *tn_cpu_compiler_version(const tn_cpu_compiler *c) {
    return c->version;
}

const char *tn_cpu_compiler_identity(const tn_cpu_compiler *c) {
    return c->identity;
}

uint32_t tn_cpu_compiler_lanes(const tn_cpu_compiler *c) {
    uint32_t lanes = 4;
    if (strcmp(c->march, "native") == 0)
        lanes = tn_cpu_host_lanes();
    else if (strcmp(c->march, "x86-64-v3") == 0)
        lanes = 8;
    else if (strcmp(c->march, "x86-64-v4") == 0)
        lanes = 16;
    return lanes > 8 && c->extra ? 8 : lanes;
}

/* ------------------------------------------------------------- building */

/* TN_IO whatever the errno: TN_NOT_FOUND would say that there is no compiler. */
static tn_status file_error(int error, const char *what, const char *path) {
    tn_status status = tn_status_from_errno(error, "%s %s", what, path);
    if (tn_status_code(status) != TN_NOT_FOUND) return status;
    tn_status io = tn_status_make(TN_IO, "%s", tn_status_message(status));
    tn_status_ignore(status);
    return io;
}

static tn_status write_source(const char *path, const char *source, size_t length) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return file_error(errno, "cannot create", path);
    tn_status status = NULL;
    while (length && !status) {
        ssize_t n = write(fd, source, length);
        if (n >= 0) {
            source += n;
            length -= (size_t)n;
        } else if (errno != EINTR) {
            status = file_error(errno, "cannot write", path);
        }
    }
    if (close(fd) != 0 && !status) status = file_error(errno, "cannot write", path);
    return status;
}

/* A full disk makes the compiler fail as a bad program does; its words differ. */
static bool blames_the_disk(const char *output) {
    return strstr(output, "No space left on device") || strstr(output, "Disk quota exceeded") ||
           strstr(output, "Read-only file system");
}

static tn_status judge(const tn_cpu_compiler *c, const tn_cpu_process_end *end, const char *output,
                       const char *object) {
    bool made = access(object, F_OK) == 0;
    if (end->timed_out)
        return tn_status_make(TN_INTERNAL,
                              "%s did not finish generated code within %u ms and was stopped",
                              c->command[0], c->timeout_ms);
    if (made && (end->exit_code == 0 || end->unknown)) return NULL;
    int shown = (int)strnlen(output, MESSAGE_LIMIT);
    if (blames_the_disk(output))
        return tn_status_make(TN_IO, "%s has no room to write: %.*s", c->command[0], shown, output);
    if (end->signal)
        return tn_status_make(TN_INTERNAL, "%s was ended by signal %d on generated code: %.*s",
                              c->command[0], end->signal, shown, output);
    return tn_status_make(TN_INTERNAL, "%s refused generated code (exit %d): %.*s", c->command[0],
                          end->exit_code, shown, output);
}

static tn_status compile(const tn_cpu_compiler *c, const tn_cpu_artifact *artifact,
                         const char *source) {
    enum { N_FLAGS = sizeof base_flags / sizeof *base_flags };
    const char *args[N_FLAGS + 5];
    tn_strbuf march, output;
    tn_strbuf_init(&march, c->allocator);
    tn_strbuf_init(&output, c->allocator);
    tn_strbuf_printf(&march, "-march=%s", c->march);
    memcpy(args, base_flags, sizeof base_flags);
    args[N_FLAGS] = tn_strbuf_cstr(&march);
    args[N_FLAGS + 1] = "-o";
    args[N_FLAGS + 2] = artifact->path;
    args[N_FLAGS + 3] = source;
    args[N_FLAGS + 4] = c->extra;
    tn_status status = tn_strbuf_status(&march);
    if (!status) {
        tn_cpu_process_end end;
        status = run(c, args, N_FLAGS + (c->extra ? 5 : 4), artifact->folder, &output, &end);
        if (!status) status = judge(c, &end, tn_strbuf_cstr(&output), artifact->path);
    }
    tn_strbuf_deinit(&output);
    tn_strbuf_deinit(&march);
    return status;
}

static char *join(const tn_allocator *allocator, const char *folder, const char *stem,
                  const char *suffix) {
    tn_strbuf s;
    tn_strbuf_init(&s, allocator);
    tn_strbuf_printf(&s, "%s/%s%s", folder, stem, suffix);
    return tn_strbuf_steal(&s);
}

tn_status tn_cpu_compiler_build(const tn_cpu_compiler *c, const char *temp_root, const char *stem,
                                const char *source, size_t length, tn_cpu_artifact *out_artifact) {
    *out_artifact = (tn_cpu_artifact){.allocator = c->allocator};
    tn_cpu_artifact artifact = *out_artifact;
    char *folder = join(c->allocator, temp_root, "tenon-", "XXXXXX");
    if (!folder) return tn_status_no_memory();
    if (!mkdtemp(folder)) {
        tn_status status = file_error(errno, "cannot make a folder in", temp_root);
        tn_strfree(c->allocator, folder);
        return status;
    }
    artifact.folder = folder;
    artifact.path = join(c->allocator, folder, stem, ".so");
    char *source_path = join(c->allocator, folder, stem, ".c");
    tn_status status = artifact.path && source_path ? NULL : tn_status_no_memory();
    if (!status) status = write_source(source_path, source, length);
    if (!status) status = compile(c, &artifact, source_path);
    tn_strfree(c->allocator, source_path);
    if (status)
        tn_cpu_artifact_deinit(&artifact);
    else
        *out_artifact = artifact;
    return status;
}

/* The compiler may have left temporaries when it was stopped. */
static void remove_content(const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));)
        unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
}

void tn_cpu_artifact_deinit(tn_cpu_artifact *artifact) {
    if (artifact->folder) {
        remove_content(artifact->folder);
        rmdir(artifact->folder);
    }
    tn_strfree(artifact->allocator, artifact->path);
    tn_strfree(artifact->allocator, artifact->folder);
    *artifact = (tn_cpu_artifact){0};
}
