// SPDX-License-Identifier: BSD-3-Clause
// Fields by their numbers, or by their names where Perfetto has no message of its own for an event.
#include "read/perfetto/ftrace_message.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "read/perfetto/wire_fields.h"

namespace kutrace::read {

namespace {

namespace f = perfetto;

std::string_view generic_name(std::span<const std::byte> body) {
  for (WireFields fields(body); fields.next();)
    if (fields->number == f::generic_event::kName) return fields->text();
  return {};
}

bool is_whole(std::span<const std::byte> body) {
  WireFields fields(body);
  while (fields.next()) {
  }
  return !fields.damaged();
}

void add_number(KernelEvent& event, std::int64_t value) {
  if (event.known < KernelEvent::kNumbers) event.numbers[event.known++] = value;
}

// A field that is not there is 0, but a result that is not there is not known. Of arguments there
// may be several, one by one or packed.
void decode_numbered(const FtraceMessage& message, KernelEvent& event) {
  const FtraceRow& row = *message.row;
  const bool has_arguments = event.what == What::kSyscall;
  const std::size_t single = has_arguments ? 1 : row.numbers.size();
  const bool returns = event.what == What::kSyscallReturn;
  for (std::size_t i = 0; i < (returns ? 1 : single) && row.numbers[i] != 0; ++i) ++event.known;
  for (WireFields fields(message.body); fields.next();) {
    const f::FieldNumber number = fields->number;
    if (const auto found = std::ranges::find(row.texts, number); found != row.texts.end())
      event.set_text(static_cast<std::size_t>(found - row.texts.begin()), fields->text());
    const auto place = std::ranges::find(row.numbers, number);
    if (place == row.numbers.end()) continue;
    const auto i = static_cast<std::size_t>(place - row.numbers.begin());
    if (i < single) {
      event.numbers[i] = fields->signed_value();
      if (returns && i == 1) event.known = 2;
    } else if (fields->is_bytes) {
      for (PackedNumbers numbers(fields->bytes); numbers.next();)
        add_number(event, static_cast<std::int64_t>(*numbers));
    } else {
      add_number(event, fields->signed_value());
    }
  }
}

struct NamedField {
  std::string_view name;
  std::string_view text;
  std::int64_t value = 0;
};

NamedField named_field(std::span<const std::byte> bytes) {
  NamedField found;
  for (WireFields fields(bytes); fields.next();) {
    switch (fields->number) {
      case f::generic_event::kFieldName:
        found.name = fields->text();
        break;
      case f::generic_event::kText:
        found.text = fields->text();
        break;
      case f::generic_event::kSigned:
      case f::generic_event::kUnsigned:
        found.value = fields->signed_value();
        break;
      default:
        break;
    }
  }
  return found;
}

void decode_named(const FtraceMessage& message, KernelEvent& event) {
  const Tracepoint& tracepoint = *message.tracepoint;
  for (const std::string_view name : tracepoint.numbers)
    if (!name.empty() && name != kFieldsBehind) ++event.known;
  for (WireFields fields(message.body); fields.next();) {
    if (fields->number != f::generic_event::kField) continue;
    const NamedField field = named_field(fields->bytes);
    if (field.name.empty()) continue;
    if (const auto at = std::ranges::find(tracepoint.numbers, field.name);
        at != tracepoint.numbers.end())
      event.numbers[static_cast<std::size_t>(at - tracepoint.numbers.begin())] = field.value;
    if (const auto at = std::ranges::find(tracepoint.texts, field.name);
        at != tracepoint.texts.end())
      event.set_text(static_cast<std::size_t>(at - tracepoint.texts.begin()), field.text);
  }
}

}  // namespace

FtraceMessage read_ftrace_message(std::span<const std::byte> bytes, const FtraceRows& rows) {
  FtraceMessage message;
  WireFields fields(bytes);
  while (fields.next()) {
    if (fields->number == f::ftrace_event::kTimestamp) {
      message.time = fields->signed_value();
    } else if (fields->number == f::ftrace_event::kPid) {
      message.pid = fields->thread_value();
    } else if (!fields->is_bytes) {
      continue;
    } else if (fields->number == f::ftrace_event::kGeneric) {
      message.tracepoint = find_tracepoint(generic_name(fields->bytes));
      message.body = fields->bytes;
    } else if (const FtraceRow* const row = rows.find(fields->number)) {
      message.row = row;
      message.tracepoint = row->tracepoint;
      message.body = fields->bytes;
    }
  }
  message.damaged = fields.damaged() || !is_whole(message.body);
  return message;
}

void decode_ftrace_message(const FtraceMessage& message, KernelEvent& event) {
  event.pid = message.pid;
  event.what = message.tracepoint->what;
  if (message.row != nullptr) {
    decode_numbered(message, event);
  } else {
    decode_named(message, event);
  }
}

}  // namespace kutrace::read
