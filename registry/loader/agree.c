#include "loader/agree.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocator.h"
#include "schema/schema.h"

typedef struct schema_list {
    const tn_allocator *allocator;
    tn_schema **items; /* by full name, then text */
    uint32_t n, capacity;
} schema_list;

static int compare(const void *a, const void *b) {
    const tn_schema *x = *(tn_schema *const *)a, *y = *(tn_schema *const *)b;
    int order = strcmp(x->full_name, y->full_name);
    return order ? order : strcmp(x->text, y->text);
}

static TN_MUST_USE tn_status add(schema_list *list, const char *text, const char *where) {
    if (!text) return tn_status_make(TN_PLUGIN, "op %u of %s has no schema", list->n, where);
    tn_status status = tn_schema_parse(list->allocator, text, strlen(text), &list->items[list->n]);
    if (status) return tn_status_annotate(status, "op %u of %s: ", list->n, where);
    list->n++;
    return NULL;
}

static TN_MUST_USE tn_status make_list(schema_list *list, uint32_t capacity) {
    list->items = tn_alloc_array(list->allocator, capacity, sizeof *list->items);
    if (capacity && !list->items) return tn_status_no_memory();
    list->capacity = capacity;
    return NULL;
}

static void free_list(schema_list *list) {
    for (uint32_t i = 0; i < list->n; i++) {
        tn_schema_free(list->items[i]);
    }
    tn_free(list->allocator, list->items, list->capacity * sizeof *list->items);
}

static TN_MUST_USE tn_status fill(schema_list *noted, schema_list *queried,
                                  const tn_plugin_info *note, const tn_plugin *plugin) {
    TN_TRY(make_list(noted, note->n_ops));
    TN_TRY(make_list(queried, plugin->n_ops));
    for (uint32_t i = 0; i < note->n_ops; i++) {
        TN_TRY(add(noted, note->schemas[i], "its note"));
    }
    for (uint32_t i = 0; i < plugin->n_ops; i++) {
        TN_TRY(add(queried, plugin->ops[i]->schema, "what " TN_PLUGIN_QUERY_SYMBOL " returned"));
    }
    if (noted->n) qsort(noted->items, noted->n, sizeof *noted->items, compare);
    if (queried->n) qsort(queried->items, queried->n, sizeof *queried->items, compare);
    return NULL;
}

static TN_MUST_USE tn_status compare_lists(const schema_list *noted, const schema_list *queried) {
    for (uint32_t i = 0; i < noted->n || i < queried->n; i++) {
        const tn_schema *a = i < noted->n ? noted->items[i] : NULL;
        const tn_schema *b = i < queried->n ? queried->items[i] : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a->full_name, b->full_name);
        if (order != 0) {
            return tn_status_make(
                TN_PLUGIN, "its note and its code disagree: op %s is %s",
                order < 0 ? a->full_name : b->full_name,
                order < 0 ? "in its note, but " TN_PLUGIN_QUERY_SYMBOL " does not return it"
                          : "returned by " TN_PLUGIN_QUERY_SYMBOL ", but not in its note");
        }
        if (strcmp(a->text, b->text) != 0) {
            return tn_status_make(TN_PLUGIN,
                                  "its note and its code disagree on op %s: the note says '%s', "
                                  "the code '%s'",
                                  a->full_name, a->text, b->text);
        }
    }
    return NULL;
}

static TN_MUST_USE tn_status compare_words(const char *what, const char *note, const char *code) {
    if (code && strcmp(note, code) == 0) return NULL;
    return tn_status_make(TN_PLUGIN,
                          "its note and its code disagree on its %s: the note says '%s', the code "
                          "'%s'",
                          what, note, code ? code : "NULL");
}

tn_status tn__plugin_agree(const tn_allocator *allocator, const tn_plugin_info *note,
                           const tn_plugin *plugin) {
    TN_TRY(compare_words("name", note->name, plugin->name));
    TN_TRY(compare_words("version", note->version, plugin->version));
    if (note->abi_needed != plugin->abi_needed) {
        return tn_status_make(TN_PLUGIN,
                              "its note and its code disagree on the ABI it needs: the note says "
                              "%u, the code %u",
                              note->abi_needed, plugin->abi_needed);
    }
    schema_list noted = {.allocator = allocator}, queried = {.allocator = allocator};
    tn_status status = fill(&noted, &queried, note, plugin);
    if (!status) status = compare_lists(&noted, &queried);
    free_list(&noted);
    free_list(&queried);
    return status;
}
