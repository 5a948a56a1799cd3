# SPDX-License-Identifier: BSD-3-Clause
# What is installed beside the program: manual pages made from doc/man, and completion for shells.
# Without lowdown there are no manual pages; the same text stays readable in doc/man.
add_custom_target(installed DEPENDS kutrace)
install(FILES scripts/completion.bash DESTINATION share/bash-completion/completions
        RENAME kutrace)
install(FILES scripts/completion.zsh DESTINATION share/zsh/vendor-completions RENAME _kutrace)
install(FILES scripts/completion.fish DESTINATION share/fish/vendor_completions.d
        RENAME kutrace.fish)

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
