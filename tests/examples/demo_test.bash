# demo_test.bash BUILD CMAKE RUN_DEMO: installs BUILD, and runs what `./dev run` runs against it.
set -euo pipefail
build=$1 cmake=$2 run_demo=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "$*"
    [ ! -e "$scratch/said" ] || cat "$scratch/said"
    exit 1
}

"$cmake" --install "$build" --prefix "$scratch/prefix" >"$scratch/log" || fail "$(cat "$scratch/log")"
TENON_PREFIX=$scratch/prefix TENON_BUILD=$scratch/build XDG_CACHE_HOME=$scratch/cache \
    "$run_demo" >"$scratch/said" 2>&1 || fail "it did not end well:"
! grep MISSED "$scratch/said" || fail "something it states did not hold:"
for line in 'sha256 +[0-9a-f]{64}$' '^  ops inlined +1 generated, 0 called' \
    'opaque: the op has no lowering' 'accuracy +9[0-9.]+% on the 500 images not trained on' \
    'the host goes on' 'What to type next'; do
    grep -qE "$line" "$scratch/said" || fail "nothing in it matches '$line':"
done
# What it says to type can be typed.
while IFS= read -r command; do
    eval "$command" >"$scratch/log" 2>&1 || fail "$command: $(cat "$scratch/log")"
done < <(grep -E '^  [^ ]*/bin/tenon ' "$scratch/said")
echo "demo: shown"
