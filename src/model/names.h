// SPDX-License-Identifier: BSD-3-Clause
// Interned strings: each different text is kept once, and spans hold its number.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

using NameId = std::uint32_t;
constexpr NameId kNoName = 0;  // the empty string

class NameTable {
 public:
  NameTable();

  // The text's number; the same text always has the same one. Numbers ascend from 0, the empty
  // text.
  NameId intern(std::string_view text);
  const std::string& text(NameId id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  // Where the text stands in places_, or the free place where it would.
  NameId& place_of(std::string_view text);
  void grow();

  std::deque<std::string> texts_;  // they stay where they are
  // By hash, or next to that place; kNoName: free. Of 2^n places at least a quarter is free.
  std::vector<NameId> places_;
};

}  // namespace kutrace
