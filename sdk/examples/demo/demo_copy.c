/* A copy on all cores, on threads of its own: what the memory of this machine can do. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "demo.h"

typedef struct slice {
    pthread_t thread;
    char *to;
    const char *from;
    size_t bytes;
    bool streamed;
} slice;

/* Stores that do not read the line first, which memcpy may or may not do. */
static void copy_streamed(const slice *s) {
    size_t i = 0;
#ifdef __SSE2__
    for (; i + 16 <= s->bytes; i += 16)
        _mm_stream_si128((void *)(s->to + i), _mm_loadu_si128((const void *)(s->from + i)));
    _mm_sfence();
#endif
    memcpy(s->to + i, s->from + i, s->bytes - i);
}

static void *copy_slice(void *arg) {
    const slice *s = arg;
    if (s->streamed) {
        copy_streamed(s);
    } else {
        memcpy(s->to, s->from, s->bytes);
    }
    return NULL;
}

double demo_copy(const tn_tensor *from, tn_tensor *to, bool streamed) {
    enum { MOST = 256 };
    slice slices[MOST];
    bool started[MOST];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t n = cores < 1 ? 1 : cores > MOST ? MOST : (size_t)cores;
    const size_t bytes = (size_t)demo_tensor_count(from) * tn_dtype_bytes(from->dtype);
    const double begin = demo_now();
    for (size_t i = 0; i < n; i++) {
        slice *s = &slices[i];
        const size_t first = bytes / n * i / 64 * 64; /* tensors start on a line */
        const size_t end = i + 1 == n ? bytes : bytes / n * (i + 1) / 64 * 64;
        *s = (slice){.to = (char *)to->data + first,
                     .from = (const char *)from->data + first,
                     .bytes = end - first,
                     .streamed = streamed};
        started[i] = i + 1 < n && pthread_create(&s->thread, NULL, copy_slice, s) == 0;
        if (!started[i]) copy_slice(s);
    }
    for (size_t i = 0; i < n; i++) {
        if (started[i]) pthread_join(slices[i].thread, NULL);
    }
    return demo_now() - begin;
}
