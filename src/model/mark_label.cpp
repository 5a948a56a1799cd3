// SPDX-License-Identifier: BSD-3-Clause
// Reading labels.
#include "model/mark_label.h"

#include "base/text.h"

namespace kutrace {

std::string mark_label(const Span& mark, const NameTable& names) {
  const std::string& name = names.text(mark.name);
  const std::size_t equal = name.find('=');
  if (equal != std::string::npos) return name.substr(equal + 1);
  return std::to_string(mark.arg);
}

std::string end_of_label(const std::string& label) {
  std::string end = "/" + label;
  if (label.size() == kShortLabel && is_base40(label)) end.pop_back();
  return end;
}

}  // namespace kutrace
