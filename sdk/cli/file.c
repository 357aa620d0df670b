#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_file_map(const char *path, cli_file *out_file, cli_error *error) {
    struct stat info;
    *out_file = (cli_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cli_fail(error, "%.300s: %s", path, strerror(errno));
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return cli_fail(error, "%.300s: not a regular file", path);
    }
    out_file->size = (size_t)info.st_size;
    if (out_file->size > 0) {
        void *bytes = mmap(NULL, out_file->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED) {
            int code = errno;
            close(fd);
            return cli_fail(error, "%.300s: %s", path, strerror(code));
        }
        out_file->bytes = bytes;
    } else {
        out_file->bytes = "";
    }
    close(fd);
    return true;
}

void cli_file_unmap(cli_file *file) {
    if (file->size > 0) {
        void *bytes;
        memcpy(&bytes, &file->bytes, sizeof bytes);
        munmap(bytes, file->size);
    }
    *file = (cli_file){0};
}

bool cli_file_begin(const char *path, cli_file_writer *w, cli_error *error) {
    *w = (cli_file_writer){0};
    size_t room = strlen(path) + 32;
    w->path = strdup(path);
    w->temporary = malloc(room);
    if (w->path != NULL && w->temporary != NULL) {
        snprintf(w->temporary, room, "%s.%ld.tmp", path, (long)getpid());
        w->stream = fopen(w->temporary, "wbe");
    }
    if (w->stream != NULL) return true;
    cli_fail(error, "%.300s: %s", path, strerror(errno));
    free(w->path);
    free(w->temporary);
    return false;
}

void cli_file_put(cli_file_writer *w, const void *data, size_t size) {
    if (size > 0 && fwrite(data, 1, size, w->stream) != size && w->failed == 0) {
        w->failed = errno != 0 ? errno : EIO;
    }
}

bool cli_file_finish(cli_file_writer *w, cli_error *error) {
    int code = w->failed;
    if (fclose(w->stream) != 0 && code == 0) code = errno;
    if (code == 0 && rename(w->temporary, w->path) != 0) code = errno;
    if (code != 0) {
        unlink(w->temporary);
        cli_fail(error, "%.300s: %s", w->path, strerror(code));
    }
    free(w->path);
    free(w->temporary);
    return code == 0;
}
