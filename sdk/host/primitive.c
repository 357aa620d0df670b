#include "codegen/cpu_bounds.h"
#include "host/host.h"

static const char *const kinds[] = {
    [TN_PRIM_CLASS_ELEMENTWISE] = "elementwise",
    [TN_PRIM_CLASS_SOURCE] = "source",
    [TN_PRIM_CLASS_VIEW] = "view",
    [TN_PRIM_CLASS_GATHER] = "gather",
    [TN_PRIM_CLASS_REDUCE] = "reduce",
    [TN_PRIM_CLASS_CONTRACT] = "contract",
};

static void fill_bounds(tn_primitive_info *info) {
    switch (info->number) {
#define BOUND(id, function, arity, f32, f64)                                                       \
    case TN_PRIM_##id:                                                                             \
        info->ulps_f32 = f32;                                                                      \
        info->ulps_f64 = f64;                                                                      \
        break;
        TN_CPU_BOUND_LIST(BOUND)
#undef BOUND
    default: break;
    }
}

void tn_primitives_visit(bool (*visit)(void *self, const tn_primitive_info *primitive),
                         void *self) {
    for (uint32_t i = 0; i < tn_prim_count(); i++) {
        const tn_prim_info *p = tn_prim_at(i);
        tn_primitive_info info = {.struct_size = sizeof info,
                                  .number = p->id,
                                  .arity = p->arity,
                                  .name = p->name,
                                  .schema = p->schema_text,
                                  .doc = p->doc,
                                  .kind = kinds[p->klass],
                                  .flags = (p->on_float ? TN_PRIMITIVE_ON_FLOAT : 0) |
                                           (p->on_int ? TN_PRIMITIVE_ON_INT : 0) |
                                           (p->on_bool ? TN_PRIMITIVE_ON_BOOL : 0) |
                                           (p->result_bool ? TN_PRIMITIVE_GIVES_BOOL : 0)};
        fill_bounds(&info);
        if (!visit(self, &info)) return;
    }
}
