# cli_test.bash TENON TEST_PLUGINS: the program's output and exit codes, use by use.
set -uo pipefail
tenon=$1 plugins=$2
source tests/house/expect.bash
export XDG_CACHE_HOME=$scratch/cache
graph=$scratch/demo.tn

# uses CODE WORDS...: runs tenon WORDS; its exit code must be CODE. Leaves $out and $err.
uses() {
    local code=$1 found
    shift
    "$tenon" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    found=$?
    out=$(tr -d '\0' <"$scratch/out") err=$(cat "$scratch/err")
    expect "exit code of: tenon $* ($err)" "$code" "$found"
    # A failure says why, and on the right stream; a success keeps quiet there.
    [ "$found" = 0 ] || [ -n "$err" ] || expect "tenon $* fails" "a message" ""
}
# fails CODE TEXT WORDS...: the same, and its message has TEXT in it.
fails() {
    local text=$2
    uses "$1" "${@:3}"
    contains "message of: tenon ${*:3}" "$text" "$err"
}
prints() {
    local text=$1
    uses 0 "${@:2}"
    contains "output of: tenon ${*:2}" "$text" "$out"
}

cat >"$graph" <<'TN'
graph @demo(%x: f32[B,8], %w: f32[8]) {
  %n = tn::rms_norm(%x, [8], %w)
  %y = tn::silu(%n)
  return %y
}
TN

# Help teaches, and ends well.
prints 'usage: tenon COMMAND' --help
contains 'help lists exit codes' 'Exit codes: 0 fine' "$out"
prints 'tenon 0.' --version
for command in run explain ops inspect; do
    prints "usage: tenon $command" "$command" --help
    contains "$command --help has an example" "  tenon $command " "$out"
    contains "$command --help lists options" "--json" "$out"
    prints "usage: tenon $command" "$command" -h
done

# Wrong usage is 2.
fails 2 'usage: tenon COMMAND'
fails 2 'unknown command "frobnicate"' frobnicate
fails 2 'unknown option --frobnicate' run "$graph" --frobnicate
fails 2 'unknown option --time' explain "$graph" --time 3
fails 2 'unknown option -q' run "$graph" -q
fails 2 '--size needs NAME=N' run "$graph" --size
fails 2 '--check takes no value' run "$graph" --check=yes
fails 2 'usage: tenon run FILE.tn' run
fails 2 'usage: tenon run FILE.tn' run "$graph" "$graph"
fails 2 'usage: tenon inspect' inspect
fails 2 '--seed: expected a whole number' run "$graph" --seed -1
fails 2 '--seed: expected a whole number' run "$graph" --seed 1x
fails 2 '--seed: expected a whole number' run "$graph" --seed 99999999999999999999
fails 2 '--threads: at most 4096' run "$graph" --threads 4294967297
fails 2 '--device: expected cpu or reference' run "$graph" --size B=1 --device gpu
fails 2 '--mode: expected fused or eager' run "$graph" --size B=1 --mode slow
fails 2 '--precision: expected fused or strict' run "$graph" --size B=1 --precision best
fails 2 'NAME an input: x, w' run "$graph" --input z=z.npy
fails 2 'expected NAME=FILE' run "$graph" --input x
fails 2 'NAME a named size: B' run "$graph" --size C=1
fails 2 'expected a whole number from 0' run "$graph" --size B=-1
fails 2 'expected a whole number from 0' run "$graph" --size B=99999999999999999999
fails 2 'too large' run "$graph" --size B=9223372036854775807
fails 2 'too large' explain "$graph" --size B=9223372036854775807
fails 2 'size B is not known: give --size B=N' run "$graph"
for device in cpu reference; do
    fails 2 'no pass is named "zzz"; there are: bind' \
        run "$graph" --size B=1 --dump zzz --device $device
    fails 2 'expected one of view, placed, inline' \
        run "$graph" --size B=1 --force zzz --device $device
    fails 2 'expected one of view, placed, inline' \
        run "$graph" --size B=1 --forbid zzz --device $device
    fails 2 'expected an op such as tn::add or a value such as %y' \
        run "$graph" --size B=1 --force inline:x --device $device
    fails 2 'rule about %zzz: graph @' run "$graph" --size B=1 --force inline:%zzz --device $device
    fails 2 "which is an input's" run "$graph" --size B=1 --force inline:%x --device $device
    fails 2 'rule about tn::ad: no plugin that is loaded has an op tn::ad (did you mean' \
        run "$graph" --size B=1 --forbid inline:tn::ad --device $device
    uses 0 run "$graph" --size B=1 --forbid inline:tn::argmax --device $device
done
fails 2 '--json and --dot exclude' explain "$graph" --size B=1 --json --dot

# Work that fails is 1, and says what failed.
fails 1 'No such file' run "$scratch/nothing.tn"
fails 1 'not a regular file' run "$scratch"
fails 1 'No such file' run "$graph" --size B=1 --input x="$scratch/nothing.npy"
fails 1 'expected FILE.npy or FILE.safetensors:TENSOR' run "$graph" --input x="$graph"
fails 1 'cannot be found' run "$graph" --size B=1 --plugin "$scratch/nothing.so"
fails 1 'nothing has "zzz" in its name' ops zzz
if [ "$(id -u)" != 0 ]; then
    cp "$graph" "$scratch/locked.tn"
    chmod 0 "$scratch/locked.tn"
    fails 1 'Permission denied' run "$scratch/locked.tn" --size B=1
fi
printf 'not an array' >"$scratch/junk.npy"
fails 1 'not an .npy file' run "$graph" --input x="$scratch/junk.npy"
printf 'junk' >"$scratch/junk.safetensors"
fails 1 'not a safetensors file' run "$graph" --input x="$scratch/junk.safetensors:x"

# Malformed graphs: file, line, column, the line, and where in it.
printf 'graph @g(%%x: f32[4]) {\n  %%y = tn::nope(%%x)\n  return %%y\n}\n' >"$scratch/bad.tn"
fails 1 "$scratch/bad.tn:2:8: no plugin that is loaded has an op tn::nope" run "$scratch/bad.tn"
contains 'the line is shown' '    %y = tn::nope(%x)
         ^' "$err"
printf 'graph @g(%%x: f32[4] {' >"$scratch/bad.tn"
fails 1 "$scratch/bad.tn:1:" run "$scratch/bad.tn"
: >"$scratch/empty.tn"
fails 1 "$scratch/empty.tn:1:1" run "$scratch/empty.tn"

# Inputs come from files; sizes come from inputs; seeds repeat.
uses 0 run "$graph" --size B=3 --seed 7 --outputs "$scratch/first"
first=$out
uses 0 run "$graph" --size B=3 --seed 7
expect 'the same seed, the same values' "$first" "$out"
uses 0 run "$graph" --size B=3 --seed 8
[ "$first" != "$out" ] || expect 'another seed' 'other values' "$out"
prints '%y: f32[3,8]' run "$graph" --input x="$scratch/first/y.npy" --check
contains '--check says so' 'agrees with the reference' "$out"
prints '%y: f32[0,8]' run "$graph" --size B=0 --check
fails 1 'x' run "$graph" --input w="$scratch/first/y.npy" --size B=3 # rank 2 for rank 1

# A graph on standard input.
expect 'standard input' '%y: f32[2,8]' \
    "$("$tenon" run - --size B=2 <"$graph" | cut -d= -f1 | sed 's/ $//')"
"$tenon" run - --size B=2 <"$scratch" 2>"$scratch/err" >"$scratch/out"
expect 'standard input that cannot be read' 1 $?
contains 'its message' 'standard input could not be read' "$(cat "$scratch/err")"

# NaN has no sign.
printf 'graph @g(%%x: f32[2]) {\n  %%z = tn::sub(%%x, %%x)\n  %%n = tn::div(%%z, %%z)\n' \
    >"$scratch/nan.tn"
printf '  %%m = tn::neg(%%n)\n  return %%n, %%m\n}\n' >>"$scratch/nan.tn"
for device in cpu reference; do
    uses 0 run "$scratch/nan.tn" --check --device $device
    contains 'NaN' '%n: f32[2] = nan nan' "$out"
    contains 'the negative of NaN' '%m: f32[2] = nan nan' "$out"
done

# Every path agrees.
for path in '--device reference' '--mode eager' '--precision strict' '--poison' '--checked' \
    '--no-cache' '--threads 1' '--time 3' "--cache $scratch/other"; do
    prints '%y: f32[3,8]' run "$graph" --size B=3 --check $path
done
uses 0 run "$graph" --size B=3 --quiet
expect '--quiet' '' "$out"

# bf16 goes out as f32, and comes back rounded to what it was.
sed 's/f32/bf16/g' "$graph" >"$scratch/bf16.tn"
uses 0 run "$scratch/bf16.tn" --size B=3 --outputs "$scratch/bf16"
prints '%y: bf16[3,8]' run "$scratch/bf16.tn" --input x="$scratch/bf16/y.npy" --check

# A difference from the reference is found: this op's kernel doubles, its lowering triples.
printf 'graph @g(%%x: f32[8]) {\n  %%y = lying::unequal(%%x)\n  return %%y\n}\n' >"$scratch/lying.tn"
uses 1 run "$scratch/lying.tn" --plugin "$plugins/lying.so" --check --force opaque
contains 'a difference is shown' 'DIFFERS from the reference at element' "$out"
fails 1 'output %y differs' run "$scratch/lying.tn" --plugin "$plugins/lying.so" --check --quiet \
    --force opaque
uses 0 run "$scratch/lying.tn" --plugin "$plugins/lying.so" --check --forbid opaque

# Nothing is lost silently: results, help, files.
if [ -w /dev/full ]; then
    for words in '--help' '--version' 'run --help' 'ops' 'ops --json' "run $graph --size B=1" \
        "run $graph --size B=1 --json" "explain $graph --size B=1" "inspect $plugins/acme.so"; do
        "$tenon" $words >/dev/full 2>"$scratch/err"
        expect "tenon $words on a full device" 1 $?
        [ -s "$scratch/err" ] || expect "tenon $words on a full device" 'a message' ''
    done
fi
(
    trap '' XFSZ
    ulimit -f 1
    "$tenon" run "$graph" --size B=4096 --no-cache --mode eager --device reference \
        --outputs "$scratch/full" >/dev/null 2>"$scratch/full.err"
)
expect 'outputs that do not fit' 1 $?
contains 'outputs that do not fit' "$scratch/full/y.npy: " "$(cat "$scratch/full.err")"
expect 'no part of a file is left' '' "$(ls "$scratch/full")"
fails 1 'Not a directory' run "$graph" --size B=1 --outputs "$graph"
fails 1 'No such file' run "$graph" --size B=1 --outputs "$scratch/no/where"

# Every pass can be looked at.
for pass in bind decompose lower prune legalize simplify split group memory render; do
    uses 0 explain "$graph" --size B=2 --dump "$pass"
    expect "--dump $pass" "# after $pass" "$(grep '^# after' <<<"$err")"
done
uses 0 explain "$graph" --size B=2 --dump all
expect '--dump all' 10 "$(grep -c '^# after' <<<"$err")"

# A plugin is inspected without being run.
prints 'op          acme::swish(Tensor x, float beta=1.0) -> Tensor' inspect "$plugins/acme.so"
prints 'plugin ' inspect "$plugins/aborting.so"
fails 1 'ELF' inspect "$graph"
prints 'acme::swish' ops --plugin "$plugins/acme.so" acme::
prints 'prim::add' ops --primitives

# One op by its whole name: everything about it, and its overloads.
prints 'tn::mul.Scalar(Tensor self, Scalar other) -> Tensor' ops tn::mul
contains 'overloads follow' '
tn::mul(Tensor self, Tensor other) -> Tensor
' "
$out"
expect 'no other op' 2 "$(grep -c '^tn::' <<<"$out")"
prints 'tn::mul.Scalar' ops tn::mul.Scalar
expect 'one overload' 1 "$(grep -c '^tn::' <<<"$out")"
prints 'template       gemm: cpu' ops tn::matmul
contains 'slots' 'slot         epilogue: epilogue of result 0, rank 3, f32' "$out"
contains 'a kernel' 'kernel         cpu, with a workspace, inputs of any strides' "$out"
contains 'no kernel' 'kernel         none' "$("$tenon" ops tn::exp)"
uses 0 ops acme::bilinear_gate --plugin "$plugins/acme.so"
contains 'the lowering itself' '      graph @bilinear_gate(%x: T[...], %gate: T[...]) {' "$out"
contains 'the plugin' 'plugin         acme 1.0.0' "$out"
contains 'its hash' "sha256         $(sha256sum "$plugins/acme.so" | cut -d' ' -f1)" "$out"
contains 'its kernel' 'kernel         cpu, may decline' "$out"
contains 'its traits' 'deterministic, capture-safe, zero-size-ok, pointwise' "$out"

# Primitives: what the header says, and the bounds that are measured.
uses 0 ops --primitives
expect 'as many as opset.h lists' "$("$tenon" ops --primitives --json | grep -c '"number"')" \
    "$(grep -c '^prim::' <<<"$out")"
prints '1.25, 1.25' ops --primitives prim::exp2
contains 'arity and dtypes' 'prim::exp2               elementwise  1     float' "$out"
prints '(Tensor x, Tensor index, *, int axis) -> Tensor' ops --primitives take
fails 1 'nothing has "zzz" in its name' ops --primitives zzz

# JSON is JSON.
json() {
    uses "$1" "${@:2}"
    python3 -c 'import json, sys; json.load(sys.stdin)' <"$scratch/out" 2>"$scratch/err"
    expect "JSON of: tenon ${*:2} $(cat "$scratch/err")" 0 $?
}
if command -v python3 >/dev/null; then
    json 0 run "$graph" --size B=3 --json
    json 0 run "$graph" --size B=3 --json --check --time 2
    json 1 run "$scratch/lying.tn" --plugin "$plugins/lying.so" --json --check --force opaque
    json 0 explain "$graph" --size B=3 --json
    json 0 ops --json
    json 0 ops --json --primitives
    json 1 ops --json zzz
    json 0 inspect --json "$plugins/acme.so" "$plugins/aborting.so"
    json 1 inspect --json "$graph"
else
    echo 'not run: the JSON is not read, for there is no python3'
fi

prints 'digraph' explain "$graph" --size B=3 --dot
if command -v dot >/dev/null; then
    dot -Tsvg <"$scratch/out" >/dev/null
    expect 'dot reads it' 0 $?
fi

[ "$wrong" = 0 ] && echo "cli: as stated"
exit "$wrong"
