#include "schema/schema.h"

#include <string.h>

#include "base/arena.h"

void tn_schema_free(tn_schema *schema) {
    if (schema == NULL) return;
    tn_arena arena = *schema->arena; /* which holds the schema, and itself */
    tn_arena_deinit(&arena);
}

int32_t tn_schema_find_param(const tn_schema *schema, const char *name) {
    for (uint32_t i = 0; i < schema->n_params; i++) {
        if (strcmp(schema->params[i].name, name) == 0) return (int32_t)i;
    }
    return -1;
}

bool tn_schema_mutates(const tn_schema *schema) {
    for (uint32_t i = 0; i < schema->n_params; i++) {
        if (schema->params[i].type.writes) return true;
    }
    return false;
}
