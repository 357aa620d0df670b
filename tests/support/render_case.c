#include "support/render_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/hash.h"
#include "ir/compare.h"
#include "ir/text.h"

/* Without its check of uses after return: gcc 12 then puts the frame on its own heap, aligned
 * to less than vectors of 64 bytes are, and stores one there by vmovaps (GCC bug 110027). */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZE                                                                                   \
    "-fsanitize=address,undefined -fno-sanitize-recover=all --param asan-use-after-return=0"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZE "-fsanitize=address,undefined -fno-sanitize-recover=all"
#endif
#endif
#ifndef SANITIZE
#define SANITIZE ""
#endif
#ifdef __clang__
#define THIS_COMPILER "clang"
#else
#define THIS_COMPILER "gcc"
#endif

static uint32_t native_lanes(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return 16;
    return __builtin_cpu_supports("avx2") ? 8 : 4;
}

tn_render_target tn_render_target_native(void) {
    bool clang = THIS_COMPILER[0] == 'c';
    uint32_t lanes = native_lanes();
    return (tn_render_target){THIS_COMPILER, clang ? "-march=native -mno-avx512f" : NULL,
                              clang && lanes > 8 ? 8 : lanes};
}

/* Generated code runs where the processor has the instructions. clang 14 compiles
 * AVX-512 code wrongly (core/device/cpu/compiler.c). */
uint32_t tn_render_targets(const tn_render_named_target **out) {
    static const tn_render_named_target all[] = {
        {"gcc v2", {"gcc", "-march=x86-64-v2", 4}},
        {"gcc v2 scalar fma", {"gcc", "-march=x86-64-v2 -mfma", 4}},
        {"clang v3", {"clang", "-march=x86-64-v3", 8}},
        {"gcc v3", {"gcc", "-march=x86-64-v3", 8}},
        {"gcc v4", {"gcc", "-march=x86-64-v4", 16}},
    };
    *out = all;
    return native_lanes() == 16 ? 5 : native_lanes() == 8 ? 4 : 1;
}

/* ------------------------------------------------------------------ compile */

#define FLAGS                                                                                      \
    "-std=gnu17 -O2 -ffp-contract=off -fno-math-errno -fwrapv -fno-strict-aliasing -fPIC -shared " \
    "-w -Wl,-Bsymbolic"

static tn_status compile(const char *folder, const tn_render_target *target, const char *text,
                         size_t length, void **out) {
    char source[64], object[64], log[64], command[1024];
    snprintf(source, sizeof source, "%s/k.c", folder);
    snprintf(object, sizeof object, "%s/k.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    FILE *f = fopen(source, "wb");
    if (!f) return tn_status_make(TN_IO, "%s cannot be written", source);
    fwrite(text, 1, length, f);
    fclose(f);
    snprintf(command, sizeof command, "%s %s %s %s -o %s %s >%s 2>&1", target->compiler, FLAGS,
             target->flags ? target->flags : "-march=native", SANITIZE, object, source, log);
    int code = system(command);
    tn_status status = NULL;
    if (code) {
        char said[2048] = {0};
        f = fopen(log, "rb");
        if (f) (void)!fread(said, 1, sizeof said - 1, f);
        if (f) fclose(f);
        status = tn_status_make(TN_INTERNAL, "%s failed (%d):\n%s\n", command, code, said);
    } else {
        *out = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        if (!*out) status = tn_status_make(TN_INTERNAL, "%s", dlerror());
    }
    unlink(source);
    unlink(object);
    unlink(log);
    return status;
}

/* The kernels alone: what comes before them is the same for all. */
static tn_status show(tn_status status, const tn_render_object *object) {
    const char *text = object->rendered->text;
    const char *kernels = text ? strstr(text, "\nTN_EXPORT") : NULL;
    return tn_status_annotate(status, "%s\n", kernels ? kernels : "");
}

typedef struct compiled {
    uint64_t text, target;
    void *handle; /* never closed: a test is one process */
} compiled;
static compiled known[4096];
static uint32_t n_known;

uint32_t tn_render_texts(void) {
    return n_known;
}

static tn_status compile_once(const tn_rendered *rendered, const tn_render_target *target,
                              void **out) {
    char name[256];
    int length = snprintf(name, sizeof name, "%s %s", target->compiler,
                          target->flags ? target->flags : "");
    uint64_t text = tn_hash64(rendered->text, rendered->length, 0);
    uint64_t by = tn_hash64(name, (size_t)length, 0);
    for (uint32_t i = 0; i < n_known; i++)
        if (known[i].text == text && known[i].target == by) {
            *out = known[i].handle;
            return NULL;
        }
    char folder[] = "/tmp/tenon-render-XXXXXX";
    if (!mkdtemp(folder)) return tn_status_make(TN_IO, "no folder for a test");
    tn_status status = compile(folder, target, rendered->text, rendered->length, out);
    rmdir(folder);
    if (!status && n_known < sizeof known / sizeof *known)
        known[n_known++] = (compiled){text, by, *out};
    return status;
}

tn_status tn_render_object_open(const tn_allocator *allocator, const tn_schedule *schedule,
                                const tn_render_target *target, tn_render_object *out) {
    *out = (tn_render_object){0};
    tn_render_options options = {
        .lanes = target->lanes, .threads = 2, .core_cache_bytes = 2u << 20};
    TN_TRY(tn_render(allocator, schedule, &options, &out->rendered));
    if (!out->rendered->n_entries) return NULL;
    tn_status status = compile_once(out->rendered, target, &out->handle);
    if (status) {
        status = show(status, out);
        tn_render_object_close(out);
    }
    return status;
}

void tn_render_object_close(tn_render_object *object) {
    tn_rendered_destroy(object->rendered);
    *object = (tn_render_object){0};
}

/* ---------------------------------------------------------------------- run */

tn_status tn_render_object_run(const tn_render_object *object, const tn_render_entry *entry,
                               void *const *buffers, int64_t pieces) {
    void *symbol = dlsym(object->handle, entry->symbol);
    tn_render_fn fn;
    if (!symbol) return tn_status_make(TN_INTERNAL, "no symbol %s", entry->symbol);
    memcpy(&fn, &symbol, sizeof fn);
    void *bufs[64];
    if (entry->n_pointers > 64) return tn_status_make(TN_UNSUPPORTED, "too many buffers");
    for (uint32_t i = 0; i < entry->n_pointers; i++)
        bufs[i] = (char *)buffers[entry->pointers[i].buffer] + entry->pointers[i].offset;
    int64_t step = entry->items / pieces + 1;
    for (int64_t begin = 0; begin < entry->items; begin += step) {
        int64_t end = begin + step < entry->items ? begin + step : entry->items;
        size_t size = entry->scratch_bytes ? (size_t)entry->scratch_bytes : 64;
        char *scratch = NULL;
        if (posix_memalign((void **)&scratch, 64, size)) return tn_status_no_memory();
        memset(scratch, 0xa5, size);
        fn(bufs, entry->ints, entry->nums, scratch, begin, end);
        free(scratch);
    }
    return NULL;
}

typedef struct runner {
    const tn_render_object *object;
    void **buffers;
} runner;

static void operand_tensor(const runner *r, const tn_schedule *s, const tn_operand *o,
                           tn_tensor *out) {
    const tn_buffer *b = &s->buffers[o->buffer];
    int64_t size = (b->dtype.bits * b->dtype.lanes + 7) / 8;
    *out = (tn_tensor){.data = (char *)r->buffers[o->buffer] + o->offset * size,
                       .device = {TN_DEVICE_CPU, 0},
                       .ndim = o->rank,
                       .dtype = b->dtype,
                       .shape = (int64_t *)o->shape,
                       .strides = (int64_t *)o->strides};
}

static tn_status run_call(const runner *r, const tn_schedule *s, const tn_step *step,
                          const tn_interp_options *options) {
    tn_tensor tensors[64];
    const tn_tensor *operands[32];
    tn_tensor *results[32];
    if (step->n_operands > 32 || step->n_results > 32)
        return tn_status_make(TN_UNSUPPORTED, "too many operands for a test");
    for (uint32_t i = 0; i < step->n_operands; i++) {
        operand_tensor(r, s, &step->operands[i], &tensors[i]);
        operands[i] = &tensors[i];
    }
    for (uint32_t i = 0; i < step->n_results; i++) {
        operand_tensor(r, s, &step->results[i], &tensors[32 + i]);
        results[i] = &tensors[32 + i];
    }
    return options->run_op(options->self, step->node, operands, results);
}

static tn_status run_steps(const runner *r, const tn_schedule *schedule,
                           const tn_interp_options *options) {
    const tn_rendered *rendered = r->object->rendered;
    for (uint32_t s = 0; s < schedule->n_steps; s++) {
        if (schedule->steps[s].kind == TN_STEP_CALL)
            TN_TRY(run_call(r, schedule, &schedule->steps[s], options));
        for (uint32_t i = 0; i < rendered->n_entries; i++)
            if (rendered->entries[i].step == s)
                TN_TRY(tn_render_object_run(r->object, &rendered->entries[i], r->buffers,
                                            1 + (int64_t)s % 3));
    }
    return NULL;
}

/* A copy of a tensor's memory in a block that starts an element or more past any
 * alignment and ends where the tensor does. */
typedef struct block {
    char *memory, *first; /* the block; the tensor's element at the origin */
    char *home;           /* the tensor's own lowest element */
    size_t pad, size;
} block;

static tn_status block_open(block *b, const tn_tensor *t, uint32_t number) {
    int64_t lo = 0, hi = 0;
    size_t element = (t->dtype.bits * t->dtype.lanes + 7u) / 8;
    bool empty = false;
    for (int32_t i = 0; i < t->ndim; i++) {
        empty |= t->shape[i] == 0;
        *(t->strides[i] < 0 ? &lo : &hi) += (t->shape[i] - 1) * t->strides[i];
    }
    b->pad = element * (1 + number % 3);
    b->size = empty ? 0 : (size_t)(hi - lo + 1) * element;
    b->memory = malloc(b->pad + b->size);
    if (!b->memory) return tn_status_no_memory();
    int64_t down = empty ? 0 : lo * (int64_t)element;
    b->home = (char *)t->data + t->byte_offset + down;
    b->first = b->memory + b->pad - down;
    memcpy(b->memory + b->pad, b->home, b->size);
    return NULL;
}

static tn_status run_on_blocks(runner *r, block *blocks, const tn_schedule *schedule,
                               const tn_interp_options *options, const tn_tensor *const *inputs,
                               tn_tensor *const *outputs, char *arena) {
    for (uint32_t i = 0; i < schedule->n_buffers; i++) {
        const tn_buffer *b = &schedule->buffers[i];
        r->buffers[i] = arena + b->offset;
        if (b->kind == TN_BUFFER_TEMP) continue;
        bool input = b->kind == TN_BUFFER_INPUT;
        TN_TRY(block_open(&blocks[i], input ? inputs[b->index] : outputs[b->index], i));
        r->buffers[i] = blocks[i].first;
    }
    TN_TRY(run_steps(r, schedule, options));
    for (uint32_t i = 0; i < schedule->n_buffers; i++)
        if (schedule->buffers[i].kind == TN_BUFFER_OUTPUT)
            memcpy(blocks[i].home, blocks[i].memory + blocks[i].pad, blocks[i].size);
    return NULL;
}

static tn_status run_object(void *self, const tn_schedule *schedule,
                            const tn_interp_options *options, const tn_tensor *const *inputs,
                            tn_tensor *const *outputs) {
    uint32_t n = schedule->n_buffers;
    runner r = {.object = self, .buffers = calloc(n + 1, sizeof *r.buffers)};
    block *blocks = calloc(n + 1, sizeof *blocks);
    char *arena = malloc(schedule->arena_bytes + 1);
    tn_status status = r.buffers && blocks && arena ? NULL : tn_status_no_memory();
    if (arena) memset(arena, 0xa5, schedule->arena_bytes);
    if (!status) status = run_on_blocks(&r, blocks, schedule, options, inputs, outputs, arena);
    for (uint32_t i = 0; i < n && blocks; i++)
        free(blocks[i].memory);
    free(blocks);
    free(arena);
    free(r.buffers);
    return status;
}

tn_status tn_render_case_check(const tn_case *c, const tn_schedule *schedule,
                               const tn_render_target *target, const tn_interp_options *options,
                               bool exact) {
    tn_render_object object;
    TN_TRY(tn_render_object_open(c->allocator, schedule, target, &object));
    tn_status status = tn_case_check_with(c, schedule, options, exact, run_object, &object);
    if (status) status = show(status, &object);
    tn_render_object_close(&object);
    return status;
}
