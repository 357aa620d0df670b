/* A program that embeds Tenon, in five parts, each a file; all through tenon/tenon.h. What
 * only prints is in the parts; what they share is here, in demo_host.c and demo_tensor.c. */
#ifndef DEMO_H
#define DEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/tenon.h"

#define DEMO_MOST_TENSORS 8
#define DEMO_MOST_ROUNDS 64

typedef struct demo {
    tn_context *context;
    const char *folder;  /* sdk/examples, where graphs and data are */
    const char *plugins; /* where acme.so and lying.so were built */
    char *const *host;   /* the files that the host is made of */
    int n_host;
    int misses; /* expectations that did not hold: the exit status */
} demo;

/* The parts, in order. */
void demo_plugin(demo *d);
void demo_fusion(demo *d);
void demo_decisions(demo *d);
void demo_lies(demo *d);
void demo_digits(demo *d);

/* ---- demo_host.c ---- */

/* Ends the program with what went wrong where success is taken for granted. */
void demo_must(tn_status status, const char *doing);
void demo_heading(const char *text);
/* "  label   text", continued under the text where it is long. */
void demo_line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Counts a miss, and says so, unless it holds. */
void demo_expect(demo *d, bool holds, const char *what);
double demo_now(void);                            /* seconds */
double demo_median(const double *numbers, int n); /* at most DEMO_MOST_ROUNDS */

/* A file whole, NUL-terminated; to be freed. */
char *demo_file_read(const demo *d, const char *name, size_t *out_length);
tn_graph *demo_graph_read(const demo *d, const char *name);
tn_graph *demo_graph_parse(const demo *d, const char *text);

typedef struct demo_options {
    int32_t target, mode;
    uint32_t flags;
    const char *const *force;
    uint32_t n_force;
} demo_options;
/* options may be NULL. */
tn_executable *demo_compile(tn_graph *graph, const demo_options *options);

/* ---- demo_tensor.c ---- */

tn_tensor *demo_tensor_make(const demo *d, tn_dtype dtype, int32_t ndim, const int64_t *shape);
/* f32, from a fixed seed, in [-scale, scale). */
tn_tensor *demo_tensor_random(const demo *d, int32_t ndim, const int64_t *shape, uint32_t seed,
                              float scale);
/* FILE.npy of the examples: u8, i64 or f32, C order. */
tn_tensor *demo_tensor_read(const demo *d, const char *name);
int64_t demo_tensor_count(const tn_tensor *t);
/* The largest difference of two f32 tensors, in *out_scale the largest magnitude. NaN where
 * one has it and the other has not. */
double demo_tensor_error(const tn_tensor *found, const tn_tensor *expected, double *out_scale);

/* Tensors as arguments of a run, owned. */
typedef struct demo_tensors {
    tn_arg args[DEMO_MOST_TENSORS];
    uint32_t n;
} demo_tensors;
void demo_tensors_add(demo_tensors *tensors, tn_tensor *tensor);
tn_tensor *demo_tensors_get(const demo_tensors *tensors, uint32_t index);
void demo_tensors_free(const demo *d, demo_tensors *tensors);
/* The n outputs, as the plan for these inputs describes them. */
demo_tensors demo_outputs_make(const demo *d, tn_executable *executable, const demo_tensors *inputs,
                               uint32_t n);
void demo_run(tn_executable *executable, const demo_tensors *inputs, const demo_tensors *outputs);

/* ---- demo_copy.c ---- */

/* Seconds to copy a tensor; streamed: by stores that go past the caches. */
double demo_copy(const tn_tensor *from, tn_tensor *to, bool streamed);

#endif
