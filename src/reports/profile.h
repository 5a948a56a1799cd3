// SPDX-License-Identifier: BSD-3-Clause
// Where the time of each CPU, thread and RPC went. In: spans and calls; out: a row per CPU, thread
// and RPC with a cell per name. Threads that had one number in turn have a row each. Rows of one
// base name can be grouped by how long they lasted. Memory grows with rows and names, not with the
// trace.
//
// A cell's count and durations are those of whole calls, waits included, where the trace tells of
// calls; a call counts in the row of its thread and of the CPU that it ended on. All else is
// counted in pieces: user code, waits, idle, interrupts in rows of threads, all of an RPC's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/recent_index.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/thread_rows.h"
#include "model/trace_info.h"
#include "reports/duration_histogram.h"

namespace kutrace::reports {

enum class ProfileOf : std::uint8_t { kCpus, kThreads, kRpcs };
const char* profile_of_name(ProfileOf of);  // "cpu", "thread", "rpc"

// Order of a row's cells: executing, samples and locks held, waiting, idle, not known.
int profile_rank(SpanKind kind);

struct ProfileCell {
  SpanKind kind = SpanKind::kUser;
  EventNum event = 0;  // of the first of its spans
  std::string name;
  Ns total = 0;           // of its pieces in this row
  bool is_calls = false;  // whether `durations` are those of calls, else of pieces
  DurationHistogram durations;
  Ns lasted = 0;  // their sum
  std::uint64_t pieces = 0;
  Ns calls_on_cpu = 0;   // of `lasted`, in what these called, too
  Ns calls_blocked = 0;  // of `lasted`
  double ipc = 0;        // mean instructions per cycle; 0: not recorded

  double mean() const;
};

struct ProfileRow {
  ProfileOf of = ProfileOf::kCpus;
  std::int64_t id = 0;       // CPU, thread or RPC; of a group: of its first row
  std::string base;          // name of the thread, method of the RPC, "CPU"
  std::string name;          // as shown: "server.1234", "server_2ms"
  Ns elapsed = 0;            // from the first to the last span, waits included; groups: the sum
  Ns on_cpu = 0;             // executing; groups: the sum
  std::uint64_t merged = 1;  // rows that a group stands for: every sum is to be divided by it
  std::vector<ProfileCell> cells;  // by profile_rank, then by decreasing time
};

class Profile : public SpanSink {
 public:
  explicit Profile(const NameTable& names) : names_(names) {}
  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;

  // CPUs by number; threads and RPCs by base name, then by elapsed time.
  std::vector<ProfileRow> rows(const TraceInfo& info) const;

 private:
  struct Cell {
    SpanKind kind = SpanKind::kUser;
    EventNum event = 0;
    std::uint32_t arg = 0;  // MHz of a frequency, else 0
    NameId name = kNoName;
    Ns total = 0;
    DurationHistogram pieces;
    DurationHistogram calls;
    Ns lasted = 0;  // the sum of calls' durations
    Ns calls_on_cpu = 0;
    Ns calls_blocked = 0;
    double ipc_time = 0;       // sixteenths * ns, trailer nibbles being IPC alone
    double both_ipc_time = 0;  // the same, nibbles holding IPC and cache misses
  };
  struct Key {
    std::uint64_t kind_name = 0;
    std::uint32_t arg = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.kind_name ^ key.arg) * 0x9e37'79b9'7f4a'7c15ull >> 15);
    }
  };
  struct Row {
    bool any = false;
    Ns first = 0;
    Ns last = 0;
    NameId name = kNoName;   // of the thread's user code
    NameId lived = kNoName;  // the last name of its life
    RecentIndex<Key, KeyHash, 16> index;
    std::vector<Cell> cells;
  };

  // The rows of one sort, by their ids.
  struct Rows {
    RecentIndex<std::uint32_t, std::hash<std::uint32_t>, 64> index;
    std::vector<std::pair<std::uint32_t, Row>> rows;
    Row& at(std::uint32_t id);
  };

  Row& row_of(Pid pid, ThreadId thread);
  std::string base_of(std::uint32_t thread, const TraceInfo& info) const;
  static Cell& cell_of(Row& row, SpanKind kind, EventNum event, NameId name, std::uint32_t arg);
  static void add(Row& row, const Span& span);
  static void add(Row& row, const Call& call);
  std::string method_of(std::uint32_t rpc) const;
  ProfileRow finished(ProfileOf of, std::int64_t id, const std::string& base, const Row& row,
                      const TraceInfo& info) const;
  ProfileCell finished(ProfileOf of, const Cell& cell, const TraceInfo& info) const;

  const NameTable& names_;
  Rows cpus_;
  ThreadRows thread_rows_;
  std::vector<Row> threads_;  // as thread_rows_ has them
  Rows rpcs_;
  std::unordered_map<std::uint32_t, NameId> rpc_names_;  // "method.ID", as the trace says
};

// Rows of one base name merged: into "base_AVG", and by elapsed time into "base_1us", "base_2us",
// ... "base_8s" (powers of two). CPUs: only "CPU_AVG". Bases of a single row are left out unless
// `all`.
std::vector<ProfileRow> grouped_rows(const std::vector<ProfileRow>& rows, bool all);

}  // namespace kutrace::reports
