#include <string.h>

#include "base/allocator.h"
#include "ir/prim.h"

struct tn_prim_schemas {
    const tn_allocator *allocator;
    uint32_t count;
    tn_schema *items[]; /* by position, as tn_prim_at */
};

static size_t schemas_size(uint32_t count) {
    return sizeof(tn_prim_schemas) + count * sizeof(tn_schema *);
}

tn_status tn_prim_schemas_create(const tn_allocator *allocator, tn_prim_schemas **out_schemas) {
    *out_schemas = NULL;
    const uint32_t count = tn_prim_count();
    tn_prim_schemas *schemas = tn_alloc_zero(allocator, schemas_size(count));
    if (schemas == NULL) return tn_status_no_memory();
    schemas->allocator = allocator;
    schemas->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *text = tn_prim_at(i)->schema_text;
        tn_status status = tn_schema_parse(allocator, text, strlen(text), &schemas->items[i]);
        if (status != NULL) {
            tn_prim_schemas_destroy(schemas);
            return status;
        }
    }
    *out_schemas = schemas;
    return NULL;
}

void tn_prim_schemas_destroy(tn_prim_schemas *schemas) {
    if (schemas == NULL) return;
    for (uint32_t i = 0; i < schemas->count; i++)
        tn_schema_free(schemas->items[i]);
    tn_free(schemas->allocator, schemas, schemas_size(schemas->count));
}

const tn_schema *tn_prim_schemas_get(const tn_prim_schemas *schemas, uint32_t id) {
    const tn_prim_info *info = tn_prim_get(id);
    return info == NULL ? NULL : schemas->items[info - tn_prim_at(0)];
}
