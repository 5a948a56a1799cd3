// SPDX-License-Identifier: BSD-3-Clause
// Chrome's JSON to spans. In: the text, which must outlive this; out: spans in the order that
// model/span_sink.h promises, and what is known of the trace.
//
// What this project exported has rows of CPUs, whose spans come back as they were. All else tells
// what programs did, and not on which CPU: slices of a thread become functions, asynchronous ones
// RPCs, instants marks, counters readings, and who ran is a loss for the whole time.
//
// Times are those of the file where it has rows of CPUs; else 0 is its first event. An event that
// cannot be used is counted. Memory: rows of CPUs are handed on as they are read, unless they are
// out of order; threads, slices, asynchronous slices and readings are held.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "read/chrome/chrome_text.h"
#include "read/chrome/chrome_threads.h"

namespace kutrace::read {

class ChromeSpans {
 public:
  // An error if the file has no event with a time; it says where.
  static Result<ChromeSpans> open(std::string_view text, const std::string& file_name);

  Ns begin() const { return found_.begin; }
  const std::string& title() const { return text_.title(); }
  bool has_cpus() const { return !found_.cpus.empty(); }

  // May be called again; every call gives the same.
  TraceInfo replay(NameTable& names, SpanSink& sink, const Counters& opened = {},
                   const std::function<void(double)>& progress = {}) const;

 private:
  // What the first pass over the events finds out.
  struct Found {
    Ns begin = 0;
    Ns end = 0;
    Ns base = 0;               // time of the file at which the trace's is 0
    std::uint64_t events = 0;  // that can be used
    std::uint64_t unusable = 0;
    std::uint64_t disorder = 0;  // rows of CPUs that start before the one before them
    JsonWalk walk;
    std::vector<CpuId> cpus;
  };
  class Replay;

  explicit ChromeSpans(ChromeText text) : text_(std::move(text)) {}
  void survey();

  ChromeText text_;
  ChromeThreads threads_;
  Found found_;
};

}  // namespace kutrace::read
