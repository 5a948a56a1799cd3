// SPDX-License-Identifier: BSD-3-Clause
// Interned strings. A trace may have as many names as threads, so the table of them is one of
// numbers, without a node for each.
#include "model/names.h"

#include <functional>

namespace kutrace {

NameTable::NameTable() : texts_(1), places_(64) {}

NameId& NameTable::place_of(std::string_view text) {
  const std::size_t last = places_.size() - 1;
  std::size_t place = std::hash<std::string_view>()(text) & last;
  while (places_[place] != kNoName && texts_[places_[place]] != text) place = (place + 1) & last;
  return places_[place];
}

void NameTable::grow() {
  places_.assign(2 * places_.size(), kNoName);
  for (NameId id = 1; id < texts_.size(); ++id) place_of(texts_[id]) = id;
}

NameId NameTable::intern(std::string_view text) {
  if (text.empty()) return kNoName;
  if (texts_.size() > places_.size() / 4 * 3) grow();
  NameId& place = place_of(text);
  if (place == kNoName) {
    texts_.emplace_back(text);
    place = static_cast<NameId>(texts_.size() - 1);
  }
  return place;
}

}  // namespace kutrace
