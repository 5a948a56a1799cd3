# SPDX-License-Identifier: BSD-3-Clause
# Symbols and lines of programs through libdw. Where it is absent, `kutrace symbolize` names the
# kernel's functions only and says so.
pkg_check_modules(dw IMPORTED_TARGET libdw libelf)

if(dw_FOUND)
  set(KUTRACE_FEATURE_SYMBOLS "yes")
  target_link_libraries(kutrace_symbols PRIVATE PkgConfig::dw)
  return()
endif()

set(KUTRACE_FEATURE_SYMBOLS "no (missing when it was built: libdw)")
message(STATUS "kutrace symbolize for programs is switched off: missing libdw")
get_target_property(symbols_sources kutrace_symbols SOURCES)
list(FILTER symbols_sources EXCLUDE REGEX "/elf_(symbols|functions|go)\\.cpp$")
set_target_properties(kutrace_symbols PROPERTIES SOURCES "${symbols_sources}")
target_sources(kutrace_symbols PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/src/symbols/absent/no_libdw.cpp)
