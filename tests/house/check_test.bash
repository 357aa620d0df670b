# The checks of `./dev check` that read files find what they are for.
source tests/house/expect.bash
source .ci/check.bash
mkdir -p "$scratch/core/base" "$scratch/sdk/cli" "$scratch/plugins/nn"
cd "$scratch"
git init -q .
jobs=1

verdict() { if "$@" >message 2>&1; then echo ok; else echo no; fi; }

: >core/base/a.c
expect 'an empty file is fine' 'ok ok ok' \
    "$(verdict check_banned) $(verdict check_unfinished) $(verdict check_blanks)"

printf 'void f(char *a) {\n    strcpy(a, "x");\n}\n' >sdk/cli/a.c
expect 'strcpy in the program' no "$(verdict check_banned)"
contains 'it is shown' 'sdk/cli/a.c:2' "$(cat message)"
printf 'void f(char *a) {\n    tn_strcpy(a);\n    my.sprintf_like(a);\n}\n' >sdk/cli/a.c
expect 'names that only contain one' ok "$(verdict check_banned)"
printf '#undef malloc\n' >core/base/a.c
expect 'lifting a ban' no "$(verdict check_banned)"
mv core/base/a.c core/base/allocator.c
expect 'where that is allowed' ok "$(verdict check_banned)"

printf '/* TO%s: more */\n' DO >plugins/nn/a.c
expect 'unfinished work' no "$(verdict check_unfinished)"
printf 'int a; \n' >plugins/nn/a.c
git add -A
expect 'a blank at the end of a line' no "$(verdict check_blanks)"
expect 'a folder without a README' no "$(verdict check_readmes)"
contains 'it is named' 'plugins/nn has no README.md' "$(cat message)"
for folder in . core core/base sdk sdk/cli plugins plugins/nn; do : >$folder/README.md; done
expect 'every folder with one' ok "$(verdict check_readmes)"
exit $wrong
