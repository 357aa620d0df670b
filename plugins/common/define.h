/* From lists of ops to a plugin. A list is a macro L(OP) of lines
 *
 *     OP(id, schema, doc, meta, lower, traits)
 *
 * and a plugin one or more of them. TN_DEFINE_OPS makes the descriptions of one list,
 * in the file that has its functions; TN_DECLARE_OPS, TN_OPS_NOTE and TN_OPS_POINTERS are
 * for the file that has the note and the query function. */
#ifndef TN_PLUGINS_DEFINE_H
#define TN_PLUGINS_DEFINE_H

#include "tenon/lower.h"
#include "tenon/note.h"

/* What every op here is: pure arithmetic, on no elements too. */
#define TN_PURE (TN_TRAIT_DETERMINISTIC | TN_TRAIT_CAPTURE_SAFE | TN_TRAIT_ZERO_SIZE_OK)
#define TN_POINTWISE (TN_PURE | TN_TRAIT_POINTWISE)

#define TN_DEFINE_OP(id, schema_, doc_, meta_, lower_, traits_)                                    \
    const tn_op_desc tn__op_##id = {TN_SIZED(tn_op_desc), .schema = schema_, .doc = doc_,          \
                                    .meta = meta_,        .lower = lower_,   .traits = (traits_)};
#define TN_DECLARE_OP(id, schema, doc, meta, lower, traits) extern const tn_op_desc tn__op_##id;
#define TN_POINTER_OP(id, schema, doc, meta, lower, traits) &tn__op_##id,
#define TN_NOTE_OP_LINE(id, schema, doc, meta, lower, traits) TN_NOTE_OP(schema)

#define TN_DECLARE_OPS(list) list(TN_DECLARE_OP)
#define TN_DEFINE_OPS(list) TN_DECLARE_OPS(list) list(TN_DEFINE_OP)
#define TN_OPS_POINTERS(list) list(TN_POINTER_OP)
#define TN_OPS_NOTE(list) list(TN_NOTE_OP_LINE)

/* The query function of a plugin with the array of pointers `ops_`. */
#define TN_DEFINE_QUERY(name_, version_, ops_)                                                     \
    const tn_plugin *tenon_plugin_query(uint32_t host_abi) {                                       \
        static const tn_plugin plugin = {TN_SIZED(tn_plugin),     .abi_needed = TN_ABI_NEEDED,     \
                                         .n_ops = TN_COUNT(ops_), .name = name_,                   \
                                         .version = version_,     .ops = ops_};                    \
        return host_abi < TN_ABI_NEEDED ? NULL : &plugin;                                          \
    }

#endif
