// SPDX-License-Identifier: BSD-3-Clause
// One side of a comparison: what a trace, or a part of it, spent time on, by names that another
// trace has, too. In: spans, calls and lives; out: sums by program, thread name, call, wait reason
// and kind of span, each spread over blocks of time. Memory grows with threads and names, not with
// the length of a trace.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/recent_index.h"
#include "model/call.h"
#include "model/span_sink.h"
#include "reports/block_sums.h"
#include "reports/duration_histogram.h"
#include "reports/thread_names.h"
#include "reports/time_blocks.h"

namespace kutrace::reports {

enum class DiffBy : std::uint8_t { kProgram, kThread, kCall, kWait, kKind };
const char* diff_by_name(DiffBy by);  // "program", "thread", "call", "wait", "kind"

// What is told of a name. Of programs and threads each stay on a CPU counts, from being switched to
// until being switched away, and its time; of calls the time from entry to return; of waits and
// kinds each span.
struct DiffSums {
  Ns total = 0;
  std::uint64_t count = 0;
  DurationHistogram durations;
  BlockSums blocks;
  // Of what lasted longer than a block: the sum of their squared durations, ns². It was in many
  // blocks by one chance alone.
  double long_squares = 0;

  double mean() const {
    return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
  }
  void add(const DiffSums& other);
};

struct DiffKey {
  DiffBy by = DiffBy::kProgram;
  SpanKind kind = SpanKind::kUser;  // of calls
  std::string name;                 // of waits: the letter of the reason

  auto operator<=>(const DiffKey&) const = default;
};
using DiffRows = std::map<DiffKey, DiffSums>;

class DiffSide : public SpanSink {
 public:
  // `windows`: those of the part, as tidy_windows makes them; none: all the time.
  DiffSide(const NameTable& names, std::vector<TimeWindow> windows)
      : names_(names), windows_(std::move(windows)), who_(names) {}

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

  // After the end.
  DiffRows rows(const TraceInfo& info) const;
  Ns recorded() const { return recorded_; }
  Ns block() const { return blocks_.length(); }
  // Whether the blocks are equal, and long enough that they tell of noise.
  bool tells_noise() const {
    return blocks_.long_enough() && recorded_ <= known_ + blocks_.length();
  }
  bool tells_calls() const { return calls_told_; }
  // Whether all that CPUs did is lost.
  bool lost_cpu_time() const;

 private:
  // A thread's stay on a CPU.
  struct Stay {
    bool is_open = false;
    std::uint32_t row = 0;
    Ns begin = 0;
    Ns end = 0;
  };
  struct CallSums {
    SpanKind kind = SpanKind::kSyscall;
    NameId name = kNoName;
    DiffSums sums;
  };
  struct Hash {
    std::size_t operator()(std::uint64_t key) const {
      return static_cast<std::size_t>(key * 0x9e37'79b9'7f4a'7c15ull >> 40);
    }
  };

  void add_time(DiffSums& sums, Ns start, Ns duration);
  void add_count(DiffSums& sums, Ns start, Ns duration);
  void add_both(DiffSums& sums, Ns start, Ns duration);
  // One that may last as long as it likes: how long says nothing of what it cost.
  void add_lasting(DiffSums& sums, Ns start, Ns duration);
  void execution(const Span& span);
  void close(Stay& stay);

  const NameTable& names_;
  std::vector<TimeWindow> windows_;
  TimeBlocks blocks_;
  Ns known_ = 0;  // of its length, before it was read
  Ns recorded_ = 0;
  ThreadNames who_;
  std::vector<DiffSums> threads_;  // as who_ has them
  std::vector<Stay> stays_;        // of each CPU
  RecentIndex<std::uint64_t, Hash, 256> call_numbers_;
  std::vector<CallSums> calls_;
  std::array<DiffSums, 26> waits_;  // by letter
  std::array<DiffSums, kSpanKinds> kinds_;
  bool calls_told_ = false;  // by the trace, though the part may have none
};

}  // namespace kutrace::reports
