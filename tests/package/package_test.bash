# package_test.bash BUILD PROJECT CMAKE CC: installs BUILD, moves it, and builds PROJECT
# against it.
set -euo pipefail
build=$1 project=$2 cmake=$3 cc=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "$*"
    exit 1
}

"$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/log" || fail "$(cat "$scratch/log")"
mv "$scratch/first" "$scratch/prefix" # the package must not know where it was put
prefix=$scratch/prefix
for file in include/tenon/plugin.h include/tenon/tenon.h bin/tenon; do
    [ -e "$prefix/$file" ] || fail "$file was not installed"
done
for plugin in "$build"/plugins/*.so; do
    [ ! -e "$plugin" ] || [ -n "$(find "$prefix" -path "*/tenon/plugins/${plugin##*/}")" ] ||
        fail "${plugin##*/} was not installed"
done

"$cmake" -S "$project" -B "$scratch/out" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    >"$scratch/log" 2>&1 || fail "configuring: $(cat "$scratch/log")"
"$cmake" --build "$scratch/out" >"$scratch/log" 2>&1 || fail "building: $(cat "$scratch/log")"

for name in plain other; do
    plugin=$scratch/out/$name.so
    exported=$(nm -D --defined-only "$plugin" | awk '{ print $3 }')
    [ "$exported" = tenon_plugin_query ] || fail "$name.so exports: $exported"
    ! readelf -d "$plugin" | grep -q 'NEEDED.*tenon' || fail "$name.so links Tenon"
    readelf -n "$plugin" | grep -q 'Build ID' || fail "$name.so has no build id"
    readelf -d "$plugin" | grep -q SYMBOLIC || fail "$name.so could have its symbols replaced"
done
! "$cmake" --build "$scratch/out" --target undefined_plugin >"$scratch/log" 2>&1 ||
    fail "a plugin with an undefined symbol was linked"
grep -q nobody_defines_this "$scratch/log" || fail "the linker did not name it: $(cat "$scratch/log")"

said=$("$scratch/out/embedder")
version=$(awk '/define TN_VERSION_/ { v = v (v == "" ? "" : ".") $3 } END { print v }' \
    "$prefix/include/tenon/tenon.h")
[ "$said" = "Tenon $version, code 1 is 'invalid argument'" ] || fail "the embedder said: $said"
"$prefix/bin/tenon" --help >"$scratch/log" 2>&1 || fail "the installed program: $(cat "$scratch/log")"
# Nothing but what the headers declare.
library=$(find "$prefix" -name libtenon.so)
! nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^(tn_[a-z0-9_]+|_init|_fini)$' ||
    fail "libtenon.so exports these"
echo "package: installed, moved, used"
