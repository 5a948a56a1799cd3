# SPDX-License-Identifier: BSD-3-Clause
# Compiler settings for the project's own code: kutrace_options carries them to every target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)

set(KUTRACE_SANITIZE "" CACHE STRING "Sanitizers, comma separated: address,undefined or thread")
option(KUTRACE_FUZZ "Build the fuzzers with libFuzzer (clang)" OFF)
option(KUTRACE_WARNINGS_ARE_ERRORS "Warnings of the compiler end the build" ON)
option(KUTRACE_ASSERTIONS "Assertions of the standard library" OFF)

add_library(kutrace_options INTERFACE)
# Nothing that is built tells where its sources were, and one checkout finds what another compiled.
target_compile_options(kutrace_options INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
target_compile_options(kutrace_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> -Wcast-qual -Wformat=2 -Wundef
  $<$<BOOL:${KUTRACE_WARNINGS_ARE_ERRORS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns about its own std::string (GCC bug 105651).
  target_compile_options(kutrace_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The standard library of GCC 12 calls deprecated functions of its own.
  target_compile_options(kutrace_options INTERFACE -Wno-deprecated-declarations)
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  # Each number is then the one that x86-64 finds, to the last bit.
  target_compile_options(kutrace_options INTERFACE -ffp-contract=off)
endif()
if(KUTRACE_ASSERTIONS)
  target_compile_definitions(kutrace_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(KUTRACE_SANITIZE)
  target_compile_options(kutrace_options INTERFACE -fsanitize=${KUTRACE_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kutrace_options INTERFACE -fsanitize=${KUTRACE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What sanitizers insert makes GCC warn of what is not there (maybe-uninitialized,
    # stringop-overflow); the builds without them keep every warning an error.
    target_compile_options(kutrace_options INTERFACE -Wno-error)
  endif()
endif()
if(KUTRACE_FUZZ)
  target_compile_options(kutrace_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # What is compiled with precompiled headers is found only if ccache need not know of macros that
  # these define; none of the sources uses one that they only might define.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# kutrace_compile_quickly(target): for code that no speed hangs on, in optimised builds.
function(kutrace_compile_quickly target)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()
