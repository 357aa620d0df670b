/* demo EXAMPLES PLUGINS HOST...: EXAMPLES is sdk/examples, PLUGINS the folder that has acme.so
 * and lying.so, HOST... the files that the host is made of. ../run-demo calls it. */
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: demo EXAMPLES PLUGINS HOST...\n");
        return 2;
    }
    demo d = {.folder = argv[1], .plugins = argv[2], .host = argv + 3, .n_host = argc - 3};
    demo_must(tn_context_create(NULL, &d.context), "starting Tenon");
    demo_plugin(&d);
    demo_fusion(&d);
    demo_decisions(&d);
    demo_lies(&d);
    demo_digits(&d);
    tn_context_release(d.context);
    if (d.misses > 0) {
        printf("\n%d of what this demonstration states did not hold here: see MISSED above\n",
               d.misses);
    }
    return d.misses > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
