// SPDX-License-Identifier: BSD-3-Clause
// Splitting META texts at their first "=".
#include "timeline/meta_text.h"

#include <algorithm>

namespace kutrace {

std::vector<std::pair<std::string, std::string>> MetaText::facts() const {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const std::string& text : chunks_.texts()) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos) {
      facts.emplace_back(text, "");
    } else {
      facts.emplace_back(text.substr(0, equal), text.substr(equal + 1));
    }
  }
  return facts;
}

std::optional<std::string> find_fact(const std::vector<std::pair<std::string, std::string>>& facts,
                                     const std::string& key) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&key](const auto& fact) { return fact.first == key; });
  if (found == facts.end()) return std::nullopt;
  return found->second;
}

}  // namespace kutrace
