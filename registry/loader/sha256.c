#include "loader/sha256.h"

#include <nettle/sha2.h>
#include <string.h>
#include <strings.h>

static const char digits[] = "0123456789abcdef";

void tn_sha256_hex(const void *data, size_t size, char out[TN_SHA256_TEXT]) {
    struct sha256_ctx context;
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, size, data);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[2 * sizeof digest] = '\0';
}

bool tn_sha256_is_hex(const char *text) {
    return strlen(text) == TN_SHA256_TEXT - 1 &&
           strspn(text, "0123456789abcdefABCDEF") == TN_SHA256_TEXT - 1;
}

bool tn_sha256_equal(const char *a, const char *b) {
    return strcasecmp(a, b) == 0;
}
