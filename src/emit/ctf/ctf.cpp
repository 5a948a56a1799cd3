// SPDX-License-Identifier: BSD-3-Clause
// Which span becomes which event.
#include "emit/ctf/ctf.h"

#include <algorithm>
#include <utility>

#include "base/content_hash.h"
#include "base/prefetch.h"
#include "base/text.h"
#include "emit/ctf/fitting_text.h"
#include "emit/ctf/metadata.h"
#include "emit/stream/start_of_export.h"
#include "emit/stream/system_name.h"
#include "format/event_table.h"
#include "format/perfetto_fields.h"

namespace kutrace::emit {

namespace {

constexpr std::int32_t kUsualPriority = 20;
constexpr std::uint32_t kOutOfIdle = ~std::uint32_t{0};

// Where fields stand that are told later.
constexpr std::uint32_t kCommSize = 16;
constexpr std::uint32_t kStateAt = EventBytes::kFieldsAt + kCommSize + 4 + 4;
constexpr std::uint32_t kNextAt = kStateAt + 8;
constexpr std::uint32_t kTargetAt = EventBytes::kFieldsAt + kCommSize + 4 + 4;

// TASK_RUNNING, TASK_INTERRUPTIBLE, TASK_UNINTERRUPTIBLE.
std::int64_t state_of(LeftFor left) {
  return left == LeftFor::kReady ? 0 : left == LeftFor::kSleep ? 1 : 2;
}

// The same trace has the same one.
std::string uuid_of(const TraceInfo& known) {
  std::string uuid;
  for (const std::uint64_t half : {std::uint64_t{1}, std::uint64_t{2}}) {
    ContentHash hash(half);
    hash.add(known.wall_usec);
    hash.add(static_cast<std::uint64_t>(known.begin));
    hash.add(static_cast<std::uint64_t>(known.end));
    for (const auto& [key, value] : known.facts) {
      hash.add(key);
      hash.add(value);
    }
    append_number(uuid, hash.value());
  }
  return uuid;
}

}  // namespace

CtfSink::CtfSink(const NameTable& names, ExportFolder& folder)
    : folder_(folder),
      types_(names),
      streams_(folder),
      calls_(names, types_, streams_),
      switches_([this](const Switch& told) { tell_why(told); }, [](const Waking&) {},
                [this](const Switch& told) { switched(told); }),
      comms_(names, comm_of),
      texts_(names, printable) {}

CtfSink::Comm CtfSink::comm_of(const std::string& name) {
  Comm comm{};
  static_assert(sizeof comm == kCommSize);
  const std::string fitting = fitting_text(name, kCommSize);
  std::ranges::copy(fitting, comm.begin());
  return comm;
}

void CtfSink::begin(const TraceInfo& known) {
  base_ = start_of_export(known);
  uuid_ = uuid_of(known);
  streams_.begin(uuid_, known.begin, base_);
  const std::string uname = known.facts.get(fact::kUname).value_or("");
  calls_.set_x86(system_name(uname).machine == "x86_64");
}

void CtfSink::settle(Untold& untold) {
  if (untold.place != kNoPlace) streams_.forget(untold.place);
  untold = {};
}

void CtfSink::switched(const Switch& told) {
  start(EventType::kSwitch, told.time, told.previous)
      .add(comm(told.previous, told.previous_name))
      .add(told.previous)
      .add(kUsualPriority)
      .add(told.previous == 0 ? std::int64_t{0} : state_of(LeftFor::kSleep))
      .add(comm(told.next, told.next_name))
      .add(told.next)
      .add(kUsualPriority);
  const bool unnamed = told.next != 0 && told.next_name == kNoName;
  if (told.previous == 0 && !unnamed) return put(told.cpu, told.time);
  const Untold place = put_open(told.cpu, told.time);
  if (told.previous != 0) {
    Untold& left = thread(told.previous).left;
    settle(left);
    left = place;
  }
  if (!unnamed) return;
  if (told.previous != 0) streams_.share(place.place);
  Untold& unknown = thread(told.next).unnamed;
  settle(unknown);
  unknown = place;
}

void CtfSink::tell_name(Pid pid, NameId name) {
  Untold& unnamed = thread(pid).unnamed;
  if (unnamed.place == kNoPlace || name == kNoName) return;
  streams_.change(unnamed.place, kNextAt, number_bytes(comms_.of(name)));
  settle(unnamed);
}

void CtfSink::tell_why(const Switch& told) {
  if (told.previous == 0) return;
  Untold& left = thread(told.previous).left;
  if (left.place == kNoPlace || left.time != told.time || left.cpu != told.cpu) return;
  if (told.left != LeftFor::kSleep)
    streams_.change(left.place, kStateAt, number_bytes(state_of(told.left)));
  settle(left);
}

// Which events of it may yet be changed.
void CtfSink::expect(Pid pid, ThreadId /*thread*/, Ahead ahead) const {
  const std::uint32_t place = switches_.expect(pid, ahead);
  if (place >= threads_.size()) return;
  const Thread& thread = threads_[place];
  if (ahead == Ahead::kFar) return prefetch(&thread);
  streams_.expect(thread.left.place);
  streams_.expect(thread.waked.place);
}

void CtfSink::push(const Span& span) {
  switches_.push(span);
  if (is_user(span.kind) || span.kind == SpanKind::kRename) tell_name(span.pid, span.name);
  if (is_execution(span.kind)) return execution(span);
  switch (span.kind) {
    case SpanKind::kWait: {
      const Ns end = span.start + span.duration;
      start(EventType::kWait, end, span.pid).add_string(texts_.of(span.name)).add(span.duration);
      return put(kNoCpu, end);
    }
    case SpanKind::kLockHeld:
      return interval(EventType::kLockHeld, span, span.low_arg());
    case SpanKind::kLockWanted:
      return interval(EventType::kLockWanted, span, span.low_arg());
    case SpanKind::kQueued:
      return interval(EventType::kQueued, span, span.low_arg());
    case SpanKind::kRpc:
      return interval(EventType::kRpc, span, span.rpc);
    case SpanKind::kMessage:
      return interval(EventType::kMessage, span, span.rpc);
    case SpanKind::kFunction:
      return interval(EventType::kFunction, span, span.low_arg());
    case SpanKind::kWakeupArc:
      return tell_target(span);
    case SpanKind::kRename:  // switches tell of it
      return;
    default:
      return moment(span);
  }
}

void CtfSink::execution(const Span& span) {
  calls_.piece(span);
  if (span.kind == SpanKind::kLoss) streams_.lose(span.cpu, span.start, span.start + span.duration);
  if (span.cpu >= low_power_.size()) low_power_.resize(span.cpu + std::size_t{1});
  const bool low = span.kind == SpanKind::kIdleLowPower;
  if (low == low_power_[span.cpu]) return;
  low_power_[span.cpu] = low;
  const auto state = static_cast<std::uint32_t>(span.arg >> 16);  // its index, + 1
  start(EventType::kIdle, span.start, std::max(span.pid, 0))
      .add(!low         ? kOutOfIdle
           : state == 0 ? std::uint32_t{0}
                        : state - 1)
      .add(std::uint32_t{span.cpu});
  put(span.cpu, span.start);
}

void CtfSink::interval(EventType type, const Span& span, std::uint64_t number) {
  const Ns end = span.start + span.duration;
  start(type, end, std::max(span.pid, 0))
      .add_string(texts_.of(span.name))
      .add(number)
      .add(span.duration);
  put(kNoCpu, end);
}

void CtfSink::moment(const Span& span) {
  const Pid thread = std::max(span.pid, 0);
  // Streams of CPUs and that of the trace have types of their own.
  if (span.cpu == kNoCpu) {
    start(EventType::kMoment, span.start, thread).add_string(texts_.of(span.name)).add(span.arg);
    return put(kNoCpu, span.start);
  }
  if (span.kind == SpanKind::kPoint && span.event == ev::kRUNNABLE) return woken(span);
  switch (span.kind) {
    case SpanKind::kFrequency:
      start(EventType::kFrequency, span.start, kNoPid)  // whoever runs then
          .add(span.low_arg() * 1000)
          .add(std::uint32_t{span.cpu});
      break;
    case SpanKind::kSample: {
      const Ns end = span.start + span.duration;
      start(EventType::kSample, end, thread).add(span.value).add_string(texts_.of(span.name));
      return put(span.cpu, end);
    }
    case SpanKind::kIpiArc: {
      const Ns end = span.start + span.duration;
      start(EventType::kIpi, end, kNoPid).add(std::uint32_t{span.cpu}).add(span.duration);
      return put(span.low_arg(), end);
    }
    case SpanKind::kMark:
      start(EventType::kMark, span.start, thread).add_string(texts_.of(span.name)).add(span.arg);
      break;
    default:
      start(EventType::kPoint, span.start, thread)
          .add_string(texts_.of(span.name))
          .add(span.arg)
          .add(span.value);
  }
  put(span.cpu, span.start);
}

void CtfSink::woken(const Span& point) {
  const auto pid = static_cast<Pid>(point.arg);
  start(EventType::kWaking, point.start, std::max(point.pid, 0))
      .add(comm(pid, switches_.name_of(pid)))
      .add(pid)
      .add(kUsualPriority)
      .add(static_cast<std::int32_t>(point.cpu));
  Untold& waked = thread(pid).waked;
  settle(waked);
  waked = put_open(point.cpu, point.start);
}

void CtfSink::tell_target(const Span& arc) {
  Untold& waked = thread(arc.other).waked;
  if (waked.place == kNoPlace || waked.time != arc.start || waked.cpu != arc.cpu) return;
  streams_.change(waked.place, kTargetAt, number_bytes(static_cast<std::int32_t>(arc.arg)));
  settle(waked);
}

// As LTTng dumps the state of all threads when a trace begins.
void CtfSink::tell_threads(const TraceInfo& info) {
  for (const auto& [pid, thread] : info.threads) {
    if (pid <= 0) continue;
    tell_name(pid, thread.name);
    start(EventType::kThread, info.begin, pid)
        .add(pid)
        .add(thread.process == kNoPid ? pid : thread.process)
        .add(std::max(thread.parent, 0))
        .add(comms_.of(thread.name))
        .add(std::int32_t{thread.kernel_thread ? 1 : 0})
        .add(std::int32_t{0});
    put(kNoCpu, info.begin);
  }
}

Status CtfSink::finish(const TraceInfo& info) {
  switches_.finish(info.end);
  calls_.finish();
  tell_threads(info);
  streams_.finish(info);
  folder_.append("metadata", ctf_metadata(info, types_, base_, uuid_));
  return {};
}

}  // namespace kutrace::emit
