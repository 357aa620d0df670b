/* SPDX-License-Identifier: Apache-2.0
 *
 * tenon/tenon.h: the interface for applications that embed Tenon.
 *
 * In three steps:
 *
 *     tn_context *ctx;   tn_graph *graph;   tn_executable *exe;
 *     tn_context_create(NULL, &ctx);
 *     tn_plugin_load(ctx, "/opt/acme/acme.so", NULL);
 *     tn_graph_parse(ctx, text, strlen(text), "mlp.tn", &graph);
 *     tn_compile(graph, NULL, &exe);
 *     tn_executable_run(exe, NULL, inputs, n_inputs, outputs, n_outputs);
 *
 * (inputs and outputs are tn_arg, TN_TAG_TENSOR each.)
 *
 * Ownership: `create`, `parse`, `compile` and `retain` give a reference that
 * the matching `release` takes back; accessors lend. Out-parameters come last
 * and are set only on success (to NULL otherwise). Everything handed in is
 * borrowed for the call unless the declaration says more.
 *
 * Threads: a tn_context and a tn_executable may be used by any number of
 * threads at once. A tn_graph is built by one thread at a time and is
 * immutable once compiled or finished. Everything else belongs to one thread.
 *
 * Errors: a tn_status is NULL on success. A failure is owned by whoever gets
 * it: read it, then tn_status_free it. Nothing here aborts the process.
 */
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <stdbool.h>

#include "tenon/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TN_VERSION_MAJOR 0
#define TN_VERSION_MINOR 1
#define TN_VERSION_PATCH 0

#if defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#define TN_RESULT __attribute__((visibility("default"), warn_unused_result))
#else
#define TN_API
#define TN_RESULT
#endif

/* "major.minor.patch" of the library in use. */
TN_API const char *tn_version(void);

/* ------------------------------------------------------------------ status */

typedef struct tn_error *tn_status;

TN_API tn_code tn_status_code(tn_status status);        /* NULL: TN_OK */
TN_API const char *tn_status_message(tn_status status); /* NULL: "ok"; lent */
TN_API void tn_status_free(tn_status status);           /* NULL is fine */
TN_API const char *tn_code_text(tn_code code);          /* "invalid argument" */

/* ----------------------------------------------------------------- memory */

/* Host memory. new_size 0 frees (and returns NULL), ptr NULL allocates;
 * alignment is a power of two, and means nothing when freeing. NULL otherwise
 * means there is no memory, and then ptr is still valid. old_size is what the
 * block was made with. Called from any thread. */
typedef struct tn_allocator {
    void *self;
    void *(*reallocate)(void *self, void *ptr, size_t old_size, size_t new_size,
                        size_t alignment);
} tn_allocator;

/* Where printed text goes; returns false to stop. */
typedef bool (*tn_sink)(void *self, const char *text, size_t length);

/* ---------------------------------------------------------------- context */

typedef struct tn_context tn_context;

enum { TN_LOG_ERROR = 0, TN_LOG_WARN = 1, TN_LOG_INFO = 2, TN_LOG_DEBUG = 3 };
typedef void (*tn_log_fn)(void *self, int32_t level, const char *message);

/* Zero-fill, set struct_size, then what differs. */
typedef struct tn_context_options {
    TN_HEADER;
    const tn_allocator *allocator; /* copied; NULL: malloc and free */
    tn_log_fn log;                 /* NULL: warnings and errors to stderr */
    void *log_self;
    uint32_t threads;        /* of the CPU pool; 0: one per core */
    uint32_t flags;          /* TN_CONTEXT_... */
    const char *cache_dir;   /* NULL: $XDG_CACHE_HOME/tenon */
    const char *compiler;    /* NULL: $CC, then cc, gcc, clang */
    const char *plugin_path; /* folders, ':' between, for bare names */
    uint64_t cache_bytes;    /* bound of the disk cache; 0: 1 GiB */
} tn_context_options;
#define TN_CONTEXT_NO_CACHE 1u    /* neither read nor write the disk cache */
#define TN_CONTEXT_NO_COMPILER 2u /* as if the machine had none */
#define TN_CONTEXT_NO_BUILTINS 4u /* do not load the tn:: plugins */

/* Loads the built-in plugins, found beside the library (or in
 * $TENON_PLUGIN_DIR), unless told not to. options may be NULL. */
TN_RESULT tn_status tn_context_create(const tn_context_options *options,
                                      tn_context **out_context);
TN_API void tn_context_retain(tn_context *context);
TN_API void tn_context_release(tn_context *context);

/* ---------------------------------------------------------------- plugins */

/* What a plugin file says of itself, read without running its code. Lent until
 * tn_plugin_info_free. */
typedef struct tn_plugin_info {
    TN_HEADER;
    const char *path; /* absolute */
    const char *name, *version;
    uint32_t abi_needed;
    uint32_t n_ops;
    const char *const *schemas;
    const char *build_id; /* hex, "" when the file has none */
    const char *sha256;   /* hex, of the whole file */
    uint32_t pointer_size, cuda_major;
    const char *sms;       /* "90a 80", "" when no device code is stated */
    const char *sanitizer; /* "", "address", "thread" */
    uint32_t n_requires;
    uint32_t reserved1;
    const char *const *requires_ns; /* "tn 1" */
    uint64_t bytes;
    const char
        *problem; /* why this host would not load it; "" when it would, as
                            far as can be seen without running its code */
} tn_plugin_info;
TN_RESULT tn_status tn_plugin_inspect(tn_context *context, const char *path,
                                      tn_plugin_info **out_info);
TN_API void tn_plugin_info_free(tn_plugin_info *info);

typedef struct tn_plugin_options {
    TN_HEADER;
    const char *sha256; /* refuse any other content; NULL: any */
    uint32_t flags;
    uint32_t reserved1;
} tn_plugin_options;

/* Checks everything about the file before any of its code runs, loads it, tries its
 * lowerings against its meta functions, and registers its ops: all of them, or none. path: absolute or relative with a
 * '/', or a bare name looked for in plugin_path. Loading the same file twice
 * is fine and does nothing. */
TN_RESULT tn_status tn_plugin_load(tn_context *context, const char *path,
                                   const tn_plugin_options *options);
/* Removes the ops. TN_BUSY while a graph or executable uses one. The code stays
 * mapped: unmapping code that others may still call is never safe. */
TN_RESULT tn_status tn_plugin_unload(tn_context *context, const char *name);

/* One registered op. Lent strings live until the plugin is unloaded. */
typedef struct tn_op_info {
    TN_HEADER;
    const char *name;   /* "ns::op.overload" */
    const char *schema; /* canonical */
    const char *doc;
    const char *plugin_name, *plugin_version, *plugin_path;
    uint32_t traits;
    uint32_t flags;            /* TN_OP_HAS_... */
    const char *plugin_sha256; /* hex, of the whole file */
    /* What the plugin says of the op, every struct at the size this host knows: its
     * kernels, templates and lowering text, to look at. */
    const tn_op_desc *desc;
} tn_op_info;
#define TN_OP_HAS_LOWERING 1u
#define TN_OP_HAS_CPU 2u
#define TN_OP_HAS_CUDA 4u
#define TN_OP_HAS_TEMPLATE 8u
#define TN_OP_HAS_DECOMPOSITION 16u
/* In order of name. visit returns false to stop. */
TN_RESULT tn_status tn_ops_visit(tn_context *context,
                                 bool (*visit)(void *self,
                                               const tn_op_info *op),
                                 void *self);

/* One primitive of the opset, which tenon/opset.h lists. Lent for good. */
typedef struct tn_primitive_info {
    TN_HEADER;
    uint32_t number; /* TN_PRIM_... */
    uint32_t arity;  /* tensor operands; 0: a list of them, or none */
    const char *name;
    const char *schema;
    const char *doc;  /* what it means */
    const char *kind; /* "elementwise", "source", "view", "gather", "reduce",
                         "contract" */
    uint32_t flags;   /* TN_PRIMITIVE_... */
    uint32_t reserved1;
    /* How far the CPU may be from the exact result, in units of its last place;
     * narrower floats are computed in f32 and rounded once more. 0: exact, or each
     * operator of its definition (each partial sum) correctly rounded. */
    double ulps_f32, ulps_f64;
} tn_primitive_info;
#define TN_PRIMITIVE_ON_FLOAT 1u
#define TN_PRIMITIVE_ON_INT 2u
#define TN_PRIMITIVE_ON_BOOL 4u
#define TN_PRIMITIVE_GIVES_BOOL 8u
/* In order of number. visit returns false to stop. */
TN_API void tn_primitives_visit(
    bool (*visit)(void *self, const tn_primitive_info *primitive), void *self);

/* ---------------------------------------------------------------- tensors */

/* A tensor that owns its storage, for applications that have no allocator of
 * their own for it. Contiguous, aligned to 64 bytes, zeroed. */
TN_RESULT tn_status tn_tensor_create(tn_context *context, tn_device device,
                                     tn_dtype dtype, int32_t ndim,
                                     const int64_t *shape,
                                     tn_tensor **out_tensor);
TN_API void tn_tensor_free(tn_context *context, tn_tensor *tensor);
TN_API const char *tn_dtype_text(tn_dtype dtype); /* "bf16"; "?" if unknown */
TN_RESULT tn_status tn_dtype_parse(const char *text, tn_dtype *out_dtype);
TN_API size_t tn_dtype_bytes(tn_dtype dtype); /* of one element */

/* ------------------------------------------------------------------ graphs */

typedef struct tn_graph tn_graph;

/* name is for error messages (a file's). */
TN_RESULT tn_status tn_graph_parse(tn_context *context, const char *text,
                                   size_t length, const char *name,
                                   tn_graph **out_graph);
TN_API void tn_graph_retain(tn_graph *graph);
TN_API void tn_graph_release(tn_graph *graph);
/* Canonical text. */
TN_RESULT tn_status tn_graph_print(const tn_graph *graph, tn_sink sink,
                                   void *self);

/* Building by hand. Values are tn_value, valid in their graph. */
TN_RESULT tn_status tn_graph_create(tn_context *context, const char *name,
                                    tn_graph **out_graph);
/* A dim is an extent >= 0 or, where dim_names (may be NULL) has a string for
 * that axis, a named size. strides may be NULL for contiguous. */
TN_RESULT tn_status tn_graph_input(tn_graph *graph, const char *name,
                                   tn_dtype dtype, int32_t ndim,
                                   const int64_t *shape,
                                   const char *const *dim_names,
                                   const int64_t *strides, tn_value *out_value);
/* Calls an op. args by position, then named ones; tensors are TN_TAG_VALUE.
 * "ns::op" means the overload that fits: one that takes every argument as given
 * before one that converts any, of equals the one without an overload name; none,
 * or two with names, is an error that lists them all. "ns::op.overload" is that
 * one. out_values receives n_results values, as many as the schema returns; of a
 * schema that returns one Tensor[], the first n_results items of the list, whose
 * length is checked when the graph is planned. */
TN_RESULT tn_status tn_graph_call(tn_graph *graph, const char *op,
                                  const tn_arg *args, uint32_t n_args,
                                  const tn_attr *named, uint32_t n_named,
                                  tn_value *out_values, uint32_t n_results);
TN_RESULT tn_status tn_graph_output(tn_graph *graph, tn_value value);
/* Checks the whole; no more can be added. */
TN_RESULT tn_status tn_graph_finish(tn_graph *graph);

TN_API uint32_t tn_graph_input_count(const tn_graph *graph);
TN_API uint32_t tn_graph_output_count(const tn_graph *graph);
TN_API const char *tn_graph_input_name(const tn_graph *graph, uint32_t index);
TN_API const char *tn_graph_output_name(const tn_graph *graph, uint32_t index);
/* The declared description: shape entries that are named sizes are -1. Lent. */
TN_API const tn_tensor *tn_graph_input_spec(const tn_graph *graph,
                                            uint32_t index);
/* The name of a size, NULL where the extent is fixed. */
TN_API const char *tn_graph_input_dim_name(const tn_graph *graph,
                                           uint32_t index, int32_t axis);

/* ----------------------------------------------------------------- compile */

typedef struct tn_executable tn_executable;

enum { TN_TARGET_CPU = 0, TN_TARGET_REFERENCE = 1, TN_TARGET_CUDA = 2 };
enum { TN_MODE_FUSED = 0, TN_MODE_EAGER = 1 };
enum { TN_PRECISION_FUSED = 0, TN_PRECISION_STRICT = 1 };

typedef struct tn_compile_options {
    TN_HEADER;
    int32_t target;    /* TN_TARGET_... */
    int32_t mode;      /* TN_MODE_... */
    int32_t precision; /* TN_PRECISION_... */
    uint32_t flags;    /* TN_COMPILE_... */
    /* Rules "DECISION[:op or %node]", e.g. "opaque:acme::swish",
     * "epilogue:%y", "inline". Decisions: view placed inline epilogue prologue
     * native opaque template. A force that is not legal is an error of planning
     * that says why; a rule that is malformed, or names a value that the graph
     * does not compute or an op that nobody registered, is TN_INVALID here. */
    const char *const *force;
    const char *const *forbid;
    uint32_t n_force, n_forbid;
    /* Text of a pass's result for the pass named ("all" for every one); TN_INVALID
     * lists the names there are. Threads that plan different shapes at once call
     * dump at once. */
    const char *dump_pass;
    tn_sink dump;
    void *dump_self;
} tn_compile_options;
#define TN_COMPILE_POISON 1u   /* fill memory with NaN patterns before use */
#define TN_COMPILE_NO_REUSE 2u /* every intermediate keeps its own memory */
#define TN_COMPILE_CHECKED 4u  /* verify what opaque kernels did */
#define TN_COMPILE_TUNE 8u     /* reserved: no effect yet */

/* options may be NULL. Plans for particular shapes are made at first use and
 * kept; see tn_executable_plan. Retains the graph and its plugins. */
TN_RESULT tn_status tn_compile(tn_graph *graph,
                               const tn_compile_options *options,
                               tn_executable **out_executable);
TN_API void tn_executable_retain(tn_executable *executable);
TN_API void tn_executable_release(tn_executable *executable);

/* Runs on caller-owned tensors (TN_TAG_TENSOR), in the graph's order, whose first
 * element is aligned to the bytes of one (of one lane, of a complex's half). Outputs
 * must have the dtype and shape the graph gives them, may have any
 * non-overlapping strides, and must not overlap inputs or each other; every
 * element is written. The call returns when the work is done (CPU) or enqueued
 * (CUDA, on stream; NULL is the legacy default stream). */
TN_RESULT tn_status tn_executable_run(tn_executable *executable, void *stream,
                                      const tn_arg *inputs, uint32_t n_inputs,
                                      const tn_arg *outputs,
                                      uint32_t n_outputs);

/* The plan for one signature (shapes, strides and dtypes) of the inputs: what
 * will run, on how much memory, and why. Immutable; any thread. Executables keep
 * those they used last; a tn_plan reference keeps one for as long as wanted. */
typedef struct tn_plan tn_plan;
/* Finds or makes it, without running; tensors may have data NULL. */
TN_RESULT tn_status tn_executable_plan(tn_executable *executable,
                                       const tn_arg *inputs, uint32_t n_inputs,
                                       tn_plan **out_plan);
TN_API void tn_plan_release(tn_plan *plan);
/* The description of an output, contiguous; lent by the plan. */
TN_API const tn_tensor *tn_plan_output_spec(const tn_plan *plan,
                                            uint32_t index);

enum { TN_EXPLAIN_TEXT = 0, TN_EXPLAIN_JSON = 1, TN_EXPLAIN_DOT = 2 };
/* For every node of the graph what was decided and why, what was refused and
 * why; bytes moved and the fewest possible. */
TN_RESULT tn_status tn_plan_explain(const tn_plan *plan, int32_t format,
                                    tn_sink sink, void *self);

typedef struct tn_plan_stats {
    TN_HEADER;
    uint32_t kernels;        /* generated kernels launched in a run */
    uint32_t opaque_calls;   /* plugin kernels called in a run */
    uint32_t template_calls; /* template kernels in a run */
    uint32_t library_calls;
    uint64_t bytes_moved;   /* read and written by those, modelled */
    uint64_t bytes_minimum; /* inputs read once, outputs written once */
    uint64_t peak_bytes;    /* of planned intermediates */
    uint64_t peak_bound;    /* lower bound of that */
    double plan_seconds;    /* planning, code generation excluded */
    double compile_seconds; /* code generation and compiler, or cache */
} tn_plan_stats;
TN_RESULT tn_status tn_plan_get_stats(const tn_plan *plan,
                                      tn_plan_stats *out_stats);

typedef struct tn_executable_stats {
    TN_HEADER;
    uint64_t compiles;   /* compiler runs since creation */
    uint64_t cache_hits; /* objects found on disk instead */
    uint64_t plans;      /* signatures planned since creation */
    uint64_t runs;
} tn_executable_stats;
TN_RESULT tn_status tn_executable_get_stats(tn_executable *executable,
                                            tn_executable_stats *out_stats);

/* ---------------------------------------------------------------- one call */

typedef struct tn_op tn_op;

/* "ns::op" or "ns::op.overload": exactly this one, since nothing is known yet of
 * the arguments. Retained by the caller: tn_op_release. */
TN_RESULT tn_status tn_op_lookup(tn_context *context, const char *name,
                                 const tn_op **out_op);
TN_API void tn_op_release(tn_context *context, const tn_op *op);

/* Runs one op now on the tensors' device (stream: NULL on the CPU). args are in
 * schema order, fewer when the rest have defaults. outs[i] given as TENSOR (or
 * LIST of TENSOR) is written into. Given as NONE it is set to what meta said:
 * TENSOR, LIST of TENSOR, or left NONE for an absent Tensor?; give those back
 * with tn_results_free. */
TN_RESULT tn_status tn_call_op(tn_context *context, const tn_op *op,
                               void *stream, const tn_arg *args,
                               uint32_t n_args, tn_arg *outs, uint32_t n_outs);
/* Frees results that a call allocated, and sets them to NONE. */
TN_API void tn_results_free(tn_context *context, tn_arg *outs, uint32_t n_outs);

#ifdef __cplusplus
}
#endif
#endif
