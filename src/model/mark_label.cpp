// SPDX-License-Identifier: BSD-3-Clause
// Reading labels.
#include "model/mark_label.h"

#include <string_view>

namespace kutrace {

std::string mark_label(const Span& mark, const NameTable& names) {
  const std::string& name = names.text(mark.name);
  const std::size_t equal = name.find('=');
  if (equal != std::string::npos) return name.substr(equal + 1);
  return std::to_string(mark.arg);
}

std::string end_of_label(const std::string& label) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-./";
  std::string end = "/" + label;
  if (label.size() == kShortLabel && label.find_first_not_of(kLetters) == std::string::npos)
    end.pop_back();
  return end;
}

}  // namespace kutrace
