/* The library that dependency_missing is linked with and never finds. */
__attribute__((visibility("default"))) int tn_test_gone(void);
int tn_test_gone(void) {
    return 1;
}
