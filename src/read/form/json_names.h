// SPDX-License-Identifier: BSD-3-Clause
// Names as they stand in JSON to names of a trace. In: the inside of a string of the file, which
// stays; out: its number, the same for the same text. Most names come thousands of times.
#pragma once

#include <string_view>
#include <unordered_map>

#include "base/json_scanner.h"
#include "base/text.h"
#include "model/names.h"

namespace kutrace::read {

class JsonNames {
 public:
  explicit JsonNames(NameTable& names) : names_(names) {}

  NameId intern(std::string_view raw) {
    if (raw.empty()) return kNoName;
    const auto found = known_.find(raw);
    if (found != known_.end()) return found->second;
    const NameId id = names_.intern(printable(json_unescaped(raw)));
    known_.emplace(raw, id);
    return id;
  }

 private:
  NameTable& names_;
  std::unordered_map<std::string_view, NameId> known_;
};

}  // namespace kutrace::read
