# SPDX-License-Identifier: BSD-3-Clause
# How the program finds its libraries, KUTRACE_LINK. Defines kutrace_fmt and kutrace_spdlog.
#   shared    all are the machine's
#   portable  fmt and spdlog come from their headers: their libraries' names differ between releases of
#             distributions, those of others do not
#   static    all come from .a files, for any Linux of its architecture: one file that needs nothing
set(KUTRACE_LINK shared CACHE STRING "How the program finds its libraries: shared, portable or static")
set_property(CACHE KUTRACE_LINK PROPERTY STRINGS shared portable static)

add_library(kutrace_fmt INTERFACE)
add_library(kutrace_spdlog INTERFACE)
if(KUTRACE_LINK STREQUAL "shared")
  target_link_libraries(kutrace_fmt INTERFACE fmt::fmt)
  target_link_libraries(kutrace_spdlog INTERFACE spdlog::spdlog)
else()
  target_link_libraries(kutrace_fmt INTERFACE fmt::fmt-header-only)
  # spdlog's own target without its library names fmt's.
  target_compile_definitions(kutrace_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
  target_link_libraries(kutrace_spdlog INTERFACE kutrace_fmt Threads::Threads)
endif()
if(KUTRACE_LINK STREQUAL "static")
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(PKG_CONFIG_ARGN --static)  # names what libraries need in turn
  set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -static")
endif()
