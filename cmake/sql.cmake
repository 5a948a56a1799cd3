# SPDX-License-Identifier: BSD-3-Clause
# SQL over a trace through SQLite, 3.38 or newer. Where it is absent, `kutrace query` says so.
pkg_check_modules(sqlite IMPORTED_TARGET sqlite3>=3.38)

if(sqlite_FOUND)
  set(KUTRACE_FEATURE_SQL "yes")
  target_link_libraries(kutrace_query PUBLIC PkgConfig::sqlite)
  return()
endif()

set(KUTRACE_FEATURE_SQL "no (missing when it was built: SQLite 3.38 or newer)")
message(STATUS "kutrace query is switched off: missing SQLite 3.38 or newer")
get_target_property(query_sources kutrace_query SOURCES)
list(FILTER query_sources EXCLUDE REGEX "/(aggregates|database|sql_conditions|([a-z]+_)?totals|[a-z]+_function|[a-z]+_module)\\.cpp$")
set_target_properties(kutrace_query PROPERTIES SOURCES "${query_sources}")
target_sources(kutrace_query PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/query/absent/no_sqlite.cpp)
