#include "device/cpu/host_cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

uint32_t tn_cpu_host_lanes(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return 16;
    return __builtin_cpu_supports("avx2") ? 8 : 4;
}

/* Features and model as cpuid gives them, and which register sets the system
 * saves. Leaf 1's ebx is left out: it names the core that happens to run this. */
void tn_cpu_host_identity(tn_strbuf *out) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid(0, &a, &b, &c, &d);
    tn_strbuf_printf(out, "x86 %08x%08x%08x", b, d, c);
    a = b = c = d = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    tn_strbuf_printf(out, " %08x %08x %08x", a, c, d);
    for (unsigned leaf = 0; leaf < 2; leaf++) {
        a = b = c = d = 0;
        __get_cpuid_count(7, leaf, &a, &b, &c, &d);
        if (leaf == 0) a = 0; /* the number of leaves */
        tn_strbuf_printf(out, " %08x %08x %08x %08x", a, b, c, d);
    }
    a = b = c = d = 0;
    __get_cpuid(0x80000001u, &a, &b, &c, &d);
    tn_strbuf_printf(out, " %08x %08x lanes %u", c, d, tn_cpu_host_lanes());
}

#else
#include <sys/utsname.h>

uint32_t tn_cpu_host_lanes(void) {
    return 4;
}

void tn_cpu_host_identity(tn_strbuf *out) {
    struct utsname system;
    const char *machine = uname(&system) == 0 ? system.machine : "unknown";
    tn_strbuf_printf(out, "%s lanes %u", machine, tn_cpu_host_lanes());
#if defined(__linux__)
    extern unsigned long getauxval(unsigned long type);
    enum { HWCAP = 16, HWCAP2 = 26 };
    tn_strbuf_printf(out, " %lx %lx", getauxval(HWCAP), getauxval(HWCAP2));
#endif
}
#endif
