# Sourced by ./dev: the checks that are no tests. Each prints one line, and what it
# found when it found something; all run, whatever the others said.

clang_format() { command -v clang-format-14 || echo clang-format; }
clang_tidy() { command -v clang-tidy-14 || echo clang-tidy; }

# Tracked and new C files that exist.
c_files() { git ls-files --cached --others --exclude-standard '*.c' '*.h' | existing; }
existing() { while IFS= read -r file; do [ ! -e "$file" ] || printf '%s\n' "$file"; done; }

failed_checks=()
# check TITLE COMMAND...: the command's output is shown when it fails.
check() {
    local title=$1 begin=$SECONDS output
    shift
    printf 'dev: %-44s' "$title"
    if output=$("$@" 2>&1); then
        printf 'ok %4ds\n' $((SECONDS - begin))
    else
        printf 'FAILED\n%s\n' "$(head -n 80 <<<"$output")"
        failed_checks+=("$title")
    fi
}

# A file.c.h is a part of generated text, laid out by hand, and no header by itself.
whole_files() { c_files | grep -v '\.c\.h$'; }

check_format() {
    whole_files | xargs "$(clang_format)" --dry-run -Werror 2>&1 |
        awk -F: '/error: code should be clang-formatted/ { n[$1]++ }
            END { for (f in n) { print f ": " n[f] " places"; bad = 1 }
                  if (bad) print "./dev format lays them out"; exit bad }'
}

check_layering() { c_files | grep -v '^tests/' | xargs awk -f .ci/layering.awk; }

# Public headers, in every language and compiler that may include them.
check_public_headers() {
    local header compiler language status=0
    for header in sdk/include/tenon/*.h; do
        for language in 'c -std=c99' 'c -std=c17' 'c++ -std=c++11' 'c++ -std=c++20'; do
            for compiler in gcc clang; do
                # Included twice, so that a missing guard shows.
                printf '#include "tenon/%s"\n#include "tenon/%s"\n' "${header##*/}" "${header##*/}" |
                    $compiler -x $language -pedantic -Wall -Wextra -Wundef -Werror -fsyntax-only \
                        -Isdk/include - || {
                    echo "$header does not stand alone ($compiler -x $language)"
                    status=1
                }
            done
        done
    done
    return $status
}

check_internal_headers() {
    whole_files | grep -E '^(core|registry)/.*\.h$' |
        xargs -P "$jobs" -I{} sh -c 'printf "#include \"%s\"\n#include \"%s\"\n" "$1" "$1" |
            gcc -x c -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only \
                -I. -Icore -Iregistry -Isdk/include - || { echo "$1 does not stand alone"; exit 1; }' sh {}
}

# core, registry and sdk/host cannot compile a banned call (core/base/banned.h);
# lifting the ban is for the files named here. The rest of the tree may allocate
# as it likes, but not use calls without bounds or errors.
lifting_files='^(core/base/(allocator|status|hash|banned)\.[ch]):'
check_banned() {
    local status=0
    if c_files | grep -E '^(core|registry|sdk/host)/' |
        xargs grep -HnE '^ *# *undef +(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|str[a-z]+|v?sprintf|ato[ilf]+|exit|abort|system|popen)\b' |
        grep -vE "$lifting_files"; then
        echo "these lift a ban of core/base/banned.h"
        status=1
    fi
    if c_files | grep -vE '^(core|registry|sdk/host)/' |
        xargs grep -HnE '(^|[^A-Za-z0-9_"])(strcpy|strcat|strncpy|strncat|stpcpy|sprintf|vsprintf|gets|atoi|atol|atoll|atof|strtok|alloca|tmpnam|mktemp) *\('; then
        echo "these calls are banned: use snprintf, memcpy, strtol with its end checked, mkostemp"
        status=1
    fi
    return $status
}

check_unfinished() {
    ! c_files | xargs grep -HnE '\b(TODO|FIXME|XXX)\b'
}

# Every folder that a reader meets says what it is.
check_readmes() {
    local folder status=0
    while IFS= read -r folder; do
        [ -f "$folder/README.md" ] || {
            echo "$folder has no README.md (what lives here, what it may include, where to start)"
            status=1
        }
    done < <({
        printf '%s\n' . .ci core core/device registry sdk sdk/include plugins tests bench
        git ls-files | awk -F/ '
            NF > 2 && $1 ~ /^(core|registry|sdk|plugins|tests|bench)$/ { print $1 "/" $2 }
            NF > 3 && $1 "/" $2 ~ /^(core\/device|sdk\/examples)$/ { print $1 "/" $2 "/" $3 }'
    } | sort -u | while IFS= read -r folder; do [ ! -d "$folder" ] || printf '%s\n' "$folder"; done)
    return $status
}

check_build() {
    local folder
    folder=$(build_folder "$1")
    [ -f "$folder/build.ninja" ] || cmake --preset "$1" >/dev/null || return 1
    cmake --build "$folder" -j "$jobs" >"$folder/check.log" 2>&1 && return 0
    grep -E -A 6 'error:|FAILED|undefined reference' "$folder/check.log"
    return 1
}

# Files whose text, headers and settings were clean before are not looked at again.
check_tidy() {
    local cache=build/tidy headers file key todo=()
    mkdir -p $cache
    headers=$({ c_files | grep '\.h$' | xargs cat; cat .clang-tidy; } | sha256sum)
    while IFS= read -r file; do
        key=$({ printf '%s' "$headers $file"; cat "$file"; } | sha256sum)
        [ -e "$cache/${key%% *}" ] || todo+=("$cache/${key%% *}" "$file")
    done < <(c_files | grep -E '^(core|registry|sdk/(host|cli)|plugins)/.*\.c$')
    [ ${#todo[@]} -eq 0 ] || printf '%s\0' "${todo[@]}" |
        xargs -0 -n 2 -P "$jobs" bash -c 'out=$("$0" --quiet -p build/dev-clang "$2" 2>/dev/null) || exit 1
            case $out in *" warning: "* | *" error: "*)
                grep -E " (warning|error): " <<<"$out" && exit 1 ;; esac
            : >"$1"' "$(clang_tidy)"
}

check_blanks() {
    ! git grep -nIE '[[:blank:]]+$' -- '*.c' '*.h' '*.cmake' '*CMakeLists.txt' '*.bash' '*.awk' dev
}

run_checks() {
    check 'format (clang-format)' check_format
    check 'include directions' check_layering
    check 'public headers alone, C99 C17 C++11 C++20' check_public_headers
    check 'internal headers alone' check_internal_headers
    check 'banned calls' check_banned
    check 'unfinished work' check_unfinished
    check 'blanks at line ends' check_blanks
    check 'a README in every folder' check_readmes
    check 'gcc build, warnings are errors' check_build dev
    check 'clang build, warnings are errors' check_build dev-clang
    check 'clang-tidy' check_tidy
    if [ ${#failed_checks[@]} -gt 0 ]; then
        say "${#failed_checks[@]} checks failed:"
        printf 'dev:   %s\n' "${failed_checks[@]}"
        return 1
    fi
    say "every check passed in ${SECONDS}s"
}
