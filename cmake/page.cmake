# SPDX-License-Identifier: BSD-3-Clause
# Embeds the built viewer, web/dist/page.html, into kutrace_emit_page. Building it anew needs node
# (web/build.mjs); building kutrace does not.
set(KUTRACE_PAGE_HTML ${CMAKE_CURRENT_SOURCE_DIR}/web/dist/page.html)
if(NOT EXISTS ${KUTRACE_PAGE_HTML})
  message(FATAL_ERROR "web/dist/page.html is missing: run `npm ci && npm run build` in web/")
endif()
set_source_files_properties(src/emit/page/page_template.cpp PROPERTIES
  COMPILE_DEFINITIONS KUTRACE_PAGE_HTML="${KUTRACE_PAGE_HTML}"
  OBJECT_DEPENDS ${KUTRACE_PAGE_HTML})
set(KUTRACE_FEATURE_PAGE "yes")
