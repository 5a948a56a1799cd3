// SPDX-License-Identifier: BSD-3-Clause
// One record of the span JSON, as it stands: [ts, dur, cpu, pid, rpc, event, arg, retval, ipc,
// "name"]. In: a scanner that stands at its bracket; out: numbers and the raw name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json_scanner.h"
#include "base/units.h"
#include "read/form/json_records.h"

namespace kutrace::read {

struct JsonRecord {
  Ns start = 0;
  Ns duration = 0;
  std::int64_t cpu = 0;
  std::int64_t pid = 0;
  std::int64_t rpc = 0;
  std::int64_t event = 0;
  std::int64_t arg = 0;
  std::int64_t result = 0;
  std::int64_t ipc = 0;   // absent in the first versions
  std::string_view name;  // escapes not resolved
};

RecordShape read_record(JsonScanner& scanner, JsonRecord& record);

// The record that upstream's tools put at the end of the spans.
bool is_sentinel(const JsonRecord& record);

// Whether it is the number of a CPU, or below 0: none.
bool is_cpu_or_none(std::int64_t number);

// Whether CPU, thread and result are numbers that a span can hold.
bool in_range(const JsonRecord& record);

// Whether the record is in range and says what a CPU did, as opposed to what lies over its
// timeline.
bool is_cpu_record(const JsonRecord& record);

// Whether the record says what a thread waited for.
bool is_wait_record(const JsonRecord& record);

}  // namespace kutrace::read
