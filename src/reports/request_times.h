// SPDX-License-Identifier: BSD-3-Clause
// Where the time of requests went. In: their intervals, then the stream that they are of; out: the
// sums of each, and a row per thread, process, program or group. What a request took is what its
// thread executed meanwhile, what it waited for, and what the trace does not tell, exactly.
// Requests of a thread may overlap: what happens then is each one's.
//
// Begins and ends divide a thread's time into segments, which are what is summed up. Memory grows
// with requests, by 120 to 250 bytes each, not with the trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "reports/duration_histogram.h"
#include "reports/interval.h"
#include "reports/stat_groups.h"
#include "reports/thread_names.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

struct RequestSums {
  DurationHistogram durations;  // how many there are, too
  Ns took = 0;
  Ns user = 0;
  Ns kernel = 0;
  Ns interrupts = 0;
  WaitTimes waits{};
  std::uint64_t syscalls = 0;  // that the thread returned from meanwhile; faults likewise
  std::uint64_t faults = 0;

  Ns executing() const { return user + kernel + interrupts; }
  Ns waiting() const { return sum_of(waits); }
  Ns blocked() const { return waiting() - wait_of(waits, kReady); }
  Ns unknown() const { return took - executing() - waiting(); }
  void add(const RequestSums& other);
  // What is left without some of them; of durations it tells nothing.
  RequestSums without(const RequestSums& some) const;
};

struct RequestRow {
  std::string name;     // "server.12", "server"
  std::int64_t id = 0;  // thread, process; of a program or group: how many threads
  RequestSums sums;
};

class RequestTimes : public SpanSink {
 public:
  RequestTimes(const NameTable& names, std::vector<Interval> requests);

  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override { who_.life(life); }
  void end(TraceInfo& info) override;

  // By thread, and of each by begin.
  const std::vector<Interval>& requests() const { return requests_; }
  // After the end. Of one of them, and the thread's label; of all together; of groups, most time
  // first.
  RequestSums sums(std::size_t request) const;
  std::string thread(std::size_t request, const TraceInfo& info) const;
  const RequestSums& all() const { return all_; }
  std::vector<RequestRow> rows(StatBy by, const TraceInfo& info) const;

 private:
  // Of a column each: kinds of execution, counts, and reasons of waits by letter.
  enum Column : std::size_t { kUser, kKernel, kInterrupts, kSyscalls, kFaults, kWaits };
  static constexpr std::size_t kColumns = kWaits + std::tuple_size_v<WaitTimes>;

  struct Thread {
    std::size_t first_request = 0;
    std::size_t first = 0;  // of its edges
    std::size_t last = 0;   // one behind
    std::size_t near = 0;   // the edge before what came last
  };

  Thread* thread_of(ThreadId thread);
  void add(Thread& thread, std::size_t column, Ns begin, Ns end);
  void count(Thread& thread, std::size_t column, Ns at);
  std::uint64_t& cell(std::size_t column, std::size_t segment);
  std::size_t edge_at(const Thread& thread, Ns time) const;
  void add_to(RequestSums& sums, std::size_t request) const;

  const NameTable& names_;
  std::vector<Interval> requests_;
  ThreadNames who_;
  std::vector<std::uint32_t> rows_;  // of each request: its thread, as who_ has it
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> by_id_;  // of a thread's id: its place + 1
  std::vector<Ns> edges_;             // of each thread in order; a segment is from one to the next
  // By segment; after the end, sums of all segments before, of which only differences count, as
  // they may have gone round. Empty: nothing is in it.
  std::array<std::vector<std::uint64_t>, kColumns> columns_;
  RequestSums all_;
};

}  // namespace kutrace::reports
