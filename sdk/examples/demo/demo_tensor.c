#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

tn_tensor *demo_tensor_make(const demo *d, tn_dtype dtype, int32_t ndim, const int64_t *shape) {
    tn_tensor *t;
    demo_must(tn_tensor_create(d->context, (tn_device){TN_DEVICE_CPU, 0}, dtype, ndim, shape, &t),
              "making a tensor");
    return t;
}

int64_t demo_tensor_count(const tn_tensor *t) {
    int64_t n = 1;
    for (int32_t i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

tn_tensor *demo_tensor_random(const demo *d, int32_t ndim, const int64_t *shape, uint32_t seed,
                              float scale) {
    const tn_dtype f32 = {TN_TYPE_FLOAT, 32, 1};
    tn_tensor *t = demo_tensor_make(d, f32, ndim, shape);
    const int64_t n = demo_tensor_count(t);
    float *data = t->data;
    uint32_t state = seed;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = ((float)(state >> 8) / 8388608.0f - 1.0f) * scale;
    }
    return t;
}

static void refuse(const char *name, const char *why) {
    fprintf(stderr, "demo: %s: %s\n", name, why);
    exit(EXIT_FAILURE);
}

/* The value of 'key': in the header, a Python dictionary. */
static const char *npy_field(const char *name, const char *header, const char *key) {
    const char *at = strstr(header, key);
    if (at == NULL || (at = strchr(at, ':')) == NULL) refuse(name, "it is no .npy file");
    return at + 1 + strspn(at + 1, " ");
}

static tn_dtype npy_dtype(const char *name, const char *descr) {
    if (strncmp(descr, "'|u1'", 5) == 0) return (tn_dtype){TN_TYPE_UINT, 8, 1};
    if (strncmp(descr, "'<i8'", 5) == 0) return (tn_dtype){TN_TYPE_INT, 64, 1};
    if (strncmp(descr, "'<f4'", 5) != 0) refuse(name, "expected u8, i64 or f32");
    return (tn_dtype){TN_TYPE_FLOAT, 32, 1};
}

tn_tensor *demo_tensor_read(const demo *d, const char *name) {
    size_t length;
    char *file = demo_file_read(d, name, &length);
    if (length < 10 || memcmp(file, "\x93NUMPY\x01", 7) != 0) {
        refuse(name, "it is no .npy file of version 1");
    }
    const size_t begin = 10 + (unsigned char)file[8] + 256 * (size_t)(unsigned char)file[9];
    if (begin > length) refuse(name, "it is cut short");
    file[begin - 1] = '\0'; /* a newline */
    const tn_dtype dtype = npy_dtype(name, npy_field(name, file + 10, "descr"));
    if (strncmp(npy_field(name, file + 10, "fortran_order"), "False", 5) != 0) {
        refuse(name, "it is not in C order");
    }
    int64_t shape[4];
    int32_t ndim = 0;
    const char *at = npy_field(name, file + 10, "shape") + 1;
    for (char *end; ndim < 4; at = end + strspn(end, ", ")) {
        shape[ndim] = strtoll(at, &end, 10);
        if (end == at) break;
        ndim++;
    }
    tn_tensor *t = demo_tensor_make(d, dtype, ndim, shape);
    const size_t bytes = (size_t)demo_tensor_count(t) * tn_dtype_bytes(dtype);
    if (length - begin != bytes) refuse(name, "its size is not that of its shape");
    memcpy(t->data, file + begin, bytes);
    free(file);
    return t;
}

double demo_tensor_error(const tn_tensor *found, const tn_tensor *expected, double *out_scale) {
    const float *f = found->data, *e = expected->data;
    const int64_t n = demo_tensor_count(expected);
    double worst = 0, scale = 0;
    for (int64_t i = 0; i < n; i++) {
        const double error = isnan(f[i]) && isnan(e[i]) ? 0 : fabs((double)f[i] - (double)e[i]);
        if (!(error <= worst)) worst = error;
        if (fabs((double)e[i]) > scale) scale = fabs((double)e[i]);
    }
    *out_scale = scale;
    return worst;
}

void demo_tensors_add(demo_tensors *tensors, tn_tensor *tensor) {
    if (tensors->n == DEMO_MOST_TENSORS) refuse("demo", "too many tensors");
    tensors->args[tensors->n++] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = tensor};
}

tn_tensor *demo_tensors_get(const demo_tensors *tensors, uint32_t index) {
    return tensors->args[index].v.tensor;
}

void demo_tensors_free(const demo *d, demo_tensors *tensors) {
    for (uint32_t i = 0; i < tensors->n; i++)
        tn_tensor_free(d->context, tensors->args[i].v.tensor);
    tensors->n = 0;
}

demo_tensors demo_outputs_make(const demo *d, tn_executable *executable, const demo_tensors *inputs,
                               uint32_t n) {
    demo_tensors outputs = {.n = 0};
    tn_plan *plan;
    demo_must(tn_executable_plan(executable, inputs->args, inputs->n, &plan), "planning");
    for (uint32_t i = 0; i < n; i++) {
        const tn_tensor *spec = tn_plan_output_spec(plan, i);
        demo_tensors_add(&outputs, demo_tensor_make(d, spec->dtype, spec->ndim, spec->shape));
    }
    tn_plan_release(plan);
    return outputs;
}

void demo_run(tn_executable *executable, const demo_tensors *inputs, const demo_tensors *outputs) {
    demo_must(
        tn_executable_run(executable, NULL, inputs->args, inputs->n, outputs->args, outputs->n),
        "running a graph");
}
