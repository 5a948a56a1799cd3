// SPDX-License-Identifier: BSD-3-Clause
// Events of this project's own export, back to spans. In: an event of one of its two processes;
// out: the span that it was made of, as far as the event has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "model/names.h"
#include "model/span.h"
#include "read/chrome/chrome_event.h"
#include "read/form/json_names.h"

namespace kutrace::read {

enum class ChromeRow : std::uint8_t { kOther, kCpu, kThread };

// Whose row the event stands in: the export's, or another program's.
ChromeRow row_of(const ChromeEvent& event);
// Number of the CPU or thread of such a row; nothing: it has none.
std::optional<CpuId> cpu_of_row(const ChromeEvent& event);
std::optional<Pid> thread_of_row(const ChromeEvent& event);
// The CPU that a counter of frequencies is of; nothing: it is none, or of no CPU that there can be.
std::optional<CpuId> cpu_of_frequency(const ChromeEvent& event);

// The kind that an event's category names.
std::optional<SpanKind> kind_of_category(std::string_view category);
// Whether an export has the kind as an instant, or as a slice that overlaps others of its thread.
bool is_moment(SpanKind kind);
bool is_interval(SpanKind kind);
// Whether the event is what a CPU did: it has a CPU, a time and a length.
bool is_execution_row(const ChromeEvent& event);

class ChromeRows {
 public:
  explicit ChromeRows(NameTable& names) : names_(names) {}

  // The span of an event, its kind being known; CPU and thread are those of its row, or of its
  // arguments. Times are as in the file.
  Span span_of(const ChromeEvent& event, SpanKind kind);
  NameId intern(std::string_view raw) { return names_.intern(raw); }

 private:
  JsonNames names_;
  std::unordered_map<std::uint64_t, EventNum> events_;  // by kind and name
};

}  // namespace kutrace::read
