// SPDX-License-Identifier: BSD-3-Clause
// Fields of an event.
#include "read/chrome/chrome_event.h"

namespace kutrace::read {

namespace {

std::string_view text_or_number(JsonScanner& scanner) {
  return scanner.peek() == '"' ? scanner.raw_string() : scanner.skip_value();
}

// Some writers put times into quotes.
std::optional<Ns> time_of(std::string_view text, bool& is_bad) {
  JsonScanner scanner(text);
  const Ns time = scanner.microseconds();
  if (!scanner.failed() && scanner.at_end()) return time;
  is_bad = true;
  return std::nullopt;
}

void read_id(std::string_view object, ChromeEvent& event) {
  each_chrome_member(object, [&event](std::string_view key, std::string_view value) {
    if (key != "local" && key != "global") return;
    event.id = value;
    event.id_is_local = key == "local";
  });
}

void read_field(std::string_view key, JsonScanner& scanner, ChromeEvent& event) {
  if (key == "ph") {
    const std::string_view phase = text_or_number(scanner);
    event.phase = phase.size() == 1 ? phase[0] : '\0';
  } else if (key == "ts") {
    event.time = time_of(text_or_number(scanner), event.bad_time);
  } else if (key == "dur") {
    event.duration = time_of(text_or_number(scanner), event.bad_time);
  } else if (key == "name") {
    event.name = text_or_number(scanner);
  } else if (key == "cat") {
    event.category = text_or_number(scanner);
  } else if (key == "pid") {
    event.process = text_or_number(scanner);
  } else if (key == "tid") {
    event.thread = text_or_number(scanner);
  } else if (key == "id") {
    event.id = text_or_number(scanner);
  } else if (key == "id2") {
    read_id(scanner.skip_value(), event);
  } else if (key == "args") {
    event.args = scanner.skip_value();
  } else {
    scanner.skip_value();
  }
}

}  // namespace

RecordShape read_chrome_event(JsonScanner& scanner, ChromeEvent& event) {
  event = {};
  if (scanner.peek() != '{') {
    scanner.skip_value();
    return scanner.failed() ? RecordShape::kBroken : RecordShape::kOther;
  }
  scanner.take('{');
  while (!scanner.failed() && !scanner.take('}')) {
    const std::string_view key = scanner.raw_string();
    scanner.expect(':', "a colon is expected");
    if (!scanner.failed()) read_field(key, scanner, event);
    if (!scanner.failed() && scanner.peek() != '}') scanner.expect(',', "a comma is expected");
  }
  if (scanner.failed()) return RecordShape::kBroken;
  return event.phase != '\0' ? RecordShape::kUsable : RecordShape::kOther;
}

}  // namespace kutrace::read
