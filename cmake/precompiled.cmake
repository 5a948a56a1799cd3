# SPDX-License-Identifier: BSD-3-Clause
# Headers of libraries that nearly every source includes, compiled once: half of what a source costs
# is reading them. Sources still include all that they use. Preset ci compiles src without, so that it
# finds an include that is missing, and keeps the warnings that GCC is not able to give with them.
set(KUTRACE_PRECOMPILE all CACHE STRING "Where headers of libraries are compiled once: all, tests, none")
set_property(CACHE KUTRACE_PRECOMPILE PROPERTY STRINGS all tests none)

# kutrace_precompiled(name header...): a set of headers, compiled as the rooms are compiled.
function(kutrace_precompiled name)
  if(KUTRACE_PRECOMPILE STREQUAL "none" OR
     (KUTRACE_PRECOMPILE STREQUAL "tests" AND NOT name MATCHES "_test_"))
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "// Nothing but its headers.\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE kutrace_options kutrace_fmt)
  set(headers "")
  foreach(header IN LISTS ARGN)
    list(APPEND headers "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
  endforeach()
  target_precompile_headers(${name} PRIVATE ${headers})
endfunction()

# kutrace_use_precompiled(target name): the sources of the target, all C++, start from that set.
function(kutrace_use_precompiled target name)
  if(NOT TARGET ${name})
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ccache then sees which headers were compiled ahead. GCC no longer knows which code in them is
    # its own, and warns about its own std::string.
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-stringop-overflow
                           -Wno-array-bounds)
  endif()
endfunction()
