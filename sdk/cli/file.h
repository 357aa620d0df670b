/* Whole files in, whole files out. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stdio.h>

#include "array.h"

typedef struct cli_file {
    const void *bytes; /* mapped, read only */
    size_t size;
} cli_file;
bool cli_file_map(const char *path, cli_file *out_file, cli_error *error);
void cli_file_unmap(cli_file *file);

/* Written beside and renamed: a failure leaves the old file, or none. */
typedef struct cli_file_writer {
    FILE *stream;
    char *path, *temporary;
    int failed; /* the errno of the first write that failed */
} cli_file_writer;
bool cli_file_begin(const char *path, cli_file_writer *w, cli_error *error);
void cli_file_put(cli_file_writer *w, const void *data, size_t size);
bool cli_file_finish(cli_file_writer *w, cli_error *error);

#endif
