# SPDX-License-Identifier: BSD-3-Clause
# What programs link to show calls of their functions (doc/functions.md): libkutrace-functions.a. It must not call
# itself, nor write vector registers, which hold arguments where its hooks are called.
include(GNUInstallDirs)
set(function_sources ${CMAKE_CURRENT_SOURCE_DIR}/src/functions/functions.c
    ${CMAKE_CURRENT_SOURCE_DIR}/src/functions/names.c)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  enable_language(ASM)
  list(APPEND function_sources ${CMAKE_CURRENT_SOURCE_DIR}/src/functions/hooks_x86_64.S)
endif()
add_library(kutrace-functions STATIC ${function_sources})
target_include_directories(kutrace-functions PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
set_target_properties(kutrace-functions PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
target_compile_options(kutrace-functions PRIVATE
  $<$<COMPILE_LANGUAGE:C>:-O2 -Wall -Wextra $<$<BOOL:${KUTRACE_WARNINGS_ARE_ERRORS}>:-Werror> -fno-builtin -mgeneral-regs-only>
  $<$<AND:$<COMPILE_LANGUAGE:C>,$<C_COMPILER_ID:GNU>>:-fno-tree-loop-distribute-patterns>)
install(TARGETS kutrace-functions ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
