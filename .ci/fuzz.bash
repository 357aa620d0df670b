# Sourced by ./dev: runs the libFuzzer programs of the fuzz preset.

# fuzz_one NAME CORPUS SECONDS: new inputs are kept in build/fuzz/corpus/NAME; one that
# breaks something is left beside the log.
fuzz_one() {
    local name=$1 corpus=$2 seconds=$3 folder=build/fuzz/corpus/$1 log=build/fuzz/$1.log
    mkdir -p "$folder"
    if build/fuzz/test-programs/"$name" -max_total_time="$seconds" -print_final_stats=1 \
        -artifact_prefix="build/fuzz/$name-" "$folder" ${corpus:+"$corpus"} >"$log" 2>&1; then
        say "$name: $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs in ${seconds}s, no fault"
    else
        say "$name: FAILED ($log)"
        tail -n 30 "$log"
        return 1
    fi
}

# run_fuzzers [SECONDS] [NAME]
run_fuzzers() {
    local seconds=${1:-600} only=${2:-} name corpus started=0 failures=build/fuzz/failures
    : >$failures
    while read -r name corpus; do
        [ -z "$only" ] || [ "${only%_fuzz}" = "${name%_fuzz}" ] || continue
        [ "$started" -lt "$jobs" ] || wait -n || true
        started=$((started + 1))
        { fuzz_one "$name" "$corpus" "$seconds" || echo "$name" >>$failures; } &
    done <build/fuzz/fuzz-targets
    wait
    [ "$started" -gt 0 ] || die "there is no fuzz target '$only'; there are $(sed 's/_fuzz .*//' build/fuzz/fuzz-targets | tr '\n' ' ')"
    [ ! -s $failures ]
}
