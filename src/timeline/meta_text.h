// SPDX-License-Identifier: BSD-3-Clause
// META entries to key=value facts: enters chunks in any order, leave whole texts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "timeline/text_chunks.h"

namespace kutrace {

class MetaText {
 public:
  // `entry` is of kind META.
  void push(const Entry& entry) { chunks_.push(entry); }
  // In order of serial numbers. A text without "=" is a key without a value.
  std::vector<std::pair<std::string, std::string>> facts() const;

 private:
  TextChunks chunks_;
};

// Value of the first fact with this key.
std::optional<std::string> find_fact(const std::vector<std::pair<std::string, std::string>>& facts,
                                     const std::string& key);

}  // namespace kutrace
