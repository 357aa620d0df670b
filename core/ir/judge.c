#include "ir/judge.h"

tn_status tn_judge_kernel(const tn_judge *judge, const tn_ir_graph *graph, const tn_ir_node *node,
                          const tn_kernel *kernel, bool *out_accepted, char detail[256]) {
    *out_accepted = true;
    detail[0] = 0;
    if (judge == NULL || judge->kernel == NULL) return NULL;
    return judge->kernel(judge->self, graph, node, kernel, out_accepted, detail);
}

tn_status tn_judge_template(const tn_judge *judge, const tn_ir_graph *graph, const tn_ir_node *node,
                            const tn_template *template_, uint32_t config, bool *out_accepted,
                            char detail[256]) {
    *out_accepted = true;
    detail[0] = 0;
    if (judge == NULL || judge->template_ == NULL) return NULL;
    return judge->template_(judge->self, graph, node, template_, config, out_accepted, detail);
}

tn_status tn_judge_estimate(const tn_judge *judge, const tn_ir_graph *graph, const tn_ir_node *node,
                            const tn_template *template_, uint32_t config, uint64_t slots,
                            tn_estimate *out, bool *out_known) {
    double *times = out->times;
    *out = (tn_estimate){.struct_size = sizeof *out, .times = times};
    for (uint32_t i = 0; i < template_->n_slots; i++)
        times[i] = 1;
    *out_known = false;
    if (judge == NULL || judge->estimate == NULL) return NULL;
    return judge->estimate(judge->self, graph, node, template_, config, slots, out, out_known);
}

tn_status tn_judge_native(const tn_judge *judge, const tn_ir_graph *graph, const tn_ir_node *node,
                          const tn_native *native, const tn_chain *chain, const tn_type *extra,
                          uint32_t n_extra, const tn_type *result, tn_estimate *out,
                          bool *out_accepted, char detail[256]) {
    *out = (tn_estimate){.struct_size = sizeof *out};
    *out_accepted = true;
    detail[0] = 0;
    if (judge == NULL || judge->native == NULL) return NULL;
    return judge->native(judge->self, graph, node, native, chain, extra, n_extra, result, out,
                         out_accepted, detail);
}
