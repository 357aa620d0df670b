/* META-05: a lowering that takes its result's dtype from one operand, where the meta
 * function promotes. It loads where nobody tries lowerings; a host does. */
#include "tenon/lower.h"
#include "tenon/note.h"
#include "tenon/util.h"

#define LDEXP "turning::ldexp(Tensor m, Tensor e, *, bool keep=False) -> Tensor"

TN_PLUGIN_NOTE("turning", "1.0.0", TN_NOTE_OP(LDEXP));

static tn_code meta(const tn_meta_context *m) {
    const tn_tensor *a, *e;
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 0, &a));
    TN_CHECK(tn_get_tensor(m->cb, m->args, m->n_args, 1, &e));
    TN_REQUIRE(m->cb, tn_is_float(a->dtype) && tn_is_float(e->dtype) && tn_same_shape(a, e),
               "expected floats of one shape");
    const tn_dtype wider = a->dtype.bits >= e->dtype.bits ? a->dtype : e->dtype;
    return tn_meta_like_as(m, 0, a, wider);
}

static tn_code lower(const tn_lower_context *l) {
    const tn_value m = tn_lower_arg(l, 0);
    const tn_dtype dtype = tn_lower_dtype(l, m);
    const tn_value e = tn_lower_cast(l, tn_lower_arg(l, 1), dtype);
    l->results[0] = tn_lower_mul(l, m, tn_lower_exp2(l, e));
    return TN_OK;
}

static const tn_op_desc op = {TN_SIZED(tn_op_desc), .schema = LDEXP, .doc = "m * 2^e.",
                              .meta = meta, .lower = lower};
static const tn_op_desc *const ops[] = {&op};

const tn_plugin *tenon_plugin_query(uint32_t host_abi) {
    static const tn_plugin plugin = {TN_SIZED(tn_plugin),    .abi_needed = TN_ABI_NEEDED,
                                     .n_ops = TN_COUNT(ops), .name = "turning",
                                     .version = "1.0.0",     .ops = ops};
    return host_abi < TN_ABI_NEEDED ? NULL : &plugin;
}
