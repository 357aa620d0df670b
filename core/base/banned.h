/* Calls that must not appear in core, registry or sdk/host, each with what to
 * use instead. The build puts this header before every line of those folders,
 * so such a call does not compile. The few files that may use one say #undef,
 * and `./dev check` knows which they are. */
#ifndef TN_BASE_BANNED_H
#define TN_BASE_BANNED_H

/* The declarations come first; later inclusions of these headers are empty. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define TN_BANNED(name, instead) name##_is_banned__use_##instead

/* No bounds, or bounds that surprise. */
#undef strcpy
#define strcpy(...)   TN_BANNED(strcpy, tn_strbuf_or_memcpy)
#undef strcat
#define strcat(...)   TN_BANNED(strcat, tn_strbuf)
#undef strncpy
#define strncpy(...)  TN_BANNED(strncpy, memcpy)
#undef strncat
#define strncat(...)  TN_BANNED(strncat, tn_strbuf)
#undef stpcpy
#define stpcpy(...)   TN_BANNED(stpcpy, tn_strbuf)
#undef sprintf
#define sprintf(...)  TN_BANNED(sprintf, snprintf_or_tn_strbuf)
#undef vsprintf
#define vsprintf(...) TN_BANNED(vsprintf, vsnprintf_or_tn_strbuf)
#undef gets
#define gets(...)     TN_BANNED(gets, fgets)

/* No errors reported, or the caller's locale decides. */
#undef atoi
#define atoi(...)     TN_BANNED(atoi, tn_int_parse)
#undef atol
#define atol(...)     TN_BANNED(atol, tn_int_parse)
#undef atoll
#define atoll(...)    TN_BANNED(atoll, tn_int_parse)
#undef atof
#define atof(...)     TN_BANNED(atof, tn_double_parse)
#undef strtod
#define strtod(...)   TN_BANNED(strtod, tn_double_parse)
#undef strtof
#define strtof(...)   TN_BANNED(strtof, tn_double_parse)

/* State behind the caller's back. */
#undef strtok
#define strtok(...)   TN_BANNED(strtok, strcspn)
#undef strerror
#define strerror(...) TN_BANNED(strerror, tn_status_from_errno)
#undef rand
#define rand(...)     TN_BANNED(rand, a_counter_based_generator)
#undef setenv
#define setenv(...)   TN_BANNED(setenv, an_option)
#undef setlocale
#define setlocale(...) TN_BANNED(setlocale, tn_double_parse)
#undef system
#define system(...)   TN_BANNED(system, posix_spawn)
#undef popen
#define popen(...)    TN_BANNED(popen, posix_spawn)
#undef tmpnam
#define tmpnam(...)   TN_BANNED(tmpnam, mkostemp)
#undef mktemp
#define mktemp(...)   TN_BANNED(mktemp, mkostemp)

/* A library neither ends the process nor grows its stack without bound. */
#undef exit
#define exit(...)     TN_BANNED(exit, tn_status)
#undef abort
#define abort(...)    TN_BANNED(abort, tn_status)
#undef alloca
#define alloca(...)   TN_BANNED(alloca, tn_arena)

/* Memory comes from the allocator that the caller passed. */
#undef malloc
#define malloc(...)   TN_BANNED(malloc, tn_alloc)
#undef calloc
#define calloc(...)   TN_BANNED(calloc, tn_alloc_array)
#undef realloc
#define realloc(...)  TN_BANNED(realloc, tn_realloc)
#undef free
#define free(...)     TN_BANNED(free, tn_free)
#undef aligned_alloc
#define aligned_alloc(...)  TN_BANNED(aligned_alloc, tn_alloc_aligned)
#undef posix_memalign
#define posix_memalign(...) TN_BANNED(posix_memalign, tn_alloc_aligned)
#undef strdup
#define strdup(...)   TN_BANNED(strdup, tn_strdup)
#undef strndup
#define strndup(...)  TN_BANNED(strndup, tn_arena_strndup)
#undef asprintf
#define asprintf(...) TN_BANNED(asprintf, tn_strbuf_printf)
#undef vasprintf
#define vasprintf(...) TN_BANNED(vasprintf, tn_strbuf_vprintf)
/* clang-format on */

#endif
