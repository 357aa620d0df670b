#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "file.h"

/* NEP 1: "\x93NUMPY", version, header length, then a Python dict literal with
 * 'descr', 'fortran_order' and 'shape'. */
static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

typedef struct reader {
    const char *at, *end;
    cli_error *error;
} reader;

static void skip_space(reader *r) {
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept(reader *r, char c) {
    skip_space(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool expect(reader *r, char c) {
    if (accept(r, c)) return true;
    return cli_fail(r->error, "npy header: expected '%c'", c);
}

static bool read_quoted(reader *r, char *out, size_t room) {
    char quote = accept(r, '\'') ? '\'' : '"';
    size_t n = 0;
    if (quote == '"' && !accept(r, '"')) return cli_fail(r->error, "npy header: expected a string");
    while (r->at < r->end && *r->at != quote) {
        if (n + 1 == room) return cli_fail(r->error, "npy header: a string is too long");
        out[n++] = *r->at++;
    }
    out[n] = 0;
    return expect(r, quote);
}

static bool read_word(reader *r, char *out, size_t room) {
    size_t n = 0;
    skip_space(r);
    while (r->at < r->end && isalpha((unsigned char)*r->at) && n + 1 < room)
        out[n++] = *r->at++;
    out[n] = 0;
    return n > 0 || cli_fail(r->error, "npy header: expected True or False");
}

static bool read_shape(reader *r, int32_t *rank, int64_t *shape) {
    if (!expect(r, '(')) return false;
    for (*rank = 0; !accept(r, ')');) {
        int64_t n = 0;
        skip_space(r);
        if (r->at == r->end || !isdigit((unsigned char)*r->at)) {
            return cli_fail(r->error, "npy header: expected an extent");
        }
        if (*rank == CLI_MAX_RANK) return cli_fail(r->error, "npy: rank above %d", CLI_MAX_RANK);
        for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++) {
            if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *r->at - '0', &n)) {
                return cli_fail(r->error, "npy header: an extent is too large");
            }
        }
        shape[(*rank)++] = n;
        accept(r, 'L');
        if (!accept(r, ',')) {
            if (!expect(r, ')')) return false;
            break;
        }
    }
    return true;
}

static bool dtype_of(const char *descr, tn_dtype *out, cli_error *error) {
    static const struct {
        const char *descr, *text;
    } known[] = {{"|b1", "bool"}, {"|u1", "u8"},  {"|i1", "i8"},   {"<u2", "u16"}, {"<u4", "u32"},
                 {"<u8", "u64"},  {"<i2", "i16"}, {"<i4", "i32"},  {"<i8", "i64"}, {"<f2", "f16"},
                 {"<f4", "f32"},  {"<f8", "f64"}, {"<b1", "bool"}, {"<u1", "u8"},  {"<i1", "i8"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(descr, known[i].descr) != 0) continue;
        tn_status status = tn_dtype_parse(known[i].text, out);
        tn_status_free(status);
        return status == NULL || cli_fail(error, "dtype %s", known[i].text);
    }
    if (descr[0] == '>') return cli_fail(error, "npy: dtype %s is big-endian", descr);
    return cli_fail(error, "npy: dtype %s is not supported", descr);
}

typedef struct header {
    char descr[32];
    bool fortran;
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
} header;

static bool read_header(reader *r, header *h) {
    char key[32], word[8];
    int seen = 0;
    if (!expect(r, '{')) return false;
    while (!accept(r, '}')) {
        if (!read_quoted(r, key, sizeof key) || !expect(r, ':')) return false;
        if (strcmp(key, "descr") == 0) {
            if (!read_quoted(r, h->descr, sizeof h->descr)) return false;
            seen |= 1;
        } else if (strcmp(key, "fortran_order") == 0) {
            if (!read_word(r, word, sizeof word)) return false;
            h->fortran = strcmp(word, "True") == 0;
            if (!h->fortran && strcmp(word, "False") != 0) {
                return cli_fail(r->error, "npy header: fortran_order is %s", word);
            }
            seen |= 2;
        } else if (strcmp(key, "shape") == 0) {
            if (!read_shape(r, &h->rank, h->shape)) return false;
            seen |= 4;
        } else {
            return cli_fail(r->error, "npy header: unknown key '%s'", key);
        }
        if (!accept(r, ',')) {
            if (!expect(r, '}')) return false;
            break;
        }
    }
    return seen == 7 || cli_fail(r->error, "npy header: descr, fortran_order or shape is missing");
}

/* Column-major elements into row-major ones; frees the array when it fails. */
static bool transpose(cli_array *array, cli_error *error) {
    size_t size = tn_dtype_bytes(array->dtype);
    cli_array columns = *array;
    if (!cli_array_make(array, columns.dtype, columns.rank, columns.shape, error)) {
        cli_array_free(&columns);
        return false;
    }
    const char *from = columns.data;
    int64_t coords[CLI_MAX_RANK] = {0}, n = cli_array_count(array);
    for (int64_t k = 0; k < n; k++) {
        int64_t at = 0, stride = 1;
        for (int32_t i = 0; i < array->rank; i++) {
            at += coords[i] * stride;
            stride *= array->shape[i];
        }
        memcpy((char *)array->data + (size_t)k * size, from + (size_t)at * size, size);
        for (int32_t i = array->rank; i-- > 0;) {
            if (++coords[i] < array->shape[i]) break;
            coords[i] = 0;
        }
    }
    cli_array_free(&columns);
    return true;
}

bool cli_npy_parse(const void *bytes, size_t size, cli_array *out_array, cli_error *error) {
    const unsigned char *p = bytes;
    size_t length, start;
    *out_array = (cli_array){0};
    if (size < 10 || memcmp(p, magic, sizeof magic) != 0) {
        return cli_fail(error, "not an .npy file: it does not start with \\x93NUMPY");
    }
    if (p[6] == 1) {
        length = (size_t)p[8] | (size_t)p[9] << 8;
        start = 10;
    } else if (p[6] <= 3 && p[6] != 0 && size >= 12) {
        length = (size_t)p[8] | (size_t)p[9] << 8 | (size_t)p[10] << 16 | (size_t)p[11] << 24;
        start = 12;
    } else {
        return cli_fail(error, "npy format version %d.%d is unknown", p[6], p[7]);
    }
    if (length > size - start) {
        return cli_fail(error, "npy: truncated: the header has %zu bytes, the file %zu after it",
                        length, size - start);
    }
    header h = {0};
    tn_dtype dtype;
    reader r = {(const char *)p + start, (const char *)p + start + length, error};
    if (!read_header(&r, &h) || !dtype_of(h.descr, &dtype, error)) return false;
    size_t data = start + length;
    size_t needed;
    if (!cli_array_bytes(dtype, h.rank, h.shape, &needed, error)) return false;
    if (needed > size - data) {
        return cli_fail(error, "npy: truncated: expected %zu bytes of data, found %zu", needed,
                        size - data);
    }
    if (!cli_array_make(out_array, dtype, h.rank, h.shape, error)) return false;
    cli_array_fill(out_array, p + data);
    if (!h.fortran || h.rank < 2 || needed == 0) return true;
    /* Filled as the file has it: now in order of rows. */
    return transpose(out_array, error);
}

bool cli_npy_read(const char *path, cli_array *out_array, cli_error *error) {
    cli_file file;
    if (!cli_file_map(path, &file, error)) return false;
    bool ok = cli_npy_parse(file.bytes, file.size, out_array, error);
    cli_file_unmap(&file);
    if (ok) return true;
    char reason[400];
    snprintf(reason, sizeof reason, "%.399s", error->text);
    return cli_fail(error, "%.100s: %s", path, reason);
}

static const char *descr_of(tn_dtype t) {
    static const char *const floats[] = {"<f2", "<f4", "<f8"};
    static const char *const ints[] = {"|i1", "<i2", "<i4", "<i8"};
    static const char *const uints[] = {"|u1", "<u2", "<u4", "<u8"};
    int log2 = t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3;
    if (t.code == TN_TYPE_BOOL) return "|b1";
    if (t.code == TN_TYPE_INT) return ints[log2];
    if (t.code == TN_TYPE_UINT) return uints[log2];
    if (t.code == TN_TYPE_FLOAT) return floats[log2 - 1];
    return "<f4";
}

static size_t write_header(const cli_array *array, char *text, size_t room) {
    int n = snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                     descr_of(array->dtype));
    for (int32_t i = 0; i < array->rank; i++) {
        n += snprintf(text + n, room - (size_t)n, "%lld,%s", (long long)array->shape[i],
                      i + 1 < array->rank ? " " : "");
    }
    n += snprintf(text + n, room - (size_t)n, "), }");
    while ((n + 1 + 10) % 64 != 0)
        text[n++] = ' ';
    text[n++] = '\n';
    return (size_t)n;
}

bool cli_npy_write(const char *path, const cli_array *array, cli_error *error) {
    char text[CLI_MAX_RANK * 24 + 256];
    size_t n = write_header(array, text, sizeof text - 64);
    unsigned char prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    prefix[8] = (unsigned char)(n & 0xff);
    prefix[9] = (unsigned char)(n >> 8);
    bool widen = cli_dtype_is_float(array->dtype) && array->dtype.code != TN_TYPE_FLOAT;
    cli_file_writer w;
    if (!cli_file_begin(path, &w, error)) return false;
    cli_file_put(&w, prefix, sizeof prefix);
    cli_file_put(&w, text, n);
    if (widen) {
        for (int64_t i = 0; i < cli_array_count(array); i++) {
            float value = (float)cli_element_get(array->dtype, array->data, i);
            cli_file_put(&w, &value, sizeof value);
        }
    } else {
        cli_file_put(&w, array->data, array->bytes);
    }
    return cli_file_finish(&w, error);
}
