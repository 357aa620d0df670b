#include "base/hash.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "support/failing_allocator.h"

Test(hash, is_xxh3) {
    /* From the reference implementation; disk caches depend on these values. */
    cr_assert_eq(tn_hash64("", 0, 0), 0x2d06800538d394c2u);
    cr_assert_eq(tn_hash64(NULL, 0, 0), tn_hash64("", 0, 0));
    cr_assert_neq(tn_hash64("tenon", 5, 0), tn_hash64("tenon", 5, 1));
    cr_assert_neq(tn_hash64("tenon", 5, 0), tn_hash64("tenom", 5, 0));
}

static tn_digest digest_of(const char *const *parts, int n) {
    tn_hasher h;
    tn_hasher_init(&h);
    for (int i = 0; i < n; i++)
        tn_hasher_text(&h, parts[i]);
    return tn_hasher_digest(&h);
}

Test(hash, parts_do_not_run_together) {
    tn_digest a = digest_of((const char *[]){"ab", "c"}, 2);
    tn_digest b = digest_of((const char *[]){"a", "bc"}, 2);
    tn_digest c = digest_of((const char *[]){"abc"}, 1);
    tn_digest d = digest_of((const char *[]){"ab", "c"}, 2);
    cr_assert(a.lo != b.lo && a.hi != b.hi);
    cr_assert(a.lo != c.lo && a.hi != c.hi);
    cr_assert(a.lo == d.lo && a.hi == d.hi);
}

Test(hash, a_digest_can_be_taken_midway) {
    tn_hasher h;
    tn_hasher_init(&h);
    tn_hasher_u64(&h, 7);
    tn_digest first = tn_hasher_digest(&h);
    tn_digest again = tn_hasher_digest(&h);
    cr_assert(first.lo == again.lo && first.hi == again.hi);
    tn_hasher_bytes(&h, NULL, 0);
    tn_digest later = tn_hasher_digest(&h);
    cr_assert_neq(first.lo, later.lo);
}

Test(hash, hex) {
    char text[33];
    tn_digest_hex((tn_digest){.lo = 0x0123456789abcdefu, .hi = 0xfedcba9876543210u}, text);
    cr_assert_str_eq(text, "fedcba98765432100123456789abcdef");
}

static tn_failing_allocator fa;
static tn_map map;

static void setup(void) {
    tn_failing_allocator_init(&fa);
    tn_map_init(&map, &fa.allocator);
}

static void teardown(void) {
    tn_map_deinit(&map);
    const char *problem = tn_failing_allocator_problem(&fa);
    cr_assert_null(problem, "%s", problem);
    tn_failing_allocator_deinit(&fa);
}

TestSuite(map, .init = setup, .fini = teardown);

Test(map, empty) {
    uint64_t value;
    cr_assert_not(tn_map_get(&map, "a", 1, &value));
    cr_assert_not(tn_map_remove(&map, "a", 1));
}

Test(map, sets_replaces_and_copies_keys) {
    char key[4] = "abc";
    uint64_t value = 0;
    cr_assert(tn_map_set(&map, key, 3, 1));
    cr_assert(tn_map_set(&map, key, 3, 2));
    cr_assert_eq(map.count, 1);
    key[0] = 'z';
    cr_assert(tn_map_get(&map, "abc", 3, &value));
    cr_assert_eq(value, 2);
    cr_assert_not(tn_map_get(&map, "zbc", 3, &value));
    cr_assert_not(tn_map_get(&map, "ab", 2, &value));
}

Test(map, adds_only_what_is_not_there) {
    static const char text[64] = "a key that may be long or short, as long as the test cares";
    uint64_t value = 0;
    for (size_t size = 0; size < sizeof text; size++) {
        cr_assert(tn_map_add(&map, text, size, size, &value));
        cr_assert_eq(value, size);
        cr_assert(tn_map_add(&map, text, size, 1000 + size, &value));
        cr_assert_eq(value, size);
    }
    cr_assert_eq(map.count, sizeof text);
    for (size_t size = 0; size < sizeof text; size += 2)
        cr_assert(tn_map_remove(&map, text, size));
    for (size_t size = 0; size < sizeof text; size++) {
        cr_assert_eq(tn_map_get(&map, text, size, &value), size % 2 == 1);
        if (size % 2 == 1) cr_assert_eq(value, size);
    }
}

Test(map, has_the_room_that_was_asked_for) {
    uint64_t value;
    cr_assert(tn_map_set(&map, "kept", 4, 7));
    cr_assert(tn_map_reserve(&map, 1000));
    size_t capacity = map.capacity;
    for (uint32_t i = 0; i < 999; i++)
        cr_assert(tn_map_set(&map, &i, sizeof i, i));
    cr_assert_eq(map.capacity, capacity);
    cr_assert(tn_map_get(&map, "kept", 4, &value));
    cr_assert_eq(value, 7);
    cr_assert_not(tn_map_reserve(&map, SIZE_MAX));
}

Test(map, the_empty_key_is_a_key) {
    uint64_t value = 0;
    cr_assert(tn_map_set(&map, NULL, 0, 5));
    cr_assert(tn_map_get(&map, "", 0, &value));
    cr_assert_eq(value, 5);
    cr_assert(tn_map_remove(&map, NULL, 0));
    cr_assert_eq(map.count, 0);
}

/* Against the obvious thing: an array of what should be there. */
Test(map, agrees_with_an_array) {
    enum { KEYS = 300, STEPS = 20000 };
    uint64_t expected[KEYS] = {0}; /* 0: absent */
    uint64_t state = 3;
    size_t count = 0;
    for (uint64_t step = 1; step <= STEPS; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t key = (uint32_t)(state >> 40) % KEYS;
        uint64_t value = 0;
        bool present = expected[key] != 0;
        switch (state >> 61) {
        case 0:
        case 1:
        case 2:
            cr_assert_eq(tn_map_remove(&map, &key, sizeof key), present);
            count -= present;
            expected[key] = 0;
            break;
        case 3:
            cr_assert_eq(tn_map_get(&map, &key, sizeof key, &value), present);
            if (present) cr_assert_eq(value, expected[key]);
            break;
        default:
            cr_assert(tn_map_set(&map, &key, sizeof key, step));
            count += !present;
            expected[key] = step;
        }
        cr_assert_eq(map.count, count);
    }
    for (uint32_t key = 0; key < KEYS; key++) {
        uint64_t value = 0;
        cr_assert_eq(tn_map_get(&map, &key, sizeof key, &value), expected[key] != 0);
        cr_assert_eq(value, expected[key]);
    }
}

static tn_status fill_map(void *self, const tn_allocator *a) {
    (void)self;
    tn_map local;
    tn_map_init(&local, a);
    tn_status status = NULL;
    for (uint32_t i = 0; i < 40 && !status; i++) {
        size_t before = local.count;
        if (tn_map_set(&local, &i, sizeof i, i)) continue;
        status = local.count == before ? tn_status_no_memory()
                                       : tn_status_make(TN_INTERNAL, "a failed set counted");
    }
    tn_map_deinit(&local);
    return status;
}

Test(map, survives_running_out) {
    const char *problem = tn_sweep_allocations(fill_map, NULL, false, NULL);
    cr_assert_null(problem, "%s", problem);
}
