#include <criterion/criterion.h>
#include <string.h>

#include "base/near.h"

static const char *best(const char *word, const char *const *candidates) {
    tn_near near;
    tn_near_init(&near, word, strlen(word));
    for (; *candidates; candidates++)
        tn_near_offer(&near, *candidates);
    return tn_near_best(&near);
}

#define BEST(word, ...) best(word, (const char *const[]){__VA_ARGS__, NULL})

Test(near, one_mistake_of_each_kind) {
    cr_assert_str_eq(BEST("matmull", "add", "matmul"), "matmul");
    cr_assert_str_eq(BEST("matul", "add", "matmul"), "matmul");
    cr_assert_str_eq(BEST("matnul", "add", "matmul"), "matmul");
    cr_assert_str_eq(BEST("matmlu", "add", "matmul"), "matmul");
}

Test(near, a_third_may_differ) {
    cr_assert_str_eq(BEST("softmask", "softmax"), "softmax");
    cr_assert_null(BEST("abcdef", "uvwdef"));
    cr_assert_null(BEST("ad", "bc"));
    cr_assert_str_eq(BEST("ad", "ab"), "ab");
    cr_assert_null(BEST("x", "y"));
}

Test(near, the_nearest_wins_and_of_equals_the_first) {
    cr_assert_str_eq(BEST("float", "floor", "floats", "float1"), "floats");
    cr_assert_str_eq(BEST("sun", "sin", "sum"), "sin");
}

Test(near, long_and_empty_words) {
    char word[200];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    cr_assert_null(BEST(word, word));
    cr_assert_null(BEST("", "a", ""));
    cr_assert_null(BEST("a", word, ""));
    word[64] = 0;
    cr_assert_eq(BEST(word, word), word);
}

Test(near, hint) {
    tn_near near;
    char text[TN_NEAR_TEXT];
    tn_near_init(&near, "ad", 2);
    cr_assert_str_eq(tn_near_hint(&near, text), "");
    tn_near_offer(&near, "add");
    cr_assert_str_eq(tn_near_hint(&near, text), " (did you mean add?)");
}
