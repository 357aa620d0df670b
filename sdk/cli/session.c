#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

int cli_report(const char *what, tn_status status) {
    fprintf(stderr, "tenon: %s: %s\n", what, tn_status_message(status));
    tn_status_free(status);
    return CLI_FAILED;
}

static int usage_error(const cli_error *error) {
    fprintf(stderr, "tenon: %s\n", error->text);
    return CLI_USAGE;
}

bool cli_sink_file(void *self, const char *text, size_t length) {
    return fwrite(text, 1, length, self) == length;
}

int cli_open_context(const cli_options *o, tn_context **out_context) {
    const tn_context_options options = {.struct_size = sizeof options,
                                        .threads = (uint32_t)o->threads,
                                        .flags = o->no_cache ? TN_CONTEXT_NO_CACHE : 0,
                                        .cache_dir = o->cache_dir};
    tn_status status = tn_context_create(&options, out_context);
    if (status != NULL) return cli_report("context", status);
    for (uint32_t i = 0; i < o->plugins.n; i++) {
        status = tn_plugin_load(*out_context, o->plugins.items[i], NULL);
        if (status == NULL) continue;
        tn_context_release(*out_context);
        *out_context = NULL;
        return cli_report("plugin", status);
    }
    return CLI_OK;
}

static int read_graph(cli_session *s, const char *path) {
    cli_error error = {""};
    cli_file file = {0};
    char *text = NULL;
    size_t length = 0;
    if (strcmp(path, "-") == 0) {
        FILE *stream = open_memstream(&text, &length);
        char chunk[4096];
        size_t n;
        while (stream != NULL && (n = fread(chunk, 1, sizeof chunk, stdin)) > 0) {
            fwrite(chunk, 1, n, stream);
        }
        bool failed = ferror(stdin) != 0;
        if (stream == NULL || fclose(stream) != 0 || failed) {
            free(text);
            fprintf(stderr, "tenon: standard input could not be read\n");
            return CLI_FAILED;
        }
    } else if (!cli_file_map(path, &file, &error)) {
        usage_error(&error);
        return CLI_FAILED;
    }
    tn_status status = tn_graph_parse(s->context, text != NULL ? text : file.bytes,
                                      text != NULL ? length : file.size, path, &s->graph);
    if (text == NULL) cli_file_unmap(&file);
    free(text);
    if (status != NULL) return cli_report("graph", status);
    s->n_inputs = tn_graph_input_count(s->graph);
    s->n_outputs = tn_graph_output_count(s->graph);
    return CLI_OK;
}

/* The text behind "NAME=" in a list; with many, the last. */
static const char *value_of(const cli_list *list, const char *name) {
    const char *found = NULL;
    size_t n = strlen(name);
    for (uint32_t i = 0; i < list->n; i++) {
        const char *item = list->items[i];
        if (strncmp(item, name, n) == 0 && item[n] == '=') found = item + n + 1;
    }
    return found;
}

static bool is_name_of(const cli_session *s, const char *item, bool size) {
    const char *equals = strchr(item, '=');
    size_t n = equals != NULL ? (size_t)(equals - item) : 0;
    for (uint32_t i = 0; n > 0 && i < s->n_inputs; i++) {
        const tn_tensor *spec = tn_graph_input_spec(s->graph, i);
        const char *name = tn_graph_input_name(s->graph, i);
        if (!size && strncmp(name, item, n) == 0 && name[n] == 0) return true;
        for (int32_t k = 0; size && k < spec->ndim; k++) {
            const char *dim = tn_graph_input_dim_name(s->graph, i, k);
            if (dim != NULL && strncmp(dim, item, n) == 0 && dim[n] == 0) return true;
        }
    }
    return false;
}

/* "x, w" for messages: the graph's inputs, or the sizes they name. */
static const char *names_of(const cli_session *s, bool size, char *out, size_t room) {
    size_t used = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < s->n_inputs; i++) {
        int32_t n = size ? tn_graph_input_spec(s->graph, i)->ndim : 1;
        for (int32_t k = 0; k < n && used < room - 1; k++) {
            const char *name = size ? tn_graph_input_dim_name(s->graph, i, k)
                                    : tn_graph_input_name(s->graph, i);
            if (name == NULL) continue;
            int wrote = snprintf(out + used, room - used, "%s%s", used > 0 ? ", " : "", name);
            used += wrote > 0 ? (size_t)wrote : 0;
        }
    }
    return out[0] != 0 ? out : "none";
}

static bool check_names(const cli_session *s, cli_error *error) {
    char names[200];
    for (uint32_t i = 0; i < s->options->inputs.n; i++) {
        const char *item = s->options->inputs.items[i];
        if (!is_name_of(s, item, false)) {
            return cli_fail(error, "--input %.100s: expected NAME=FILE, NAME an input: %s", item,
                            names_of(s, false, names, sizeof names));
        }
    }
    for (uint32_t i = 0; i < s->options->sizes.n; i++) {
        const char *item = s->options->sizes.items[i];
        if (!is_name_of(s, item, true)) {
            return cli_fail(error, "--size %.100s: expected NAME=N, NAME a named size: %s", item,
                            names_of(s, true, names, sizeof names));
        }
    }
    return true;
}

/* What a named size is: from --size, or from an input that was read. */
static bool size_of(const cli_session *s, const char *dim, int64_t *out, cli_error *error) {
    const char *given = value_of(&s->options->sizes, dim);
    if (given != NULL) {
        char *end;
        errno = 0;
        *out = strtoll(given, &end, 10);
        if (errno != 0 || end == given || *end != 0 || *out < 0) {
            return cli_fail(error, "--size %.100s=%.100s: expected a whole number from 0", dim,
                            given);
        }
        return true;
    }
    for (uint32_t i = 0; i < s->n_inputs; i++) {
        if (value_of(&s->options->inputs, tn_graph_input_name(s->graph, i)) == NULL) continue;
        for (int32_t k = 0; k < s->inputs[i].rank; k++) {
            const char *name = tn_graph_input_dim_name(s->graph, i, k);
            if (name != NULL && strcmp(name, dim) == 0) {
                *out = s->inputs[i].shape[k];
                return true;
            }
        }
    }
    return cli_fail(error, "size %s is not known: give --size %s=N, or an input that fixes it", dim,
                    dim);
}

/* splitmix64 (Steele, Lea, Flood 2014): tiny, and the same everywhere. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_random(cli_array *a, uint64_t seed) {
    uint64_t state = seed * 0x2545f4914f6cdd1du + 0x1234567;
    int64_t n = cli_array_count(a);
    for (int64_t i = 0; i < n; i++) {
        uint64_t r = next_random(&state);
        /* Floats in [-2, 2): the sum of two uniforms; integers in [0, 16). */
        double u = (double)(r >> 40) / 16777216.0 * 2 - 1;
        double v = (double)(r & 0xffffff) / 16777216.0 * 2 - 1;
        double value = cli_dtype_is_float(a->dtype)    ? u + v
                       : a->dtype.code == TN_TYPE_BOOL ? (double)(r & 1)
                                                       : (double)(r & 15);
        cli_element_set(a->dtype, a->data, i, value);
    }
}

static bool make_input(cli_session *s, uint32_t i, bool with_data, cli_error *error) {
    const tn_tensor *spec = tn_graph_input_spec(s->graph, i);
    int64_t shape[CLI_MAX_RANK];
    if (spec->ndim > CLI_MAX_RANK) return cli_fail(error, "rank %d is too large", spec->ndim);
    for (int32_t k = 0; k < spec->ndim; k++) {
        const char *dim = tn_graph_input_dim_name(s->graph, i, k);
        shape[k] = spec->shape[k];
        if (dim != NULL && !size_of(s, dim, &shape[k], error)) return false;
    }
    if (!with_data) {
        size_t bytes;
        if (!cli_array_bytes(spec->dtype, spec->ndim, shape, &bytes, error)) return false;
        s->inputs[i] = (cli_array){.dtype = spec->dtype, .rank = spec->ndim};
        memcpy(s->inputs[i].shape, shape, (size_t)spec->ndim * sizeof *shape);
        return true;
    }
    if (!cli_array_make(&s->inputs[i], spec->dtype, spec->ndim, shape, error)) return false;
    fill_random(&s->inputs[i], (uint64_t)s->options->seed * 1000003u + i);
    return true;
}

/* Numpy has no bf16: such an input may come as f32, and is rounded. */
static bool convert_input(cli_session *s, uint32_t i, cli_error *error) {
    const tn_tensor *spec = tn_graph_input_spec(s->graph, i);
    cli_array *a = &s->inputs[i], narrow;
    bool f32 = a->dtype.code == TN_TYPE_FLOAT && a->dtype.bits == 32;
    bool wanted = cli_dtype_is_float(spec->dtype) && spec->dtype.bits < 32;
    if (!f32 || !wanted) return true;
    if (!cli_array_make(&narrow, spec->dtype, a->rank, a->shape, error)) return false;
    for (int64_t k = 0; k < cli_array_count(a); k++) {
        cli_element_set(narrow.dtype, narrow.data, k, ((const float *)a->data)[k]);
    }
    cli_array_free(a);
    *a = narrow;
    return true;
}

/* Spreads the elements as the graph declares the input's strides: the array then holds
 * what lies between them too. origin receives the offset of element 0. */
static bool spread(cli_array *a, const int64_t *strides, int64_t *origin, cli_error *error) {
    size_t size = tn_dtype_bytes(a->dtype);
    int64_t low = 0, high = 0, span, n = cli_array_count(a), coords[CLI_MAX_RANK] = {0};
    cli_array wide;
    for (int32_t k = 0; k < a->rank; k++) {
        int64_t reach, *end;
        bool fits = !__builtin_mul_overflow(a->shape[k] - 1, strides[k], &reach);
        end = fits && reach < 0 ? &low : &high;
        if (!fits || __builtin_add_overflow(*end, reach, end)) {
            return cli_fail(error, "axis %d: stride %lld reaches too far", k,
                            (long long)strides[k]);
        }
    }
    if (__builtin_sub_overflow(high, low, &span) || __builtin_add_overflow(span, 1, &span)) {
        return cli_fail(error, "its strides reach too far");
    }
    if (!cli_array_make(&wide, a->dtype, 1, &span, error)) return false;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = -low;
        for (int32_t k = 0; k < a->rank; k++)
            at += coords[k] * strides[k];
        memcpy((char *)wide.data + (size_t)at * size, (char *)a->data + (size_t)i * size, size);
        for (int32_t k = a->rank; k-- > 0;) {
            if (++coords[k] < a->shape[k]) break;
            coords[k] = 0;
        }
    }
    free(a->data);
    a->data = wide.data; /* shape and rank stay the input's */
    *origin = -low;
    return true;
}

static bool describe(cli_session *s, uint32_t i, int64_t *storage, cli_error *error) {
    const tn_tensor *spec = tn_graph_input_spec(s->graph, i);
    cli_array *a = &s->inputs[i];
    tn_tensor *t = &s->tensors[i];
    bool fixed = spec->ndim == a->rank, declared = false;
    int64_t step = 1, origin = 0;
    *t = (tn_tensor){.device = {TN_DEVICE_CPU, 0},
                     .ndim = a->rank,
                     .dtype = a->dtype,
                     .shape = storage,
                     .strides = storage + CLI_MAX_RANK};
    for (int32_t k = a->rank; k-- > 0;) {
        t->shape[k] = a->shape[k];
        t->strides[k] = step;
        step *= a->shape[k] > 0 ? a->shape[k] : 1;
        fixed = fixed && tn_graph_input_dim_name(s->graph, i, k) == NULL;
    }
    for (int32_t k = 0; fixed && k < a->rank; k++) {
        declared = declared || (a->shape[k] > 1 && spec->strides[k] != t->strides[k]);
    }
    if (declared) {
        for (int32_t k = 0; k < a->rank; k++)
            t->strides[k] = spec->strides[k];
        if (a->data != NULL && a->bytes > 0 && !spread(a, spec->strides, &origin, error))
            return false;
    }
    t->data = a->data;
    t->byte_offset = (uint64_t)origin * tn_dtype_bytes(a->dtype);
    s->args[i] = (tn_arg){.tag = TN_TAG_TENSOR, .v.tensor = t};
    return true;
}

static int make_inputs(cli_session *s, bool with_data) {
    cli_error error = {""};
    size_t n = (size_t)s->n_inputs + 1;
    s->inputs = calloc(n, sizeof *s->inputs);
    s->tensors = calloc(n, sizeof *s->tensors);
    s->storage = calloc(n, 2 * CLI_MAX_RANK * sizeof *s->storage);
    s->args = calloc(n, sizeof *s->args);
    if (s->inputs == NULL || s->tensors == NULL || s->storage == NULL || s->args == NULL) {
        fprintf(stderr, "tenon: no memory\n");
        return CLI_FAILED;
    }
    if (!check_names(s, &error)) return usage_error(&error);
    for (uint32_t i = 0; i < s->n_inputs; i++) {
        const char *file = value_of(&s->options->inputs, tn_graph_input_name(s->graph, i));
        if (file == NULL) continue;
        if (!cli_array_read(file, &s->inputs[i], &error) || !convert_input(s, i, &error)) {
            fprintf(stderr, "tenon: input %%%s: %s\n", tn_graph_input_name(s->graph, i),
                    error.text);
            return CLI_FAILED;
        }
    }
    for (uint32_t i = 0; i < s->n_inputs; i++) {
        const char *file = value_of(&s->options->inputs, tn_graph_input_name(s->graph, i));
        if (file == NULL && !make_input(s, i, with_data, &error)) return usage_error(&error);
        int64_t *storage = s->storage + (size_t)i * 2 * CLI_MAX_RANK;
        if (!describe(s, i, storage, &error)) return usage_error(&error);
    }
    return CLI_OK;
}

int cli_session_open(cli_session *s, const cli_options *options, bool with_data) {
    *s = (cli_session){.options = options};
    int code = cli_open_context(options, &s->context);
    if (code == CLI_OK) code = read_graph(s, options->files.items[0]);
    if (code == CLI_OK) code = make_inputs(s, with_data);
    return code;
}

void cli_session_close(cli_session *s) {
    for (uint32_t i = 0; s->inputs != NULL && i < s->n_inputs; i++)
        cli_array_free(&s->inputs[i]);
    free(s->inputs);
    free(s->tensors);
    free(s->storage);
    free(s->args);
    tn_graph_release(s->graph);
    tn_context_release(s->context);
}

static bool pick(const char *text, const char *first, const char *second, const char *what,
                 int32_t *out) {
    *out = strcmp(text, second) == 0;
    if (*out || strcmp(text, first) == 0) return true;
    fprintf(stderr, "tenon: --%s: expected %s or %s, found \"%s\"\n", what, first, second, text);
    return false;
}

int cli_session_compile(cli_session *s, int32_t target, tn_executable **out_executable) {
    const cli_options *o = s->options;
    tn_compile_options options = {.struct_size = sizeof options,
                                  .target = target,
                                  .flags = (o->poison ? TN_COMPILE_POISON : 0) |
                                           (o->checked ? TN_COMPILE_CHECKED : 0),
                                  .force = o->force.items,
                                  .n_force = o->force.n,
                                  .forbid = o->forbid.items,
                                  .n_forbid = o->forbid.n,
                                  .dump_pass = o->dump,
                                  .dump = cli_sink_file,
                                  .dump_self = stderr};
    if (!pick(o->mode, "fused", "eager", "mode", &options.mode)) return CLI_USAGE;
    if (!pick(o->precision, "fused", "strict", "precision", &options.precision)) return CLI_USAGE;
    if (target == TN_TARGET_REFERENCE && strcmp(o->device, "cpu") == 0) {
        /* What --check compares with: decisions are the cpu's. */
        options.n_force = options.n_forbid = 0;
        options.dump_pass = NULL;
    }
    tn_status status = tn_graph_finish(s->graph);
    if (status != NULL) return cli_report("graph", status);
    status = tn_compile(s->graph, &options, out_executable);
    if (status == NULL) return CLI_OK;
    bool usage = tn_status_code(status) == TN_INVALID; /* of --force, --forbid, --dump */
    int code = cli_report("compile", status);
    return usage ? CLI_USAGE : code;
}

void cli_type_text(tn_dtype dtype, int32_t rank, const int64_t *shape, char *out, size_t room) {
    int n = snprintf(out, room, "%s[", tn_dtype_text(dtype));
    for (int32_t i = 0; i < rank; i++) {
        n += snprintf(out + n, room - (size_t)n, "%s%lld", i ? "," : "", (long long)shape[i]);
    }
    snprintf(out + n, room - (size_t)n, "]");
}
