/* SPDX-License-Identifier: Apache-2.0
 *
 * tenon/note.h: the ELF note in which a plugin says what it is.
 *
 * The host and `tenon inspect` read the note from the file, before and without
 * running any of the plugin's code: the name, the ABI it needs, what it was
 * built for, and the schema of each op. What tenon_plugin_query() returns later
 * must say the same. Use TN_PLUGIN_NOTE once in each plugin, at file scope, and
 * write every schema once, as a macro for both places:
 *
 *     #define SWISH "acme::swish(Tensor x, float beta=1.0) -> Tensor"
 *     #define GATE "acme::gate(Tensor x, Tensor y) -> Tensor"
 *
 *     TN_PLUGIN_NOTE("acme", "1.2.0",
 *                    TN_NOTE_REQUIRES("tn 1")
 *                    TN_NOTE_OP(SWISH)
 *                    TN_NOTE_OP(GATE));
 *
 *     static const tn_op_desc swish = {TN_SIZED(tn_op_desc), .schema = SWISH, ...};
 *
 * The note is an ordinary one (Elf_Nhdr) in section ".note.tenon", found through
 * PT_NOTE, so that strip, LTO and section garbage collection keep it. Owner
 * "Tenon", type 1. Its description is NUL-terminated text of lines "key value":
 *
 *     tenon-note 1           always first: the format of what follows
 *     plugin acme 1.2.0      name [a-z][a-z0-9_]*, version major.minor.patch
 *     abi 1                  lowest TN_ABI_VERSION whose slots are used
 *     pointer 8              bytes in a pointer
 *     cuda 12                CUDA major of the device code, 0 for none
 *     sm 80 90a              what device code there is for; may be missing
 *     sanitizer address      address, thread or memory; missing for none
 *     requires tn 1          namespace and major version a lowering calls; any number
 *     op acme::swish(...)    schema; one line an op
 *
 * A reader ignores keys that it does not know, except those that start with
 * '!', which it must refuse. C99 and C++; GCC and Clang.
 */
#ifndef TENON_NOTE_H
#define TENON_NOTE_H

#include "tenon/plugin.h"

/* The lowest TN_ABI_VERSION whose slots the plugin uses; plugin.h marks slots
 * that are younger than 1. Define it before this header to state another one.
 * Also the value for tn_plugin.abi_needed. */
#ifndef TN_ABI_NEEDED
#define TN_ABI_NEEDED 1
#endif

/* CUDA major version of the device code that the plugin carries, and for what
 * architectures, e.g. "80 90a". Define both before this header, as compiler
 * flags or in the source. A file compiled by nvcc knows its major version. */
#ifndef TN_NOTE_CUDA_MAJOR
#ifdef __CUDACC_VER_MAJOR__
#define TN_NOTE_CUDA_MAJOR __CUDACC_VER_MAJOR__
#else
#define TN_NOTE_CUDA_MAJOR 0
#endif
#endif
#ifdef TN_NOTE_SMS
#define TN_NOTE_SM_LINE "sm " TN_NOTE_SMS "\n"
#else
#define TN_NOTE_SM_LINE ""
#endif

/* GCC defines macros, Clang answers __has_feature. */
#ifndef TN_NOTE_SANITIZER_LINE
#if defined(__SANITIZE_ADDRESS__)
#define TN_NOTE_SANITIZER_LINE "sanitizer address\n"
#elif defined(__SANITIZE_THREAD__)
#define TN_NOTE_SANITIZER_LINE "sanitizer thread\n"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TN_NOTE_SANITIZER_LINE "sanitizer address\n"
#elif __has_feature(thread_sanitizer)
#define TN_NOTE_SANITIZER_LINE "sanitizer thread\n"
#elif __has_feature(memory_sanitizer)
#define TN_NOTE_SANITIZER_LINE "sanitizer memory\n"
#endif
#endif
#endif
#ifndef TN_NOTE_SANITIZER_LINE
#define TN_NOTE_SANITIZER_LINE ""
#endif

#define TN_NOTE_OWNER "Tenon"
#define TN_NOTE_TYPE 1u

/* Lines of the note's body; they follow one another without commas. The
 * arguments are string literals. */
#define TN_NOTE_OP(schema) "op " schema "\n"
#define TN_NOTE_REQUIRES(namespace_and_major)                                  \
    "requires " namespace_and_major "\n"

/* clang-format off */
#define TN_NOTE_STRING_(x) #x
#define TN_NOTE_STRING(x) TN_NOTE_STRING_(x)
#define TN_NOTE_TEXT(plugin, version, body)              \
    "tenon-note 1\n"                                     \
    "plugin " plugin " " version "\n"                    \
    "abi " TN_NOTE_STRING(TN_ABI_NEEDED) "\n"            \
    "pointer " TN_NOTE_STRING(__SIZEOF_POINTER__) "\n"   \
    "cuda " TN_NOTE_STRING(TN_NOTE_CUDA_MAJOR) "\n"      \
    TN_NOTE_SM_LINE TN_NOTE_SANITIZER_LINE body

/* Clang would put a red zone behind the note, inside its section. */
#if defined(__clang__)
#define TN_NOTE_ATTRIBUTES \
    __attribute__((section(".note.tenon"), used, aligned(4), no_sanitize("address")))
#else
#define TN_NOTE_ATTRIBUTES __attribute__((section(".note.tenon"), used, aligned(4)))
#endif

#define TN_PLUGIN_NOTE(plugin, version, body) TN_NOTE_EMIT(TN_NOTE_TEXT(plugin, version, body))
/* ISO C promises literals of 4,095 characters only; GCC and Clang take more. */
#define TN_NOTE_EMIT(literal)                                                    \
    _Pragma("GCC diagnostic push")                                               \
    _Pragma("GCC diagnostic ignored \"-Woverlength-strings\"")                   \
    static const struct {                                                        \
        uint32_t owner_size, text_size, type;                                    \
        char owner[8]; /* padded to a multiple of four, as is text */            \
        char text[(sizeof(literal) + 3u) / 4u * 4u];                             \
    } tn_plugin_note TN_NOTE_ATTRIBUTES = {                                      \
        (uint32_t)sizeof(TN_NOTE_OWNER), (uint32_t)sizeof(literal),              \
        TN_NOTE_TYPE, TN_NOTE_OWNER, literal};                                   \
    _Pragma("GCC diagnostic pop")                                                \
    struct tn_plugin_note_takes_a_semicolon
/* clang-format on */

#endif
