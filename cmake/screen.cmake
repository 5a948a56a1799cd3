# SPDX-License-Identifier: BSD-3-Clause
# The screen of `kutrace top` through ncurses. Where it is absent, the table is printed as text.
pkg_check_modules(ncursesw ncursesw)

if(ncursesw_FOUND)
  set(KUTRACE_FEATURE_SCREEN "yes")
  # The library alone: its flags ask for a standard of long ago.
  target_link_libraries(kutrace_cli PRIVATE ${ncursesw_LINK_LIBRARIES})
  return()
endif()

set(KUTRACE_FEATURE_SCREEN "no (missing when it was built: ncurses)")
message(STATUS "the screen of kutrace top is switched off: missing ncursesw")
get_target_property(cli_library_sources kutrace_cli SOURCES)
list(FILTER cli_library_sources EXCLUDE REGEX "/top_screen\\.cpp$")
set_target_properties(kutrace_cli PROPERTIES SOURCES "${cli_library_sources}")
target_sources(kutrace_cli PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/absent/no_ncurses.cpp)
