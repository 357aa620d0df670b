/* What a plugin may say of itself and of an op, beyond what the schema language
 * checks. Pure. Private to catalog. */
#ifndef TN_CATALOG_OP_CHECK_H
#define TN_CATALOG_OP_CHECK_H

#include "ir/op.h"

/* Errors say what is wrong without naming op or plugin. */
TN_MUST_USE tn_status tn__op_check(const tn_schema *schema, const tn_op_desc *desc);
/* Name, version ("major.minor.patch" into out_version) and ABI. */
TN_MUST_USE tn_status tn__plugin_check(const tn_plugin *plugin, uint32_t out_version[3]);
/* A template attached to a primitive. */
TN_MUST_USE tn_status tn__prim_template_check(const tn_template *template_);

/* "major.minor.patch", decimal, without leading zeros or signs. */
bool tn__version_parse(const char *text, uint32_t out_version[3]);

#endif
