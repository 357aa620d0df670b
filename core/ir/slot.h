/* Slots of templates (tenon/template.h): which there are, and what can be put into them. */
#ifndef TN_IR_SLOT_H
#define TN_IR_SLOT_H

#include "ir/graph.h"

/* The slot of a kind and operand, NULL when there is none. out_index may be NULL. */
const tn_slot *tn_slot_find(const tn_template *template_, int32_t kind, int32_t operand,
                            uint32_t *out_index);
/* Whether generated code can fill the slot, number `index`, with a value of dt; else detail
 * says why not. */
bool tn_slot_fits(const tn_slot *slot, uint32_t index, tn_dt dt, char detail[256]);
/* Whether the template has an epilogue that can take results of dt; else detail says why not. */
bool tn_slot_stores(const tn_template *template_, tn_dt dt, char detail[256]);

#endif
