#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "file.h"

/* The format: u64 header length, a JSON object name -> {dtype, shape,
 * data_offsets}, then the data, offsets counted from its start. */

static bool dtype_of(const char *text, tn_dtype *out) {
    static const char *const names[][2] = {{"BOOL", "bool"},     {"U8", "u8"},
                                           {"I8", "i8"},         {"U16", "u16"},
                                           {"I16", "i16"},       {"U32", "u32"},
                                           {"I32", "i32"},       {"U64", "u64"},
                                           {"I64", "i64"},       {"F16", "f16"},
                                           {"BF16", "bf16"},     {"F32", "f32"},
                                           {"F64", "f64"},       {"F8_E4M3", "f8e4m3fn"},
                                           {"F8_E5M2", "f8e5m2"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i][0]) != 0) continue;
        tn_status status = tn_dtype_parse(names[i][1], out);
        tn_status_free(status);
        return status == NULL;
    }
    return false;
}

/* A JSON number that is a whole one within what a double holds exactly. */
static bool whole(const cJSON *item, int64_t *out) {
    if (!cJSON_IsNumber(item)) return false;
    double d = item->valuedouble;
    if (!(d >= 0 && d <= 9007199254740992.0) || d != (double)(int64_t)d) return false;
    *out = (int64_t)d;
    return true;
}

static bool list_names(const cJSON *root, const char *name, cli_error *error) {
    char names[300] = "";
    size_t used = 0;
    for (const cJSON *t = root->child; t != NULL && used < sizeof names - 1; t = t->next) {
        if (t->string == NULL || strcmp(t->string, "__metadata__") == 0) continue;
        int n = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", t->string);
        used += n > 0 ? (size_t)n : 0;
    }
    return cli_fail(error, "no tensor is named \"%.80s\"; there are: %s", name,
                    used > 0 ? names : "none");
}

static bool offsets_of(const cJSON *tensor, int64_t *begin, int64_t *end) {
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(tensor, "data_offsets");
    return cJSON_IsArray(offsets) && cJSON_GetArraySize(offsets) == 2 &&
           whole(cJSON_GetArrayItem(offsets, 0), begin) &&
           whole(cJSON_GetArrayItem(offsets, 1), end);
}

/* The format lets no two tensors share bytes, nor two have one name: a file where
 * they do was damaged, or made to be read differently by different readers. */
static bool is_alone(const cJSON *root, const cJSON *tensor, cli_error *error) {
    int64_t begin, end, other_begin, other_end;
    if (!offsets_of(tensor, &begin, &end)) return true; /* take() says so */
    for (const cJSON *t = root->child; t != NULL; t = t->next) {
        if (t == tensor) continue;
        if (strcmp(t->string, tensor->string) == 0) {
            return cli_fail(error, "two tensors are named \"%.80s\"", t->string);
        }
        if (offsets_of(t, &other_begin, &other_end) && begin < other_end && other_begin < end) {
            return cli_fail(error, "tensors \"%.80s\" and \"%.80s\" overlap", tensor->string,
                            t->string);
        }
    }
    return true;
}

static bool take(const cJSON *tensor, const char *name, const char *data, size_t size,
                 cli_array *out, cli_error *error) {
    const cJSON *dtype_item = cJSON_GetObjectItemCaseSensitive(tensor, "dtype");
    const cJSON *shape_item = cJSON_GetObjectItemCaseSensitive(tensor, "shape");
    int64_t shape[CLI_MAX_RANK], begin, end;
    int32_t rank = 0;
    size_t needed;
    tn_dtype dtype;
    if (!cJSON_IsString(dtype_item) || !dtype_of(dtype_item->valuestring, &dtype)) {
        return cli_fail(error, "tensor \"%.80s\": its dtype is missing or unknown", name);
    }
    if (!cJSON_IsArray(shape_item) || !offsets_of(tensor, &begin, &end)) {
        return cli_fail(error, "tensor \"%.80s\": its shape or data_offsets are malformed", name);
    }
    for (const cJSON *e = shape_item->child; e != NULL; e = e->next) {
        if (rank == CLI_MAX_RANK || !whole(e, &shape[rank])) {
            return cli_fail(error, "tensor \"%.80s\": its shape is malformed", name);
        }
        rank++;
    }
    if (begin > end || (uint64_t)end > size) {
        return cli_fail(error, "tensor \"%.80s\": its data lies beyond the end of the file", name);
    }
    /* Before anything is allocated: a small file may claim any shape. */
    if (!cli_array_bytes(dtype, rank, shape, &needed, error)) return false;
    if (needed != (size_t)(end - begin)) {
        return cli_fail(error, "tensor \"%.80s\": its shape takes %zu bytes, its data has %lld",
                        name, needed, (long long)(end - begin));
    }
    if (!cli_array_make(out, dtype, rank, shape, error)) return false;
    cli_array_fill(out, data + begin);
    return true;
}

bool cli_safetensors_parse(const void *bytes, size_t size, const char *name, cli_array *out_array,
                           cli_error *error) {
    const unsigned char *p = bytes;
    uint64_t length = 0;
    *out_array = (cli_array){0};
    if (size < 8) return cli_fail(error, "not a safetensors file: shorter than 8 bytes");
    for (int i = 0; i < 8; i++)
        length |= (uint64_t)p[i] << (8 * i);
    if (length > size - 8 || length > 100u * 1024 * 1024) {
        return cli_fail(error, "not a safetensors file, or truncated: a header of %llu bytes",
                        (unsigned long long)length);
    }
    cJSON *root = cJSON_ParseWithLength((const char *)p + 8, (size_t)length);
    if (!cJSON_IsObject(root)) {
        cJSON_Delete(root);
        return cli_fail(error, "not a safetensors file: its header is no JSON object");
    }
    const cJSON *tensor = cJSON_GetObjectItemCaseSensitive(root, name);
    bool ok = cJSON_IsObject(tensor) && strcmp(name, "__metadata__") != 0
                  ? is_alone(root, tensor, error) &&
                        take(tensor, name, (const char *)p + 8 + length, size - 8 - (size_t)length,
                             out_array, error)
                  : list_names(root, name, error);
    cJSON_Delete(root);
    return ok;
}

bool cli_safetensors_read(const char *path, const char *name, cli_array *out_array,
                          cli_error *error) {
    cli_file file;
    if (!cli_file_map(path, &file, error)) return false;
    bool ok = cli_safetensors_parse(file.bytes, file.size, name, out_array, error);
    cli_file_unmap(&file);
    if (ok) return true;
    char reason[400];
    snprintf(reason, sizeof reason, "%.399s", error->text);
    return cli_fail(error, "%.100s: %s", path, reason);
}
