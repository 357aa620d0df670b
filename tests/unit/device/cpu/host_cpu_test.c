#include "device/cpu/host_cpu.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/allocator.h"

Test(host_cpu, lanes_are_a_vector_width) {
    uint32_t lanes = tn_cpu_host_lanes();
    cr_assert(lanes == 4 || lanes == 8 || lanes == 16, "%u lanes", lanes);
}

Test(host_cpu, identity_is_one_stable_line) {
    tn_strbuf a, b;
    tn_strbuf_init(&a, tn_allocator_system());
    tn_strbuf_init(&b, tn_allocator_system());
    tn_cpu_host_identity(&a);
    tn_cpu_host_identity(&b);
    cr_assert_gt(a.length, 10);
    cr_assert_null(strchr(a.data, '\n'));
    cr_assert_str_eq(a.data, b.data);
    tn_strbuf_deinit(&a);
    tn_strbuf_deinit(&b);
}
