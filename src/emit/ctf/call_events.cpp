// SPDX-License-Identifier: BSD-3-Clause
// Which call is which pair of events.
#include "emit/ctf/call_events.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "emit/ctf/fitting_text.h"
#include "format/event_table.h"

namespace kutrace::emit {

namespace {

constexpr std::uint64_t kSoftirqs = 10;  // that Linux has
constexpr std::int32_t kIrqHandled = 1;

bool is_fault(SpanKind kind, EventNum event) {
  return kind == SpanKind::kTrap && event == ev::kPageFault;
}

}  // namespace

std::string_view CallEvents::entry(const Whose& whose) {
  const std::uint64_t time = streams_.clock(whose.time);
  const auto begin = [&](std::uint32_t number) -> EventBytes& {
    return bytes_.begin(number, time, whose.thread);
  };
  if (whose.kind == SpanKind::kSyscall) {
    const EventTypes::Syscall& type = types_.syscall(whose.name);
    begin(type.entry);
    for (const ArgumentField& field : type.fields) {
      if (field.is_text) {
        bytes_.add_array({}, ArgumentField::kTextSize);
      } else {
        bytes_.add(field.argument == 0 ? whose.arg : std::uint64_t{0});
      }
    }
    return bytes_.bytes();
  }
  if (whose.kind == SpanKind::kIrq) {
    const unsigned number = whose.event & 0xff;
    const std::optional<std::uint32_t> vector = x86_ ? vector_type(number) : std::nullopt;
    if (vector) return begin(*vector).add(std::int32_t(number)).bytes();
    return begin(number_of(EventType::kIrqEntry))
        .add(std::int32_t(number))
        .add_string(texts_.of(whose.name))
        .bytes();
  }
  if (whose.kind == SpanKind::kSoftirq && whose.arg < kSoftirqs) {
    return begin(number_of(EventType::kSoftirqEntry)).add(std::uint32_t(whose.arg)).bytes();
  }
  if (x86_ && is_fault(whose.kind, whose.event)) {
    return begin(number_of(whose.from_user ? EventType::kFaultOfUser : EventType::kFaultOfKernel))
        .add(std::uint64_t{0})  // address and instruction are not known
        .add(std::uint64_t{0})
        .add(whose.arg)
        .bytes();
  }
  return begin(number_of(EventType::kCallEntry))
      .add_string(span_kind_name(whose.kind))
      .add_string(texts_.of(whose.name))
      .add(whose.arg)
      .bytes();
}

std::string_view CallEvents::exit(const Whose& whose, const Call& call) {
  const std::uint64_t time = streams_.clock(whose.time);
  const std::int64_t result = call.has_result ? call.result.value : 0;
  const auto begin = [&](std::uint32_t number) -> EventBytes& {
    return bytes_.begin(number, time, whose.thread);
  };
  if (whose.kind == SpanKind::kSyscall)
    return begin(types_.syscall(whose.name).entry + 1).add(result).bytes();
  if (whose.kind == SpanKind::kIrq) {
    const unsigned number = whose.event & 0xff;
    const std::optional<std::uint32_t> vector = x86_ ? vector_type(number) : std::nullopt;
    if (vector) return begin(*vector + 1).add(std::int32_t(number)).bytes();
    return begin(number_of(EventType::kIrqExit)).add(std::int32_t(number)).add(kIrqHandled).bytes();
  }
  if (whose.kind == SpanKind::kSoftirq && whose.arg < kSoftirqs) {
    return begin(number_of(EventType::kSoftirqExit)).add(std::uint32_t(whose.arg)).bytes();
  }
  return begin(number_of(EventType::kCallExit))
      .add_string(span_kind_name(whose.kind))
      .add_string(texts_.of(whose.name))
      .add(result)
      .bytes();
}

void CallEvents::piece(const Span& span) {
  Cpu& where = cpu(span.cpu);
  const bool from_user = where.in_user;
  const Pid thread = std::max(span.pid, 0);
  if (thread != where.thread) where.since = span.start;
  where.thread = thread;
  where.until = span.start + span.duration;
  if (!is_interrupt(span.kind) && span.kind != SpanKind::kTrap) where.in_user = is_user(span.kind);
  if (!is_call_kind(span.kind) || span.call == CallId::kNone) return;
  if (span.call_slot >= open_.size()) open_.resize(span.call_slot + std::size_t{1});
  Open& open = open_[span.call_slot];
  if (open.call == span.call) return;
  if (open.call != CallId::kNone) cancel(open);
  open.call = span.call;
  open.whose = {span.cpu,   span.start, where.thread, span.kind,
                span.event, span.name,  span.arg,     from_user};
  open.since = where.since;
  const std::string_view bytes = entry(open.whose);
  open.size = bytes.size();
  open.place = streams_.add_open(span.cpu, span.start, bytes);
}

// It was written, and means nothing: what was meant is not told, or stands elsewhere.
void CallEvents::cancel(const Open& open) {
  const std::uint32_t nothing = types_.nothing(open.size - EventBytes::kFieldsAt);
  streams_.change(open.place, EventBytes::kNumberAt, number_bytes(nothing));
  streams_.forget(open.place);
}

void CallEvents::tell_arguments(const Open& open, const CallDetails& details) {
  std::uint32_t at = EventBytes::kFieldsAt;
  for (const ArgumentField& field : types_.syscall(open.whose.name).fields) {
    const CallData* const data = field.is_text ? details.data_of(field.argument) : nullptr;
    if (data != nullptr) {
      const std::string_view text(data->bytes);
      streams_.change(open.place, at,
                      fitting_text(text.substr(0, text.find('\0')), ArgumentField::kTextSize));
    } else if (!field.is_text && field.argument < details.count) {
      streams_.change(open.place, at, number_bytes(details.arguments[field.argument]));
    }
    at += static_cast<std::uint32_t>(field.size());
  }
}

// Whether its begin is among the events now.
bool CallEvents::settle(const Open& open, const Call& call) {
  if (open.whose.kind == SpanKind::kSyscall && call.details != nullptr)
    tell_arguments(open, *call.details);
  if (open.whose.time == call.begin) {
    streams_.forget(open.place);
    return true;
  }
  if (call.begin_inferred || call.begin < open.since) {
    cancel(open);
    return false;
  }
  if (streams_.move(open.place, call.begin)) {
    streams_.forget(open.place);
    return true;
  }
  cancel(open);
  Whose earlier = open.whose;
  earlier.time = call.begin;
  streams_.add(earlier.cpu, earlier.time, entry(earlier));
  return true;
}

// Readers take a call to be of the thread that runs on its CPU. So what was not seen there, as of
// threads that slept when the recording began or ended, or that came from a CPU that is not
// exported, is no event of a CPU.
void CallEvents::tell_whole(const Call& call) {
  streams_.add(kNoCpu, call.end,
               bytes_.begin(number_of(EventType::kCall), streams_.clock(call.end), call.pid)
                   .add_string(span_kind_name(call.kind))
                   .add_string(texts_.of(call.name))
                   .add(call.duration())
                   .bytes());
}

void CallEvents::ended(const Call& call) {
  const bool has_piece = call.slot < open_.size() && open_[call.slot].call == call.id;
  // Of a trace without switches: its thread is not known to run where it began and ended.
  const bool is_unknown = call.duration() != 0 && call.unknown() == call.duration();
  if (call.cpu == kNoCpu || (is_unknown && !has_piece)) return tell_whole(call);
  const Cpu& where = cpu(call.cpu);
  // Interrupts are told of the thread that they interrupt.
  const Pid thread = is_interrupt(call.kind) ? where.thread : std::max(call.pid, 0);
  const bool runs = thread == where.thread;
  Whose whose{.cpu = call.cpu,
              .time = call.begin,
              .thread = thread,
              .kind = call.kind,
              .event = call.event,
              .name = call.name,
              .arg = call.arg,
              .from_user = where.in_user};
  bool begun = false;
  if (has_piece) {
    begun = settle(open_[call.slot], call);
    open_[call.slot] = Open{};
  } else if (!call.begin_inferred && where.ran(thread, call.begin)) {
    begun = true;
    streams_.add(call.cpu, call.begin, entry(whose));
  }
  const bool over = !call.end_inferred || runs;
  whose.time = call.end;
  if (over) streams_.add(call.cpu, call.end, exit(whose, call));
  if (!begun || !over) tell_whole(call);
}

void CallEvents::finish() {
  for (const Open& open : open_) {
    if (open.call != CallId::kNone) cancel(open);
  }
  open_.clear();
}

}  // namespace kutrace::emit
