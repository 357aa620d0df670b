/* One function for each elementwise primitive and dtype that a text uses, made
 * from the body in tenon/opset.h: what fuses, what accumulates and what runs
 * alone is the same code. */
#include <string.h>

#include "codegen/kernel.h"

const char *tn__prim_call(tn__kernel *k, uint32_t prim, tn_dt dt) {
    dt = tn_dt_compute(dt);
    k->prims->calls[dt][prim / 64] |= 1ull << prim % 64;
    return tn__text(k->w, "tn_p_%s_%s", tn_prim_get(prim)->name, tn_dt_text(dt));
}

const char *tn__ordered_call(tn__kernel *k, uint32_t prim, tn_dt dt) {
    dt = tn_dt_compute(dt);
    tn__prim_call(k, prim, dt);
    k->prims->ordered[dt] |= 1ull << prim;
    return tn__text(k->w, "tn_ordered_%s_%s", tn_prim_get(prim)->name, tn_dt_text(dt));
}

static bool is_word(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The dialect's names, each followed by '(', become the prelude's functions. */
static void write_body(tn_strbuf *out, const char *body, const char *t) {
    while (*body) {
        size_t n = 0;
        while (is_word(body[n]))
            n++;
        if (n == 0 || body[n] != '(') {
            tn_strbuf_bytes(out, body, n ? n : 1);
            body += n ? n : 1;
            continue;
        }
        bool on_masks = body[0] == 'M';
        tn_strbuf_text(out, "tn_");
        for (size_t i = 0; i < n; i++)
            tn_strbuf_char(out, (char)(body[i] >= 'A' && body[i] <= 'Z' ? body[i] + 32 : body[i]));
        if (!on_masks) tn_strbuf_printf(out, "_%s", t);
        body += n;
    }
}

/* The prelude may have a faster function of its own for these, with the same results. */
static bool may_be_in_prelude(uint32_t prim, tn_dt dt) {
    return dt == TN_DT_F32 && (prim == TN_PRIM_MAX || prim == TN_PRIM_MIN);
}

static void write_prim(tn_strbuf *out, uint32_t prim, tn_dt dt) {
    const tn_prim_info *info = tn_prim_get(prim);
    const char *t = tn_dt_text(dt), *v = tn__vector_type(dt);
    const char *body = tn_dt_is_float(dt) ? info->body_float
                       : dt == TN_DT_BOOL ? info->body_bool
                                          : info->body_int;
    bool guarded = may_be_in_prelude(prim, dt);
    if (guarded) tn_strbuf_printf(out, "#ifndef TN_HAS_p_%s_%s\n", info->name, t);
    tn_strbuf_printf(out, "TN_INLINE %s tn_p_%s_%s(", info->result_bool ? "vmask" : v, info->name,
                     t);
    for (uint32_t i = 0; i < info->arity; i++)
        tn_strbuf_printf(out, "%s%s %c", i ? ", " : "", v, "abc"[i]);
    tn_strbuf_text(out, ") {\n    return ");
    write_body(out, body, t);
    tn_strbuf_text(out, ";\n}\n");
    if (guarded) tn_strbuf_text(out, "#endif\n");
}

void tn__prim_set_write(const tn__prim_set *set, tn_strbuf *out) {
    for (uint32_t i = 0; i < tn_prim_count(); i++) {
        uint32_t prim = tn_prim_at(i)->id;
        if (prim > TN_PRIM_CLZ) continue;
        for (uint32_t dt = 0; dt < TN_DT_COUNT; dt++) {
            if (set->calls[dt][prim / 64] >> prim % 64 & 1) write_prim(out, prim, (tn_dt)dt);
            if (prim < 64 && set->ordered[dt] >> prim & 1)
                tn_strbuf_printf(out, "TN_DEFINE_ORDERED(%s, %s, %s, %s)\n", tn_dt_text((tn_dt)dt),
                                 tn__vector_type((tn_dt)dt), tn_prim_get(prim)->name,
                                 prim == TN_PRIM_MUL ? "1" : "0");
        }
    }
}
