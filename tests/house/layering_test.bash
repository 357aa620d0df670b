# Includes in every allowed and every forbidden direction.
source tests/house/expect.bash
cd "$scratch"

folders='core/base core/schema core/ir core/transform core/schedule core/codegen core/device/cpu
core/runtime core/dispatch registry/catalog registry/loader sdk/host sdk/cli plugins/nn bench'
for folder in $folders; do
    mkdir -p "$folder"
    : >"$folder/own.h"
done

# judge FILE INCLUDE: ok or no
judge() {
    printf '#include <stdio.h>\n#include "%s"\n' "$2" >"$1"
    if awk -f "$tree/.ci/layering.awk" "$1" >message; then echo ok; else echo no; fi
}

while read -r file target wanted; do
    expect "$file includes $target" "$wanted" "$(judge "$file" "$target")"
done <<'CASES'
core/base/a.c tenon/tenon.h ok
core/base/a.c base/own.h ok
core/base/a.c schema/own.h no
core/base/a.c missing.h no
core/ir/a.c base/own.h ok
core/ir/a.c schema/own.h ok
core/ir/a.c ir/own.h ok
core/ir/a.c transform/own.h no
core/ir/a.c catalog/own.h no
core/ir/a.c ../base/own.h no
core/ir/a.c ./own.h no
core/device/cpu/a.c codegen/own.h ok
core/device/cpu/a.c device/cpu/own.h ok
core/device/cpu/a.c runtime/own.h no
core/dispatch/a.c runtime/own.h ok
core/dispatch/a.c loader/own.h no
registry/catalog/a.c base/own.h ok
registry/catalog/a.c ir/own.h ok
registry/catalog/a.c transform/own.h no
registry/catalog/a.c loader/own.h no
registry/loader/a.c catalog/own.h ok
registry/loader/a.c schedule/own.h no
sdk/host/a.c dispatch/own.h ok
sdk/host/a.c loader/own.h ok
sdk/host/a.c own.h ok
sdk/cli/a.c tenon/tenon.h ok
sdk/cli/a.c own.h ok
sdk/cli/a.c base/own.h no
sdk/cli/a.c catalog/own.h no
plugins/nn/a.c tenon/plugin.h ok
plugins/nn/a.c ir/own.h no
plugins/nn/a.c base/status.h no
bench/a.c runtime/own.h no
CASES

judge core/ir/a.c transform/own.h >/dev/null
expect 'the message names file, line and rule' \
    'core/ir/a.c:2: includes "transform/own.h": core/ir comes before core/transform' "$(cat message)"
exit $wrong
