#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/strbuf.h"

/* A caller without a file's size (a pipe, /proc) starts with this much. */
enum { UNKNOWN_SIZE = 4096 };

/* read() until the end or until size bytes; *out_read says how many. */
static int read_fully(int fd, char *data, size_t size, size_t *out_read) {
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, data + got, size - got);
        if (n == 0) break;
        if (n < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        got += (size_t)n;
    }
    *out_read = got;
    return 0;
}

static tn_status read_open_file(const tn_allocator *a, int fd, const char *path, size_t expected,
                                tn_blob *out_blob) {
    /* One byte more than expected tells whether the file has grown since. */
    size_t capacity = expected + 2, size = 0;
    char *data = tn_alloc(a, capacity);
    if (!data) return tn_status_no_memory();
    for (;;) {
        size_t got = 0;
        int error = read_fully(fd, data + size, capacity - 1 - size, &got);
        if (error) {
            tn_free(a, data, capacity);
            return tn_status_from_errno(error, "cannot read %s", path);
        }
        size += got;
        if (size < capacity - 1) break;
        char *larger = capacity > SIZE_MAX / 2 ? NULL : tn_realloc(a, data, capacity, capacity * 2);
        if (!larger) {
            tn_free(a, data, capacity);
            return tn_status_no_memory();
        }
        data = larger;
        capacity *= 2;
    }
    char *fitted = tn_realloc(a, data, capacity, size + 1);
    if (!fitted) {
        tn_free(a, data, capacity);
        return tn_status_no_memory();
    }
    fitted[size] = '\0';
    *out_blob = (tn_blob){a, fitted, size};
    return NULL;
}

tn_status tn_file_read(const tn_allocator *allocator, const char *path, tn_blob *out_blob) {
    *out_blob = (tn_blob){.allocator = allocator};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return tn_status_from_errno(errno, "cannot open %s", path);
    struct stat info;
    tn_status status = NULL;
    if (fstat(fd, &info) != 0) {
        status = tn_status_from_errno(errno, "cannot read %s", path);
    } else if (S_ISDIR(info.st_mode)) {
        status = tn_status_make(TN_IO, "cannot read %s: it is a folder, a file was expected", path);
    } else {
        size_t expected = UNKNOWN_SIZE;
        if (S_ISREG(info.st_mode) && info.st_size > 0) expected = (size_t)info.st_size;
        status = read_open_file(allocator, fd, path, expected, out_blob);
    }
    close(fd);
    return status;
}

void tn_blob_deinit(tn_blob *blob) {
    tn_free(blob->allocator, blob->data, blob->size + 1);
    blob->data = NULL;
    blob->size = 0;
}

/* Opens a new file beside path. Its name is unique among the threads of this
 * process and, by the process id, among processes; one left by a dead process
 * of the same id is stepped over. */
static int open_beside(const char *path, char name[PATH_MAX]) {
    static atomic_uint counter;
    for (int attempt = 0; attempt < 1000; attempt++) {
        int length = snprintf(name, PATH_MAX, "%s.%ld.%u.tmp", path, (long)getpid(),
                              atomic_fetch_add(&counter, 1));
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static int write_fully(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        data += n;
        size -= (size_t)n;
    }
    return fsync(fd) != 0 ? errno : 0;
}

tn_status tn_file_write_atomic(const char *path, const void *data, size_t size) {
    char name[PATH_MAX];
    int fd = open_beside(path, name);
    if (fd < 0) return tn_status_from_errno(errno, "cannot create a file beside %s", path);
    int error = write_fully(fd, data, size);
    if (close(fd) != 0 && !error) error = errno;
    if (!error && rename(name, path) != 0) error = errno;
    if (!error) return NULL;
    unlink(name);
    return tn_status_from_errno(error, "cannot write %zu bytes to %s", size, path);
}

tn_status tn_dir_create(const char *path) {
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return tn_status_from_errno(length ? ENAMETOOLONG : ENOENT, "cannot create folder '%s'",
                                    path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) == 0 || errno == EEXIST) continue;
        return tn_status_from_errno(errno, "cannot create folder %s", part);
    }
    struct stat info;
    if (stat(path, &info) != 0) return tn_status_from_errno(errno, "cannot create folder %s", path);
    if (!S_ISDIR(info.st_mode))
        return tn_status_make(TN_IO, "cannot create folder %s: a file of that name exists", path);
    return NULL;
}

tn_status tn_cache_dir_default(const tn_allocator *allocator, char **out_path) {
    *out_path = NULL;
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    tn_strbuf path;
    tn_strbuf_init(&path, allocator);
    /* The XDG specification says to ignore a relative path. */
    if (cache && cache[0] == '/') {
        tn_strbuf_printf(&path, "%s/tenon", cache);
    } else if (home && home[0] == '/') {
        tn_strbuf_printf(&path, "%s/.cache/tenon", home);
    } else {
        return tn_status_make(TN_NOT_FOUND, "no cache folder: neither XDG_CACHE_HOME nor HOME is "
                                            "set to an absolute path; set one, or give a folder");
    }
    *out_path = tn_strbuf_steal(&path);
    return *out_path ? NULL : tn_status_no_memory();
}
