/* Files that are no plugins, made from ones that are. Knows no test framework. */
#ifndef TN_TESTS_BAD_FILES_H
#define TN_TESTS_BAD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A folder of one's own, writable by no one else; removed with all in it by
 * tn_test_folder_remove. False when the system refuses. */
typedef struct tn_test_folder {
    char path[256];
} tn_test_folder;
bool tn_test_folder_make(tn_test_folder *folder);
void tn_test_folder_remove(const tn_test_folder *folder);

/* The path of a plugin of tests/plugins, e.g. "sample". Static for four calls. */
const char *tn_test_plugin(const char *name);
/* FOLDER/NAME, static for four calls. */
const char *tn_test_path(const tn_test_folder *folder, const char *name);

/* Each gives false when the system refuses. */
bool tn_test_write(const char *path, const void *data, size_t size);
/* Copies at most `most` bytes of a file. */
bool tn_test_copy(const char *from, const char *to, size_t most);
/* Replaces the first occurrence of a text by one of the same length. */
bool tn_test_replace(const char *path, const char *old, const char *replacement);
bool tn_test_patch(const char *path, size_t offset, const void *bytes, size_t size);
size_t tn_test_size(const char *path); /* 0 when there is none */

#endif
