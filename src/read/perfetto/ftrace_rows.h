// SPDX-License-Identifier: BSD-3-Clause
// Which of Perfetto's messages is which of the kernel's tracepoints, and where their fields stand.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <unordered_map>

#include "format/perfetto_fields.h"
#include "read/import/tracepoints.h"

namespace kutrace::read {

struct FtraceRow {
  const Tracepoint* tracepoint = nullptr;
  std::array<perfetto::FieldNumber, 3> numbers{};  // in the tracepoint's order; 0: it has none
  std::array<perfetto::FieldNumber, 2> texts{};    // likewise
};

class FtraceRows {
 public:
  FtraceRows();

  // A message that the trace itself describes, of a tracepoint that Perfetto does not know.
  void describe(perfetto::FieldNumber field, std::span<const std::byte> descriptor);
  // Null: it is none that is used.
  const FtraceRow* find(perfetto::FieldNumber field) const;

 private:
  std::unordered_map<perfetto::FieldNumber, FtraceRow> rows_;
};

}  // namespace kutrace::read
