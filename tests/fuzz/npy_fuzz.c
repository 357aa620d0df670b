/* Bytes as an .npy file: an array within them, the same each time, or a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cli_array array, again;
    cli_error error = {""};
    if (!cli_npy_parse(data, size, &array, &error)) {
        check(array.data == NULL && error.text[0] != 0);
        return 0;
    }
    /* No file makes more of itself than it holds. */
    check(array.bytes < size && array.rank <= CLI_MAX_RANK);
    size_t bytes = tn_dtype_bytes(array.dtype);
    for (int32_t i = 0; i < array.rank; i++)
        bytes *= (size_t)array.shape[i];
    check(bytes == array.bytes && (array.data == NULL) == (bytes == 0));
    for (int64_t i = 0; i < cli_array_count(&array); i++) {
        double value = cli_element_get(array.dtype, array.data, i);
        check(array.dtype.code != TN_TYPE_BOOL || value == 0 || value == 1);
    }
    check(cli_npy_parse(data, size, &again, &error) && again.bytes == array.bytes);
    check(bytes == 0 || memcmp(array.data, again.data, bytes) == 0);
    cli_array_free(&again);
    cli_array_free(&array);
    return 0;
}
