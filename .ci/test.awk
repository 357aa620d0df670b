# The summary of a test run: Criterion's reports and ctest's, then *.summary.
function attribute(text, name,    at) {
    at = index(text, " " name "=\"")
    if (!at) return ""
    text = substr(text, at + length(name) + 3)
    return substr(text, 1, index(text, "\"") - 1)
}

FNR == 1 {
    program = FILENAME
    sub(/.*\//, "", program)
    is_summary = program ~ /\.summary$/
    is_ctest = program == "ctest.xml"
    sub(/\.(xml|summary)$/, "", program)
}

is_summary {
    topic = $0
    sub(/:.*/, "", topic)
    text = $0
    sub(/^[^:]*: */, "", text)
    if (!(topic in said)) topics[++n_topics] = topic
    said[topic] = said[topic] sprintf("    %s\n", text)
    next
}

is_ctest && /<testcase / {
    name = attribute($0, "name")
    good = attribute($0, "status") == "run"
    programs++
    if (!(name in cases)) { # no Criterion program, or one that died before its report
        cases[name] = 1
        failed[name] = !good
        if (!good) bad = bad sprintf("    %s\n", name)
    } else if (!good && !failed[name]) { # died after it: a leak, a time limit
        cases[name]++
        failed[name] = 1
        bad = bad sprintf("    %s: ended badly after its tests had passed\n", name)
    }
    passed_sum += cases[name] - failed[name] - skipped[name]
    failed_sum += failed[name]
    skipped_sum += skipped[name]
    next
}

!is_ctest && /<testsuites / { cases[program] = failed[program] = skipped[program] = 0 }

!is_ctest && /<testsuite / { suites++; suite = attribute($0, "name") }

!is_ctest && /<testcase / {
    cases[program]++
    status = attribute($0, "status")
    if (status == "SKIPPED") {
        skipped[program]++
        not_run = not_run sprintf("    %s: %s/%s was skipped\n", program, suite, attribute($0, "name"))
    } else if (status != "PASSED") {
        failed[program]++
        bad = bad sprintf("    %s: %s/%s\n", program, suite, attribute($0, "name"))
    }
}

function section(title, text) {
    printf "  %s\n%s", title, text == "" ? "    none\n" : text
}

END {
    printf "  %d suites in %d programs: %d tests, %d passed, %d failed, %d skipped\n", suites, programs,
        passed_sum + failed_sum + skipped_sum, passed_sum, failed_sum, skipped_sum
    if (bad != "") section("failed", bad)
    section("public fault cases, right per device", \
            "cases" in said ? said["cases"] : "    not run: no suite reported any\n")
    section("bad plugins caught, and crashes of the host", \
            "plugins" in said ? said["plugins"] : "    not run: no suite reported any\n")
    if (partial != "") not_run = not_run "    every test that " partial " leaves out\n"
    section("not run, and why", not_run said["not run"])
    for (i = 1; i <= n_topics; i++) {
        if (topics[i] !~ /^(cases|plugins|not run)$/) section(topics[i], said[topics[i]])
    }
    printf "  %d seconds\n", seconds
    if (skipped_sum) printf "%d passed, %d failed, %d skipped\n", passed_sum, failed_sum, skipped_sum
    else printf "%d passed, %d failed\n", passed_sum, failed_sum
    exit failed_sum > 0 || passed_sum == 0
}
