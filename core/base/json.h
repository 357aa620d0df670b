/* JSON out, straight into a strbuf: the writer places commas and indents by
 * two. Numbers that JSON has no form for (NaN, infinities) are written as
 * strings. Reading JSON is cJSON's work. */
#ifndef TN_BASE_JSON_H
#define TN_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef struct tn_json {
    tn_strbuf *out;
    uint32_t depth;
    bool first;
} tn_json;

void tn_json_init(tn_json *j, tn_strbuf *out);
/* key is NULL inside an array and at the top. */
void tn_json_object(tn_json *j, const char *key);
void tn_json_array(tn_json *j, const char *key);
void tn_json_end_object(tn_json *j);
void tn_json_end_array(tn_json *j);
void tn_json_text(tn_json *j, const char *key, const char *value); /* NULL: null */
void tn_json_int(tn_json *j, const char *key, int64_t value);
void tn_json_double(tn_json *j, const char *key, double value);
void tn_json_bool(tn_json *j, const char *key, bool value);

#endif
