/* Each elementwise primitive in three layouts, on all dtypes at once; and casts
 * and bitcasts from each dtype to every other. */
#include <stdio.h>

#include "check.h"
#include "ir/prim.h"

static const char *const layout_names[TN_LAYOUTS] = {"flat", "shapes", "strided"};
static const char operand_names[] = "abc";

/* Those with a body come first in the table. */
uint32_t tn_sweeps_elementwise_count(void) {
    uint32_t n = 0;
    while (tn_prim_at(n)->id < TN_PRIM_SELECT)
        n++;
    return n * TN_LAYOUTS;
}

/* "%a0$: {T}[17], %b0$: ..." for shape k; strides[i] ("" or " strides=[...]"). */
static void add_inputs(tn_strbuf *out, uint32_t arity, int k, const char *shape,
                       const char *const strides[3]) {
    for (uint32_t i = 0; i < arity; i++)
        tn_strbuf_printf(out, "%s%%%c%d$: {T}%s%s", k > 0 || i > 0 ? ", " : "", operand_names[i], k,
                         shape, strides[i]);
}

static void add_call(tn_strbuf *out, const tn_prim_info *info, int k) {
    tn_strbuf_printf(out, "%s%%y%d$ = prim::%s(", k > 0 ? "\n  " : "", k, info->name);
    for (uint32_t i = 0; i < info->arity; i++)
        tn_strbuf_printf(out, "%s%%%c%d$", i > 0 ? ", " : "", operand_names[i], k);
    tn_strbuf_char(out, ')');
}

typedef struct layout {
    int n;
    const char *shapes[6];
    const char *strides[6][3];
} layout;
#define DENSE                                                                                      \
    { "", "", "" }
static const layout layouts[TN_LAYOUTS] = {
    {1, {"[{N}]"}, {DENSE}},
    {6,
     {"[]", "[1]", "[17]", "[3,13]", "[0]", "[3,0,2]"},
     {DENSE, DENSE, DENSE, DENSE, DENSE, DENSE}},
    {3,
     {"[5,7]", "[5,7]", "[2,3,4]"},
     {{" strides=[1,5]", " strides=[0,1]", " strides=[-7,-1]"},
      {" strides=[-14,2]", "", " strides=[1,0]"},
      {" strides=[4,8,1]", " strides=[12,4,1]", " strides=[0,0,0]"}}},
};

/* Three texts in one buffer, each ended by a NUL. */
typedef struct texts {
    size_t inputs, body, outputs;
} texts;

static void point_into(tn_strbuf *text, const texts *t, tn_sweep *out) {
    const char *all = tn_strbuf_cstr(text);
    out->inputs = all + t->inputs;
    out->body = all + t->body;
    out->outputs = all + t->outputs;
}

static tn_domain domain_of(const tn_prim_info *info) {
    return (tn_domain)((info->on_float ? TN_ON_FLOAT : 0) | (info->on_int ? TN_ON_INT : 0) |
                       (info->on_bool ? TN_ON_BOOL : 0));
}

/* IEEE 754, or the dialect, settles every bit of the others. */
static bool is_exact(uint32_t prim) {
    return !((prim >= TN_PRIM_EXP && prim <= TN_PRIM_ERFC) || prim == TN_PRIM_RSQRT);
}

void tn_sweeps_elementwise(uint32_t index, tn_strbuf *text, tn_sweep *out) {
    const tn_prim_info *info = tn_prim_at(index / TN_LAYOUTS);
    const layout *l = &layouts[index % TN_LAYOUTS];
    texts t = {0};
    tn_strbuf_printf(text, "elementwise.%s.%s", info->name, layout_names[index % TN_LAYOUTS]);
    tn_strbuf_char(text, '\0');
    t.inputs = text->length;
    for (int k = 0; k < l->n; k++)
        add_inputs(text, info->arity, k, l->shapes[k], l->strides[k]);
    tn_strbuf_char(text, '\0');
    t.body = text->length;
    for (int k = 0; k < l->n; k++)
        add_call(text, info, k);
    tn_strbuf_char(text, '\0');
    t.outputs = text->length;
    for (int k = 0; k < l->n; k++)
        tn_strbuf_printf(text, "%s%%y%d$", k > 0 ? ", " : "", k);
    const tn_source source = index % TN_LAYOUTS == 0 ? TN_FROM_COMBINATIONS : TN_FROM_MIXED;
    *out = (tn_sweep){.name = tn_strbuf_cstr(text),
                      .domain = domain_of(info),
                      .period = info->arity,
                      .sources = {source, source, source},
                      .closeness = is_exact(info->id) ? TN_CLOSE_EXACT : TN_CLOSE_FUNCTION,
                      .prim = info->id};
    point_into(text, &t, out);
}

uint32_t tn_sweeps_cast_count(void) {
    return TN_DT_COUNT;
}

static void add_casts(tn_strbuf *out, tn_dt from, bool names_only) {
    for (int k = 0; k < TN_DT_COUNT; k++) {
        const tn_dt to = (tn_dt)k;
        const char *t = tn_dt_text(to);
        const bool bits = tn_dt_size(to) == tn_dt_size(from) && to != TN_DT_BOOL;
        if (names_only) {
            tn_strbuf_printf(out, "%s%%c_%s%s%s", k > 0 ? ", " : "", t, bits ? ", %b_" : "",
                             bits ? t : "");
            continue;
        }
        tn_strbuf_printf(out, "%%c_%s = prim::cast(%%x, dtype=%s)\n  ", t, t);
        if (bits) tn_strbuf_printf(out, "%%b_%s = prim::bitcast(%%x, dtype=%s)\n  ", t, t);
    }
}

void tn_sweeps_cast(uint32_t index, tn_strbuf *text, tn_sweep *out) {
    const tn_dt from = (tn_dt)index;
    texts t = {0};
    tn_strbuf_printf(text, "cast.%s", tn_dt_text(from));
    tn_strbuf_char(text, '\0');
    t.inputs = text->length;
    tn_strbuf_printf(text, "%%x: %s[3,40]", tn_dt_text(from));
    tn_strbuf_char(text, '\0');
    t.body = text->length;
    add_casts(text, from, false);
    tn_strbuf_char(text, '\0');
    t.outputs = text->length;
    add_casts(text, from, true);
    *out = (tn_sweep){.name = tn_strbuf_cstr(text),
                      .period = 1,
                      .sources = {TN_FROM_COMBINATIONS},
                      .closeness = TN_CLOSE_EXACT};
    point_into(text, &t, out);
}
