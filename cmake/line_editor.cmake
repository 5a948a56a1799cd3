# SPDX-License-Identifier: BSD-3-Clause
# History, editing and completion in the shell of `kutrace query` through libedit. Where it is
# absent, the shell reads lines as the terminal gives them.
pkg_check_modules(libedit IMPORTED_TARGET libedit)

if(libedit_FOUND)
  set(KUTRACE_FEATURE_LINE_EDITOR "yes")
  target_link_libraries(kutrace_cli PRIVATE PkgConfig::libedit)
  return()
endif()

set(KUTRACE_FEATURE_LINE_EDITOR "no (missing when it was built: libedit)")
message(STATUS "history and completion in kutrace query are switched off: missing libedit")
get_target_property(cli_library_sources kutrace_cli SOURCES)
list(FILTER cli_library_sources EXCLUDE REGEX "/line_editor\\.cpp$")
set_target_properties(kutrace_cli PROPERTIES SOURCES "${cli_library_sources}")
target_sources(kutrace_cli PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/absent/no_libedit.cpp)
