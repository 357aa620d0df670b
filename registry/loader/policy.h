/* Which files may become part of this process.
 *
 * A name with a '/' is a path; a bare name is looked for in the folders of
 * plugin_path and nowhere else, the working directory least of all. What is
 * found is made absolute, with links resolved, before anything else happens to
 * it. Nobody but its owner and group may be able to change the file or swap it:
 * a file or folder that everyone may write is refused. */
#ifndef TN_LOADER_POLICY_H
#define TN_LOADER_POLICY_H

#include "base/status.h"

/* plugin_path: absolute folders with ':' between; NULL or "" for none. A bare
 * name is tried as it is and with ".so" behind it. NOT_FOUND lists what was
 * tried. *out_path is freed with tn_strfree. */
TN_MUST_USE tn_status tn_plugin_resolve(const tn_allocator *allocator, const char *name,
                                        const char *plugin_path, char **out_path);
/* path is what tn_plugin_resolve gave. */
TN_MUST_USE tn_status tn_plugin_check_writers(const tn_allocator *allocator, const char *path);
/* expected NULL: anything goes. Both are SHA-256 in hex. */
TN_MUST_USE tn_status tn_plugin_check_sha256(const char *path, const char *expected,
                                             const char *found);

#endif
