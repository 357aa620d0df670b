# tenon_add_plugin(NAME SOURCES files... [LIBS libraries...] [INSTALL])
#
# Builds NAME.so, an operator plugin: it exports tenon_plugin_query and nothing
# else, leaves no symbol undefined, binds its own symbols to itself, and carries
# a build id by which the host knows the file again. The same helper builds the
# plugins that come with Tenon and anyone else's:
#
#     find_package(Tenon REQUIRED)
#     tenon_add_plugin(acme SOURCES acme.c)
#
# NAME is also the CMake target, with "_plugin" appended where that is taken.
set(TENON_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/plugin.map)

function(tenon_add_plugin name)
    cmake_parse_arguments(arg "INSTALL" "" "SOURCES;LIBS" ${ARGN})
    if(NOT arg_SOURCES)
        message(FATAL_ERROR "tenon_add_plugin(${name}): no SOURCES were given")
    endif()
    set(target ${name}_plugin)
    add_library(${target} MODULE ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name} PREFIX "" SUFFIX ".so"
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
        LINK_DEPENDS ${TENON_PLUGIN_MAP})
    if(TENON_PLUGIN_OUTPUT_DIRECTORY)
        set_target_properties(${target} PROPERTIES
            LIBRARY_OUTPUT_DIRECTORY ${TENON_PLUGIN_OUTPUT_DIRECTORY})
    endif()
    target_link_libraries(${target} PRIVATE Tenon::plugin ${arg_LIBS})
    target_link_options(${target} PRIVATE
        -Wl,--version-script=${TENON_PLUGIN_MAP} -Wl,-Bsymbolic -Wl,--build-id=sha1)
    # clang leaves the sanitizer's own symbols to the program.
    if(NOT (CMAKE_C_COMPILER_ID MATCHES Clang AND (TENON_SANITIZE OR TENON_FUZZ)))
        target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    if(arg_INSTALL)
        install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon/plugins)
    endif()
endfunction()
