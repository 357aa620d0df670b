/* A slot's function: its head by what tenon/template.h says it is called with, and a body
 * like that of a pointwise kernel, for one run of elements. */
#include "codegen/template_slot.h"

/* Side of the squares in which a prologue is turned, and the elements of one: f32 of this
 * many fit the first cache twice. */
#define TURN 64

void tn__slots_init(tn__slots *s, const tn_allocator *allocator, tn_arena *arena,
                    tn__prim_set *prims) {
    *s = (tn__slots){.allocator = allocator, .arena = arena, .prims = prims};
    tn_strbuf_init(&s->text, allocator);
}

void tn__slots_deinit(tn__slots *s) {
    tn_strbuf_deinit(&s->text);
    tn_vec_free(s->allocator, &s->ints);
    tn_vec_free(s->allocator, &s->pointers);
    tn_vec_free(s->allocator, &s->nums);
}

/* Numbers and buffers under the names that the body has for them. */
static void declare(const tn__slots *s, const tn__kernel *k, tn_strbuf *out) {
    const tn_loop *loop = k->loop;
    for (size_t i = 0; i < k->w->ints.len; i++)
        tn_strbuf_printf(out, "    const tn_i64 n%zu = work->ints[%zu];\n", i, s->ints.len + i);
    for (uint32_t b = 0; b < loop->n_slots; b++) {
        const tn_loop_slot *slot = &loop->slots[b];
        tn_strbuf_printf(out, "    %stn_%s *const b%u = work->bufs[%zu];\n",
                         slot->written ? "" : "const ", tn_dt_text(slot->dt), b,
                         s->pointers.len + b);
    }
    tn_strbuf_text(out, "    const tn_num *const nums = work->nums");
    if (s->nums.len) tn_strbuf_printf(out, " + %zu", s->nums.len);
    tn_strbuf_text(out, ";\n");
}

static tn_status keep_numbers(tn__slots *s, const tn__kernel *k) {
    for (size_t i = 0; i < k->w->ints.len; i++)
        if (!tn_vec_push(s->allocator, &s->ints, k->w->ints.data[i])) return tn_status_no_memory();
    for (size_t i = 0; i < k->w->nums.len; i++)
        if (!tn_vec_push(s->allocator, &s->nums, k->w->nums.data[i])) return tn_status_no_memory();
    for (uint32_t b = 0; b < k->loop->n_slots; b++) {
        tn_render_pointer pointer = {.buffer = k->loop->slots[b].buffer};
        if (!tn_vec_push(s->allocator, &s->pointers, pointer)) return tn_status_no_memory();
    }
    return NULL;
}

/* ---------------------------------------------------------------------- epilogue */

static void write_epilogue(tn__slots *s, tn__kernel *k) {
    tn_strbuf *out = &s->text;
    tn__write_constants(k);
    tn__write_run(k);
    tn_strbuf_text(out, "TN_INLINE void TN_NAME(epilogue)(const tn_work *work");
    for (uint32_t a = 0; a + 1 < k->loop->n_axes; a++)
        tn_strbuf_printf(out, ", tn_i64 c%u", a);
    tn_strbuf_printf(out, ", tn_i64 jb, tn_i64 count,\n        const tn_%s *acc) {\n",
                     tn_dt_text(k->acc));
    declare(s, k, out);
    tn_strbuf_text(out, "    const tn_i64 jn = jb + count;\n"
                        "    (void)nums, (void)acc;\n");
    tn_strbuf_text(out, tn_strbuf_cstr(&k->w->body));
    tn_strbuf_text(out, "}\n#define TN_EPILOGUE TN_NAME(epilogue)\n");
}

/* ---------------------------------------------------------------------- prologue */

/* Whether vectors should go along the last axis but one, as memory does: what is loaded far
 * apart along the last axis and side by side along the other outweighs the converse. */
static bool is_turned(const tn__nest *nest) {
    const tn_loop *loop = nest->loop;
    uint32_t last = loop->n_axes - 1;
    int64_t along = 0, across = 0;
    if (loop->n_axes < 2) return false;
    for (uint32_t e = 0; e < loop->n_exprs; e++) {
        if (loop->exprs[e].kind != TN_KX_LOAD) continue;
        const int64_t *step = nest->loads[e].step, size = (int64_t)tn_dt_size(loop->exprs[e].dt);
        bool far = step[last] < -1 || step[last] > 1,
             far_across = step[last - 1] < -1 || step[last - 1] > 1;
        if (step[last - 1] == 1 && far) across += size;
        if (step[last] == 1 && far_across) along += size;
    }
    return across > along;
}

static void write_straight(tn__kernel *k) {
    const char *c = "row";
    if (k->loop->n_axes > 1) c = tn__coordinate(k->w, k->loop->n_axes - 2);
    tn__line(k->w, "const tn_i64 jb = first, jn = first + count;");
    tn__line(k->w, "for (tn_i64 %s = row0; %s < row0 + rows; %s++, out += pitch) {", c, c, c);
    k->element = "out";
    tn__write_run(k);
    tn__line(k->w, "}");
}

/* Squares of the rectangle: made column by column, then transposed into place. */
static void write_turned(tn__kernel *k) {
    const char *c = tn__coordinate(k->w, k->loop->n_axes - 1), *t = tn_dt_text(k->element_dt);
    tn__line(k->w, "tn_%s square[%d * %d];", t, TURN, TURN);
    tn__line(k->w, "for (tn_i64 jb = row0; jb < row0 + rows; jb += %d) {", TURN);
    tn__line(k->w, "const tn_i64 jn = tn_min(jb + %d, row0 + rows);", TURN);
    tn__line(k->w, "for (tn_i64 u = first; u < first + count; u += %d) {", TURN);
    tn__line(k->w, "const tn_i64 un = tn_min(u + %d, first + count);", TURN);
    tn__line(k->w, "for (tn_i64 %s = u; %s < un; %s++) {", c, c, c);
    tn__line(k->w, "tn_%s *const column = square + (%s - u) * %d;", t, c, TURN);
    k->element = "column";
    tn__write_run(k);
    tn__line(k->w, "}");
    tn__line(k->w,
             "tn_transpose_%s(out + ((jb - row0) * pitch + (u - first)), pitch, square, %d, "
             "jn - jb, un - u);",
             t, TURN);
    tn__line(k->w, "}");
    tn__line(k->w, "}");
}

static void write_prologue(tn__slots *s, tn__kernel *k, const char *name) {
    tn_strbuf *out = &s->text;
    uint32_t n = k->loop->n_axes;
    tn__write_constants(k);
    if (k->nest->vector + 1 == n)
        write_straight(k);
    else
        write_turned(k);
    tn_strbuf_printf(out,
                     "static __attribute__((noinline, unused)) void "
                     "TN_NAME(prologue_%s)(const tn_work *work",
                     name);
    for (uint32_t a = 0; a + 2 < n; a++)
        tn_strbuf_printf(out, ", tn_i64 c%u", a);
    if (n > 1) tn_strbuf_text(out, ", tn_i64 row0");
    tn_strbuf_printf(out,
                     ", tn_i64 first, tn_i64 rows, tn_i64 count,\n"
                     "        tn_%s *out, tn_i64 pitch) {\n",
                     tn_dt_text(k->element_dt));
    declare(s, k, out);
    if (n == 1) tn_strbuf_text(out, "    const tn_i64 row0 = 0;\n");
    tn_strbuf_text(out, "    (void)nums;\n");
    tn_strbuf_text(out, tn_strbuf_cstr(&k->w->body));
    tn_strbuf_printf(out, "}\n#define TN_PROLOGUE_%s TN_NAME(prologue_%s)\n", name, name);
}

/* --------------------------------------------------------------------- functions */

static tn_status write_function(tn__slots *s, tn__kernel *k, const tn_slot *slot) {
    TN_TRY(tn__kernel_init(k));
    if (slot->kind == TN_SLOT_EPILOGUE)
        write_epilogue(s, k);
    else
        write_prologue(s, k, slot->name);
    TN_TRY(tn__writer_status(k->w));
    TN_TRY(tn_strbuf_status(&s->text));
    return keep_numbers(s, k);
}

static tn_status write_slot(tn__slots *s, const tn_slot *slot, const tn_loop *loop,
                            uint32_t vector) {
    tn__nest nest;
    tn__writer writer;
    TN_TRY(tn__nest_make_run(loop, vector, s->arena, &nest));
    tn_status status = tn__writer_init(&writer, s->allocator, s->arena, &nest);
    tn_dt dt = tn_dt_from_dtype(slot->dtype);
    tn__kernel k = {
        .w = &writer, .nest = &nest, .loop = loop, .prims = s->prims, .acc = dt, .element_dt = dt};
    if (!status) status = write_function(s, &k, slot);
    tn__writer_deinit(&writer);
    return status;
}

tn_status tn__slot_write_epilogue(tn__slots *s, const tn_slot *slot, const tn_loop *loop) {
    return write_slot(s, slot, loop, loop->n_axes - 1);
}

tn_status tn__slot_write_prologue(tn__slots *s, const tn_slot *slot, const tn_loop *loop) {
    tn__nest nest;
    uint32_t last = loop->n_axes - 1;
    TN_TRY(tn__nest_make_run(loop, last, s->arena, &nest));
    return write_slot(s, slot, loop, is_turned(&nest) ? last - 1 : last);
}
