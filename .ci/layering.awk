# Includes point one way. Prints every #include "..." that does not, and fails.
#
#   core/X       the folders of core before X, X itself, tenon/
#   registry/X   base, schema, ir, the folders of registry before X, X itself, tenon/
#   sdk/host     anything of core and registry, itself, tenon/
#   the rest     tenon/ and files beside the one that includes
#
# Paths come from the command line relative to the tree, so that a test can run
# this in a tree of its own.
BEGIN {
    n = split("base schema ir transform schedule codegen device runtime dispatch", order, " ")
    for (i = 1; i <= n; i++) rank["core/" order[i]] = i
    rank["registry/catalog"] = 3.1
    rank["registry/loader"] = 3.2
}

function folder_of(path,    part) {
    split(path, part, "/")
    return part[1] "/" part[2]
}

function exists(path,    line, status) {
    status = (getline line < path)
    close(path)
    return status >= 0
}

function complain(why) {
    printf "%s:%d: includes \"%s\": %s\n", FILENAME, FNR, target, why
    bad = 1
}

!/^[ \t]*#[ \t]*include[ \t]*"/ { next }

{
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    home = folder_of(FILENAME)
    beside = FILENAME
    sub(/[^\/]*$/, "", beside)

    if (target ~ /(^|\/)\.\.?\//) { complain("paths start at core, registry or sdk/include, never with a dot"); next }
    if (target ~ /^tenon\//) next
    head = target
    sub(/\/.*/, "", head)
    inner = ("core/" head) in rank ? "core/" head : ("registry/" head) in rank ? "registry/" head : ""

    if (!(home in rank) && home != "sdk/host") {
        if (inner != "" && !exists(beside target)) complain(home " may include tenon/ and its own files only")
        else if (inner == "" && target ~ /\// && !exists(beside target) && !exists(home "/" target))
            complain("there is no such file beside it")
        next
    }
    if (inner == "") {
        if (!exists(beside target) && !(home == "sdk/host" && exists("sdk/" target)))
            complain("there is no such file in core, registry or sdk/include")
        next
    }
    if (home == "sdk/host") next
    if (home ~ /^core\// && inner ~ /^registry\//) { complain("core never includes registry"); next }
    if (home ~ /^registry\// && rank[inner] > rank[home]) complain(home " may include base, schema and ir of core")
    else if (home ~ /^core\// && rank[inner] > rank[home]) complain(home " comes before " inner)
}

END { exit bad }
