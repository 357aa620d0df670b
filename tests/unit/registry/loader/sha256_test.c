#include "loader/sha256.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The examples of FIPS 180-2, appendix B, and of nothing at all. */
Test(sha256, published_examples) {
    char hex[TN_SHA256_TEXT];
    tn_sha256_hex("", 0, hex);
    cr_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    tn_sha256_hex("abc", 3, hex);
    cr_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    tn_sha256_hex(two_blocks, sizeof two_blocks - 1, hex);
    cr_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    size_t million = 1000000;
    char *a = malloc(million);
    cr_assert_not_null(a);
    memset(a, 'a', million);
    tn_sha256_hex(a, million, hex);
    cr_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(a);
}

Test(sha256, texts) {
    const char lower[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const char upper[] = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";
    cr_assert(tn_sha256_is_hex(lower));
    cr_assert(tn_sha256_is_hex(upper));
    cr_assert_not(tn_sha256_is_hex(lower + 1));
    cr_assert_not(tn_sha256_is_hex(""));
    cr_assert_not(
        tn_sha256_is_hex("g3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    cr_assert(tn_sha256_equal(lower, upper));
    cr_assert_not(
        tn_sha256_equal(lower, "f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}
