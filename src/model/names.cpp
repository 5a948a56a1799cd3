// SPDX-License-Identifier: BSD-3-Clause
// Interned strings.
#include "model/names.h"

namespace kutrace {

NameTable::NameTable() { intern(""); }

NameId NameTable::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<NameId>(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

}  // namespace kutrace
