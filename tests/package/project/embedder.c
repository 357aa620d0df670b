#include "tenon/tenon.h"

#include <stdio.h>

int main(void) {
    printf("Tenon %s, code 1 is '%s'\n", tn_version(), tn_code_text(TN_INVALID));
    return 0;
}
