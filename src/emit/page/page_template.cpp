// SPDX-License-Identifier: BSD-3-Clause
// Embeds the file that KUTRACE_PAGE_HTML (cmake/page.cmake) names.
#include "emit/page/page_template.h"

// clang-format off
asm(".section .rodata\n"
    ".global kutrace_page_begin\n"
    ".global kutrace_page_end\n"
    "kutrace_page_begin:\n"
    ".incbin \"" KUTRACE_PAGE_HTML "\"\n"
    "kutrace_page_end:\n"
    ".byte 0\n"
    ".previous\n");
// clang-format on

extern "C" {
extern const char kutrace_page_begin[];
extern const char kutrace_page_end[];
}

namespace kutrace::emit {

std::string_view page_template() {
  return {kutrace_page_begin, static_cast<std::size_t>(kutrace_page_end - kutrace_page_begin)};
}

}  // namespace kutrace::emit
