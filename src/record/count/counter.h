// SPDX-License-Identifier: BSD-3-Clause
// Counts in the kernel what a question asks for: programs of its own beside those of recordings,
// bound to this process. Nothing is recorded. In: a question; out: rows.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "count/answer.h"
#include "count/question.h"

namespace kutrace::record {

struct CounterOptions {
  std::uint32_t most_keys = 4096;
  bool by_interval = false;  // `take` hands out what came since the last one
  bool descendants = false;  // only of this process, from their first exec on
};

class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  virtual ~Counter() = default;

  // From now on it counts.
  virtual void start() = 0;
  // Must be called every 100 ms or so.
  virtual void poll() = 0;
  // What was counted since the start, or since the last call. Exact if it goes by intervals, or is
  // stopped; else some events may be seen half: counted, but not yet summed up.
  virtual Result<count::Answer> take() = 0;
  // Nothing counts any more once it returns.
  virtual void stop() = 0;
};

// Loads and attaches what the question needs.
Result<std::unique_ptr<Counter>> open_counter(const count::Question& question,
                                              const CounterOptions& options);

}  // namespace kutrace::record
