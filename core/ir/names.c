/* Which names values and sizes can have. */
#include <string.h>

#include "ir/internal.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool tn__is_value_name(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!is_letter(name[i]) && !is_digit(name[i]) && name[i] != '.') return false;
    return length > 0;
}

bool tn__is_reserved_word(const char *name, size_t length) {
    static const char *const words[] = {"true", "false", "none", "True", "False", "None",
                                        "inf",  "nan",   "cpu",  "cuda", "dtype"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0) return true;
    return tn_dt_parse(name, length) != TN_DT_NONE;
}

bool tn__is_symbol_name(const char *name, size_t length) {
    if (length == 0 || !is_letter(name[0])) return false;
    for (size_t i = 1; i < length; i++)
        if (!is_letter(name[i]) && !is_digit(name[i])) return false;
    return !tn__is_reserved_word(name, length);
}
