/* SPDX-License-Identifier: Apache-2.0
 *
 * tenon/plugin.h: the binary contract between Tenon and an operator plugin.
 *
 * A plugin is a shared object that exports one function,
 * tenon_plugin_query(), and carries one ELF note (tenon/note.h). It links no
 * Tenon library. Everything it needs from the host arrives as a table of
 * functions inside the context that each callback is given.
 *
 * This header is C99 (and C++98), and depends on <stdint.h> and <stddef.h>
 * alone. It is written to stay valid for ten years:
 *
 *  - Every extensible struct starts with TN_HEADER: its size as its author
 *    compiled it, then a chain of extensions. Fields are only ever appended.
 *    A reader copies min(struct_size, its own size) bytes and zero-fills the
 *    rest, so zero always means "absent" or "default".
 *  - Arrays of structs cross as arrays of pointers, so that an element may
 *    grow. Fixed-size values (tn_dtype, tn_arg, ...) never change size.
 *  - Enumerations cross as fixed-width integers. A primitive, attribute or named
 *    op that the host does not know makes that lowering decline. An element of
 *    kernels, templates, payloads or functions whose device_type, kind or op it
 *    does not know is skipped and reported. Any other unknown value is
 *    TN_UNSUPPORTED, and named.
 *  - Flag words: an unknown bit among 0..15 makes the reader refuse the struct,
 *    an unknown bit among 16..31 is ignored. New bits are placed accordingly.
 *  - An out-struct arrives zeroed with the host's struct_size. The callback
 *    assigns fields one by one, never the whole struct nor its header, and no
 *    field for which TN_HAS is false.
 *  - struct_size below 16 (the header) or above 65536 is refused, and so is an
 *    extension chain longer than 64.
 *  - Everything handed to a callback (contexts, arguments, shapes, problems,
 *    calls) lives until it returns, except where a declaration says more.
 *  - Memory allocated on one side is never freed on the other. Strings given
 *    to a callback live until it returns; strings inside tn_plugin live until
 *    the plugin is unmapped, which the host never does while it is in use.
 *  - A callback reports failure by a non-zero tn_code and, before it returns,
 *    a message through its context's `fail`. The host copies the message.
 *  - No callback may let an exception, longjmp or exit cross the boundary.
 *  - Every callback is re-entrant: the host calls it from any thread, and may
 *    call it on several threads at once.
 *
 * Units: sizes and offsets called bytes are bytes; extents and strides count
 * elements; alignments are powers of two in bytes.
 */
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI revision this header describes. It grows by one with each release
 * that appends a slot. A plugin states the lowest revision whose slots it
 * uses (tn_plugin.abi_needed), not the revision of the header it saw. */
#define TN_ABI_VERSION 1u

/* ---------------------------------------------------------------- status */

/* Results of callbacks and host functions. Zero is success. Values are
 * permanent. The list is X(NAME, value, text). */
#define TN_CODE_LIST(X)                                                        \
    X(OK, 0, "ok")                                                             \
    X(INVALID, 1, "invalid argument")                                          \
    X(PARSE, 2, "malformed text or file")                                      \
    X(NOT_FOUND, 3, "not found")                                               \
    X(EXISTS, 4, "already exists")                                             \
    X(UNSUPPORTED, 5, "unsupported")                                           \
    X(NO_MEMORY, 6, "out of memory")                                           \
    X(IO, 7, "input or output failed")                                         \
    X(PLUGIN, 8, "a plugin broke its contract")                                \
    X(BUSY, 9, "still in use")                                                 \
    X(INTERNAL, 10, "internal error")                                          \
    X(DECLINED, 11, "declined")

typedef int32_t tn_code;
enum {
#define TN_CODE_ENUM(name, value, text) TN_##name = value,
    TN_CODE_LIST(TN_CODE_ENUM)
#undef TN_CODE_ENUM
        TN_CODE_FORCE_INT = 0x7fffffff
};

/* ------------------------------------------------------ extensible structs */

/* A link in the chain of optional, separately versioned additions to a struct
 * (autograd, vmap, sharding...). `id` is a reverse-domain style string such as
 * "tenon.autograd.v1"; unknown ids are ignored unless `flags` says otherwise. */
typedef struct tn_extension {
    uint32_t struct_size; /* of the whole struct that this begins */
    uint32_t flags; /* TN_EXT_REQUIRED: a host that does not know id refuses */
    const struct tn_extension *next;
    const char *id;
} tn_extension;
#define TN_EXT_REQUIRED 1u

#define TN_HEADER                                                              \
    uint32_t struct_size;                                                      \
    uint32_t reserved0; /* zero */                                             \
    const tn_extension *extensions

/* Whether the struct behind p, as its maker compiled it, has this field. */
#define TN_HAS(p, type, field)                                                 \
    ((p)->struct_size >= offsetof(type, field) + sizeof((p)->field))

/* The ABI is for 64-bit hosts. */
typedef char tn_assert_lp64[sizeof(void *) == 8 ? 1 : -1];

/* ------------------------------------------------------------------ values */

/* Bit-compatible with DLPack's DLDataType. A vector type has lanes > 1; the
 * primitives know only the scalar types of TN_DTYPE_LIST, an opaque op may use
 * any. */
typedef struct tn_dtype {
    uint8_t code; /* TN_TYPE_... */
    uint8_t bits; /* of one lane */
    uint16_t lanes;
} tn_dtype;

/* DLPack 1.1 type codes. */
enum {
    TN_TYPE_INT = 0,
    TN_TYPE_UINT = 1,
    TN_TYPE_FLOAT = 2,
    TN_TYPE_OPAQUE = 3,
    TN_TYPE_BFLOAT = 4,
    TN_TYPE_COMPLEX = 5,
    TN_TYPE_BOOL = 6,
    TN_TYPE_F8_E4M3FN = 10,
    TN_TYPE_F8_E5M2 = 12
};

/* X(NAME, text, code, bits): the dtypes of opset 1, in the order of their
 * permanent numbers. bool is one byte holding 0 or 1. */
#define TN_DTYPE_LIST(X)                                                       \
    X(BOOL, "bool", TN_TYPE_BOOL, 8)                                           \
    X(U8, "u8", TN_TYPE_UINT, 8)                                               \
    X(U16, "u16", TN_TYPE_UINT, 16)                                            \
    X(U32, "u32", TN_TYPE_UINT, 32)                                            \
    X(U64, "u64", TN_TYPE_UINT, 64)                                            \
    X(I8, "i8", TN_TYPE_INT, 8)                                                \
    X(I16, "i16", TN_TYPE_INT, 16)                                             \
    X(I32, "i32", TN_TYPE_INT, 32)                                             \
    X(I64, "i64", TN_TYPE_INT, 64)                                             \
    X(F16, "f16", TN_TYPE_FLOAT, 16)                                           \
    X(BF16, "bf16", TN_TYPE_BFLOAT, 16)                                        \
    X(F32, "f32", TN_TYPE_FLOAT, 32)                                           \
    X(F64, "f64", TN_TYPE_FLOAT, 64)                                           \
    X(F8E4M3FN, "f8e4m3fn", TN_TYPE_F8_E4M3FN, 8)                              \
    X(F8E5M2, "f8e5m2", TN_TYPE_F8_E5M2, 8)

/* Bit-compatible with DLPack's DLDevice. */
typedef struct tn_device {
    int32_t type; /* TN_DEVICE_... */
    int32_t id;   /* ordinal; 0 for the CPU */
} tn_device;
enum { TN_DEVICE_CPU = 1, TN_DEVICE_CUDA = 2 };

/* Bit-compatible with DLPack's DLTensor, with one promise more: strides is
 * never NULL. Element (i0, i1, ...) lies at
 * (char *)data + byte_offset + sizeof(element) * sum(i_k * strides[k]).
 * Where elements are narrower than a byte, element k lies k*bits*lanes bits from
 * the start, low bits of a byte first; byte_offset is whole bytes.
 * Strides may be zero (broadcast) or negative. In meta functions, lowerings
 * and problems `data` is NULL: only the description counts. */
typedef struct tn_tensor {
    void *data;
    tn_device device;
    int32_t ndim;
    tn_dtype dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} tn_tensor;

/* An opaque reference-counted object (communicator, generator, cache) whose
 * type is known by name to those who use it. */
typedef struct tn_handle {
    TN_HEADER;
    const char *type_name;
    void *object;
    void (*retain)(struct tn_handle *self);
    void (*release)(struct tn_handle *self);
} tn_handle;

/* A value of the graph that a lowering builds; 0 is no value. */
typedef struct tn_value {
    uint64_t id;
} tn_value;

/* A size that a lowering computes with, known or not; 0 is no size. */
typedef struct tn_dim {
    uint64_t id;
} tn_dim;

/* One argument, attribute or result: 16 bytes, tagged. */
enum {
    TN_TAG_NONE = 0,
    TN_TAG_TENSOR = 1, /* v.tensor */
    TN_TAG_LIST = 2,   /* v.list[0 .. count) */
    TN_TAG_INT = 3,    /* v.i */
    TN_TAG_FLOAT = 4,  /* v.f */
    TN_TAG_BOOL = 5,   /* v.i, 0 or 1 */
    TN_TAG_STRING = 6, /* v.str, NUL-terminated, count bytes before the NUL */
    TN_TAG_DTYPE = 7,  /* v.dtype */
    TN_TAG_DEVICE = 8, /* v.device */
    TN_TAG_HANDLE = 9, /* v.handle */
    TN_TAG_VALUE = 10, /* v.value: a tensor, in a lowering */
    TN_TAG_DIM = 11,   /* v.dim: an int, in a lowering */
    TN_TAG_NUMBER = 12 /* v.value: a float or bool known only at run time, in a
                          lowering; constant() and call() take it as it is */
};
typedef struct tn_arg {
    uint32_t tag;
    uint32_t count;
    union {
        int64_t i;
        double f;
        const char *str;
        tn_dtype dtype;
        tn_device device;
        tn_tensor *tensor;
        const struct tn_arg *list;
        tn_handle *handle;
        tn_value value;
        tn_dim dim;
    } v;
} tn_arg;

/* A named attribute of a primitive. */
typedef struct tn_attr {
    const char *name;
    tn_arg value;
} tn_attr;

/* ---------------------------------------------------------------- contexts */

/* What every callback can do. `self` is the host's; pass it back unchanged.
 * Contexts live until the callback returns. */
typedef struct tn_callback {
    TN_HEADER;
    void *self;
    /* Records why the callback is about to fail; printf formatting is in
     * tenon/util.h. The message is copied; the last call wins. Returns code,
     * so that a callback can end in `return cb->fail(cb, code, text);`. */
    tn_code (*fail)(const struct tn_callback *cb, tn_code code,
                    const char *message);
    /* Scratch memory of the host, aligned to 64 bytes, freed when the callback
     * returns. NULL when there is none: report TN_NO_MEMORY. */
    void *(*scratch)(const struct tn_callback *cb, size_t bytes);
} tn_callback;

/* ------------------------------------------------------------------- meta */

/* A result as the meta function describes it. strides NULL means contiguous
 * (row-major). With TN_SPEC_UPPER_BOUND the shape is a bound that the data may
 * stay under; the kernel then writes the actual extents. */
typedef struct tn_spec {
    TN_HEADER;
    tn_dtype dtype;
    int32_t ndim;
    const int64_t *shape;
    const int64_t *strides;
    uint32_t flags; /* TN_SPEC_... */
    uint32_t reserved1;
    /* With TN_SPEC_ALIAS the result is a view of the tensor argument of this
     * index, at this offset in bytes from its first element; strides must be
     * given. */
    int32_t alias_argument;
    int32_t alias_item; /* of a Tensor[] argument, else 0 */
    int64_t alias_offset;
    tn_device device; /* type 0: the context's */
} tn_spec;
/* Strides are those of the bound; elements beyond the actual extents are
 * unspecified and never read. */
#define TN_SPEC_UPPER_BOUND 1u
#define TN_SPEC_ALIAS 2u

typedef struct tn_meta_context {
    TN_HEADER;
    const tn_callback *cb;
    /* The arguments in schema order, one per parameter, defaults filled in. */
    const tn_arg *args;
    uint32_t n_args;
    uint32_t n_results; /* as many as the schema returns */
    tn_device device;   /* where the op will run */
    /* Describes result `index`. A result the schema marks (x!) is described by
     * the host: meta must not set it. For a Tensor[] result call set_count first and
     * then set_item for each; for an absent Tensor? result call set_none. */
    tn_code (*set)(const struct tn_meta_context *m, uint32_t index,
                   const tn_spec *spec);
    tn_code (*set_none)(const struct tn_meta_context *m, uint32_t index);
    tn_code (*set_count)(const struct tn_meta_context *m, uint32_t index,
                         uint32_t count);
    tn_code (*set_item)(const struct tn_meta_context *m, uint32_t index,
                        uint32_t item, const tn_spec *spec);
} tn_meta_context;

/* Describes the results of a call. Pure: the same arguments give the same
 * answer, nothing else is read, nothing written. Must accept zero-size, 0-d
 * and strided tensors, and refuse what the op cannot do. */
typedef tn_code (*tn_meta_fn)(const tn_meta_context *m);

/* ---------------------------------------------------------------- kernels */

/* One call, described without data: what `prepare` is given. */
typedef struct tn_problem {
    TN_HEADER;
    /* Schema order. A tensor, also inside a list, has data != NULL exactly when
     * it is a non-empty constant of the graph: that data is valid and unchanged
     * until release, at the same address in every run. */
    const tn_arg *args;
    uint32_t n_args;
    uint32_t n_results;
    const tn_arg *results; /* tensors as meta described and the host planned */
    /* Guaranteed alignment in bytes of the first element in every run: one entry
     * per tensor of args, then of results, lists flattened, absent ones
     * included. NULL: that of the element. */
    const uint32_t *alignments;
    uint32_t n_alignments;
    uint32_t flags; /* TN_RUN_... */
    /* For templates: bit i says that slots[i] is filled (tenon/template.h). */
    uint64_t slots;
} tn_problem;

/* Scratch a kernel wants for each run. */
enum {
    TN_WORKSPACE_UNINITIALIZED = 0,
    /* Each concurrent run has a buffer of its own, zeroed before its first use by
     * this state and after a failed run; else it holds what the last run that
     * used it left. */
    TN_WORKSPACE_ZERO_ONCE = 1,
    TN_WORKSPACE_ZERO_EACH = 2
};
typedef struct tn_workspace {
    TN_HEADER;
    uint64_t bytes;
    uint32_t alignment; /* 0 means 64 */
    uint32_t init;      /* TN_WORKSPACE_... */
} tn_workspace;

/* One chunk of a parallel loop. */
typedef tn_code (*tn_body_fn)(void *arg, int64_t begin, int64_t end,
                              uint32_t worker);

/* The context of prepare, run and release. On entry the device is current, and
 * it must be so again on return. */
typedef struct tn_run_context {
    TN_HEADER;
    const tn_callback *cb;
    void *device_state; /* what the plugin's device_init returned */
    tn_device device;
    void *stream; /* a cudaStream_t; NULL on the CPU */
    void *workspace;
    uint64_t workspace_bytes;
    uint32_t flags; /* TN_RUN_... */
    /* Workers of parallel_for at most, >= 1; in prepare and workspace an upper
     * bound of what any run of the state will see. */
    uint32_t threads;
    /* Runs body over disjoint chunks that cover [0, n), on the host's pool and the
     * calling thread, and returns when all are done. Every begin is a multiple of
     * grain (less than 1 means 1). worker < threads, and no two bodies run with
     * one worker number at once. The first failure of a body is returned, and
     * chunks not yet started are then dropped. A nested call runs serially as
     * the caller's worker. Bodies call no function of ctx or ctx->cb but this. */
    tn_code (*parallel_for)(const struct tn_run_context *ctx, int64_t n,
                            int64_t grain, tn_body_fn body, void *arg);
    /* The host's allocator for the device; NULL when there is no memory.
     * Stream-ordered where the device has streams. Never call it from run
     * while TN_RUN_CAPTURING is set. */
    void *(*allocate)(const struct tn_run_context *ctx, uint64_t bytes,
                      uint32_t alignment);
    void (*deallocate)(const struct tn_run_context *ctx, void *ptr,
                       uint64_t bytes);
} tn_run_context;
#define TN_RUN_DETERMINISTIC 1u /* same bits each time, whatever the threads */
#define TN_RUN_STRICT 2u        /* round as an unfused run does */
#define TN_RUN_CAPTURING 4u     /* the stream is being captured */
#define TN_RUN_CHECKED 8u       /* the host verifies this run */

typedef struct tn_call {
    TN_HEADER;
    const tn_arg *args; /* schema order; tensors have data */
    uint32_t n_args;
    uint32_t n_results;
    /* Tensors the host allocated, to be written. A result marked (x!) is the same
     * tensor as its argument; every other one overlaps no argument and no other
     * result, unless meta said TN_SPEC_ALIAS. */
    const tn_arg *results;
    /* One entry per result tensor, lists flattened. For those with an upper
     * bound: where to write the actual extents, an array of ndim int64 on the
     * device; NULL for the others. The array itself may be NULL. */
    int64_t *const *extents;
} tn_call;

typedef struct tn_kernel {
    TN_HEADER;
    int32_t device_type; /* TN_DEVICE_... */
    uint32_t flags;      /* TN_KERNEL_... */
    /* Optional. Whether this kernel can run the problem: TN_OK, or TN_DECLINED
     * with a reason given to cb->fail. Asked, possibly more than once, when it is
     * decided how the op runs: where the kernel declines, the op's lowering takes
     * its place. Arguments are then described contiguous; what strides they may
     * come with is for `flags` to say, and no reason to decline. Asked again
     * before prepare, where declining is an error. */
    tn_code (*accept)(const tn_run_context *ctx, const tn_problem *problem);
    /* Optional. Chooses algorithms, packs constants, builds descriptors. May be
     * slow, may allocate, may enqueue on ctx->stream and synchronize it; never
     * called while capturing. The host makes every run, on any stream, wait for
     * that work. What the problem says holds for every run of the state. When it
     * fails it has freed what it made: *out_state is then ignored, and release is
     * not called. */
    tn_code (*prepare)(const tn_run_context *ctx, const tn_problem *problem,
                       void **out_state);
    /* Optional. Asked after prepare, before any run. */
    tn_code (*workspace)(const tn_run_context *ctx, const tn_problem *problem,
                         void *state, tn_workspace *out);
    /* Required. Writes every element of every result. Launches go to
     * ctx->stream; never synchronizes; returns its own launch errors. */
    tn_code (*run)(const tn_run_context *ctx, void *state, const tn_call *call);
    /* Optional. Frees what prepare made, when all work that runs enqueued has
     * completed. Called exactly once for each prepare that succeeded with a state
     * that is not NULL, also when `workspace` or another node's prepare then fails
     * and nothing ever runs. */
    void (*release)(const tn_run_context *ctx, void *state);
} tn_kernel;
#define TN_KERNEL_EXCLUSIVE_STATE 1u /* one run at a time for each state */
#define TN_KERNEL_NO_CAPTURE 2u      /* cannot run while capturing */
#define TN_KERNEL_STRIDED_INPUTS 4u  /* takes any strides; else contiguous */
#define TN_KERNEL_STRIDED_OUTPUTS 8u

/* --------------------------------------------------------------- lowering */

typedef struct tn_builder tn_builder; /* the host's */

/* Operations on sizes, for tn_builder_api.dim_op. Division by zero and
 * overflow are errors of the lowering. */
enum {
    TN_DIM_ADD = 1,
    TN_DIM_SUB = 2,
    TN_DIM_MUL = 3,
    TN_DIM_FLOORDIV = 4,
    TN_DIM_CEILDIV = 5,
    TN_DIM_MOD = 6, /* floor modulo */
    TN_DIM_MIN = 7,
    TN_DIM_MAX = 8
};

/* Builds the primitives that stand for a call. Errors stick: after the first,
 * every function returns zero or its code and does nothing, and the lowering
 * fails with that error whatever it returns, so results need not be checked
 * one by one (tenon/lower.h wraps each primitive in that spirit). */
typedef struct tn_builder_api {
    TN_HEADER;
    /* Emits primitive `prim` (TN_PRIM_... of tenon/opset.h). Attributes are by
     * name, as in the primitive's schema, in any order; results beyond n_outs
     * are dropped. No implicit promotion, no implicit broadcast. */
    tn_code (*emit)(tn_builder *b, uint32_t prim, const tn_value *ins,
                    uint32_t n_ins, const tn_attr *attrs, uint32_t n_attrs,
                    tn_value *outs, uint32_t n_outs);
    /* Calls an op by name ("ns::op", which means the overload that fits, or
     * "ns::op.overload"): one of the plugin's own, or of a namespace its note
     * requires. Arguments by position; tensors are TN_TAG_VALUE. */
    tn_code (*call)(tn_builder *b, const char *op, const tn_arg *args,
                    uint32_t n_args, tn_value *outs, uint32_t n_outs);
    /* A 0-d constant. value is TN_TAG_INT, TN_TAG_FLOAT, TN_TAG_BOOL, or
     * TN_TAG_DIM for a number derived from sizes; converted to dtype by the
     * rules of the primitive cast. TN_TAG_NUMBER gives a run-time number. */
    tn_value (*constant)(tn_builder *b, tn_dtype dtype, tn_arg value);

    int32_t (*rank)(tn_builder *b, tn_value v);
    tn_dtype (*dtype)(tn_builder *b, tn_value v);
    tn_dim (*dim)(tn_builder *b, tn_value v, int32_t axis);
    tn_dim (*dim_const)(tn_builder *b, int64_t n);
    tn_dim (*dim_op)(tn_builder *b, uint32_t op, tn_dim x, tn_dim y);
    /* The number behind a size. Asking specializes: the graph is then valid
     * only for this number, which the host records as a guard and reports.
     * After an error 1, so that dividing by it is safe. */
    int64_t (*dim_value)(tn_builder *b, tn_dim d);
    /* Whether two sizes are equal. Specializes on the answer alone. */
    int32_t (*dim_equal)(tn_builder *b, tn_dim x, tn_dim y);
    /* An int argument, TN_TAG_INT or TN_TAG_DIM, as a size. */
    tn_dim (*dim_arg)(tn_builder *b, tn_arg value);
    /* The number behind a FLOAT, INT, BOOL, DIM or NUMBER argument; specializes
     * where it was not fixed. After an error 1. */
    double (*number_value)(tn_builder *b, tn_arg value);
    /* Calls a scalar function the plugin carries (tn_function, by its index in
     * tn_plugin.functions) on every element: reserved for a later opset. */
    tn_value (*apply)(tn_builder *b, uint32_t function, const tn_value *ins,
                      uint32_t n_ins);
} tn_builder_api;

typedef struct tn_lower_context {
    TN_HEADER;
    const tn_callback *cb;
    const tn_builder_api *api;
    tn_builder *b;
    /* Schema order, defaults filled in. Tensors are TN_TAG_VALUE, ints may be
     * TN_TAG_DIM, floats and bools TN_TAG_NUMBER: pass them on as they are, or
     * ask for their number. */
    const tn_arg *args;
    uint32_t n_args;
    /* Flattened: a Tensor[] takes as many as meta counted, an absent Tensor? one,
     * left 0. To be filled, except those that stand for a written argument. */
    uint32_t n_results;
    tn_value *results;
    /* The new value of every tensor the schema marks '!', in schema order, lists
     * flattened. Preset to the old value. */
    tn_value *writes;
    uint32_t n_writes;
    uint32_t opset; /* the host's TN_OPSET_VERSION */
} tn_lower_context;

/* Returns TN_OK, TN_DECLINED (this call stays opaque; say why), or an error. The
 * results have the dtypes and shapes that meta gives them: the host tries this on a
 * few calls that meta accepts when it loads the plugin, and refuses the plugin where
 * they differ. */
typedef tn_code (*tn_lower_fn)(const tn_lower_context *l);

/* -------------------------------------------------------------- templates */

/* The full contract, with what a slot must do and when, is tenon/template.h. */

/* Code the host compiles or links. */
enum {
    TN_CODE_C = 1,     /* C17 with the dialect of tenon/template.h */
    TN_CODE_CUDA = 2,  /* CUDA C++ for NVRTC */
    TN_CODE_LTOIR = 3, /* for nvJitLink */
    TN_CODE_PTX = 4,
    TN_CODE_CUBIN = 5
};
typedef struct tn_payload {
    TN_HEADER;
    int32_t kind;       /* TN_CODE_... */
    int32_t cuda_major; /* toolkit it was made by; 0 when it does not matter */
    uint32_t sm;        /* lowest compute capability times ten, e.g. 90 */
    uint32_t flags;     /* TN_PAYLOAD_... */
    const void *data;
    uint64_t bytes;
    const char *entry; /* symbol of the function; NULL: the owner's name */
    uint32_t dialect;  /* of tenon/template.h; 0 means 1 */
    uint32_t reserved1;
} tn_payload;
#define TN_PAYLOAD_SM_EXACT 4u  /* "90a": this sm alone */
#define TN_PAYLOAD_SM_FAMILY 8u /* "100f": same major, not lower */
#define TN_PAYLOAD_NO_DUMP 1u   /* never print or store readable forms */
#define TN_PAYLOAD_NO_SHARE 2u  /* never put in a cache others can read */

/* A named point of a template where the host may insert generated code. */
enum { TN_SLOT_PROLOGUE = 1, TN_SLOT_EPILOGUE = 2, TN_SLOT_SCORE = 3 };
typedef struct tn_slot {
    TN_HEADER;
    const char *name;
    int32_t kind;    /* TN_SLOT_... */
    int32_t operand; /* prologue: argument loaded; epilogue: result stored */
    int32_t rank;    /* of its logical coordinates, (batch, m, n) is 3 */
    int32_t vector_width; /* elements handed over at once; 0: a run of them */
    int32_t accumulators; /* values handed over at each coordinate */
    tn_dtype dtype;       /* of those values */
} tn_slot;

/* One parameter of a template's kernel: 24 bytes, fixed. Pointers are named, not
 * given, so that the host can plan memory and patch a captured graph. */
enum {
    TN_PARAM_NUMBER = 0,   /* the low `bytes` (1, 2, 4, 8) of value */
    TN_PARAM_ARGUMENT = 1, /* address of tensor argument `index`, item `item` */
    TN_PARAM_RESULT = 2,   /* address of result `index`, item `item` */
    TN_PARAM_WORKSPACE = 3, /* address of the workspace plus value bytes */
    TN_PARAM_TENSOR_MAP = 4 /* tensor_maps[index], by value */
};
typedef struct tn_param {
    uint32_t kind; /* TN_PARAM_..., or'ed with TN_PARAM_LITERAL_OK */
    uint16_t index, item;
    uint32_t bytes;
    uint32_t reserved0;
    uint64_t value;
} tn_param;
#define TN_PARAM_LITERAL_OK 0x80000000u /* a number that may become a literal */

/* What configure fills in: how the host launches the finished kernel. */
typedef struct tn_launch {
    TN_HEADER;
    uint32_t grid[3]; /* CPU: grid[0] work items, shared out over the pool */
    uint32_t block[3];
    uint32_t cluster[3];
    uint32_t shared_bytes; /* CPU: scratch for each worker */
    uint32_t grain;        /* CPU: work items a worker takes at once */
    uint32_t n_params;
    const tn_param *params; /* from cb->scratch, or static; copied on return */
    double cost;            /* seconds estimated; 0 for unknown */
    const struct tn_tensor_map *const *tensor_maps; /* reserved: NULL */
    uint32_t n_tensor_maps;
    uint32_t flags; /* TN_LAUNCH_...: none yet */
    uint64_t workspace_bytes;
    uint32_t workspace_alignment, workspace_init; /* as in tn_workspace */
} tn_launch;

/* What a way of running a problem is expected to cost, on ctx->threads threads. The
 * host compares it with what it saves elsewhere: passes over memory, launches. */
typedef struct tn_estimate {
    TN_HEADER;
    /* Of one run, with what problem->slots names filled by code that costs nothing. */
    double seconds;
    /* Of one run of the op's own kernel, with all operands in memory; 0: there is none. */
    double kernel_seconds;
    /* The host's, an entry for each slot, preset to 1: how often the code in it runs for
     * each element. */
    double *times;
} tn_estimate;

/* Pointwise work that follows an op, for a library that may have it built in: values,
 * each made of those before it. Value 0 is the op's result, the last one is what the
 * call stores. All have the shape of the op's result, and are of their dtypes without
 * rounding in between (of an op with f16 results, f32). */
enum {
    TN_CHAIN_RESULT = 0,  /* what the op alone would give */
    TN_CHAIN_OPERAND = 1, /* a tensor argument beyond those of the schema */
    TN_CHAIN_NUMBER = 2,  /* the same number everywhere */
    TN_CHAIN_PRIM = 3     /* an elementwise primitive of earlier values */
};
typedef struct tn_chain_value {
    TN_HEADER;
    uint32_t kind; /* TN_CHAIN_... */
    uint32_t prim; /* PRIM: TN_PRIM_... of tenon/opset.h */
    uint32_t in[3];
    uint32_t n_in;
    uint32_t argument; /* OPERAND: which of args */
    tn_dtype dtype;
    double number; /* NUMBER */
} tn_chain_value;
typedef struct tn_chain {
    TN_HEADER;
    const tn_chain_value *const *values;
    uint32_t n_values;
    uint32_t reserved1;
} tn_chain;

/* One library call for an op and what follows it. Like a tn_kernel in all that is not
 * said here. problem->args has the schema's arguments first and the chain's operands
 * after them, those described in the shape of the op's result, with stride 0 where they
 * are the same; any strides occur. There is one result, contiguous. Not used in strict
 * runs, which keep the kernel of eager ones. The chain lives until prepare returns. */
typedef struct tn_native {
    TN_HEADER;
    /* TN_OK, or TN_DECLINED with what is not built in. */
    tn_code (*accept)(const tn_run_context *ctx, const tn_problem *problem,
                      const tn_chain *chain);
    /* Optional: without it the call is made only when it is forced. kernel_seconds is of
     * the op's own kernel alone. */
    tn_code (*estimate)(const tn_run_context *ctx, const tn_problem *problem,
                        const tn_chain *chain, tn_estimate *out);
    tn_code (*prepare)(const tn_run_context *ctx, const tn_problem *problem,
                       const tn_chain *chain, void **out_state);
    tn_code (*workspace)(const tn_run_context *ctx, const tn_problem *problem,
                         void *state, tn_workspace *out); /* optional */
    tn_code (*run)(const tn_run_context *ctx, void *state, const tn_call *call);
    void (*release)(const tn_run_context *ctx, void *state);
} tn_native;

typedef struct tn_template {
    TN_HEADER;
    const char *name;
    const char *op;      /* "ns::op", or a primitive "prim::matmul" */
    int32_t device_type; /* TN_DEVICE_... */
    uint32_t flags;
    const tn_payload *const *payloads;
    uint32_t n_payloads;
    uint32_t n_slots;
    const tn_slot *const *slots;
    uint32_t n_configs; /* at least 1 */
    uint32_t reserved1;
    /* Whether configuration `config` can run the problem: TN_OK or TN_DECLINED
     * with a reason. Asked as accept of tn_kernel is. */
    tn_code (*accept)(const tn_run_context *ctx, const tn_problem *problem,
                      uint32_t config);
    /* Optional, as in tn_kernel: packs constants for this configuration. What it
     * makes reaches the kernel as numbers, stable until release. The same holds for
     * failure, of this and of configure. Both see an argument that a prologue computes
     * (problem->slots) as contiguous and without data. */
    tn_code (*prepare)(const tn_run_context *ctx, const tn_problem *problem,
                       uint32_t config, void **out_state);
    tn_code (*configure)(const tn_run_context *ctx, const tn_problem *problem,
                         uint32_t config, void *state, tn_launch *out);
    void (*release)(const tn_run_context *ctx, void *state);
    const tn_native *native; /* optional: a library's call with work built in */
    /* Optional. What the configuration costs for a problem that it accepts. Without it the
     * host takes the template for its epilogue where sums are short, and for prologues
     * only when it is told to. */
    tn_code (*estimate)(const tn_run_context *ctx, const tn_problem *problem,
                        uint32_t config, tn_estimate *out);
} tn_template;

/* A scalar function that lowerings may call: reserved for a later issue of the
 * opset; declared so that its place in tn_plugin is fixed. */
typedef struct tn_function {
    TN_HEADER;
    const char *name; /* the device symbol */
    const tn_dtype *params;
    uint32_t n_params;
    tn_dtype result;
    const char *reference; /* graph text that states what it computes */
    const tn_payload *const *payloads;
    uint32_t n_payloads;
    uint32_t reserved1;
} tn_function;

/* --------------------------------------------------------------------- op */

enum {
    TN_TRAIT_DETERMINISTIC = 1, /* same inputs, same bits */
    TN_TRAIT_CAPTURE_SAFE = 2,  /* may run inside a CUDA graph capture */
    TN_TRAIT_ZERO_SIZE_OK = 4,  /* kernels may be called for zero elements */
    TN_TRAIT_POINTWISE = 8,     /* result element depends on same coordinate */
    TN_TRAIT_COMMUTATIVE = 16,  /* in its first two arguments */
    TN_TRAIT_HAS_EFFECTS = 32   /* beyond what the schema says: keep order */
};

/* What the op would like of one tensor argument or result. */
enum { TN_LAYOUT_ANY = 0, TN_LAYOUT_CONTIGUOUS = 1, TN_LAYOUT_LAST_UNIT = 2 };

typedef struct tn_op_desc {
    TN_HEADER;
    /* "ns::name.overload(Tensor x, ...) -> Tensor": PyTorch's operator schema
     * language. Mutation and aliasing are what it says and nothing else. */
    const char *schema;
    const char *doc; /* optional, one line */
    tn_meta_fn meta; /* required */
    const tn_kernel *const *kernels;
    uint32_t n_kernels;
    uint32_t traits; /* TN_TRAIT_... */
    /* At most one of these two. The text is graph text that names an opset
     * (see the lowering section of tenon/template.h's neighbour, lower.h). */
    tn_lower_fn lower;
    const char *lowering_text;
    /* Optional: the same call in terms of other ops, tried before lower. */
    tn_lower_fn decompose;
    const tn_template *const *templates;
    uint32_t n_templates;
    uint32_t n_layouts;
    const uint8_t *layouts; /* TN_LAYOUT_..., one per argument */
    /* Optional: bytes moved and flops, for the cost model. */
    tn_code (*cost)(const tn_callback *cb, const tn_problem *problem,
                    double *out_bytes, double *out_flops);
} tn_op_desc;

/* ----------------------------------------------------------------- plugin */

typedef struct tn_plugin {
    TN_HEADER;
    uint32_t abi_needed; /* lowest TN_ABI_VERSION whose slots are used */
    uint32_t n_ops;
    const char *name;    /* [a-z][a-z0-9_]*, as in the note */
    const char *version; /* "major.minor.patch", as in the note */
    const tn_op_desc *const *ops;
    /* Optional: once for each host context and device, before its first use and
     * after its last; may be called for a device whose earlier state is alive. */
    tn_code (*device_init)(const tn_callback *cb, tn_device device,
                           void **out_state);
    void (*device_deinit)(const tn_callback *cb, tn_device device, void *state);
    const tn_template *const *templates; /* those attached to primitives */
    const tn_function *const *functions;
    uint32_t n_templates;
    uint32_t n_functions;
} tn_plugin;

/* The one exported function. No side effects; may be called many times and
 * returns the same answer; NULL when host_abi is too old. */
typedef const tn_plugin *(*tn_plugin_query_fn)(uint32_t host_abi);
#define TN_PLUGIN_QUERY_SYMBOL "tenon_plugin_query"

#if defined(__GNUC__)
#define TN_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define TN_PLUGIN_EXPORT
#endif

TN_PLUGIN_EXPORT const tn_plugin *tenon_plugin_query(uint32_t host_abi);

#ifdef __cplusplus
}
#endif
#endif
