# SPDX-License-Identifier: BSD-3-Clause
# Headers of libraries that nearly every source includes, compiled once: half of what a source costs
# is reading them. Sources still include all that they use. Preset ci compiles without, so that it
# finds an include that is missing, and keeps the warnings that GCC is not able to give with them.
option(KUTRACE_PRECOMPILE "Compile the headers of libraries once" ON)

# kutrace_precompiled(name header...): a set of headers, compiled as the rooms are compiled.
function(kutrace_precompiled name)
  if(NOT KUTRACE_PRECOMPILE)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "// Nothing but its headers.\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE kutrace_options fmt::fmt)
  set(headers "")
  foreach(header IN LISTS ARGN)
    list(APPEND headers "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
  endforeach()
  target_precompile_headers(${name} PRIVATE ${headers})
endfunction()

# kutrace_use_precompiled(target name): the sources of the target, all C++, start from that set.
function(kutrace_use_precompiled target name)
  if(NOT KUTRACE_PRECOMPILE)
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
