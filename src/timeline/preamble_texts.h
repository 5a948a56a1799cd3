// SPDX-License-Identifier: BSD-3-Clause
// Texts among the first entries of a raw trace. In: its layout; out: the texts of one kind of
// entry, or the records in them, in order of serial numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"

namespace kutrace::timeline {

struct TraceLayout;

std::vector<std::string> preamble_texts(const TraceLayout& layout, EventNum kind);

// Texts that do not parse are left out.
template <typename Record>
std::vector<Record> preamble_records(const TraceLayout& layout, EventNum kind,
                                     std::optional<Record> (*parse)(std::string_view)) {
  std::vector<Record> records;
  for (const std::string& text : preamble_texts(layout, kind)) {
    if (auto record = parse(text)) records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace kutrace::timeline
