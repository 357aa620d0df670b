# Sourced by ./dev: configure, build, install.

# dev is built in build itself, every other preset in a folder of it.
build_folder() {
    if [ "$1" = dev ]; then echo build; else echo "build/$1"; fi
}

# Runs a command with its output in a log, or on the terminal where there is one;
# a failure shows the end of the log.
logged() {
    local log=$1
    shift
    if [ -t 1 ]; then
        "$@" 2>&1 | tee "$log"
        return "${PIPESTATUS[0]}"
    fi
    if ! "$@" >"$log" 2>&1; then
        grep -E -A 12 'error:|Error|FAILED|CMake Error' "$log" | head -n 120 || tail -n 60 "$log"
        return 1
    fi
}

build_preset() {
    local folder
    folder=$(build_folder "$1")
    mkdir -p "$folder"
    if [ ! -f "$folder/build.ninja" ]; then
        say "configuring $folder"
        logged "$folder/configure.log" cmake --preset "$1" ||
            die "configuring failed ($folder/configure.log)"
    fi
    say "building $folder"
    logged "$folder/build.log" cmake --build "$folder" -j "$jobs" ||
        die "the build failed ($folder/build.log)"
}

install_tree() {
    say "installing to $1"
    cmake --install build --prefix "$1" >build/install.log || die "installing failed (build/install.log)"
}
