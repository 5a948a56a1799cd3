// SPDX-License-Identifier: BSD-3-Clause
// linux/perf_event.h by its numbers.
#include "read/perf_data/perf_attr.h"

#include "read/import/byte_cursor.h"

namespace kutrace::read {

namespace {

enum Field : std::uint64_t {
  kIp = 1U << 0,
  kTid = 1U << 1,
  kTime = 1U << 2,
  kAddress = 1U << 3,
  kRead = 1U << 4,
  kCallChain = 1U << 5,
  kId = 1U << 6,
  kCpu = 1U << 7,
  kPeriod = 1U << 8,
  kStreamId = 1U << 9,
  kRaw = 1U << 10,
  kIdentifier = 1U << 16,
};

constexpr std::uint64_t kSampleIdAll = std::uint64_t{1} << 18;
constexpr std::uint64_t kContextSwitch = std::uint64_t{1} << 26;
constexpr std::uint32_t kHardware = 0;
constexpr std::uint32_t kSoftware = 1;
constexpr std::uint32_t kTracepoint = 2;
constexpr std::uint32_t kRawHardware = 4;
constexpr std::uint64_t kTaskClock = 1;  // cpu-clock is 0
constexpr std::uint64_t kMinorFault = 5;
constexpr std::uint64_t kMajorFault = 6;
constexpr std::uint64_t kReadGroup = 1U << 3;
constexpr std::uint64_t kReadId = 1U << 2;
constexpr std::uint64_t kReadLost = 1U << 4;
constexpr std::size_t kWord = 8;

PerfAttr::Kind kind_of(std::uint32_t type, std::uint64_t config) {
  using Kind = PerfAttr::Kind;
  if (type == kTracepoint) return Kind::kTracepoint;
  if (type == kHardware || type == kRawHardware) return Kind::kSamples;
  if (type != kSoftware) return Kind::kOther;
  if (config <= kTaskClock) return Kind::kSamples;
  if (config == kMinorFault) return Kind::kMinorFaults;
  return config == kMajorFault ? Kind::kMajorFaults : Kind::kOther;
}

void skip_read(ByteCursor& at, std::uint64_t format) {
  const std::uint64_t times =
      static_cast<std::uint64_t>((format & 1) != 0) + static_cast<std::uint64_t>((format & 2) != 0);
  const std::uint64_t each = 1 + static_cast<std::uint64_t>((format & kReadId) != 0) +
                             static_cast<std::uint64_t>((format & kReadLost) != 0);
  const std::uint64_t count = (format & kReadGroup) != 0 ? at.u64() : 1;
  if (count > at.left() / kWord) {
    at.take(at.left() + 1);
  } else {
    at.take((times + each * count) * kWord);
  }
}

}  // namespace

bool PerfAttr::has_time_and_cpu() const { return (sample_type & (kTime | kCpu)) == (kTime | kCpu); }

std::optional<PerfAttr> parse_perf_attr(std::span<const std::byte> bytes) {
  ByteCursor at(bytes);
  PerfAttr attr;
  const std::uint32_t type = at.u32();
  at.u32();  // its size
  attr.config = at.u64();
  at.u64();  // period or frequency
  attr.sample_type = at.u64();
  attr.read_format = at.u64();
  const std::uint64_t flags = at.u64();
  if (at.failed()) return std::nullopt;
  attr.kind = kind_of(type, attr.config);
  attr.ids_behind_all = (flags & kSampleIdAll) != 0;
  attr.tells_switches = (flags & kContextSwitch) != 0;
  return attr;
}

std::optional<PerfSample> parse_perf_sample(const PerfAttr& attr, std::span<const std::byte> body) {
  const auto has = [&attr](Field field) { return (attr.sample_type & field) != 0; };
  ByteCursor at(body);
  PerfSample sample;
  if (has(kIdentifier)) at.u64();
  if (has(kIp)) sample.ip = at.u64();
  if (has(kTid)) {
    sample.process = at.number<Pid>();
    sample.thread = at.number<Pid>();
  }
  if (has(kTime)) sample.time = static_cast<Ns>(at.u64());
  if (has(kAddress)) at.u64();
  if (has(kId)) at.u64();
  if (has(kStreamId)) at.u64();
  if (has(kCpu)) {
    sample.cpu = at.u32();
    at.u32();
  }
  if (has(kPeriod)) at.u64();
  if (has(kRead)) skip_read(at, attr.read_format);
  if (has(kCallChain)) {
    const std::uint64_t count = at.u64();
    at.take(count > at.left() / kWord ? at.left() + 1 : count * kWord);
  }
  if (has(kRaw)) sample.raw = at.take(at.u32());
  if (at.failed()) return std::nullopt;
  return sample;
}

std::optional<PerfSample> parse_perf_tail(const PerfAttr& attr, std::span<const std::byte> body) {
  if (!attr.ids_behind_all) return PerfSample();
  const auto has = [&attr](Field field) { return (attr.sample_type & field) != 0; };
  std::size_t words = 0;
  for (const Field field : {kTid, kTime, kId, kStreamId, kCpu, kIdentifier})
    words += static_cast<std::size_t>(has(field));
  if (words * kWord > body.size()) return std::nullopt;
  ByteCursor at(body.last(words * kWord));
  PerfSample sample;
  if (has(kTid)) {
    sample.process = at.number<Pid>();
    sample.thread = at.number<Pid>();
  }
  if (has(kTime)) sample.time = static_cast<Ns>(at.u64());
  if (has(kId)) at.u64();
  if (has(kStreamId)) at.u64();
  if (has(kCpu)) sample.cpu = at.u32();
  return sample;
}

std::optional<std::uint64_t> id_of_sample(const PerfAttr& any, std::span<const std::byte> body) {
  ByteCursor at(body);
  if ((any.sample_type & kIdentifier) == 0) {
    if ((any.sample_type & kId) == 0) return std::nullopt;
    for (const Field before : {kIp, kTid, kTime, kAddress})
      if ((any.sample_type & before) != 0) at.u64();
  }
  const std::uint64_t id = at.u64();
  if (at.failed()) return std::nullopt;
  return id;
}

}  // namespace kutrace::read
