# The libraries the product uses, each found once, as a target tn::NAME.
# `./dev` installs them; the message says what to install by hand.

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

function(tn_dependency name module package)
    pkg_check_modules(tn_${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(NOT tn_${name}_FOUND)
        message(FATAL_ERROR "Tenon needs ${module}, which was not found. "
                            "Install the package ${package} (`./dev build` does).")
    endif()
    add_library(tn::${name} ALIAS PkgConfig::tn_${name})
endfunction()

tn_dependency(elf libelf libelf-dev)
tn_dependency(xxhash libxxhash libxxhash-dev)
tn_dependency(sqlite sqlite3 libsqlite3-dev)
tn_dependency(cjson libcjson libcjson-dev)
if(TENON_TESTS)
    tn_dependency(criterion criterion libcriterion-dev)
endif()

find_package(dnnl QUIET CONFIG)
if(NOT dnnl_FOUND)
    message(FATAL_ERROR "Tenon needs oneDNN, which was not found. "
                        "Install the package libdnnl-dev (`./dev build` does).")
endif()
add_library(tn_dnnl INTERFACE)
target_link_libraries(tn_dnnl INTERFACE DNNL::dnnl)
add_library(tn::dnnl ALIAS tn_dnnl)
