# Sourced by ./dev: runs ctest and sums up.
#
# Where the numbers come from:
#   FOLDER/ctest.xml                 ctest: every test program and whether it passed
#   FOLDER/test-results/NAME.xml     Criterion: the test cases of program NAME
#   FOLDER/test-results/*.summary    lines "topic: text" that tests add; the topics
#                                    cases, plugins and "not run" have a place of
#                                    their own, any other is printed as it is

# run_tests FOLDER [--label LABEL] [REGEX]
run_tests() {
    local folder=$1 results=$1/test-results selection=() label= status=0
    shift
    if [ "${1:-}" = --label ]; then
        label=$2
        selection+=(-L "$label")
        shift 2
    fi
    [ $# -eq 0 ] || selection+=(-R "$1")
    rm -rf "$results"
    mkdir -p "$results"
    say "testing $folder ${selection[*]:-}"
    ctest --test-dir "$folder" -j "$jobs" --output-on-failure --no-tests=ignore \
        --output-junit "$PWD/$folder/ctest.xml" "${selection[@]}" || status=$?
    echo
    echo "Summary"
    # Criterion's file names first, so that ctest.xml is read with their counts known.
    local files=("$folder/ctest.xml") found=("$results"/*.xml)
    [ ! -e "${found[0]}" ] || files=("${found[@]}" "${files[@]}")
    local summaries=("$results"/*.summary)
    [ -e "${summaries[0]}" ] || summaries=()
    awk -v folder="$folder" -v seconds="$SECONDS" -v partial="${selection[*]:-}" -f .ci/test.awk \
        "${files[@]}" "${summaries[@]}" || status=1
    return "$status"
}
