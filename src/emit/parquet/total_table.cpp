// SPDX-License-Identifier: BSD-3-Clause
// Summing up, and rows in an order that packs well.
#include "emit/parquet/total_table.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/add_time.h"
#include "base/duration_bucket.h"
#include "format/errno_name.h"
#include "format/event_table.h"
#include "format/wait_word.h"
#include "reports/duration_histogram.h"
#include "reports/syscalls.h"
#include "reports/wait_times.h"

namespace kutrace::emit {

using enum ParquetColumn::Type;

namespace {

constexpr std::int64_t kMinuteUsec = 60'000'000;

}  // namespace

TotalTable::TotalTable(const NameTable& names, TakeBytes take)
    : names_(names),
      file_("totals",
            {{"minute", kMicroseconds},
             {"what", kText},
             {"kind", kText},
             {"name", kText},
             {"bucket_ns", kInt64, true},
             {"count", kInt64},
             {"total_ns", kInt64},
             {"min_ns", kInt64},
             {"max_ns", kInt64},
             {"on_cpu_ns", kInt64},
             {"wait_ns", kInt64},
             {"ready_ns", kInt64},
             {"errors", kInt64}},
            std::move(take)) {}

std::size_t TotalTable::Hash::operator()(const Key& key) const {
  const std::uint64_t thing = std::uint64_t{key.name} << 16 |
                              std::uint64_t{static_cast<std::uint8_t>(key.kind)} << 8 |
                              static_cast<std::uint8_t>(key.what);
  const std::uint64_t place = static_cast<std::uint64_t>(key.minute) << 10 ^ key.bucket;
  return static_cast<std::size_t>(
      (thing * 0x9e37'79b9'7f4a'7c15ull ^ place * 0xc2b2'ae3d'27d4'eb4full) >> 16);
}

std::int64_t TotalTable::minute_of(Ns time) const {
  return (file_.wall_usec() + time / 1000) / kMinuteUsec;
}

TotalTable::Sums& TotalTable::at(const Key& key, Ns duration) {
  const auto [number, added] = places_.find_or_add(key);
  if (added) {
    keys_.push_back(key);
    sums_.push_back({.least = duration, .most = duration});
  }
  Sums& sums = sums_[number];
  ++sums.count;
  add_time(sums.total, duration);
  sums.least = std::min(sums.least, duration);
  sums.most = std::max(sums.most, duration);
  return sums;
}

void TotalTable::push(const Span& span) {
  const std::int64_t minute = minute_of(span.start);
  if (is_execution(span.kind)) {
    Sums& sums = at({What::kCpu, span.kind, span.name, minute, 0}, span.duration);
    add_time(sums.on_cpu, span.duration);
  } else if (span.kind == SpanKind::kWait && span.event >= ev::kWAIT_FIRST) {
    const auto letter = static_cast<NameId>('a' + (span.event - ev::kWAIT_FIRST));
    const auto bucket = duration_bucket(span.duration);
    Sums& sums = at({What::kWait, span.kind, letter, minute, static_cast<std::uint32_t>(bucket)},
                    span.duration);
    add_time(sums.wait, span.duration);
    if (letter == reports::kReady) add_time(sums.ready, span.duration);
  }
}

// As kutrace syscalls, stat and diff count them.
void TotalTable::call(const Call& call) {
  const bool is_syscall = call.kind == SpanKind::kSyscall;
  if (is_syscall && reports::is_birth(call, names_)) return;
  const auto bucket = duration_bucket(call.duration());
  Sums& sums = at({What::kCall, call.kind, call.name, minute_of(call.begin),
                   static_cast<std::uint32_t>(bucket)},
                  call.duration());
  add_time(sums.on_cpu, call.on_cpu);
  add_time(sums.wait, call.blocked);
  add_time(sums.ready, call.ready());
  if (is_syscall && call.has_result && !errno_name(call.result.value).empty()) ++sums.errors;
}

void TotalTable::add(const Key& key, const Sums& sums) {
  constexpr std::uint64_t kLetters = std::uint64_t{1} << 32;  // beside numbers of names
  constexpr std::array<std::string_view, 3> kWhat = {"cpu", "call", "wait"};
  const auto what = static_cast<std::size_t>(key.what);
  const auto kind = static_cast<std::uint64_t>(key.kind);
  file_.row().number(key.minute * kMinuteUsec);
  file_.text(what, kWhat[what]).text(kind, span_kind_name(key.kind));
  if (key.what == What::kWait) {
    file_.text(kLetters | key.name, short_wait(static_cast<char>(key.name)));
  } else {
    file_.text(key.name, names_.text(key.name));
  }
  file_.number_if(key.what != What::kCpu, reports::DurationHistogram::middle_of(key.bucket))
      .number(sums.count)
      .number(sums.total)
      .number(sums.least)
      .number(sums.most)
      .number(sums.on_cpu)
      .number(sums.wait)
      .number(sums.ready)
      .number(sums.errors)
      .end_row();
}

Status TotalTable::finish(const TraceInfo& info) {
  std::vector<std::uint32_t> order(keys_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [this](std::uint32_t number) { return keys_[number]; });
  for (const std::uint32_t number : order) add(keys_[number], sums_[number]);
  return file_.finish(info);
}

}  // namespace kutrace::emit
