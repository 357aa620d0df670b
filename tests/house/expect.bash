# Sourced by the tests of scripts. expect TITLE WANTED FOUND: the same text?
tree=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong=0
expect() {
    [ "$2" = "$3" ] && return
    printf '%s\n--- wanted\n%s\n--- found\n%s\n' "$1" "$2" "$3"
    wrong=1
}
contains() {
    case $3 in *"$2"*) return ;; esac
    printf '%s\n--- wanted somewhere\n%s\n--- found\n%s\n' "$1" "$2" "$3"
    wrong=1
}
