#include "plugins/bad_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tn_test_folder_make(tn_test_folder *folder) {
    snprintf(folder->path, sizeof folder->path, "%s/test-plugins/made.XXXXXX", TN_BINARY_DIR);
    return mkdtemp(folder->path) != NULL;
}

void tn_test_folder_remove(const tn_test_folder *folder) {
    DIR *entries = opendir(folder->path);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        const char *path = tn_test_path(folder, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(path) != 0) rmdir(path);
    }
    if (entries) closedir(entries);
    rmdir(folder->path);
}

static char *next_text(void) {
    static char texts[4][512];
    static unsigned at;
    return texts[at++ % 4];
}

const char *tn_test_plugin(const char *name) {
    char *text = next_text();
    snprintf(text, 512, "%s/test-plugins/%s.so", TN_BINARY_DIR, name);
    return text;
}

const char *tn_test_path(const tn_test_folder *folder, const char *name) {
    char *text = next_text();
    snprintf(text, 512, "%s/%s", folder->path, name);
    return text;
}

bool tn_test_write(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool ok = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && ok;
}

size_t tn_test_size(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 ? (size_t)found.st_size : 0;
}

static char *read_all(const char *path, size_t *out_size) {
    *out_size = tn_test_size(path);
    char *data = malloc(*out_size + 1);
    FILE *file = fopen(path, "rb");
    bool ok = data && file && fread(data, 1, *out_size, file) == *out_size;
    if (file) fclose(file);
    if (ok) return data;
    free(data);
    return NULL;
}

bool tn_test_copy(const char *from, const char *to, size_t most) {
    size_t size;
    char *data = read_all(from, &size);
    bool ok = data && tn_test_write(to, data, size < most ? size : most);
    free(data);
    return ok;
}

bool tn_test_replace(const char *path, const char *old, const char *replacement) {
    size_t size, length = strlen(old);
    char *data = read_all(path, &size);
    char *at = data ? memmem(data, size, old, length) : NULL;
    bool ok = at && strlen(replacement) == length;
    /* In place: the file may be mapped, and its pages must not go away. */
    if (ok) ok = tn_test_patch(path, (size_t)(at - data), replacement, length);
    free(data);
    return ok;
}

bool tn_test_patch(const char *path, size_t offset, const void *bytes, size_t size) {
    FILE *file = fopen(path, "r+b");
    if (!file) return false;
    bool ok = fseek(file, (long)offset, SEEK_SET) == 0 && fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && ok;
}
