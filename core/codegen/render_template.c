/* A template step: the payload's text behind the functions that fill its slots, and an
 * entry like any other around them.
 *
 *     TN_INLINE void TN_NAME(epilogue)(const tn_work *work, tn_i64 c0, tn_i64 c1, tn_i64 jb,
 *                                      tn_i64 count, const tn_f32 *acc) { ... }
 *     #define TN_EPILOGUE TN_NAME(epilogue)
 *     <payload>
 *     TN_EXPORT void TN_ENTRY(...) { tn_word params[] = ...; TN_NAME(gemm)(&work); }
 *
 * Numbers of the epilogue come first in ints, the parameters after them; so do the
 * buffers. The text holds no number that is not a literal by the plugin's wish. */
#include <string.h>

#include "codegen/kernel.h"

typedef struct renderer {
    const tn_allocator *allocator;
    tn_arena *arena;
    const tn_schedule *schedule;
    const tn_step *step;
    const tn_launch *launch;
    const tn_slot *slot;
    const tn_payload *payload;
    tn__prim_set *prims;
    tn_strbuf text;
    TN_VEC(int64_t) ints;
    TN_VEC(tn_render_pointer) pointers;
    tn_scalar *nums;
    uint32_t n_nums;
} renderer;

static const char *name_of(const renderer *r) {
    return r->step->template_->name;
}

/* ------------------------------------------------------------------ what is there */

static tn_status find_payload(renderer *r) {
    const tn_template *t = r->step->template_;
    for (uint32_t i = 0; i < t->n_payloads && !r->payload; i++)
        if (t->payloads[i]->kind == TN_CODE_C && t->payloads[i]->dialect <= 1)
            r->payload = t->payloads[i];
    if (r->payload) return NULL;
    return tn_status_make(TN_UNSUPPORTED,
                          "template %s has no payload that is C of dialect 1, which this host "
                          "compiles",
                          name_of(r));
}

static tn_status find_slot(renderer *r) {
    const tn_template *t = r->step->template_;
    for (uint32_t i = 0; i < t->n_slots && !r->slot; i++)
        if (t->slots[i]->kind == TN_SLOT_EPILOGUE && t->slots[i]->operand == 0)
            r->slot = t->slots[i];
    if (!r->slot || r->step->loop->n_axes != (uint32_t)r->slot->rank)
        return tn_status_make(TN_INTERNAL, "template %s: its epilogue has no slot", name_of(r));
    if (r->slot->accumulators > 1)
        return tn_status_make(TN_UNSUPPORTED,
                              "template %s, slot %s: %d accumulators a coordinate; this host "
                              "takes one",
                              name_of(r), r->slot->name, r->slot->accumulators);
    if (tn_dt_from_dtype(r->slot->dtype) == TN_DT_NONE)
        return tn_status_make(TN_UNSUPPORTED, "template %s, slot %s: its dtype is no primitive's",
                              name_of(r), r->slot->name);
    return NULL;
}

static tn_status check_launch(const renderer *r) {
    const tn_launch *l = r->launch;
    if (!l) return tn_status_make(TN_INTERNAL, "template %s has no launch", name_of(r));
    if (l->grid[0] == 0 || l->grid[1] > 1 || l->grid[2] > 1)
        return tn_status_make(TN_PLUGIN,
                              "template %s: configure asked for a grid of %u x %u x %u; on the CPU "
                              "the work items are grid[0], at least 1, and the others are 1",
                              name_of(r), l->grid[0], l->grid[1], l->grid[2]);
    if (l->workspace_init != TN_WORKSPACE_UNINITIALIZED || l->workspace_alignment > 64)
        return tn_status_make(TN_UNSUPPORTED,
                              "template %s: a workspace of init %u aligned to %u was asked for; "
                              "0, and up to 64, are supported",
                              name_of(r), l->workspace_init, l->workspace_alignment);
    return NULL;
}

/* ---------------------------------------------------------------------- epilogue */

/* The function's head, and what its body is written in terms of. */
static void write_head(renderer *r, const tn__kernel *k) {
    tn_strbuf *out = &r->text;
    const tn_loop *loop = k->loop;
    tn_strbuf_text(out, "TN_INLINE void TN_NAME(epilogue)(const tn_work *work");
    for (uint32_t a = 0; a + 1 < loop->n_axes; a++)
        tn_strbuf_printf(out, ", tn_i64 c%u", a);
    tn_strbuf_printf(out, ", tn_i64 jb, tn_i64 count,\n        const tn_%s *acc) {\n",
                     tn_dt_text(k->acc));
    for (size_t i = 0; i < k->w->ints.len; i++)
        tn_strbuf_printf(out, "    const tn_i64 n%zu = work->ints[%zu];\n", i, i);
    for (uint32_t s = 0; s < loop->n_slots; s++) {
        const tn_loop_slot *slot = &loop->slots[s];
        tn_strbuf_printf(out, "    %stn_%s *const b%u = work->bufs[%u];\n",
                         slot->written ? "" : "const ", tn_dt_text(slot->dt), s, s);
    }
    tn_strbuf_text(out, "    const tn_num *const nums = work->nums;\n"
                        "    const tn_i64 jn = jb + count;\n"
                        "    (void)nums, (void)acc;\n");
}

static tn_status write_body(renderer *r, tn__kernel *k) {
    k->array = tn_arena_array(r->arena, k->loop->n_exprs, sizeof *k->array);
    k->row_of = tn_arena_array(r->arena, k->loop->n_exprs, sizeof *k->row_of);
    k->guard_level = tn_arena_array(r->arena, k->loop->n_guards, sizeof *k->guard_level);
    if (!k->array || !k->row_of || !k->guard_level) return tn_status_no_memory();
    k->flat = k->number = "0";
    tn__write_constants(k);
    tn__write_run(k);
    TN_TRY(tn__writer_status(k->w));
    write_head(r, k);
    tn_strbuf_text(&r->text, tn_strbuf_cstr(&k->w->body));
    tn_strbuf_text(&r->text, "}\n#define TN_EPILOGUE TN_NAME(epilogue)\n");
    for (size_t i = 0; i < k->w->ints.len; i++)
        if (!tn_vec_push(r->allocator, &r->ints, k->w->ints.data[i])) return tn_status_no_memory();
    for (uint32_t s = 0; s < k->loop->n_slots; s++) {
        tn_render_pointer pointer = {.buffer = k->loop->slots[s].buffer};
        if (!tn_vec_push(r->allocator, &r->pointers, pointer)) return tn_status_no_memory();
    }
    r->n_nums = (uint32_t)k->w->nums.len;
    r->nums = tn_arena_copy(r->arena, k->w->nums.data, k->w->nums.len * sizeof *r->nums);
    return r->nums ? NULL : tn_status_no_memory();
}

static tn_status write_epilogue(renderer *r) {
    tn__nest nest;
    tn__writer writer;
    TN_TRY(tn__nest_make_run(r->step->loop, r->arena, &nest));
    tn_status status = tn__writer_init(&writer, r->allocator, r->arena, &nest);
    tn__kernel k = {.w = &writer,
                    .nest = &nest,
                    .loop = r->step->loop,
                    .prims = r->prims,
                    .copies = 1,
                    .acc = tn_dt_from_dtype(r->slot->dtype)};
    if (!status) status = write_body(r, &k);
    tn__writer_deinit(&writer);
    return status;
}

/* -------------------------------------------------------------------- parameters */

/* The operand of a tensor argument; TN_NONE when it is absent. */
static tn_status operand_of(const renderer *r, const tn_param *p, uint32_t *out) {
    const tn_ir_node *node = r->step->node;
    *out = TN_NONE;
    const tn_arg *arg = p->index < node->schema->n_params ? &node->args[p->index] : NULL;
    if (arg && arg->tag == TN_TAG_LIST) arg = p->item < arg->count ? &arg->v.list[p->item] : NULL;
    if (arg && arg->tag == TN_TAG_NONE) return NULL;
    if (!arg || arg->tag != TN_TAG_VALUE)
        return tn_status_make(TN_PLUGIN,
                              "template %s: configure asked for the address of argument %u, item "
                              "%u, which is no tensor",
                              name_of(r), p->index, p->item);
    *out = (uint32_t)(arg->v.value.id - 1);
    return NULL;
}

static tn_status write_argument(renderer *r, const tn_param *p) {
    uint32_t operand;
    TN_TRY(operand_of(r, p, &operand));
    const tn_operand *o = operand == TN_NONE ? NULL : &r->step->operands[operand];
    if (!o || o->buffer == TN_NONE) {
        tn_strbuf_text(&r->text, "{.u = 0}");
        return NULL;
    }
    tn_dtype dtype = r->schedule->buffers[o->buffer].dtype;
    uint64_t size = (uint64_t)dtype.bits * dtype.lanes / 8;
    tn_render_pointer pointer = {o->buffer, (uint64_t)o->offset * size};
    tn_strbuf_printf(&r->text, "{.p = bufs[%zu]}", r->pointers.len);
    return tn_vec_push(r->allocator, &r->pointers, pointer) ? NULL : tn_status_no_memory();
}

static tn_status write_number(renderer *r, const tn_param *p) {
    if (p->bytes != 1 && p->bytes != 2 && p->bytes != 4 && p->bytes != 8)
        return tn_status_make(TN_PLUGIN,
                              "template %s: configure gave a number of %u bytes; 1, 2, 4 and 8 "
                              "exist",
                              name_of(r), p->bytes);
    uint64_t value = p->value & (UINT64_MAX >> (64 - 8 * p->bytes));
    if (p->kind & TN_PARAM_LITERAL_OK) {
        tn_strbuf_printf(&r->text, "{.u = %lluull}", (unsigned long long)value);
        return NULL;
    }
    tn_strbuf_printf(&r->text, "{.i = ints[%zu]}", r->ints.len);
    return tn_vec_push(r->allocator, &r->ints, (int64_t)value) ? NULL : tn_status_no_memory();
}

static tn_status write_workspace(renderer *r, const tn_param *p) {
    if (p->value > r->launch->workspace_bytes)
        return tn_status_make(TN_PLUGIN,
                              "template %s: configure asked for byte %llu of a workspace of %llu",
                              name_of(r), (unsigned long long)p->value,
                              (unsigned long long)r->launch->workspace_bytes);
    tn_render_pointer pointer = {TN_NONE, p->value};
    tn_strbuf_printf(&r->text, "{.p = bufs[%zu]}", r->pointers.len);
    return tn_vec_push(r->allocator, &r->pointers, pointer) ? NULL : tn_status_no_memory();
}

static tn_status write_param(renderer *r, const tn_param *p) {
    switch (p->kind & ~TN_PARAM_LITERAL_OK) {
    case TN_PARAM_NUMBER: return write_number(r, p);
    case TN_PARAM_ARGUMENT: return write_argument(r, p);
    case TN_PARAM_WORKSPACE: return write_workspace(r, p);
    case TN_PARAM_RESULT:
        return tn_status_make(TN_PLUGIN,
                              "template %s: configure asked for the address of a result, but "
                              "results are stored by the epilogue",
                              name_of(r));
    default:
        return tn_status_make(TN_UNSUPPORTED,
                              "template %s: parameters of kind %u are not for the "
                              "CPU",
                              name_of(r), p->kind & ~TN_PARAM_LITERAL_OK);
    }
}

/* ------------------------------------------------------------------------- entry */

static tn_status write_entry(renderer *r) {
    tn_strbuf *out = &r->text;
    tn_strbuf_text(out, "TN_EXPORT void TN_ENTRY(void *const *bufs, const tn_i64 *ints, const "
                        "tn_num *nums, char *scratch,\n        tn_i64 begin, tn_i64 end) {\n"
                        "    const tn_word params[] = {");
    for (uint32_t i = 0; i < r->launch->n_params; i++) {
        TN_TRY(write_param(r, &r->launch->params[i]));
        tn_strbuf_text(out, ", ");
    }
    tn_strbuf_text(out, "{.u = 0}};\n    const tn_work work = {params, scratch, begin, end, bufs, "
                        "ints, nums};\n");
    tn_strbuf_printf(out, "    TN_NAME(%s)(&work);\n}\n#undef TN_EPILOGUE\n",
                     r->payload->entry ? r->payload->entry : name_of(r));
    return NULL;
}

static tn_status write_all(renderer *r) {
    TN_TRY(find_payload(r));
    TN_TRY(find_slot(r));
    TN_TRY(check_launch(r));
    TN_TRY(write_epilogue(r));
    const char *payload = r->payload->data;
    size_t length = (size_t)r->payload->bytes;
    while (length && payload[length - 1] == 0)
        length--;
    tn_strbuf_bytes(&r->text, payload, length);
    tn_strbuf_char(&r->text, '\n');
    TN_TRY(write_entry(r));
    return tn_strbuf_status(&r->text);
}

static tn_status copy_out(const renderer *r, tn__template_text *out) {
    const tn_launch *l = r->launch;
    out->length = r->text.length;
    out->text = tn_arena_strndup(r->arena, r->text.data, r->text.length);
    out->entry = (tn_render_entry){
        .ints = tn_arena_copy(r->arena, r->ints.data, r->ints.len * sizeof *r->ints.data),
        .n_ints = (uint32_t)r->ints.len,
        .pointers = tn_arena_copy(r->arena, r->pointers.data,
                                  r->pointers.len * sizeof *r->pointers.data),
        .n_pointers = (uint32_t)r->pointers.len,
        .nums = r->nums,
        .n_nums = r->n_nums,
        .items = l->grid[0],
        .grain = l->grain ? l->grain : 1,
        .scratch_bytes = l->shared_bytes,
        .workspace_bytes = l->workspace_bytes};
    return out->text && out->entry.ints && out->entry.pointers ? NULL : tn_status_no_memory();
}

tn_status tn__template_write(const tn_allocator *allocator, tn_arena *arena,
                             const tn_schedule *schedule, uint32_t step, const tn_launch *launch,
                             tn__prim_set *prims, tn__template_text *out) {
    renderer r = {.allocator = allocator,
                  .arena = arena,
                  .schedule = schedule,
                  .step = &schedule->steps[step],
                  .launch = launch,
                  .prims = prims};
    tn_strbuf_init(&r.text, allocator);
    tn_status status = write_all(&r);
    if (!status) status = copy_out(&r, out);
    tn_strbuf_deinit(&r.text);
    tn_vec_free(allocator, &r.ints);
    tn_vec_free(allocator, &r.pointers);
    return status;
}
