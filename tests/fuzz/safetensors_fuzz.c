/* Bytes as a safetensors file: the tensor "w" within them, or a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cli_array array;
    cli_error error = {""};
    if (!cli_safetensors_parse(data, size, "w", &array, &error)) {
        check(array.data == NULL && error.text[0] != 0);
        return 0;
    }
    check(array.bytes < size && array.rank <= CLI_MAX_RANK);
    size_t bytes = tn_dtype_bytes(array.dtype);
    for (int32_t i = 0; i < array.rank; i++)
        bytes *= (size_t)array.shape[i];
    check(bytes == array.bytes && (array.data == NULL) == (bytes == 0));
    for (int64_t i = 0; i < cli_array_count(&array); i++)
        (void)cli_element_get(array.dtype, array.data, i);
    cli_array_free(&array);
    return 0;
}
