# What `./dev test` concludes from reports.
source tests/house/expect.bash
cd "$scratch"

report() { # NAME STATUS...
    printf '<testsuites name="Criterion Tests">\n  <testsuite name="s">\n' >"$1.xml"
    local name=$1 status n=0
    shift
    for status; do
        printf '    <testcase name="t%d" assertions="0" status="%s" time="0.0">\n    </testcase>\n' \
            $((++n)) "$status" >>"$name.xml"
    done
    printf '  </testsuite>\n</testsuites>\n' >>"$name.xml"
}
ctest_report() { # NAME=STATUS...
    local pair
    for pair; do
        printf '\t<testcase name="%s" classname="%s" time="0.1" status="%s">\n' \
            "${pair%%=*}" "${pair%%=*}" "${pair#*=}"
    done >ctest.xml
}
summary() { awk -v folder=build -v seconds=7 -f "$tree/.ci/test.awk" "$@"; }
last() { tail -n 1; }

report good PASSED PASSED PASSED
ctest_report good=run
expect 'all passed' '3 passed, 0 failed' "$(summary good.xml ctest.xml | last)"
summary good.xml ctest.xml >/dev/null || { echo 'a good run was called bad'; wrong=1; }

report mixed PASSED FAILED ERRORED SKIPPED
ctest_report mixed=fail
expect 'crashes and time limits are failures' '1 passed, 2 failed, 1 skipped' \
    "$(summary mixed.xml ctest.xml | last)"
contains 'failures are named' 'mixed: s/t2' "$(summary mixed.xml ctest.xml)"
contains 'what was skipped is named' 'mixed: s/t4 was skipped' "$(summary mixed.xml ctest.xml)"
summary mixed.xml ctest.xml >/dev/null && { echo 'a bad run was called good'; wrong=1; }

ctest_report good=fail
expect 'a program may die after its tests' '3 passed, 1 failed' "$(summary good.xml ctest.xml | last)"
ctest_report early=fail
expect 'or before its report' '0 passed, 1 failed' "$(summary ctest.xml | last)"
ctest_report script=run
expect 'a test without cases is one' '1 passed, 0 failed' "$(summary ctest.xml | last)"
: >ctest.xml
summary ctest.xml >/dev/null && { echo 'a run of nothing was called good'; wrong=1; }

ctest_report good=run
printf 'cases: cpu 3 of 3\nspeed: 12 GB/s\nnot run: gpu: none here\n' >a.summary
printf 'cases: reference 3 of 3\nplugins: 9 caught, 0 crashes\n' >b.summary
text=$(summary good.xml ctest.xml a.summary b.summary)
contains 'cases of every file' '    cpu 3 of 3
    reference 3 of 3' "$text"
contains 'plugins' '    9 caught, 0 crashes' "$text"
contains 'a topic of its own' '  speed
    12 GB/s' "$text"
contains 'what was not run' '    gpu: none here' "$text"
contains 'the time' '  7 seconds' "$text"
contains 'silence is said' 'not run: no suite reported any' "$(summary good.xml ctest.xml)"
exit $wrong
