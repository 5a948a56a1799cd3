// SPDX-License-Identifier: BSD-3-Clause
// Fragment by fragment.
#include "read/ctf/ctf2.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/json_scanner.h"
#include "base/text.h"
#include "read/ctf/ctf2_fields.h"
#include "read/ctf/json_value.h"

namespace kutrace::read {

namespace {

constexpr std::int64_t kVersion = 2;

// Nothing: the text is no object, or does not end.
JsonValue whole_object(std::string_view text) {
  JsonScanner at(text);
  if (at.peek() != '{') return {};
  const std::string_view value = at.skip_value();
  return at.failed() ? JsonValue() : JsonValue(value);
}

class Ctf2Parser {
 public:
  Result<CtfSchema> run(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(kRecordSeparator), text.size());
      const std::string_view fragment = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (fragment.find_first_not_of(" \t\r\n") == fragment.npos) continue;
      ++number_;
      take(fragment);
      if (fields_.failed()) {
        return fail(input_error(
            fmt::format("fragment {} of its metadata: {}", number_, printable(fields_.error()))));
      }
    }
    return std::move(schema_);
  }

 private:
  void take(std::string_view text) {
    const JsonValue fragment = whole_object(text);
    if (!fragment) return fields_.fail("it is no JSON object");
    const std::string type = fragment["type"].text();
    if (type == "preamble") {
      if (fragment["version"].number() != kVersion) fields_.fail("it is not of version 2");
      if (fragment["extensions"] && fragment["extensions"].written() != "{}")
        fields_.fail("it has extensions, which may change anything");
    } else if (type == "field-class-alias") {
      fields_.name(fragment["name"].text(), fragment["field-class"]);
    } else if (type == "trace-class") {
      trace(fragment);
    } else if (type == "clock-class") {
      clock(fragment);
    } else if (type == "data-stream-class") {
      stream(fragment);
    } else if (type == "event-record-class") {
      event(fragment);
    } else {
      fields_.fail(fmt::format("its type '{}' is not known", type.substr(0, kLongestWord)));
    }
  }

  void trace(const JsonValue& fragment) {
    schema_.packet_header = fields_.part(fragment["packet-header-field-class"]);
    fragment["environment"].each([&](std::string_view key, const JsonValue& value) {
      schema_.environment.insert_or_assign(
          json_unescaped(key), value.is_text() ? value.text() : std::string(value.written()));
    });
  }

  void clock(const JsonValue& fragment) {
    CtfClock clock;
    clock.id = fragment["id"].text();
    clock.name = fragment["name"].text();
    if (clock.id.empty()) clock.id = clock.name;
    if (clock.name.empty()) clock.name = clock.id;
    clock.frequency = static_cast<std::uint64_t>(fragment["frequency"].number().value_or(0));
    const JsonValue offset = fragment["offset-from-origin"];
    clock.offset_seconds = offset["seconds"].number().value_or(0);
    clock.offset_cycles = offset["cycles"].number().value_or(0);
    clock.is_since_1970 = fragment["origin"].text() == "unix-epoch";
    if (clock.frequency == 0 || clock.frequency > kMostFrequency)
      return fields_.fail(fmt::format("a clock of {} Hz", clock.frequency));
    if (schema_.clocks.size() == kMostClocks) return fields_.fail("more clocks than a machine has");
    schema_.clocks.push_back(std::move(clock));
  }

  void stream(const JsonValue& fragment) {
    CtfStreamClass stream;
    const auto id = static_cast<std::uint64_t>(fragment["id"].number().value_or(0));
    stream.packet_context = fields_.part(fragment["packet-context-field-class"]);
    stream.event_header = fields_.part(fragment["event-record-header-field-class"]);
    stream.event_context = fields_.part(fragment["event-record-common-context-field-class"]);
    if (const std::string clock = fragment["default-clock-class-id"].text(); !clock.empty()) {
      const auto found = std::ranges::find(schema_.clocks, clock, &CtfClock::id);
      if (found == schema_.clocks.end()) return fields_.fail("its clock is not declared");
      stream.clock = static_cast<std::int32_t>(found - schema_.clocks.begin());
    }
    schema_.streams.insert_or_assign(id, std::move(stream));
  }

  void event(const JsonValue& fragment) {
    CtfEventClass event;
    event.name = fragment["name"].text();
    event.context = fields_.part(fragment["specific-context-field-class"]);
    event.fields = fields_.part(fragment["payload-field-class"]);
    const auto id = static_cast<std::uint64_t>(fragment["id"].number().value_or(0));
    const auto stream = fragment["data-stream-class-id"].number().value_or(0);
    const auto found = schema_.streams.find(static_cast<std::uint64_t>(stream));
    if (found == schema_.streams.end()) return fields_.fail("its stream is not declared");
    found->second.events.insert_or_assign(id, std::move(event));
  }

  CtfSchema schema_;
  Ctf2Fields fields_;
  std::size_t number_ = 0;
};

}  // namespace

Result<CtfSchema> parse_ctf2(std::string_view text) { return Ctf2Parser().run(text); }

}  // namespace kutrace::read
