/* A tensor read from a file or made up: host memory, contiguous. */
#ifndef CLI_ARRAY_H
#define CLI_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/tenon.h"

#define CLI_MAX_RANK 16

typedef struct cli_array {
    tn_dtype dtype;
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
    void *data; /* malloc'ed, aligned to 64; NULL for no elements */
    size_t bytes;
} cli_array;

/* What went wrong, for people; "" when nothing did. */
typedef struct cli_error {
    char text[512];
} cli_error;
/* Returns false, so that a function can end in `return cli_fail(...)`. */
bool cli_fail(cli_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes of a dense array; false when extents are negative or do not fit. */
bool cli_array_bytes(tn_dtype dtype, int32_t rank, const int64_t *shape, size_t *out_bytes,
                     cli_error *error);
/* Allocates zeroed storage for dtype, rank and shape; false when extents are
 * negative, do not fit, or there is no memory. */
bool cli_array_make(cli_array *array, tn_dtype dtype, int32_t rank, const int64_t *shape,
                    cli_error *error);
/* Copies array->bytes in; any bool that is not 0 becomes 1. */
void cli_array_fill(cli_array *array, const void *bytes);
void cli_array_free(cli_array *array);
int64_t cli_array_count(const cli_array *array);

/* .npy, format versions 1 to 3, little-endian, C or Fortran order. bf16 and f8
 * have no numpy name: they are kept as u2 and u1 by others, and read as such. */
bool cli_npy_parse(const void *bytes, size_t size, cli_array *out_array, cli_error *error);
bool cli_npy_read(const char *path, cli_array *out_array, cli_error *error);
/* bf16 is written as f32, whose values hold it exactly; f8 likewise. */
bool cli_npy_write(const char *path, const cli_array *array, cli_error *error);

/* safetensors: one tensor by name. The error lists the names there are. */
bool cli_safetensors_parse(const void *bytes, size_t size, const char *name, cli_array *out_array,
                           cli_error *error);
bool cli_safetensors_read(const char *path, const char *name, cli_array *out_array,
                          cli_error *error);

/* "FILE.npy" or "FILE.safetensors:TENSOR". */
bool cli_array_read(const char *spec, cli_array *out_array, cli_error *error);

/* One element as a double (exact for all but large 64-bit integers). */
double cli_element_get(tn_dtype dtype, const void *data, int64_t index);
void cli_element_set(tn_dtype dtype, void *data, int64_t index, double value);
bool cli_dtype_is_float(tn_dtype dtype);
/* A number for people: "%.{digits}g", but NaN has no sign. */
#define CLI_NUMBER_TEXT 32
const char *cli_number_text(double value, int digits, char out[CLI_NUMBER_TEXT]);

#endif
