// SPDX-License-Identifier: BSD-3-Clause
// Putting words into lines.
#include "emit/text/wrapped_lines.h"

#include <algorithm>
#include <string>

namespace kutrace::emit {

void wrapped(std::string_view text, std::size_t indent, std::size_t width, const LineSink& line) {
  std::string out(indent, ' ');
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const bool is_first = out.size() == indent;
    if (!is_first && out.size() + 1 + end - at > width) {
      line(out);
      out.assign(indent, ' ');
    } else if (!is_first) {
      out += ' ';
    }
    out += text.substr(at, end - at);
    at = end + 1;
  }
  if (out.size() > indent) line(out);
}

}  // namespace kutrace::emit
