# SPDX-License-Identifier: BSD-3-Clause
# Columns of pages are compressed through ISA-L. Where it is absent, zlib does it: `report` takes
# longer and its pages are a little larger.
pkg_check_modules(isal IMPORTED_TARGET libisal)

if(isal_FOUND AND NOT KUTRACE_LINK STREQUAL "static")  # Debian has no static library of it
  target_link_libraries(kutrace_emit_page PRIVATE PkgConfig::isal)
  return()
endif()

message(STATUS "quick compression of pages is switched off: missing ISA-L")
get_target_property(page_sources kutrace_emit_page SOURCES)
list(FILTER page_sources EXCLUDE REGEX "/quick_deflate\\.cpp$")
set_target_properties(kutrace_emit_page PROPERTIES SOURCES "${page_sources}")
target_sources(kutrace_emit_page PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/emit/page/absent/no_isal.cpp)
target_link_libraries(kutrace_emit_page PRIVATE PkgConfig::zlib)
