# How everything in this tree is compiled, and tn_folder(): one target a folder.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(TENON_PLUGIN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Optimized with assertions on, unless Release is asked for.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_RELEASE "-O2 -g -DNDEBUG")

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${TENON_CCACHE})
endif()

set(tn_sanitize_flags "")
if(TENON_SANITIZE)
    set(tn_sanitize_flags -fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer
                          -fno-sanitize-recover=all)
endif()
if(TENON_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
        message(FATAL_ERROR "TENON_FUZZ needs clang (libFuzzer); the compiler is "
                            "${CMAKE_C_COMPILER_ID}. Use the fuzz preset.")
    endif()
    list(APPEND tn_sanitize_flags -fsanitize=fuzzer-no-link)
endif()
add_compile_options(${tn_sanitize_flags})
add_link_options(${tn_sanitize_flags})
if(TENON_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()

# Arithmetic is what the source says: no contraction (an FMA is written as one),
# no fast-math of any kind.
add_compile_options(-ffp-contract=off)

add_library(tn_warnings INTERFACE)
target_compile_options(tn_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wformat=2 -Wimplicit-fallthrough
    -Wcast-align -Wnested-externs -Wno-missing-field-initializers)
if(TENON_WERROR)
    target_compile_options(tn_warnings INTERFACE -Werror)
endif()

# What core, registry and sdk/host share. banned.h comes before every line of
# theirs, so that an unsafe call does not compile.
add_library(tn_internal INTERFACE)
target_link_libraries(tn_internal INTERFACE tn_warnings)
target_compile_definitions(tn_internal INTERFACE _GNU_SOURCE)
target_compile_options(tn_internal INTERFACE
    "SHELL:-include ${PROJECT_SOURCE_DIR}/core/base/banned.h")

# tn_folder(NAME [DEPENDS targets below it...] [LIBS external...] [INCLUDE dir])
# makes this folder's *.c the static library NAME, whose headers are included
# relative to INCLUDE (its root: core, registry). A folder without sources yet
# is a target of headers. NAME joins the list of what libtenon.so is made of.
function(tn_folder name)
    cmake_parse_arguments(arg "" "INCLUDE" "DEPENDS;LIBS" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS *.c)
    if(sources)
        add_library(${name} STATIC ${sources})
        set(scope PUBLIC)
        target_link_libraries(${name} PRIVATE tn_internal)
        set_property(GLOBAL APPEND PROPERTY tn_library_folders ${name})
    else()
        add_library(${name} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(${name} ${scope} ${arg_INCLUDE} ${PROJECT_SOURCE_DIR}/sdk/include)
    target_link_libraries(${name} ${scope} ${arg_DEPENDS} ${arg_LIBS})
endfunction()
