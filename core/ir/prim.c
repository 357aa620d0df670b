#include "ir/prim.h"

#include <string.h>

#define SIGNATURE_1 "(Tensor a) -> Tensor"
#define SIGNATURE_2 "(Tensor a, Tensor b) -> Tensor"
#define SIGNATURE_3 "(Tensor a, Tensor b, Tensor c) -> Tensor"

#define RESULT_BOOL_SAME false
#define RESULT_BOOL_BOOL true

/* A body's spelling, and whether there is one. TN_NO_BODY expands to three
 * arguments, which push the two that follow a real body out of the way. */
#define TN_NO_BODY ~, NULL, false
#define BODY_TEXT(...) PICK_SECOND(__VA_ARGS__, ~)
#define BODY_EXISTS(...) PICK_THIRD(__VA_ARGS__, ~)
#define PICK_SECOND(first, second, ...) second
#define PICK_THIRD(first, second, third, ...) third

/* The dtypes of a structural primitive: on float, on int, on bool. */
#define ON_ANY .on_float = true, .on_int = true, .on_bool = true
#define ON_NUMBER .on_float = true, .on_int = true
#define ON_FLOAT .on_float = true
#define ON_BOOL .on_bool = true

/* clang-format off */
#define INFO_E(id_, number, name_, arity_, result, f, i, b, doc_)                                  \
    {.id = number, .name = name_, .klass = TN_PRIM_CLASS_ELEMENTWISE, .arity = arity_,             \
     .result_bool = RESULT_BOOL_##result,                                                          \
     .on_float = BODY_EXISTS(f, #f, true), .body_float = BODY_TEXT(f, #f, true),                   \
     .on_int = BODY_EXISTS(i, #i, true), .body_int = BODY_TEXT(i, #i, true),                       \
     .on_bool = BODY_EXISTS(b, #b, true), .body_bool = BODY_TEXT(b, #b, true),                     \
     .schema_text = "prim::" name_ SIGNATURE_##arity_, .doc = doc_},
#define INFO_S(id_, number, name_, class, arity_, dtypes, schema, doc_)                            \
    {.id = number, .name = name_, .klass = TN_PRIM_CLASS_##class, .arity = arity_, ON_##dtypes,    \
     .schema_text = "prim::" name_ schema, .doc = doc_},

static const tn_prim_info prims[] = {TN_PRIM_ELEMENTWISE(INFO_E) TN_PRIM_STRUCTURAL(INFO_S)};

/* Positions in prims, which is in the same order. */
enum {
#define POSITION(id, ...) POSITION_##id,
    TN_PRIM_ELEMENTWISE(POSITION) TN_PRIM_STRUCTURAL(POSITION)
#undef POSITION
    PRIM_COUNT
};
_Static_assert(PRIM_COUNT == sizeof prims / sizeof prims[0] && PRIM_COUNT < UINT8_MAX,
               "one position for each primitive");

/* 1 + the position of a number; 0 where there is none. */
static const uint8_t position_of[] = {
#define NUMBER(id, number, ...) [number] = 1 + POSITION_##id,
    TN_PRIM_ELEMENTWISE(NUMBER) TN_PRIM_STRUCTURAL(NUMBER)
#undef NUMBER
};
/* clang-format on */

const tn_prim_info *tn_prim_get(uint32_t id) {
    if (id >= sizeof position_of || position_of[id] == 0) return NULL;
    return &prims[position_of[id] - 1];
}

const tn_prim_info *tn_prim_find(const char *name, size_t length) {
    for (uint32_t i = 0; i < PRIM_COUNT; i++) {
        if (strncmp(prims[i].name, name, length) == 0 && prims[i].name[length] == '\0')
            return &prims[i];
    }
    return NULL;
}

uint32_t tn_prim_count(void) {
    return PRIM_COUNT;
}

const tn_prim_info *tn_prim_at(uint32_t index) {
    return index < PRIM_COUNT ? &prims[index] : NULL;
}
