/* An operator as core sees it. Made and owned by the catalog (registry/), which
 * outlives every graph that holds one; core only reads it. */
#ifndef TN_IR_OP_H
#define TN_IR_OP_H

#include "base/arena.h"
#include "base/hash.h"
#include "ir/dtype.h"
#include "ir/prim.h"
#include "schema/schema.h"

/* Who provides an op; shared by the ops of one plugin. */
typedef struct tn_op_owner {
    const char *plugin_name, *plugin_version, *plugin_path;
    const char *plugin_sha256; /* of the file, hex; "" when it came from none */
    tn_digest content;         /* of the plugin file: part of every cache key */
    void *device_state;        /* of the CPU, from device_init; NULL when none */
    const tn_plugin *plugin;   /* normalized: see desc below */
} tn_op_owner;

struct tn_op {
    const tn_schema *schema;
    /* The plugin's description, with every struct copied to the size that this
     * build knows and zero-filled beyond what the plugin gave. */
    const tn_op_desc *desc;
    const tn_kernel *cpu; /* its kernel for the CPU, NULL when it has none */
    const tn_kernel *cuda;
    const tn_op_owner *owner;
    tn_digest identity; /* of schema, traits, lowering text and owner->content */
    /* References held by graphs, executables and handles. Atomic inside. */
    void (*retain)(const struct tn_op *op);
    void (*release)(const struct tn_op *op);
};

/* How core finds ops by name without knowing the catalog. `name` is "ns::op" or
 * "ns::op.overload", not NUL-terminated. NOT_FOUND suggests near names. The op
 * is lent for as long as the table; retain it to keep it. Thread-safe. */
typedef struct tn_op_table {
    void *self;
    tn_status (*find)(void *self, const char *name, size_t length, const struct tn_op **out_op);
    /* Names as `op` means them, for its lowering and decomposition: ops of its own
     * plugin first (even while that one is being loaded), then the namespaces that
     * its note requires, in the major version required. NULL: the table itself. */
    struct tn_op_table (*scope)(void *self, const struct tn_op *op);
    /* Every op that "ns::op" may mean in a call: the one without an overload name,
     * then by overload name. At most `capacity` are stored; returns how many there
     * are, 0 for a name that has an overload itself. NULL: names are exact. */
    uint32_t (*overloads)(void *self, const char *name, size_t length, const struct tn_op **out,
                          uint32_t capacity);
    /* Templates that plugins attach to a primitive, each as an op with the primitive's schema
     * and neither meta nor kernel: number `index`, in order of plugin; NULL after the last.
     * May be NULL. */
    const struct tn_op *(*primitive)(void *self, uint32_t prim, uint32_t index);
} tn_op_table;

#define TN_MAX_OVERLOADS 64u
/* What the name of a call may mean: one op when the name is exact or there are no
 * overloads. out has room for TN_MAX_OVERLOADS; never none. */
TN_MUST_USE tn_status tn_op_candidates(const tn_op_table *table, const char *name, size_t length,
                                       const struct tn_op **out, uint32_t *out_n);
/* Finds the op that a call means (schema/overload.h) and binds the arguments to it,
 * into an array of the arena. */
TN_MUST_USE tn_status tn_op_bind_call(const tn_op_table *table, const char *name,
                                      const tn_arg *args, uint32_t n_args, const tn_attr *named,
                                      uint32_t n_named, tn_arena *arena,
                                      const struct tn_op **out_op, tn_arg **out_args);

/* What a meta function said of one result. */
typedef struct tn_op_result {
    bool present;   /* false: None, for Tensor? */
    uint32_t flags; /* TN_SPEC_... */
    tn_dtype dtype;
    int32_t rank;
    int64_t *shape, *strides; /* from the arena; strides never NULL */
    tn_device device;
    int32_t alias_argument; /* -1 when it is not a view */
    int32_t alias_item;     /* of a Tensor[] argument, else 0 */
    int64_t alias_offset;   /* bytes from the argument's first element */
} tn_op_result;
typedef struct tn_op_results {
    uint32_t n; /* flattened: list results follow one another */
    tn_op_result *items;
    uint32_t *counts; /* per schema result: how many items it has */
} tn_op_results;

/* Calls the meta function on arguments in schema order (tensors with data NULL)
 * and checks the answer: every result set, extents >= 0 and their product in
 * range, strides that do not overlap (unless an alias), dtype known; an alias is
 * one that the schema declares and stays within its argument. A result that the
 * schema marks as written (Tensor(a!)) is that argument, described here with its
 * strides and TN_SPEC_ALIAS; the meta function must not set it. Errors name
 * plugin, op and result. Thread-safe. */
TN_MUST_USE tn_status tn_op_infer(const struct tn_op *op, const tn_arg *args, tn_device device,
                                  tn_arena *arena, tn_op_results *out_results);

/* The parameter that result `index`, marked (x!), is: one that is written under a
 * name of its alias set, a list if it is a list. -1 for a result without the mark,
 * and where there is no such parameter (a schema the catalog refuses). */
int32_t tn_op_written_param(const tn_schema *schema, uint32_t index);

/* The `fail` and `scratch` of a callback, for whoever calls a plugin. */
typedef struct tn_op_callback {
    tn_callback cb; /* cb.self points here */
    tn_code code;
    char message[512]; /* copied at once; cut when longer */
    tn_arena arena;    /* scratch */
} tn_op_callback;
void tn_op_callback_init(tn_op_callback *c, const tn_allocator *allocator);
void tn_op_callback_deinit(tn_op_callback *c);
/* What a callback meant by its code: NULL for TN_OK, else the reason it gave. An
 * unknown code becomes TN_PLUGIN and is named. */
TN_MUST_USE tn_status tn_op_callback_result(const tn_op_callback *c, tn_code code);
/* The same, naming plugin, op and `what` ("meta"). */
TN_MUST_USE tn_status tn_op_callback_status(const tn_op_callback *c, const struct tn_op *op,
                                            const char *what, tn_code code);

#endif
