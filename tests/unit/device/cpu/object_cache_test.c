#include "device/cpu/object_cache.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>

#include "base/allocator.h"
#include "base/file.h"
#include "scratch.h"
#include "support/failing_allocator.h"

typedef struct log_book {
    int warnings;
    char last[1024];
} log_book;

static void note(void *self, int32_t level, const char *message) {
    log_book *book = self;
    cr_assert_eq(level, TN_LOG_WARN);
    book->warnings++;
    snprintf(book->last, sizeof book->last, "%s", message);
}

static tn_cpu_object_cache *open_cache(const char *folder, uint64_t max_bytes, log_book *book) {
    tn_cpu_object_cache *cache;
    tn_cpu_object_cache_options options = {
        .folder = folder, .max_bytes = max_bytes, .log = note, .log_self = book};
    expect_ok(tn_cpu_object_cache_create(tn_allocator_system(), &options, &cache));
    return cache;
}

static tn_digest key_of(uint64_t n) {
    return (tn_digest){n, 77};
}

/* Any object will do: this program is one. */
static const char *const object = "/proc/self/exe";

static bool found(tn_cpu_object_cache *cache, uint64_t n) {
    char *path;
    expect_ok(tn_cpu_object_cache_find(cache, key_of(n), &path));
    bool hit = path != NULL;
    tn_strfree(tn_allocator_system(), path);
    return hit;
}

static const char *entry(const scratch *s, uint64_t n, const char *suffix) {
    char hex[33], name[80];
    tn_digest_hex(key_of(n), hex);
    snprintf(name, sizeof name, "%s.so%s", hex, suffix);
    return scratch_file(s, name);
}

static int count_files(const char *folder) {
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *at; (at = readdir(dir));)
        n += at->d_name[0] != '.';
    closedir(dir);
    return n;
}

Test(object_cache, stored_is_found_by_its_key_and_by_other_caches) {
    scratch s = scratch_make();
    log_book book = {0};
    tn_cpu_object_cache *cache = open_cache(s.path, 0, &book);
    cr_assert(!found(cache, 1));
    cr_assert(tn_cpu_object_cache_store(cache, key_of(1), object));
    cr_assert(found(cache, 1));
    cr_assert(!found(cache, 2));
    tn_cpu_object_cache *other = open_cache(s.path, 0, &book);
    cr_assert(found(other, 1));
    cr_assert_eq(count_files(s.path), 1);
    tn_cpu_object_cache_stats stats;
    tn_cpu_object_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.hits, 1);
    cr_assert_eq(stats.misses, 2);
    cr_assert_eq(stats.stores, 1);
    cr_assert_eq(book.warnings, 0, "%s", book.last);
    tn_cpu_object_cache_destroy(other);
    tn_cpu_object_cache_destroy(cache);
    scratch_remove(&s);
}

static void damage(const char *path, int how) {
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    if (how == 0) {
        cr_assert_eq(truncate(path, info.st_size / 2), 0);
    } else if (how == 1) {
        cr_assert_eq(truncate(path, 0), 0);
    } else {
        int fd = open(path, O_RDWR);
        char byte;
        cr_assert_eq(pread(fd, &byte, 1, info.st_size / 3), 1);
        byte ^= 1;
        cr_assert_eq(pwrite(fd, &byte, 1, info.st_size / 3), 1);
        close(fd);
    }
}

Test(object_cache, damaged_is_set_aside_with_a_warning_and_rebuilt) {
    for (int how = 0; how < 3; how++) {
        scratch s = scratch_make();
        log_book book = {0};
        tn_cpu_object_cache *cache = open_cache(s.path, 0, &book);
        cr_assert(tn_cpu_object_cache_store(cache, key_of(1), object));
        damage(entry(&s, 1, ""), how);
        cr_assert(!found(cache, 1), "damage %d", how);
        cr_assert_eq(book.warnings, 1);
        cr_assert(strstr(book.last, "damaged"), "%s", book.last);
        cr_assert(scratch_exists(entry(&s, 1, ".corrupt")));
        cr_assert(!scratch_exists(entry(&s, 1, "")));
        cr_assert(tn_cpu_object_cache_store(cache, key_of(1), object));
        cr_assert(found(cache, 1));
        tn_cpu_object_cache_stats stats;
        tn_cpu_object_cache_get_stats(cache, &stats);
        cr_assert_eq(stats.corrupt, 1);
        tn_cpu_object_cache_destroy(cache);
        scratch_remove(&s);
    }
}

Test(object_cache, a_good_entry_under_another_name_is_not_used) {
    scratch s = scratch_make();
    log_book book = {0};
    tn_cpu_object_cache *cache = open_cache(s.path, 0, &book);
    cr_assert(tn_cpu_object_cache_store(cache, key_of(1), object));
    cr_assert_eq(rename(entry(&s, 1, ""), entry(&s, 2, "")), 0);
    cr_assert(!found(cache, 2));
    cr_assert(strstr(book.last, "another key"), "%s", book.last);
    /* A folder or a dangling link in its place is a miss too. */
    cr_assert_eq(mkdir(entry(&s, 3, ""), 0700), 0);
    cr_assert(!found(cache, 3));
    cr_assert_eq(symlink("/nonexistent", entry(&s, 4, "")), 0);
    cr_assert(!found(cache, 4));
    tn_cpu_object_cache_destroy(cache);
    scratch_remove(&s);
}

Test(object_cache, the_longest_unused_go_when_it_is_full) {
    scratch s = scratch_make();
    log_book book = {0};
    struct stat info;
    cr_assert_eq(stat(object, &info), 0);
    uint64_t max = (uint64_t)info.st_size * 4 + 1000; /* four fit; an eighth less after evicting */
    tn_cpu_object_cache *cache = open_cache(s.path, max, &book);
    for (uint64_t n = 0; n < 4; n++) {
        cr_assert(tn_cpu_object_cache_store(cache, key_of(n), object));
        struct timespec old[2] = {{.tv_sec = 1000 + (time_t)n}, {.tv_sec = 1000 + (time_t)n}};
        cr_assert_eq(utimensat(AT_FDCWD, entry(&s, n, ""), old, 0), 0);
    }
    scratch_write(scratch_file(&s, "notes.txt"), "mine", 4, 0600);
    cr_assert(found(cache, 0)); /* makes it the youngest */
    cr_assert(tn_cpu_object_cache_store(cache, key_of(9), object));
    cr_assert(found(cache, 0) && found(cache, 9) && found(cache, 3));
    cr_assert(!found(cache, 1) && !found(cache, 2));
    cr_assert(scratch_exists(scratch_file(&s, "notes.txt")));
    tn_cpu_object_cache_stats stats;
    tn_cpu_object_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.evictions, 2);
    tn_cpu_object_cache_destroy(cache);
    scratch_remove(&s);
}

Test(object_cache, litter_of_dead_writers_is_swept) {
    scratch s = scratch_make();
    log_book book = {0};
    const char *old = entry(&s, 5, ".123.0.tmp"), *young = entry(&s, 5, ".124.0.tmp");
    scratch_write(old, "x", 1, 0600);
    scratch_write(young, "x", 1, 0600);
    struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    utimensat(AT_FDCWD, old, long_ago, 0);
    tn_cpu_object_cache *cache = open_cache(s.path, 0, &book);
    cr_assert(tn_cpu_object_cache_store(cache, key_of(1), object));
    cr_assert(!scratch_exists(old));
    cr_assert(scratch_exists(young));
    tn_cpu_object_cache_destroy(cache);
    scratch_remove(&s);
}

Test(object_cache, a_folder_others_can_write_is_not_trusted) {
    scratch s = scratch_make();
    log_book book = {0};
    cr_assert_eq(chmod(s.path, 0777), 0);
    tn_cpu_object_cache *cache = open_cache(s.path, 0, &book);
    cr_assert(!tn_cpu_object_cache_is_open(cache));
    cr_assert(strstr(book.last, "chmod go-w"), "%s", book.last);
    cr_assert(!tn_cpu_object_cache_store(cache, key_of(1), object));
    cr_assert(!found(cache, 1));
    tn_cpu_object_cache_destroy(cache);
    if (geteuid() == 0) {
        book = (log_book){0};
        cr_assert_eq(chmod(s.path, 0700), 0);
        cr_assert_eq(chown(s.path, 12345, 12345), 0);
        cache = open_cache(s.path, 0, &book);
        cr_assert(!tn_cpu_object_cache_is_open(cache));
        cr_assert(strstr(book.last, "belongs to user 12345"), "%s", book.last);
        tn_cpu_object_cache_destroy(cache);
    }
    scratch_remove(&s);
}

Test(object_cache, a_folder_that_cannot_be_is_a_closed_cache) {
    scratch s = scratch_make();
    log_book book = {0};
    scratch_write(scratch_file(&s, "file"), "x", 1, 0600);
    tn_cpu_object_cache *cache = open_cache(scratch_file(&s, "file/below"), 0, &book);
    cr_assert(!tn_cpu_object_cache_is_open(cache));
    cr_assert_eq(book.warnings, 1);
    tn_cpu_object_cache_destroy(cache);
    /* One that disappears while in use fails its stores and says so once. */
    book = (log_book){0};
    cr_assert_eq(mkdir(scratch_file(&s, "gone"), 0700), 0);
    cache = open_cache(scratch_file(&s, "gone"), 0, &book);
    cr_assert_eq(rmdir(scratch_file(&s, "gone")), 0);
    cr_assert(!tn_cpu_object_cache_store(cache, key_of(1), object));
    cr_assert(!tn_cpu_object_cache_store(cache, key_of(2), object));
    cr_assert(!found(cache, 1));
    cr_assert_eq(book.warnings, 1);
    tn_cpu_object_cache_stats stats;
    tn_cpu_object_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.store_failures, 2);
    tn_cpu_object_cache_destroy(cache);
    scratch_remove(&s);
}

Test(object_cache, a_full_or_read_only_disk_loses_nothing_else) {
    scratch s = scratch_make();
    log_book book = {0};
    /* A disk of 16 KiB, in a mount namespace of this test's own. */
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", s.path, "tmpfs", 0, "size=16k,mode=700") != 0) {
        scratch_remove(&s);
        cr_skip_test("this user may not mount a small disk");
    }
    tn_cpu_object_cache *cache = open_cache(s.path, 0, &book);
    cr_assert(tn_cpu_object_cache_is_open(cache));
    cr_assert(!tn_cpu_object_cache_store(cache, key_of(1), object));
    cr_assert(strstr(book.last, "No space left"), "%s", book.last);
    cr_assert_eq(count_files(s.path), 0, "a half-written file was left");
    cr_assert_eq(mount(NULL, s.path, NULL, MS_REMOUNT | MS_RDONLY, "size=16k"), 0);
    cr_assert(!tn_cpu_object_cache_store(cache, key_of(1), object));
    cr_assert(!found(cache, 1));
    tn_cpu_object_cache_destroy(cache);
    umount(s.path);
    scratch_remove(&s);
}

typedef struct racer {
    tn_cpu_object_cache *cache;
    int bad;
} racer;

static void *race(void *self) {
    racer *r = self;
    for (int i = 0; i < 30; i++) {
        uint64_t n = (uint64_t)(i % 5);
        if (!tn_cpu_object_cache_store(r->cache, key_of(n), object)) r->bad++;
        char *path;
        tn_status status = tn_cpu_object_cache_find(r->cache, key_of(n), &path);
        if (status) r->bad++;
        tn_status_free(status);
        tn_strfree(tn_allocator_system(), path);
    }
    return NULL;
}

Test(object_cache, concurrent_writers_never_show_half_an_entry) {
    scratch s = scratch_make();
    log_book books[4] = {0};
    racer racers[4];
    pthread_t threads[4];
    /* A cache of its own for each, as processes have. */
    for (int i = 0; i < 4; i++)
        racers[i] = (racer){open_cache(s.path, UINT64_C(1) << 40, &books[i]), 0};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(racers[i].bad, 0);
        cr_assert_eq(books[i].warnings, 0, "%s", books[i].last);
        tn_cpu_object_cache_destroy(racers[i].cache);
    }
    cr_assert_eq(count_files(s.path), 5);
    scratch_remove(&s);
}

static tn_status sweep_step(void *self, const tn_allocator *allocator) {
    const scratch *s = self;
    tn_cpu_object_cache *cache;
    tn_cpu_object_cache_options options = {.folder = s->path, .max_bytes = 1};
    TN_TRY(tn_cpu_object_cache_create(allocator, &options, &cache));
    tn_cpu_object_cache_store(cache, key_of(1), object);
    char *path = NULL;
    tn_status status = tn_cpu_object_cache_find(cache, key_of(1), &path);
    tn_strfree(allocator, path);
    scratch_write(entry(s, 2, ""), "bad", 3, 0600);
    if (!status) status = tn_cpu_object_cache_find(cache, key_of(2), &path);
    tn_strfree(allocator, path);
    tn_cpu_object_cache_destroy(cache);
    return status;
}

Test(object_cache, no_memory_anywhere) {
    scratch s = scratch_make();
    const char *problem = tn_sweep_allocations(sweep_step, &s, true, NULL);
    cr_assert_null(problem, "%s", problem);
    scratch_remove(&s);
}
