// SPDX-License-Identifier: BSD-3-Clause
// Everything in a file of spans but the spans: the keys of its object, in any order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_scanner.h"
#include "base/units.h"
#include "format/span_json_keys.h"
#include "model/trace_info.h"

namespace kutrace::read {

struct JsonHeader {
  std::string title;
  std::string tracebase;  // "2025-09-17_05:57:00", local time of the traced machine
  std::string kernel_version;
  std::string cpu_model;
  std::string host_name;
  std::uint64_t flags = 0;
  std::uint64_t version = 0;  // 0: not said
  std::uint64_t mbit_sec = 0;
  bool presorted = false;
  std::string_view extra;          // as text: callouts of the page
  std::string_view savedview;      // as text: views of the page
  std::vector<std::string> facts;  // "key=value" lines that this project adds
  Ns time_zero = 0;                // time of the file at which the recording's is 0

  // Takes the value of `key`; the scanner stands at it.
  void read_value(std::string_view key, JsonScanner& scanner);
  // What of it a trace's facts hold, threads included.
  void apply(TraceInfo& info) const;

 private:
  void take_fact(std::string fact);
};

// "2025-09-17_05:57:00" as usec since 1970 as if it were UTC.
std::optional<std::uint64_t> tracebase_usec(std::string_view text);

}  // namespace kutrace::read
