/* What `ops` lists: operators (ops.c, each in full by op_details.c) and primitives
 * (primitives.c). */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include <cjson/cJSON.h>

#include "options.h"

typedef struct cli_listing {
    const char *filter; /* what names must have in them; NULL: all */
    cJSON *json;        /* an array to add to; NULL: text */
    uint32_t shown;
} cli_listing;

/* Everything there is to say of one op. */
void cli_op_print(const tn_op_info *op);
cJSON *cli_op_json(const tn_op_info *op);

void cli_list_primitives(cli_listing *listing);

#endif
