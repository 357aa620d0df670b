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
tn_dependency(nettle nettle nettle-dev)
tn_dependency(xxhash libxxhash libxxhash-dev)
tn_dependency(sqlite sqlite3 libsqlite3-dev)
tn_dependency(cjson libcjson libcjson-dev)
if(TENON_TESTS)
    tn_dependency(criterion criterion libcriterion-dev)
endif()

# oneDNN's own package file would also want OpenCL's headers.
find_path(TENON_DNNL_INCLUDE dnnl.h)
find_library(TENON_DNNL_LIBRARY dnnl)
if(NOT TENON_DNNL_INCLUDE OR NOT TENON_DNNL_LIBRARY)
    message(FATAL_ERROR "Tenon needs oneDNN, which was not found. "
                        "Install the package libdnnl-dev (`./dev build` does).")
endif()
add_library(tn_dnnl INTERFACE)
target_include_directories(tn_dnnl SYSTEM INTERFACE ${TENON_DNNL_INCLUDE})
target_link_libraries(tn_dnnl INTERFACE ${TENON_DNNL_LIBRARY})
add_library(tn::dnnl ALIAS tn_dnnl)
