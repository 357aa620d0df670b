#include "codegen/render.h"

#include <string.h>

#include "codegen/cpu_prelude.h"
#include "codegen/kernel.h"

/* A schedule while it is rendered. Kernels of equal text are one function. */
typedef struct renderer {
    tn_rendered *out;
    const tn_schedule *schedule;
    const tn_launch *const *launches;
    tn__machine machine;
    tn__prim_set prims;
    tn_strbuf functions;
    tn_map symbols; /* text to the number of its function */
    uint32_t n_functions;
} renderer;

/* A template's text is complete once TN_ENTRY and TN_NAME say how it is called. */
static void add_function(renderer *r, const char *name, const char *text, size_t length,
                         bool template_) {
    if (!template_) {
        tn_strbuf_printf(&r->functions, "\nTN_EXPORT void %s", name);
        tn_strbuf_bytes(&r->functions, text, length);
        return;
    }
    tn_strbuf_printf(&r->functions, "\n#define TN_ENTRY %s\n#define TN_NAME(name) %s_##name\n",
                     name, name);
    tn_strbuf_bytes(&r->functions, text, length);
    tn_strbuf_text(&r->functions, "#undef TN_NAME\n#undef TN_ENTRY\n");
}

static tn_status symbol_of(renderer *r, const char *text, size_t length, bool template_,
                           const char **out) {
    uint64_t number;
    bool known = tn_map_get(&r->symbols, text, length, &number);
    if (!known) {
        number = r->n_functions++;
        if (!tn_map_set(&r->symbols, text, length, number)) return tn_status_no_memory();
    }
    char name[32];
    int n = snprintf(name, sizeof name, "tn_k%u", (unsigned)number);
    *out = tn_arena_strndup(&r->out->arena, name, (size_t)n);
    if (!*out) return tn_status_no_memory();
    if (known) return NULL;
    add_function(r, name, text, length, template_);
    return tn_strbuf_status(&r->functions);
}

static tn_status render_loop(renderer *r, uint32_t step, tn_render_entry *entry) {
    const tn_loop *loop = r->schedule->steps[step].loop;
    tn_arena *arena = &r->out->arena;
    tn__kernel_text kernel;
    TN_TRY(tn__kernel_write(r->out->allocator, arena, loop, &r->machine, &r->prims, &kernel));
    *entry = (tn_render_entry){.step = step,
                               .ints = kernel.ints,
                               .n_ints = kernel.n_ints,
                               .nums = kernel.nums,
                               .n_nums = kernel.n_nums,
                               .items = kernel.items,
                               .grain = kernel.grain,
                               .scratch_bytes = kernel.scratch_bytes,
                               .n_pointers = loop->n_slots};
    tn_render_pointer *pointers = tn_arena_array(arena, loop->n_slots, sizeof *pointers);
    if (!pointers) return tn_status_no_memory();
    for (uint32_t i = 0; i < loop->n_slots; i++)
        pointers[i].buffer = loop->slots[i].buffer;
    entry->pointers = pointers;
    return symbol_of(r, kernel.text, kernel.length, false, &entry->symbol);
}

static tn_status render_template(renderer *r, uint32_t step, tn_render_entry *entry) {
    tn__template_text text;
    const tn_launch *launch = r->launches ? r->launches[step] : NULL;
    TN_TRY(tn__template_write(r->out->allocator, &r->out->arena, r->schedule, step, launch,
                              &r->prims, &text));
    *entry = text.entry;
    entry->step = step;
    return symbol_of(r, text.text, text.length, true, &entry->symbol);
}

static tn_status render_steps(renderer *r) {
    const tn_schedule *schedule = r->schedule;
    tn_rendered *out = r->out;
    out->entries = tn_arena_array(&out->arena, schedule->n_steps, sizeof *out->entries);
    if (!out->entries) return tn_status_no_memory();
    for (uint32_t s = 0; s < schedule->n_steps; s++) {
        tn_render_entry *entry = &out->entries[out->n_entries];
        if (schedule->steps[s].kind == TN_STEP_CALL) continue;
        if (schedule->steps[s].kind == TN_STEP_LOOP)
            TN_TRY(render_loop(r, s, entry));
        else
            TN_TRY(render_template(r, s, entry));
        out->n_entries++;
    }
    return NULL;
}

static tn_status assemble(renderer *r) {
    tn_rendered *out = r->out;
    if (!out->n_entries) return NULL;
    tn_strbuf kernels, text;
    tn_strbuf_init(&kernels, out->allocator);
    tn_strbuf_init(&text, out->allocator);
    tn__prim_set_write(&r->prims, &kernels);
    tn_strbuf_bytes(&kernels, r->functions.data, r->functions.length);
    tn_status status = tn_strbuf_status(&kernels);
    if (!status)
        status = tn_cpu_prelude_append(&text, r->machine.lanes, kernels.data, kernels.length);
    tn_strbuf_bytes(&text, kernels.data, kernels.length);
    if (!status) status = tn_strbuf_status(&text);
    if (!status) {
        out->length = text.length;
        out->text = tn_arena_strndup(&out->arena, text.data, text.length);
        if (!out->text) status = tn_status_no_memory();
    }
    tn_strbuf_deinit(&kernels);
    tn_strbuf_deinit(&text);
    return status;
}

tn_status tn_render(const tn_allocator *allocator, const tn_schedule *schedule,
                    const tn_render_options *options, tn_rendered **out_rendered) {
    *out_rendered = NULL;
    tn_rendered *out = tn_alloc_zero(allocator, sizeof *out);
    if (!out) return tn_status_no_memory();
    out->allocator = allocator;
    tn_arena_init(&out->arena, allocator);
    renderer r = {.out = out, .schedule = schedule, .launches = options->launches};
    r.machine = (tn__machine){
        .lanes = options->lanes ? options->lanes : 8,
        .threads = options->threads ? options->threads : 1,
        .core_cache_bytes = options->core_cache_bytes ? options->core_cache_bytes : 1u << 20,
        .shared_cache_bytes = options->shared_cache_bytes ? options->shared_cache_bytes : 1u << 25};
    tn_strbuf_init(&r.functions, allocator);
    tn_map_init(&r.symbols, allocator);
    tn_status status = render_steps(&r);
    if (!status) status = assemble(&r);
    tn_map_deinit(&r.symbols);
    tn_strbuf_deinit(&r.functions);
    if (status)
        tn_rendered_destroy(out);
    else
        *out_rendered = out;
    return status;
}

void tn_rendered_destroy(tn_rendered *rendered) {
    if (!rendered) return;
    const tn_allocator *allocator = rendered->allocator;
    tn_arena_deinit(&rendered->arena);
    tn_free(allocator, rendered, sizeof *rendered);
}
