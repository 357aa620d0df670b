/* One function: its parameters, the walk over work items, and what the runtime
 * must know to call it. */
#include "codegen/kernel.h"

#include <string.h>

/* Elements that a thread takes at once, at least: below, waking it costs more. */
#define GRAIN_ELEMENTS 16384

static int64_t saturating_mul(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Coordinates that a work item fixes: the parallel axes but the vector axis, in
 * order, then the block t of the axis of tiles and q of the vector axis where that is
 * parallel. */
typedef struct item_axes {
    const char *name[TN_MAX_RANK + 2], *extent[TN_MAX_RANK + 2];
    uint32_t n;
    int64_t items;
} item_axes;

static void add_blocks(tn__kernel *k, item_axes *axes, const char *name, uint32_t axis,
                       int64_t block) {
    int64_t blocks = (k->nest->extent[axis] - 1) / block + 1;
    axes->name[axes->n] = name;
    axes->extent[axes->n++] = tn__int(k->w, blocks);
    axes->items = saturating_mul(axes->items, blocks);
}

static item_axes find_item_axes(tn__kernel *k) {
    const tn__nest *nest = k->nest;
    item_axes axes = {.items = 1};
    for (uint32_t a = 0; a < nest->n_parallel; a++) {
        if (a == nest->vector || (nest->tiled && a == nest->tile)) continue;
        axes.name[axes.n] = tn__coordinate(k->w, a);
        axes.extent[axes.n++] = k->extent[a];
        axes.items = saturating_mul(axes.items, nest->extent[a]);
    }
    if (nest->tiled) add_blocks(k, &axes, "t", nest->tile, nest->tile_block);
    if (nest->form != TN__FORM_ROW) add_blocks(k, &axes, "q", nest->vector, nest->block);
    return axes;
}

/* Coordinates of item `begin`, the last fastest. */
static void write_first_item(tn__kernel *k, const item_axes *axes) {
    if (axes->n == 0) return;
    if (axes->n > 1) tn__line(k->w, "tn_i64 item = begin;");
    for (uint32_t i = axes->n; i-- > 1;) {
        tn__line(k->w, "tn_i64 %s = item %% %s;", axes->name[i], axes->extent[i]);
        tn__line(k->w, "item /= %s;", axes->extent[i]);
    }
    tn__line(k->w, "tn_i64 %s = %s;", axes->name[0], axes->n > 1 ? "item" : "begin");
}

static void write_next_item(tn__kernel *k, const item_axes *axes) {
    for (uint32_t i = axes->n; i-- > 1;) {
        tn__line(k->w, "if (++%s < %s) continue;", axes->name[i], axes->extent[i]);
        tn__line(k->w, "%s = 0;", axes->name[i]);
    }
    if (axes->n) tn__line(k->w, "++%s;", axes->name[0]);
}

void tn__write_constants(tn__kernel *k) {
    k->level = k->stage = 0;
    k->copies = 1;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++)
        if (k->nest->level[e] == 0 && (k->nest->use[e] | k->nest->row_use[e])) tn__write_expr(k, e);
}

/* Held values whose stages do not overlap share a row. One may take over the row
 * of another in the stage that reads that for the last time, as a point is read
 * before it is written. */
static void write_held_rows(tn__kernel *k) {
    const tn__nest *nest = k->nest;
    int64_t points = 1;
    uint32_t n_rows = 0;
    for (uint32_t a = nest->n_parallel; a < nest->n_axes; a++)
        points = saturating_mul(points, nest->extent[a]);
    if (nest->form == TN__FORM_COLUMN) points = saturating_mul(points, nest->block);
    for (uint32_t stage = 0; stage < k->loop->n_stages; stage++)
        for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
            if (!nest->reread[e] || nest->use[e] != 1ull << stage) continue;
            tn_dt dt = tn_dt_compute(k->loop->exprs[e].dt);
            uint32_t row = 0;
            while (row < n_rows && (k->rows[row].dt != dt || k->rows[row].last > stage))
                row++;
            if (row == n_rows) {
                uint64_t bytes = ((uint64_t)points + k->lanes) * tn_dt_size(dt);
                tn__line(k->w, "tn_%s *const held%u = (tn_%s *)(scratch + %s);", tn_dt_text(dt),
                         row, tn_dt_text(dt), tn__scratch(k, bytes));
                k->rows[n_rows++].dt = dt;
            }
            k->rows[row].last = 63 - (uint32_t)__builtin_clzll(nest->reread[e]);
            k->row_of[e] = row;
        }
}

/* A column's value lies in an array when the loops of a stage need it, or what runs
 * between the loops of two later stages. */
static void write_column_arrays(tn__kernel *k) {
    const tn__nest *nest = k->nest;
    for (uint32_t e = 0; e < k->loop->n_exprs; e++) {
        const tn_kx_node *expr = &k->loop->exprs[e];
        if (!tn__nest_is_column(nest, e) || tn__nest_is_reloaded(nest, e)) continue;
        uint32_t made = expr->stage + (expr->kind == TN_KX_REDUCE);
        if (!nest->use[e] && nest->row_use[e] >> made <= 1) continue;
        const char *t = tn__reg(expr->dt);
        tn__line(k->w, "tn_%s *const k%u = (tn_%s *)(scratch + %s);", t, e, t,
                 tn__scratch(k, ((uint64_t)nest->block + k->lanes) *
                                    tn_dt_size(tn_dt_compute(expr->dt))));
        k->array[e] = tn__text(k->w, "k%u", e);
    }
    for (k->stage = 0; k->stage < k->loop->n_stages; k->stage++)
        tn__reduce_arrays(k);
}

/* Results much larger than what the cores have for themselves: then a line is
 * gone from the caches before anyone reads it, and reading it before it is written
 * is a third of the traffic. */
static void choose_stream(tn__kernel *k) {
    const tn__machine *machine = k->machine;
    bool some = false;
    int64_t points = 1, bytes = 0;
    for (uint32_t a = 0; a < k->nest->n_axes; a++)
        points = saturating_mul(points, k->nest->extent[a]);
    k->stream = "";
    for (uint32_t s = 0; s < k->loop->n_stores; s++) {
        if (!tn__store_can_stream(k, s)) continue;
        some = true;
        bytes += (int64_t)tn_dt_size(k->loop->slots[k->loop->stores[s].slot].dt);
    }
    int64_t least = (int64_t)(machine->core_cache_bytes * machine->threads) * 4;
    k->stream = some ? tn__int(k->w, saturating_mul(points, bytes) >= least) : NULL;
}

static void write_function(tn__kernel *k, int64_t *out_items) {
    for (uint32_t a = 0; a < k->nest->n_axes; a++)
        k->extent[a] = tn__int(k->w, k->nest->extent[a]);
    if (k->nest->form != TN__FORM_ROW) k->block = tn__int(k->w, k->nest->block);
    if (k->nest->tiled) {
        k->tile_block = tn__int(k->w, k->nest->tile_block);
        tn__tile_declare(k);
    }
    write_held_rows(k);
    if (k->nest->form == TN__FORM_COLUMN) write_column_arrays(k);
    tn__write_constants(k);
    choose_stream(k);
    item_axes axes = find_item_axes(k);
    *out_items = axes.items;
    write_first_item(k, &axes);
    tn__late_choose(k);
    tn__late_declare(k);
    tn__line(k->w, "for (tn_i64 i = begin; i < end; i++) {");
    tn__line(k->w, "{");
    tn__write_item(k);
    tn__line(k->w, "}");
    write_next_item(k, &axes);
    tn__line(k->w, "}");
    tn__write_late_rest(k);
    if (k->stream) tn__line(k->w, "if (%s) tn_stream_end();", k->stream);
}

/* The parameter list, then the numbers and buffers by name, then the body. */
static void assemble(const tn__kernel *k, tn_strbuf *out) {
    tn_strbuf_text(out,
                   "(void *const *bufs, const tn_i64 *ints, const tn_num *nums, char *scratch,\n"
                   "        tn_i64 begin, tn_i64 end) {\n");
    for (size_t i = 0; i < k->w->ints.len; i++)
        tn_strbuf_printf(out, "%sn%zu = ints[%zu]%s", i % 4 ? ", " : "    const tn_i64 ", i, i,
                         i % 4 == 3 || i + 1 == k->w->ints.len ? ";\n" : "");
    for (uint32_t s = 0; s < k->loop->n_slots; s++) {
        const tn_loop_slot *slot = &k->loop->slots[s];
        tn_strbuf_printf(out, "    %stn_%s *const b%u = bufs[%u];\n", slot->written ? "" : "const ",
                         tn_dt_text(slot->dt), s, s);
    }
    tn_strbuf_text(out, "    (void)nums, (void)scratch;\n");
    tn_strbuf_text(out, tn_strbuf_cstr(&k->w->body));
    tn_strbuf_text(out, "}\n");
}

static int64_t grain_of(const tn__nest *nest) {
    int64_t each = nest->extent[nest->vector];
    if (nest->form != TN__FORM_ROW && nest->block < each) each = nest->block;
    if (nest->tiled) each *= nest->tile_block;
    for (uint32_t a = nest->n_parallel; a < nest->n_axes; a++)
        if (a != nest->vector) each = saturating_mul(each, nest->extent[a]);
    if (each < 1) each = 1;
    return each >= GRAIN_ELEMENTS ? 1 : (GRAIN_ELEMENTS - 1) / each + 1;
}

static tn_status copy_out(const tn__kernel *k, tn_strbuf *text, tn__kernel_text *out) {
    TN_TRY(tn__writer_status(k->w));
    TN_TRY(tn_strbuf_status(text));
    out->length = text->length;
    out->text = tn_arena_copy(k->w->arena, tn_strbuf_cstr(text), text->length + 1);
    out->n_ints = (uint32_t)k->w->ints.len;
    out->ints = tn_arena_copy(k->w->arena, k->w->ints.data, k->w->ints.len * sizeof *out->ints);
    out->n_nums = (uint32_t)k->w->nums.len;
    out->nums = tn_arena_copy(k->w->arena, k->w->nums.data, k->w->nums.len * sizeof *out->nums);
    out->scratch_bytes = k->scratch_bytes;
    return out->text && out->ints && out->nums ? NULL : tn_status_no_memory();
}

tn_status tn__kernel_init(tn__kernel *k) {
    tn_arena *arena = k->w->arena;
    uint32_t n_exprs = k->loop->n_exprs, n_guards = k->loop->n_guards;
    k->extent = tn_arena_array(arena, k->nest->n_axes, sizeof *k->extent);
    k->rows = tn_arena_array(arena, n_exprs, sizeof *k->rows);
    k->array = tn_arena_array(arena, n_exprs, sizeof *k->array);
    k->fetch = tn_arena_array(arena, n_exprs, sizeof *k->fetch);
    k->row_of = tn_arena_array(arena, n_exprs, sizeof *k->row_of);
    k->bounds = tn_arena_array(arena, n_guards, sizeof *k->bounds);
    k->guard_level = tn_arena_array(arena, n_guards, sizeof *k->guard_level);
    k->flat = k->number = "0";
    k->copies = 1;
    return k->extent && k->rows && k->array && k->fetch && k->row_of && k->bounds && k->guard_level
               ? NULL
               : tn_status_no_memory();
}

static tn_status write_kernel(tn__kernel *k, tn__kernel_text *out) {
    const tn__nest *nest = k->nest;
    TN_TRY(tn__kernel_init(k));
    write_function(k, &out->items);
    out->grain = grain_of(nest);
    tn_strbuf text;
    tn_strbuf_init(&text, k->w->allocator);
    assemble(k, &text);
    tn_status status = copy_out(k, &text, out);
    tn_strbuf_deinit(&text);
    return status;
}

tn_status tn__kernel_write(const tn_allocator *allocator, tn_arena *arena, const tn_loop *loop,
                           const tn__machine *machine, tn__prim_set *prims, tn__kernel_text *out) {
    tn__nest nest;
    tn__writer writer;
    TN_TRY(tn__nest_make(loop, machine, arena, &nest));
    tn_status status = tn__writer_init(&writer, allocator, arena, &nest);
    tn__kernel k = {.w = &writer, .nest = &nest, .loop = loop, .prims = prims};
    k.machine = machine;
    k.lanes = machine->lanes;
    *out = (tn__kernel_text){0};
    if (!status) status = write_kernel(&k, out);
    tn__writer_deinit(&writer);
    return status;
}
