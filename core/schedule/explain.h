/* What was decided about each node of the source graph, why, and what was refused
 * and why; what each step moves; the total against the fewest bytes possible. The
 * schedule must have been built with a log, and source is the graph whose nodes
 * the log is about. */
#ifndef TN_SCHEDULE_EXPLAIN_H
#define TN_SCHEDULE_EXPLAIN_H

#include "schedule/schedule.h"

void tn_explain_text(const tn_schedule *schedule, const tn_ir_graph *source, tn_strbuf *out);
/* {"graph", "totals": {...}, "nodes": [...], "steps": [...]} */
void tn_explain_json(const tn_schedule *schedule, const tn_ir_graph *source, tn_strbuf *out);
/* The source graph for Graphviz: a colour for each decision, a box around what
 * one step computes. */
void tn_explain_dot(const tn_schedule *schedule, const tn_ir_graph *source, tn_strbuf *out);

#endif
