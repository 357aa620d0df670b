#include "schema/overload.h"

#include <string.h>

#include "base/arena.h"

void tn_overload_init(tn_overload_choice *choice, const tn_allocator *allocator) {
    *choice = (tn_overload_choice){.fit = TN_OVERLOAD_NO_FIT};
    tn_strbuf_init(&choice->list, allocator);
}

void tn_overload_deinit(tn_overload_choice *choice) {
    tn_strbuf_deinit(&choice->list);
}

/* Binding hands on what needs no conversion as it is. */
static bool is_same(const tn_arg *given, const tn_arg *bound) {
    if (given->tag != bound->tag) return false;
    return given->tag != TN_TAG_LIST || given->v.list == bound->v.list;
}

static bool is_exact(const tn_schema *schema, const tn_arg *args, uint32_t n_args,
                     const tn_attr *named, uint32_t n_named, const tn_arg *bound) {
    for (uint32_t i = 0; i < n_args; i++) {
        if (!is_same(&args[i], &bound[i])) return false;
    }
    for (uint32_t i = 0; i < n_named; i++) {
        int32_t param = tn_schema_find_param(schema, named[i].name);
        if (param < 0 || !is_same(&named[i].value, &bound[param])) return false;
    }
    return true;
}

void tn_overload_offer(tn_overload_choice *choice, const tn_schema *schema, const tn_arg *args,
                       uint32_t n_args, const tn_attr *named, uint32_t n_named,
                       const tn_arg *bound) {
    bool exact = is_exact(schema, args, n_args, named, n_named, bound);
    tn_overload_fit fit = exact ? TN_OVERLOAD_EXACT : TN_OVERLOAD_CONVERTS;
    bool wins = exact && !schema->overload[0]; /* nobody will read the list */
    if (!wins) {
        tn_strbuf_printf(&choice->list, "\n  %s: it fits%s", schema->text,
                         exact ? "" : ", with a conversion");
    }
    if (fit > choice->fit) {
        choice->best = choice->n;
        choice->fit = fit;
        choice->best_is_named = schema->overload[0] != 0;
        choice->ambiguous = false;
    } else if (fit == choice->fit && choice->best_is_named) {
        choice->ambiguous = true;
    }
    choice->n++;
}

void tn_overload_refuse(tn_overload_choice *choice, const tn_schema *schema, const char *why) {
    size_t name = strlen(schema->full_name);
    if (strncmp(why, schema->full_name, name) == 0 && strncmp(why + name, ": ", 2) == 0) {
        why += name + 2;
    }
    const char *end = strstr(why, "; the schema is "); /* which stands here already */
    int shown = end ? (int)(end - why) : (int)strlen(why);
    tn_strbuf_printf(&choice->list, "\n  %s: %.*s", schema->text, shown, why);
    choice->n++;
}

bool tn_overload_is_settled(const tn_overload_choice *choice) {
    return choice->fit == TN_OVERLOAD_EXACT && !choice->best_is_named;
}

const char *tn_overload_problem(const tn_overload_choice *choice) {
    if (choice->fit == TN_OVERLOAD_NO_FIT) return "no overload takes these arguments";
    if (choice->ambiguous) return "more than one overload takes these arguments: name one of them";
    return NULL;
}

static tn_status bind_all(tn_overload_choice *choice, const tn_schema *const *schemas, uint32_t n,
                          const tn_arg *args, uint32_t n_args, const tn_attr *named,
                          uint32_t n_named, tn_arena *arena, tn_arg **out_args) {
    for (uint32_t i = 0; i < n && !tn_overload_is_settled(choice); i++) {
        tn_arg *bound = tn_arena_array(arena, schemas[i]->n_params, sizeof *bound);
        if (bound == NULL) return tn_status_no_memory();
        tn_status status = tn_schema_bind(schemas[i], args, n_args, named, n_named, arena, bound);
        if (tn_status_code(status) == TN_NO_MEMORY) return status;
        if (status != NULL) {
            tn_overload_refuse(choice, schemas[i], tn_status_message(status));
            tn_status_free(status);
            continue;
        }
        tn_overload_offer(choice, schemas[i], args, n_args, named, n_named, bound);
        if (choice->best == i) *out_args = bound;
    }
    TN_TRY(tn_strbuf_status(&choice->list));
    const char *problem = tn_overload_problem(choice);
    if (problem == NULL) return NULL;
    return tn_status_make(TN_INVALID, "%s::%s: %s%s", schemas[0]->ns, schemas[0]->name, problem,
                          tn_strbuf_cstr(&choice->list));
}

tn_status tn_overload_bind(const tn_schema *const *schemas, uint32_t n, const tn_arg *args,
                           uint32_t n_args, const tn_attr *named, uint32_t n_named, tn_arena *arena,
                           uint32_t *out_index, tn_arg **out_args) {
    *out_index = 0;
    if (n == 1) {
        *out_args = tn_arena_array(arena, schemas[0]->n_params, sizeof **out_args);
        if (*out_args == NULL) return tn_status_no_memory();
        return tn_schema_bind(schemas[0], args, n_args, named, n_named, arena, *out_args);
    }
    tn_overload_choice choice;
    tn_overload_init(&choice, arena->allocator);
    tn_status status = bind_all(&choice, schemas, n, args, n_args, named, n_named, arena, out_args);
    *out_index = choice.best;
    tn_overload_deinit(&choice);
    return status;
}
