/* Plugins that exist in memory alone, for tests of the catalog. Knows no test
 * framework. */
#ifndef TN_TESTS_REGISTRY_PLUGINS_H
#define TN_TESTS_REGISTRY_PLUGINS_H

#include "catalog/catalog.h"

enum { TN_TEST_MOST_OPS = 64 };

typedef struct tn_test_plugin_desc {
    tn_plugin plugin;
    tn_op_desc ops[TN_TEST_MOST_OPS];
    const tn_op_desc *op_list[TN_TEST_MOST_OPS];
    tn_catalog_source source;
} tn_test_plugin_desc;

/* With a CPU kernel and a meta function for each of the schemas, of which there
 * are as many as there are before NULL. The file is "/plugins/NAME-VERSION.so". */
void tn_test_plugin_init(tn_test_plugin_desc *p, const char *name, const char *version,
                         const char *const *schemas);

/* Prepares and commits. */
TN_MUST_USE tn_status tn_test_plugin_join(tn_catalog *catalog, const tn_test_plugin_desc *p,
                                          tn_catalog_plugin **out_plugin);

#endif
