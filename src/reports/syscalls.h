// SPDX-License-Identifier: BSD-3-Clause
// System calls summed up: how many, how long from entry to return, on a CPU and waiting for what,
// and which errors they returned. In: calls; out: a row per call, for all threads together or for
// each thread, process or program; the slowest calls. Memory grows with rows and threads, not with
// the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "reports/duration_histogram.h"
#include "reports/thread_names.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

// A program is all threads of processes of one name.
// A file, or a connection, is what a call is about (CallDetails::file).
enum class SyscallsBy : std::uint8_t {
  kAll,
  kThread,
  kProcess,
  kProgram,
  kCgroup,
  kContainer,
  kPod,
  kFile
};

struct SyscallSums {
  std::uint64_t calls = 0;
  std::uint64_t inferred = 0;  // of which begin or end was not seen
  std::map<std::string, std::uint64_t> errors;
  Ns total = 0;  // from entry to return; on_cpu + waits + unknown
  Ns on_cpu = 0;
  Ns unknown = 0;
  WaitTimes waits{};
  DurationHistogram durations;

  std::uint64_t failed() const;
  Ns mean() const { return calls == 0 ? 0 : total / static_cast<Ns>(calls); }
  void add(const SyscallSums& other);
};

struct SyscallRow {
  std::string call;
  SyscallSums sums;
};

struct SyscallGroup {
  std::string name;  // "bash.1234"; of all threads together: empty
  std::vector<SyscallRow> rows;
  SyscallSums all;
};

// One of the slowest.
struct SlowCall {
  Call call;
  std::string name;
  std::string thread;
  std::vector<WaitTime> waits;
  std::shared_ptr<const CallDetails> details;  // to which the call points, or null
};

class Syscalls : public SpanSink {
 public:
  using Wanted = std::function<bool(const Call&)>;

  // `slowest`: of so many calls it keeps all that is known.
  Syscalls(const NameTable& names, SyscallsBy by, std::size_t slowest, Wanted wanted);

  void push(const Span&) override {}
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

  // After the end. Groups by total time, most first; rows of a group, too.
  const std::vector<SyscallGroup>& groups() const { return groups_; }
  // Longest first.
  const std::vector<SlowCall>& slowest() const { return slowest_; }

 private:
  struct Held {
    Call call;
    std::uint32_t thread = 0;  // as who_ has it
    std::vector<WaitTime> waits;
    std::shared_ptr<const CallDetails> details;
  };
  // A thread, as who_ has it, or a file's name; and the call.
  using Key = std::pair<std::uint32_t, NameId>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>(
          (std::uint64_t{key.first} << 32 | key.second) * 0x9e37'79b9'7f4a'7c15ull >> 16);
    }
  };

  void keep_if_slow(const Call& call, std::uint32_t thread);
  bool tells_threads() const;
  std::uint32_t key_of(const Call& call, std::uint32_t thread) const;
  // What a row of this key belongs to: a number, and what people call it.
  std::pair<std::uint64_t, std::string> group_of(std::uint32_t key, const TraceInfo& info) const;

  const NameTable& names_;
  SyscallsBy by_;
  std::size_t most_slow_;
  Wanted wanted_;
  std::unordered_map<Key, SyscallSums, Hash> sums_;
  ThreadNames who_;
  std::vector<Held> slow_;  // a heap, the shortest first
  std::vector<SyscallGroup> groups_;
  std::vector<SlowCall> slowest_;
};

// Whether it is a new thread's way out of the call that made it, which it never made: the begin of
// the call was not seen, and it returned 0, to 16 bits, which is what every form of a trace holds.
// Where no result is known it is taken for one: there are more of them than of calls that were
// under way when the recording began.
bool is_birth(const Call& call, const NameTable& names);

}  // namespace kutrace::reports
