/* How the interpreter reaches elements: strided views, and walks over several of
 * them in step. Private to ir. Nothing here allocates or fails. */
#ifndef TN_IR_INTERP_ACCESS_H
#define TN_IR_INTERP_ACCESS_H

#include "ir/graph.h"

/* A tensor, or a part of one seen through other strides. */
typedef struct tn__strided {
    char *data;  /* element (0, ..., 0) */
    tn_dt dt;    /* what the elements are; TN_DT_NONE: bytes to be copied */
    tn_dt held;  /* what they are kept in: dt, or f32 for a narrower float */
    size_t size; /* bytes of one */
    int32_t rank;
    int64_t shape[TN_MAX_RANK];
    int64_t stride[TN_MAX_RANK]; /* bytes */
} tn__strided;

/* dt is what the graph says of the value that the tensor holds. Strides of axes
 * of extent 1, and of a tensor without elements, become 0: whatever is computed
 * with them leads nowhere. */
void tn__strided_init(tn__strided *view, const tn_tensor *tensor, tn_dt dt);
bool tn__is_empty(const tn__strided *view);

tn_scalar tn__load(const tn__strided *view, const char *at);
/* Rounds a float to what the elements are kept in, and with strict to dt first. */
void tn__store(const tn__strided *view, char *at, tn_scalar value, bool strict);
/* Moves one element between views of one dt: its bits where both keep it in the
 * same way, so that a NaN stays the NaN it was. */
void tn__move(const tn__strided *to, char *at, const tn__strided *from, const char *from_at);

/* Visits the coordinates of a shape in row-major order:
 *     tn__walk w;
 *     tn__walk_init(&w, rank, shape);
 *     tn__walk_add(&w, &x);  ...
 *     for (bool more = w.more; more; more = tn__walk_next(&w)) use(w.at[0]);
 * A view that is added has that shape; its own extents are not looked at. */
enum { TN__WALK_MAX = 4 };
typedef struct tn__walk {
    bool more; /* whether there is a first coordinate */
    int32_t rank;
    uint32_t n;
    int64_t shape[TN_MAX_RANK], index[TN_MAX_RANK];
    char *at[TN__WALK_MAX];
    int64_t stride[TN__WALK_MAX][TN_MAX_RANK];
} tn__walk;
void tn__walk_init(tn__walk *walk, int32_t rank, const int64_t *shape);
void tn__walk_add(tn__walk *walk, const tn__strided *view);
bool tn__walk_next(tn__walk *walk);

/* Every element of `from` into the coordinate it has in `to`: equal shapes. */
void tn__copy_all(const tn__strided *to, const tn__strided *from);

#endif
