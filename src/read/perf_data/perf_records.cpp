// SPDX-License-Identifier: BSD-3-Clause
// One record after the other.
#include "read/perf_data/perf_records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "read/import/byte_cursor.h"

namespace kutrace::read {

namespace {

enum Type : std::uint32_t {
  kLost = 2,
  kName = 3,
  kFork = 7,
  kSample = 9,
  kLostSamples = 13,
  kSwitchOfCpu = 15,
  kFirstOfTool = 64,
  kAttr = 64,
  kTracingData = 66,
  kEndOfRound = 68,
  kAuxData = 71,
  kFeature = 80,
  kPacked = 81,
  kPackedToo = 83,
};

constexpr std::size_t kHeaderBytes = 8;
constexpr std::uint16_t kModeMask = 7;
constexpr std::uint16_t kUserMode = 2;
constexpr std::uint16_t kLeaves = 1U << 13;
constexpr std::uint16_t kIsPreempted = 1U << 14;
constexpr std::size_t kWord = 8;

struct Record {
  std::uint32_t type;
  std::uint16_t misc;
  std::size_t size;
  std::span<const std::byte> body;
};

// Nothing if it is not whole.
std::optional<Record> next_record(std::span<const std::byte> bytes) {
  ByteCursor at(bytes);
  const std::uint32_t type = at.u32();
  const std::uint16_t misc = at.u16();
  const std::uint16_t size = at.u16();
  if (at.failed() || size < kHeaderBytes || size > bytes.size()) return std::nullopt;
  return Record{type, misc, size, bytes.subspan(kHeaderBytes, size - kHeaderBytes)};
}

}  // namespace

PerfRecords::PerfRecords(PerfHeader& header, Taker taker, std::uint64_t most_unpacked)
    : header_(header), taker_(std::move(taker)), rest_(header.records), packed_(most_unpacked) {}

Status PerfRecords::read() {
  while (!rest_.empty()) {
    const auto next = next_record(rest_);
    // What follows a record of an impossible size cannot be found.
    cut_ = !next;
    if (cut_) return {};
    rest_ = rest_.subspan(next->size);
    if (next->type == kPacked) {
      KUTRACE_TRY(packed(next->body));
    } else if (next->type == kPackedToo) {
      ByteCursor at(next->body);
      KUTRACE_TRY(packed(at.take(at.u64())));
    } else {
      KUTRACE_TRY(record(next->type, next->misc, next->body));
    }
  }
  cut_ = !packed_.bytes().empty();
  return {};
}

// The last record of a piece may go on in the next one.
Status PerfRecords::packed(std::span<const std::byte> piece) {
  KUTRACE_TRY(packed_.add(piece));
  std::size_t taken = 0;
  while (const auto next = next_record(packed_.bytes().subspan(taken))) {
    taken += next->size;
    KUTRACE_TRY(record(next->type, next->misc, next->body));
  }
  packed_.take(taken);
  return {};
}

Status PerfRecords::record(std::uint32_t type, std::uint16_t misc,
                           std::span<const std::byte> body) {
  switch (type) {
    case kSample:
      return sample(misc, body);
    case kLost:
      return lost(body);
    case kName:
      return name(body);
    case kFork:
      return fork(body);
    case kSwitchOfCpu:
      return switched(misc, body);
    case kLostSamples: {
      // Where the kernel counts them for each event, those whose time was told before are among
      // them.
      ByteCursor at(body);
      counted_lost_ += at.u64();
      return {};
    }
    default:
      return type >= kFirstOfTool ? of_tool(type, body) : Status();
  }
}

// What perf itself writes among the records.
Status PerfRecords::of_tool(std::uint32_t type, std::span<const std::byte> body) {
  ByteCursor at(body);
  switch (type) {
    case kEndOfRound:
      return taker_.end_of_round();
    case kAttr: {
      at.u32();
      const std::uint32_t size = at.u32();
      const std::size_t bytes = std::max<std::size_t>(size, kSmallestPerfAttr);
      if (bytes > body.size()) return unreadable_record();
      header_.add_attr(body.first(bytes), body.subspan(bytes));
      return {};
    }
    case kTracingData: {
      const std::size_t size = (at.u32() + kWord - 1) / kWord * kWord;
      const auto data = rest_.first(std::min(size, rest_.size()));
      if (!header_.add_tracing_data(data)) return unreadable_record();
      rest_ = rest_.subspan(data.size());
      return {};
    }
    case kAuxData: {
      const std::uint64_t size = at.u64();
      rest_ = rest_.subspan(std::min<std::uint64_t>(size, rest_.size()));
      return {};
    }
    case kFeature: {
      const auto feature = static_cast<unsigned>(at.u64());
      if (!at.failed()) header_.add_feature(feature, body.subspan(at.at()));
      return {};
    }
    default:
      return {};
  }
}

Status PerfRecords::unreadable_record() {
  ++unreadable_;
  return {};
}

const PerfAttr* PerfRecords::attr_of(std::span<const std::byte> body) const {
  if (header_.attrs.empty()) return nullptr;
  if (header_.attrs.size() == 1) return header_.attrs.data();
  const auto id = id_of_sample(header_.attrs.front(), body);
  const auto found = id ? header_.attr_of_id.find(*id) : header_.attr_of_id.end();
  return found == header_.attr_of_id.end() ? header_.attrs.data() : &header_.attrs[found->second];
}

// All attrs of a file agree about it.
PerfSample PerfRecords::tail(std::span<const std::byte> body) const {
  if (header_.attrs.empty()) return {};
  return parse_perf_tail(header_.attrs.front(), body).value_or(PerfSample());
}

Status PerfRecords::sample(std::uint16_t misc, std::span<const std::byte> body) {
  const PerfAttr* const attr = attr_of(body);
  const auto sample = attr == nullptr ? std::nullopt : parse_perf_sample(*attr, body);
  if (!sample) return unreadable_record();
  if (sample->cpu == kNoCpu || sample->time <= 0) return {};
  PerfItem item;
  item.event.time = sample->time;
  item.event.cpu = sample->cpu;
  switch (attr->kind) {
    case PerfAttr::Kind::kTracepoint:
      switch (header_.events.decode(sample->raw, item.event)) {
        case RawEvents::Found::kUsed:
          break;
        case RawEvents::Found::kUnused:
          return {};
        case RawEvents::Found::kTooShort:
          return unreadable_record();
      }
      break;
    case PerfAttr::Kind::kSamples:
      item.event.what = What::kSample;
      item.event.pid = sample->thread;
      item.event.numbers = {static_cast<std::int64_t>(sample->ip),
                            static_cast<std::int64_t>((misc & kModeMask) == kUserMode)};
      break;
    case PerfAttr::Kind::kMinorFaults:
    case PerfAttr::Kind::kMajorFaults:
      item.event.what = What::kFaultReturn;
      item.event.pid = sample->thread;
      item.event.numbers = {static_cast<std::int64_t>(attr->kind == PerfAttr::Kind::kMajorFaults)};
      break;
    default:
      return {};
  }
  return taker_.item(item);
}

Status PerfRecords::lost(std::span<const std::byte> body) {
  ByteCursor at(body);
  at.u64();  // of which event
  PerfItem item;
  item.kind = PerfItem::Kind::kLoss;
  item.lost = at.u64();
  const PerfSample when = tail(body);
  if (at.failed()) return unreadable_record();
  if (when.cpu == kNoCpu || when.time <= 0) {
    lost_samples_ += item.lost;
    return {};
  }
  timed_lost_ += item.lost;
  item.event.time = when.time;
  item.event.cpu = when.cpu;
  return taker_.item(item);
}

// What perf tells of threads that it found has no time.
Status PerfRecords::name(std::span<const std::byte> body) {
  ByteCursor at(body);
  at.u32();
  PerfItem item;
  item.of_perf = true;
  item.event.what = What::kRename;
  item.event.numbers = {at.number<Pid>()};
  const std::string_view rest = at.text(at.left());
  const std::string_view name = rest.substr(0, rest.find('\0'));
  const PerfSample when = tail(body);
  if (name.empty()) return unreadable_record();
  item.event.set_text(1, name);
  item.event.time = when.cpu == kNoCpu ? 0 : std::max<Ns>(when.time, 0);
  item.event.cpu = when.cpu;
  return taker_.item(item);
}

Status PerfRecords::fork(std::span<const std::byte> body) {
  ByteCursor at(body);
  const auto process = at.number<Pid>();
  const auto parent_process = at.number<Pid>();
  const auto thread = at.number<Pid>();
  const auto parent = at.number<Pid>();
  const auto time = static_cast<Ns>(at.u64());
  if (at.failed()) return unreadable_record();
  PerfItem item;
  item.kind = PerfItem::Kind::kBelongs;
  item.event.time = std::max<Ns>(time, 0);
  item.event.numbers = {thread, process, parent_process};
  KUTRACE_TRY(taker_.item(item));
  const PerfSample when = tail(body);
  if (when.cpu == kNoCpu || time <= 0 || when.time <= 0) return {};
  item.kind = PerfItem::Kind::kEvent;
  item.of_perf = true;
  item.event.what = What::kFork;
  item.event.cpu = when.cpu;
  item.event.pid = when.thread;
  item.event.numbers = {parent, thread};
  return taker_.item(item);
}

// Where no tracepoint tells of switches: those away from a thread say who comes next.
Status PerfRecords::switched(std::uint16_t misc, std::span<const std::byte> body) {
  if ((misc & kLeaves) == 0) return {};
  ByteCursor at(body);
  at.u32();
  const auto next = at.number<Pid>();
  const PerfSample when = tail(body);
  if (at.failed() || when.cpu == kNoCpu || when.time <= 0) return unreadable_record();
  PerfItem item;
  item.of_perf = true;
  item.event.what = What::kSwitch;
  item.event.time = when.time;
  item.event.cpu = when.cpu;
  item.event.numbers = {when.thread, static_cast<std::int64_t>((misc & kIsPreempted) == 0), next};
  return taker_.item(item);
}

}  // namespace kutrace::read
