# Sourced by ./dev: what the machine must have. Debian 12 and Ubuntu 24.04 name
# these packages alike.
build_packages=(
    build-essential cmake ninja-build ccache pkg-config libcriterion-dev libdlpack-dev
    libelf-dev nettle-dev libxxhash-dev libdnnl-dev libcjson-dev libsqlite3-dev
)
# clang-format's layout depends on its version, so that is fixed; so is clang-tidy's
# set of warnings.
check_packages=("${build_packages[@]}" clang clang-format-14 clang-tidy-14 git)

package_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null; }; then
        sudo "$@"
    else
        return 1
    fi
}

install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    local apt=(apt-get -qq -y -o Dpkg::Use-Pty=0)
    # Lists that are there may do; fresh ones are fetched when they do not.
    as_root env DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends "$@" \
        >build/setup.log 2>&1 && return 0
    as_root "${apt[@]}" update >>build/setup.log 2>&1 || return 1
    as_root env DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends "$@" \
        >>build/setup.log 2>&1
}

# setup_packages build|check
setup_packages() {
    local -n wanted=${1}_packages
    mkdir -p build
    local stamp="build/.setup-$1" key="${wanted[*]}"
    [ "${DEV_SETUP:-yes}" = no ] && return 0
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ] && return 0
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "this is no Debian or Ubuntu; install what these packages hold, if it is not there:"
        say "  ${wanted[*]}"
        return 0
    fi
    local missing=() package
    for package in "${wanted[@]}"; do
        package_installed "$package" || missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        say "installing ${missing[*]}"
        if ! install_packages "${missing[@]}"; then
            say "cannot install packages here (no root, no sudo, or apt failed: build/setup.log)."
            say "Run this, or have it run, and try again:"
            say "  sudo apt-get install --no-install-recommends ${missing[*]}"
            say "Going on without them; what needs one will say so."
            return 0
        fi
    fi
    printf '%s' "$key" >"$stamp"
}
