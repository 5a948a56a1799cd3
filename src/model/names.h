// SPDX-License-Identifier: BSD-3-Clause
// Interned strings: each different name is kept once and spans carry its number.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kutrace {

using NameId = std::uint32_t;
constexpr NameId kNoName = 0;  // the empty string

class NameTable {
 public:
  NameTable();

  NameId intern(std::string_view text);
  const std::string& text(NameId id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque: views into it stay valid
  std::unordered_map<std::string_view, NameId> ids_;
};

}  // namespace kutrace
