/* Asking memory for what will be needed. Hardware follows a stream within a page of 4 KiB
 * and stops at its end, and it cannot know that a row that is worked on in cache will be
 * followed by another; so loops over memory say what comes next. Measured on a Granite
 * Rapids with two of its cores at work, as shares of a copy of the same bytes.
 *
 *   POINT, ROW of one stage   a page ahead: x*s+b through swish, times r, 0.67 to 0.82
 *   ROW of several stages     the first reads memory, the others work in cache; the heaviest
 *                             of those fetches the next row: rms_norm 0.76 to 0.81
 *   COLUMN                    some rows ahead in the same columns: a sum of squares and a
 *                             scaled copy over 8192 rows 0.45 to 0.62; 2 rows ahead gave 0.58
 *
 * The text does not depend on sizes: where there is nothing to gain the distance is 0, and
 * what is fetched is what is being read. */
#include "codegen/kernel.h"

#define FETCH_BYTES 4096
#define FETCH_ROWS 8

static uint32_t memory_size(const tn__kernel *k, uint32_t e) {
    return (uint32_t)tn_dt_size(k->loop->slots[k->loop->exprs[e].slot].dt);
}

/* Read in whole vectors, each element once a stage, in the loops of `stage`. */
static bool is_stream(const tn__kernel *k, uint32_t e, uint32_t stage) {
    const tn__nest *nest = k->nest;
    const tn_kx_node *expr = &k->loop->exprs[e];
    if (expr->kind != TN_KX_LOAD || expr->guard != TN_NONE) return false;
    uint64_t use = nest->form == TN__FORM_POINT ? nest->use[e] | nest->row_use[e]
                                                : nest->use[e] >> stage & 1;
    const tn__access *access = &nest->loads[e];
    if (!use || access->n_terms || access->step[nest->vector] != 1) return false;
    for (uint32_t a = 0; a < nest->n_axes; a++)
        if (access->step[a] == 0) return false;
    return true;
}

static double stream_bytes(const tn__kernel *k, uint32_t e) {
    double bytes = memory_size(k, e);
    for (uint32_t a = 0; a < k->nest->n_axes; a++)
        bytes *= (double)k->nest->extent[a];
    return bytes;
}

/* A stream that the caches of one core hold needs no help. */
static bool is_large(const tn__kernel *k, uint32_t e) {
    return stream_bytes(k, e) > (double)k->machine->core_cache_bytes;
}

/* Of a row that one walk reads: a page further, where the memory of the next row follows on
 * or the row is long; else the next row, as what lies between is nobody's. */
static int64_t ahead(const tn__kernel *k, uint32_t e) {
    const tn__nest *nest = k->nest;
    const tn__access *access = &nest->loads[e];
    uint32_t outer = TN_NONE;
    for (uint32_t a = 0; a < nest->n_parallel; a++)
        if (a != nest->vector) outer = a;
    if (nest->vector_level > 2) outer = nest->order[nest->vector_level - 1];
    int64_t row = nest->extent[nest->vector], page = FETCH_BYTES / (int64_t)memory_size(k, e);
    bool follows = outer == TN_NONE || access->step[outer] == row;
    return follows || row > 4 * page ? page : access->step[outer];
}

static void choose_walk(tn__kernel *k) {
    k->fetch_stages = 1;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (is_stream(k, e, 0)) k->fetch[e] = tn__int(k->w, is_large(k, e) ? ahead(k, e) : 0);
}

/* A row that does not stay in cache until it is needed is not fetched. A stage that computes
 * for long has time to bring the next row all the way: softmax 0.72 instead of 0.67; beside
 * light work that fills the few buffers of the first cache, and layer_norm falls from 0.83 to
 * 0.72. */
static void choose_row(tn__kernel *k) {
    const tn__nest *nest = k->nest;
    uint32_t most = 0, stage = 1;
    double bytes = 0;
    if (nest->n_parallel == 0) return;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (is_stream(k, e, 0)) bytes += memory_size(k, e);
    for (uint32_t a = nest->n_parallel; a < nest->n_axes; a++)
        bytes *= (double)nest->extent[a];
    bool fits = bytes <= (double)k->machine->core_cache_bytes / 4;
    for (uint32_t s = 1; s < k->loop->n_stages; s++) {
        uint32_t cost = tn__stage_cost(k, s);
        if (cost < most) continue;
        most = cost;
        stage = s;
    }
    if (k->late_host != TN_NONE && stage + 1 == k->loop->n_stages) {
        stage = k->late_host;
        most = tn__stage_cost(k, stage);
    }
    k->fetch_stages = 1ull << stage;
    k->fetch_near = most > TN_HEAVY_COST;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (is_stream(k, e, 0))
            k->fetch[e] = tn__int(k->w, fits ? nest->loads[e].step[nest->n_parallel - 1] : 0);
}

static void choose_columns(tn__kernel *k) {
    const tn__nest *nest = k->nest;
    uint32_t row = nest->order[nest->vector_level - 1];
    k->fetch_stages = UINT64_MAX;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        bool some = false;
        for (uint32_t s = 0; s < k->loop->n_stages && !some; s++)
            some = is_stream(k, e, s);
        if (!some) continue;
        int64_t far;
        bool pays = is_large(k, e) && nest->extent[row] >= 2 * FETCH_ROWS &&
                    !__builtin_mul_overflow(nest->loads[e].step[row], FETCH_ROWS, &far);
        k->fetch[e] = tn__int(k->w, pays ? far : 0);
    }
}

void tn__fetch_choose(tn__kernel *k) {
    const tn__nest *nest = k->nest;
    if (nest->tiled) return;
    if (nest->form == TN__FORM_COLUMN)
        choose_columns(k);
    else if (nest->form == TN__FORM_ROW && k->loop->n_stages > 1)
        choose_row(k);
    else
        choose_walk(k);
}

void tn__fetch_write(tn__kernel *k) {
    if (k->masked || !(k->fetch_stages >> k->stage & 1)) return;
    bool row = k->nest->form == TN__FORM_ROW;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (k->fetch[e] && (row || is_stream(k, e, k->stage))) tn__write_fetch(k, e);
}
