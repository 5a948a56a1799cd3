// SPDX-License-Identifier: BSD-3-Clause
// Keys of the object around the events.
#include "read/chrome/chrome_text.h"

#include <fmt/format.h>

#include <utility>

#include "base/number_text.h"
#include "base/text.h"

namespace kutrace::read {

namespace {

constexpr std::string_view kEvents = "traceEvents";

// Whether the object that the scanner stands at has the key of a phase, as far as it is there.
bool begins_with_event(JsonScanner scanner) {
  scanner.take('{');
  while (!scanner.failed()) {
    const std::string_view key = scanner.raw_string();
    if (!scanner.take(':')) return false;
    if (key == "ph") return true;
    scanner.skip_value();
    if (!scanner.take(',')) return false;
  }
  return false;
}

}  // namespace

bool is_chrome_json(std::string_view text) {
  JsonScanner scanner(text);
  if (scanner.take('[')) return scanner.peek() == '{' && begins_with_event(scanner);
  if (!scanner.take('{')) return false;
  while (!scanner.failed()) {
    const std::string_view key = scanner.raw_string();
    if (!scanner.take(':')) return false;
    if (key == kEvents) return scanner.peek() == '[';
    // Span JSON has its spans under this key.
    if (key == "events") return false;
    scanner.skip_value();
    if (!scanner.take(',')) return false;
  }
  return false;
}

Result<ChromeText> ChromeText::open(std::string_view text, const std::string& file_name) {
  ChromeText chrome(text);
  JsonScanner scanner(text);
  if (scanner.peek() == '[') {
    chrome.events_at_ = scanner.position();
  } else {
    KUTRACE_TRY(chrome.read_object(file_name));
  }
  return chrome;
}

Status ChromeText::read_object(const std::string& file_name) {
  JsonScanner scanner(text_);
  scanner.expect('{', "a JSON object is expected");
  bool is_cut = false;
  while (!scanner.failed() && !scanner.take('}')) {
    const std::string_view key = scanner.raw_string();
    scanner.expect(':', "a colon is expected");
    if (scanner.failed()) break;
    if (key == kEvents && scanner.peek() == '[' && events_at_ == std::string_view::npos) {
      events_at_ = scanner.position();
      is_cut = walk_json_records(
                   text_, scanner, '{',
                   [event = ChromeEvent()](JsonScanner& at) mutable {
                     return read_chrome_event(at, event);
                   },
                   [](std::size_t, std::size_t) {})
                   .cut;
    } else {
      read_value(key, scanner);
    }
    if (scanner.peek() != '}' && !scanner.failed()) scanner.expect(',', "a comma is expected");
  }
  if (events_at_ == std::string_view::npos) {
    return fail(input_error(fmt::format("has no array of events that can be read: {}",
                                        scanner.failed() ? scanner.error() : "it is not there"))
                    .with_file(file_name)
                    .with_byte(scanner.position())
                    .with_hint(R"(Chrome's JSON is an object with an array "traceEvents")"));
  }
  tail_lost_ = scanner.failed() && !is_cut;
  return {};
}

void ChromeText::read_value(std::string_view key, JsonScanner& scanner) {
  const std::string_view value = scanner.skip_value();
  if (key == "otherData") {
    each_chrome_member(value, [this](std::string_view name, std::string_view told) {
      if (name == "title") title_ = printable(json_unescaped(told));
      if (name == "host") host_ = printable(json_unescaped(told));
    });
  } else if (key == "metadata") {
    each_chrome_member(value, [this](std::string_view name, std::string_view told) {
      if (name == "cpu-brand") cpu_model_ = printable(json_unescaped(told));
    });
  } else if (key == "beginningOfTime") {
    wall_usec_ = parse_number<std::uint64_t>(value).value_or(0);
  } else if (key == "systemTraceEvents") {
    has_system_trace_ = value.size() > std::string_view("\"\"").size();
  }
}

}  // namespace kutrace::read
