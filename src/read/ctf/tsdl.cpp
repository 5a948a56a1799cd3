// SPDX-License-Identifier: BSD-3-Clause
// The parts of a trace, each a block of attributes.
#include "read/ctf/tsdl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "read/ctf/tsdl_types.h"

namespace kutrace::read {

namespace {

class TsdlParser {
 public:
  explicit TsdlParser(std::string_view text) : words_(text), types_(words_, schema_.clocks) {}

  Result<CtfSchema> run() {
    while (!types_.failed() && words_->kind != TsdlWord::Kind::kEnd) declaration();
    if (types_.failed()) {
      return fail(input_error(fmt::format("line {} of its metadata: {}", types_.failed_line(),
                                          printable(types_.error()))));
    }
    return std::move(schema_);
  }

 private:
  void declaration() {
    if (types_.take(";") || types_.declare()) return;
    const std::string_view word = words_->text;
    if (words_->kind != TsdlWord::Kind::kName) return types_.fail("a declaration is expected");
    words_.next();
    if (word == "trace") {
      trace();
    } else if (word == "stream") {
      stream();
    } else if (word == "event") {
      event();
    } else if (word == "clock") {
      clock();
    } else if (word == "env") {
      environment();
    } else if (word == "callsite") {
      types_.block([](TsdlAttribute&) {});
    } else {
      types_.fail(fmt::format("'{}' is not known", word.substr(0, kLongestWord)));
    }
  }

  void trace() {
    types_.block([&](TsdlAttribute& attribute) {
      if (attribute.name == "byte_order")
        schema_.is_big_endian = attribute.text == "be" || attribute.text == "network";
      if (attribute.name == "packet.header") schema_.packet_header = std::move(attribute.type);
    });
  }

  void stream() {
    CtfStreamClass stream;
    std::uint64_t id = 0;
    types_.block([&](TsdlAttribute& attribute) {
      if (attribute.name == "id") id = attribute.number;
      if (attribute.name == "packet.context") stream.packet_context = std::move(attribute.type);
      if (attribute.name == "event.header") stream.event_header = std::move(attribute.type);
      if (attribute.name == "event.context") stream.event_context = std::move(attribute.type);
    });
    // Of one that has no events of its own, these may stand before it.
    std::swap(stream.events, schema_.streams[id].events);
    schema_.streams[id] = std::move(stream);
  }

  void event() {
    CtfEventClass event;
    std::uint64_t id = 0;
    std::uint64_t stream = 0;
    types_.block([&](TsdlAttribute& attribute) {
      if (attribute.name == "id") id = attribute.number;
      if (attribute.name == "stream_id") stream = attribute.number;
      if (attribute.name == "name") event.name = attribute.text;
      if (attribute.name == "context") event.context = std::move(attribute.type);
      if (attribute.name == "fields") event.fields = std::move(attribute.type);
    });
    schema_.streams[stream].events.insert_or_assign(id, std::move(event));
  }

  void clock() {
    CtfClock clock;
    types_.block([&](TsdlAttribute& attribute) {
      if (attribute.name == "name") clock.id = clock.name = attribute.text;
      if (attribute.name == "freq") clock.frequency = attribute.number;
      if (attribute.name == "offset_s")
        clock.offset_seconds = static_cast<std::int64_t>(attribute.number);
      if (attribute.name == "offset")
        clock.offset_cycles = static_cast<std::int64_t>(attribute.number);
    });
    if (clock.frequency == 0 || clock.frequency > kMostFrequency)
      return types_.fail(fmt::format("a clock of {} Hz", clock.frequency));
    schema_.clocks[types_.clock(clock.id)] = std::move(clock);
  }

  void environment() {
    types_.block([&](TsdlAttribute& attribute) {
      schema_.environment.insert_or_assign(attribute.name, attribute.text);
    });
  }

  CtfSchema schema_;
  TsdlWords words_;
  TsdlTypes types_;
};

}  // namespace

Result<CtfSchema> parse_tsdl(std::string_view text) { return TsdlParser(text).run(); }

}  // namespace kutrace::read
