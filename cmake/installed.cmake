# SPDX-License-Identifier: BSD-3-Clause
# What is installed beside program and headers: manual pages made from doc/man, completion for shells,
# units of the flight recorder and the daemon, SQL about many hosts; and, only if asked for (--component module), the
# module's sources where DKMS looks for them, which is below /usr. Without lowdown there are no manual
# pages; the same text stays readable in doc/man.
add_custom_target(installed DEPENDS kutrace kutrace-functions)
install(FILES scripts/completion.bash DESTINATION share/bash-completion/completions
        RENAME kutrace)
install(FILES scripts/completion.zsh DESTINATION share/zsh/site-functions RENAME _kutrace)
install(FILES scripts/completion.fish DESTINATION share/fish/vendor_completions.d
        RENAME kutrace.fish)
install(FILES scripts/fleet/views.sql scripts/fleet/tables.duckdb.sql scripts/fleet/tables.clickhouse.sql
              scripts/fleet/tables.spark.sql scripts/fleet/tables.trino.sql
        DESTINATION share/kutrace/fleet)
install(FILES include/languages/kutrace.py include/languages/kutrace.go include/languages/kutrace.rs
              include/languages/Kutrace.java include/languages/kutrace.js DESTINATION share/kutrace/languages)
install(PROGRAMS scripts/fleet/lake DESTINATION share/kutrace/fleet)
install(FILES scripts/packaging/kutrace-flight-recorder.service scripts/packaging/kutrace-daemon.service
              scripts/packaging/kutrace-daemon.socket DESTINATION lib/systemd/system)

set(module_sources ${CMAKE_CURRENT_BINARY_DIR}/module-sources)
install(CODE "
  execute_process(COMMAND \"${CMAKE_CURRENT_SOURCE_DIR}/scripts/module\" sources \"${module_sources}\"
                  COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT module EXCLUDE_FROM_ALL)
install(DIRECTORY ${module_sources}/ DESTINATION src/kutrace-${PROJECT_VERSION}
        USE_SOURCE_PERMISSIONS COMPONENT module EXCLUDE_FROM_ALL)

find_program(KUTRACE_LOWDOWN lowdown)
if(NOT KUTRACE_LOWDOWN)
  message(STATUS "manual pages are switched off: missing lowdown")
  return()
endif()

file(GLOB man_texts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/doc/man/*.1.md)
set(man_pages)
foreach(text IN LISTS man_texts)
  get_filename_component(name ${text} NAME_WLE)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/man/${name})
  add_custom_command(OUTPUT ${page} DEPENDS ${text} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/manpage
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/manpage ${KUTRACE_LOWDOWN} ${text} ${page})
  list(APPEND man_pages ${page})
endforeach()
add_custom_target(manpages ALL DEPENDS ${man_pages})
add_dependencies(installed manpages)
install(FILES ${man_pages} DESTINATION share/man/man1)
