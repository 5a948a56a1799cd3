// SPDX-License-Identifier: BSD-3-Clause
// One event of the Trace Event Format as it stands in the text. In: a scanner that stands at the
// event's brace; out: times and the texts of fields. Keys that are not used are passed over; of a
// key that comes twice, the last one counts.
#pragma once

#include <optional>
#include <string_view>

#include "base/json_scanner.h"
#include "base/units.h"
#include "read/form/json_records.h"

namespace kutrace::read {

struct ChromeEvent {
  char phase = 0;
  std::optional<Ns> time;
  std::optional<Ns> duration;
  bool bad_time = false;  // a time or length that is none, or out of range
  // Insides of strings, escapes not resolved; or numbers, as they stand. Empty: not told.
  std::string_view name;
  std::string_view category;
  std::string_view process;
  std::string_view thread;
  std::string_view id;
  bool id_is_local = false;  // it is the process's own
  std::string_view args;     // the object as text
};

// kOther: no object, or one without a phase.
RecordShape read_chrome_event(JsonScanner& scanner, ChromeEvent& event);

// Calls `take(key, value)` for each member of an object, given as text, whose value is text or a
// number, as ChromeEvent has them.
template <typename Take>
void each_chrome_member(std::string_view object, Take&& take) {
  JsonScanner scanner(object);
  scanner.take('{');
  while (!scanner.failed() && !scanner.at_end() && !scanner.take('}')) {
    const std::string_view key = scanner.raw_string();
    scanner.expect(':', "a colon is expected");
    if (scanner.failed()) return;
    const std::string_view value =
        scanner.peek() == '"' ? scanner.raw_string() : scanner.skip_value();
    if (!scanner.failed()) take(key, value);
    scanner.take(',');
  }
}

}  // namespace kutrace::read
