// SPDX-License-Identifier: BSD-3-Clause
// What slow intervals passed with that others did not. In: intervals of both sorts, then the stream
// that they are of; out: causes with their times in both.
//
// An interval is told as soon as all that it depends on has come, and what none depends on any more
// is forgotten. So memory is bounded by what happens during the longest interval, or while a CPU
// does one thing, half as much again, and two batches; and by the causes that are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/recent_index.h"
#include "model/span_sink.h"
#include "reports/cause_hash.h"
#include "reports/critical_path.h"

namespace kutrace::reports {

// Causes whose threads stand for all threads of their names, on any CPU; `kNoRow` is the thread
// whose interval it is.
struct ComparedCause {
  Cause cause;
  Ns slow = 0;    // of all slow ones together
  Ns others = 0;  // of all others together
};

struct Comparison {
  std::uint64_t slow = 0;  // how many
  std::uint64_t others = 0;
  Ns slow_time = 0;
  Ns others_time = 0;
  std::vector<ThreadRow> threads;     // of the slow ones
  std::vector<ComparedCause> causes;  // by how much more the slow ones have of it, a piece

  // Nanoseconds that a slow one has more of it than one of the others.
  double more(const ComparedCause& cause) const;
};

class ComparisonSink : public SpanSink {
 public:
  static constexpr std::size_t kBatch = 1024 * 1024;  // pieces

  // `texts` are those of the stream, and must outlive this.
  ComparisonSink(const std::vector<Interval>& slow, const std::vector<Interval>& others,
                 const NameTable& texts, std::size_t batch = kBatch);

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void life(const ThreadLife& life) override { happenings_.life(life); }
  void end(TraceInfo& info) override;

  // After the end.
  Comparison comparison();
  // Its rows are those of the causes.
  const Happenings& happenings() const { return happenings_; }

 private:
  struct Asked {
    Interval interval;
    bool is_slow = false;
    Ns first = 0;  // begin of the earliest of those that end then or later
  };

  Ns reached() const;
  void tell(Ns until);
  void add(const Asked& asked, CriticalPath& path);

  const std::vector<Interval>& slow_;
  const std::vector<Interval>& others_;
  std::size_t batch_;
  std::vector<Asked> asked_;  // by end
  std::size_t told_ = 0;
  Happenings happenings_;
  std::vector<Ns> ends_;     // of what each CPU did last; -kForever: there is no such CPU
  Ns complete_ = -kForever;  // all that ends until then has come
  std::size_t next_;         // tells what it can at so many pieces
  // On no CPU, but each thread for itself, as names change.
  RecentIndex<Cause, CauseHash, 256> places_;
  std::vector<ComparedCause> sums_;  // by their numbers in places_
};

}  // namespace kutrace::reports
