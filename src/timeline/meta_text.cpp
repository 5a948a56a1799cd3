// SPDX-License-Identifier: BSD-3-Clause
// Joining META chunks.
#include "timeline/meta_text.h"

#include <algorithm>

#include "kutrace/abi.h"

namespace kutrace {

void MetaText::push(const Entry& entry) { chunks_[entry.arg] = entry.payload_text(); }

std::vector<std::pair<std::string, std::string>> MetaText::facts() const {
  std::vector<std::string> texts;
  std::uint32_t serial = 0;
  for (const auto& [key, chunk] : chunks_) {
    if (texts.empty() || serial != (key & ~KUTRACE_META_CHUNK_MASK)) texts.emplace_back();
    serial = key & ~KUTRACE_META_CHUNK_MASK;
    texts.back() += chunk;
  }
  std::vector<std::pair<std::string, std::string>> facts;
  for (const std::string& text : texts) {
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
