/* Runs a fuzz target without a fuzzer: over every file of the folders and files
 * named on the command line, over each of them cut short at every length up to a
 * bound, and over copies with one byte changed, from a fixed sequence. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 512, FLIPS = 512 };

static unsigned long inputs;

/* In a block of exactly its size, so that a sanitizer sees an over-read. */
static void run_exact(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

static void run_variants(uint8_t *data, size_t size) {
    run_exact(data, size);
    size_t step = size / CUTS + 1;
    for (size_t cut = 0; cut < size; cut += step)
        run_exact(data, cut);
    uint64_t random = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < FLIPS && size; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t at = (size_t)(random >> 33) % size;
        uint8_t old = data[at];
        data[at] = (uint8_t)(random >> 24);
        run_exact(data, size);
        data[at] = old;
    }
}

static void run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (!data || size < 0 || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s: cannot read it\n", path);
        exit(1);
    }
    fclose(file);
    run_variants(data, (size_t)size);
    free(data);
}

static void run_path(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        exit(1);
    }
    if (!S_ISDIR(info.st_mode)) {
        run_file(path);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') run_path(name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    printf("%lu inputs\n", inputs);
    return inputs ? 0 : 1;
}
