/* SHA-256, by which people name the content of a plugin file (allow lists,
 * `tenon inspect`). Keys of caches use the faster tn_hasher. */
#ifndef TN_LOADER_SHA256_H
#define TN_LOADER_SHA256_H

#include <stdbool.h>
#include <stddef.h>

#define TN_SHA256_TEXT 65 /* hexadecimal digits and a NUL */

void tn_sha256_hex(const void *data, size_t size, char out[TN_SHA256_TEXT]);
/* 64 hexadecimal digits of either case. */
bool tn_sha256_is_hex(const char *text);
/* Case does not matter. Both are such texts. */
bool tn_sha256_equal(const char *a, const char *b);

#endif
