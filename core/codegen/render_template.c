/* A template step: the payload's text behind the functions that fill its slots, and an
 * entry like any other around them.
 *
 *     TN_INLINE void TN_NAME(epilogue)(const tn_work *work, tn_i64 c0, tn_i64 c1, tn_i64 jb,
 *                                      tn_i64 count, const tn_f32 *acc) { ... }
 *     #define TN_EPILOGUE TN_NAME(epilogue)
 *     static void TN_NAME(prologue_a)(const tn_work *work, tn_i64 c0, ...) { ... }
 *     #define TN_PROLOGUE_a TN_NAME(prologue_a)
 *     <payload>
 *     TN_EXPORT void TN_ENTRY(...) { tn_word params[] = ...; TN_NAME(gemm)(&work); }
 *
 * Numbers of what fills the slots come first in ints, the parameters after them; so do the
 * buffers. The text holds no number that is not a literal by the plugin's wish. */
#include <string.h>

#include "codegen/template_slot.h"

typedef struct renderer {
    const tn_schedule *schedule;
    const tn_step *step;
    const tn_launch *launch;
    const tn_payload *payload;
    tn__slots out;
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

/* The slot of this kind and operand: planning has seen to it that it fits. */
static tn_status find_slot(const renderer *r, int32_t kind, int32_t operand, const tn_loop *loop,
                           const tn_slot **out) {
    const tn_template *t = r->step->template_;
    *out = NULL;
    for (uint32_t i = 0; i < t->n_slots && !*out; i++)
        if (t->slots[i]->kind == kind && t->slots[i]->operand == operand) *out = t->slots[i];
    if (*out && loop->n_axes == (uint32_t)(*out)->rank && (*out)->accumulators <= 1 &&
        tn_dt_from_dtype((*out)->dtype) != TN_DT_NONE)
        return NULL;
    return tn_status_make(TN_INTERNAL, "template %s: no slot for a loop that fills one",
                          name_of(r));
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

/* ------------------------------------------------------------------------- slots */

/* The parameter of the schema that an operand belongs to, by itself: not in a list. */
static tn_status parameter_of(const renderer *r, uint32_t operand, int32_t *out) {
    const tn_ir_node *node = r->step->node;
    for (uint32_t p = 0; p < node->schema->n_params; p++) {
        *out = (int32_t)p;
        if (node->args[p].tag == TN_TAG_VALUE && node->args[p].v.value.id == operand + 1ull)
            return NULL;
    }
    return tn_status_make(TN_INTERNAL, "template %s: a prologue of no argument", name_of(r));
}

static tn_status write_slots(renderer *r) {
    const tn_slot *slot;
    TN_TRY(find_slot(r, TN_SLOT_EPILOGUE, 0, r->step->loop, &slot));
    TN_TRY(tn__slot_write_epilogue(&r->out, slot, r->step->loop));
    for (uint32_t i = 0; i < TN_MAX_PROLOGUES; i++) {
        const tn_loop *loop = r->step->prologues[i];
        int32_t parameter;
        if (!loop) continue;
        TN_TRY(parameter_of(r, i, &parameter));
        TN_TRY(find_slot(r, TN_SLOT_PROLOGUE, parameter, loop, &slot));
        TN_TRY(tn__slot_write_prologue(&r->out, slot, loop));
    }
    return NULL;
}

static tn_status undefine_slots(renderer *r) {
    tn_strbuf_text(&r->out.text, "#undef TN_EPILOGUE\n");
    for (uint32_t i = 0; i < TN_MAX_PROLOGUES; i++) {
        const tn_slot *slot;
        int32_t parameter;
        if (!r->step->prologues[i]) continue;
        TN_TRY(parameter_of(r, i, &parameter));
        TN_TRY(find_slot(r, TN_SLOT_PROLOGUE, parameter, r->step->prologues[i], &slot));
        tn_strbuf_printf(&r->out.text, "#undef TN_PROLOGUE_%s\n", slot->name);
    }
    return NULL;
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
        tn_strbuf_text(&r->out.text, "{.u = 0}");
        return NULL;
    }
    tn_dtype dtype = r->schedule->buffers[o->buffer].dtype;
    uint64_t size = (uint64_t)dtype.bits * dtype.lanes / 8;
    tn_render_pointer pointer = {o->buffer, (uint64_t)o->offset * size};
    tn_strbuf_printf(&r->out.text, "{.p = bufs[%zu]}", r->out.pointers.len);
    return tn_vec_push(r->out.allocator, &r->out.pointers, pointer) ? NULL : tn_status_no_memory();
}

static tn_status write_number(renderer *r, const tn_param *p) {
    if (p->bytes != 1 && p->bytes != 2 && p->bytes != 4 && p->bytes != 8)
        return tn_status_make(TN_PLUGIN,
                              "template %s: configure gave a number of %u bytes; 1, 2, 4 and 8 "
                              "exist",
                              name_of(r), p->bytes);
    uint64_t value = p->value & (UINT64_MAX >> (64 - 8 * p->bytes));
    if (p->kind & TN_PARAM_LITERAL_OK) {
        tn_strbuf_printf(&r->out.text, "{.u = %lluull}", (unsigned long long)value);
        return NULL;
    }
    tn_strbuf_printf(&r->out.text, "{.i = ints[%zu]}", r->out.ints.len);
    return tn_vec_push(r->out.allocator, &r->out.ints, (int64_t)value) ? NULL
                                                                       : tn_status_no_memory();
}

static tn_status write_workspace(renderer *r, const tn_param *p) {
    if (p->value > r->launch->workspace_bytes)
        return tn_status_make(TN_PLUGIN,
                              "template %s: configure asked for byte %llu of a workspace of %llu",
                              name_of(r), (unsigned long long)p->value,
                              (unsigned long long)r->launch->workspace_bytes);
    tn_render_pointer pointer = {TN_NONE, p->value};
    tn_strbuf_printf(&r->out.text, "{.p = bufs[%zu]}", r->out.pointers.len);
    return tn_vec_push(r->out.allocator, &r->out.pointers, pointer) ? NULL : tn_status_no_memory();
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
    tn_strbuf *out = &r->out.text;
    tn_strbuf_text(out, "TN_EXPORT void TN_ENTRY(void *const *bufs, const tn_i64 *ints, const "
                        "tn_num *nums, char *scratch,\n        tn_i64 begin, tn_i64 end) {\n"
                        "    const tn_word params[] = {");
    for (uint32_t i = 0; i < r->launch->n_params; i++) {
        TN_TRY(write_param(r, &r->launch->params[i]));
        tn_strbuf_text(out, ", ");
    }
    tn_strbuf_text(out, "{.u = 0}};\n    const tn_work work = {params, scratch, begin, end, bufs, "
                        "ints, nums};\n");
    tn_strbuf_printf(out, "    TN_NAME(%s)(&work);\n}\n",
                     r->payload->entry ? r->payload->entry : name_of(r));
    return undefine_slots(r);
}

static tn_status write_all(renderer *r) {
    TN_TRY(find_payload(r));
    TN_TRY(check_launch(r));
    TN_TRY(write_slots(r));
    const char *payload = r->payload->data;
    size_t length = (size_t)r->payload->bytes;
    while (length && payload[length - 1] == 0)
        length--;
    tn_strbuf_bytes(&r->out.text, payload, length);
    tn_strbuf_char(&r->out.text, '\n');
    TN_TRY(write_entry(r));
    return tn_strbuf_status(&r->out.text);
}

static tn_status copy_out(const renderer *r, tn_arena *arena, tn__template_text *out) {
    const tn_launch *l = r->launch;
    const tn__slots *s = &r->out;
    tn_scalar *nums = tn_arena_copy(arena, s->nums.data, s->nums.len * sizeof *nums);
    out->length = s->text.length;
    out->text = tn_arena_strndup(arena, s->text.data, s->text.length);
    out->entry = (tn_render_entry){
        .ints = tn_arena_copy(arena, s->ints.data, s->ints.len * sizeof *s->ints.data),
        .n_ints = (uint32_t)s->ints.len,
        .pointers = tn_arena_copy(arena, s->pointers.data,
                                  s->pointers.len * sizeof *s->pointers.data),
        .n_pointers = (uint32_t)s->pointers.len,
        .nums = nums,
        .n_nums = (uint32_t)s->nums.len,
        .items = l->grid[0],
        .grain = l->grain ? l->grain : 1,
        .scratch_bytes = l->shared_bytes,
        .workspace_bytes = l->workspace_bytes};
    return out->text && out->entry.ints && out->entry.pointers && nums ? NULL
                                                                       : tn_status_no_memory();
}

tn_status tn__template_write(const tn_allocator *allocator, tn_arena *arena,
                             const tn_schedule *schedule, uint32_t step, const tn_launch *launch,
                             tn__prim_set *prims, tn__template_text *out) {
    renderer r = {.schedule = schedule, .step = &schedule->steps[step], .launch = launch};
    tn__slots_init(&r.out, allocator, arena, prims);
    tn_status status = write_all(&r);
    if (!status) status = copy_out(&r, arena, out);
    tn__slots_deinit(&r.out);
    return status;
}
