// SPDX-License-Identifier: BSD-3-Clause
// Words from the front, and the last one.
#include "emit/stream/system_name.h"

#include <algorithm>

namespace kutrace::emit {

namespace {

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

SystemName system_name(std::string_view uname) {
  SystemName name;
  name.system = take_word(uname);
  take_word(uname);
  name.release = take_word(uname);
  const std::size_t last = uname.rfind(' ');
  // Imports may know no version.
  name.machine = uname.substr(last == std::string_view::npos ? 0 : last + 1);
  if (last == std::string_view::npos) return name;
  name.version = uname.substr(0, last);
  return name;
}

}  // namespace kutrace::emit
