// SPDX-License-Identifier: BSD-3-Clause
// Where the time of each CPU, thread and RPC went. In: spans and calls; out: a row per CPU, thread
// and RPC with a cell per name. Threads that had one number in turn have a row each. Rows of one
// base name can be grouped by how long they lasted. Memory grows with rows and names, not with the
// trace.
//
// A cell's count and durations are those of whole calls, waits included, where the trace has
// calls; a call counts in the row of its thread and of the CPU that it ended on. All else is
// counted in pieces: user code, waits, idle, interrupts in rows of threads, all of an RPC's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/recent_index.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "reports/duration_histogram.h"
#include "reports/profile_cells.h"
#include "reports/thread_names.h"

namespace kutrace::reports {

enum class ProfileOf : std::uint8_t { kCpus, kThreads, kRpcs, kCgroups, kContainers, kPods };
const char* profile_of_name(ProfileOf of);  // "cpu", "thread", "rpc", "cgroup", "container", "pod"

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
  std::string base;          // name of the thread, method of the RPC, "CPU", the group
  std::string cgroup;        // of a thread: path of its control group; empty: not told
  std::string name;          // as shown: "server.1234", "server_2ms"
  Ns elapsed = 0;            // from the first to the last span, waits included; groups: the sum
  Ns on_cpu = 0;             // executing; groups: the sum
  std::uint64_t merged = 1;  // rows that a group stands for: every sum is to be divided by it
  std::vector<ProfileCell> cells;  // by profile_rank, then by decreasing time
};

class Profile : public SpanSink {
 public:
  explicit Profile(const NameTable& names) : names_(names), who_(names) {}
  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

  // After the end. CPUs by number; threads and RPCs by base name, then by elapsed time.
  std::vector<ProfileRow> rows(const TraceInfo& info) const;

 private:
  struct Row {
    bool any = false;
    bool known = false;
    std::uint32_t number = 0;  // of all rows, in cells_
    Ns first = 0;
    Ns last = 0;
    NameId name = kNoName;  // of the thread's user code
  };

  Row& row_of(Pid pid, ThreadId thread);
  Row& cpu_row(CpuId cpu);
  Row& rpc_row(std::uint32_t rpc);
  Row& numbered(Row& row);
  std::string base_of(std::uint32_t thread, const TraceInfo& info) const;
  static void extend(Row& row, const Span& span);
  bool ends_with_last(const Call& call) const;
  std::string method_of(std::uint32_t rpc) const;
  using Cells = std::vector<std::uint32_t>;  // numbers in cells_
  void finish(ProfileRow& shown, const Row& row, const Cells& cells, const TraceInfo& info) const;
  ProfileCell finished(ProfileOf of, ProfileSums sums, const TraceInfo& info) const;

  // What was entered last; its rows are those of a CPU, a thread and an RPC.
  struct Last {
    CallId call = CallId::kNone;
    CpuId cpu = kNoCpu;
    Pid pid = kNoPid;
    ThreadId thread = ThreadId::kNone;
    NameId name = kNoName;
    SpanKind kind = SpanKind::kUser;
  };

  const NameTable& names_;
  ProfileCells cells_;
  Last last_;
  std::uint32_t rows_ = 0;  // of all sorts
  std::vector<Row> cpus_;   // by number
  ThreadNames who_;
  std::vector<Row> threads_;  // as who_ has them
  RecentIndex<std::uint32_t, std::hash<std::uint32_t>, 64> rpc_numbers_;
  std::vector<std::pair<std::uint32_t, Row>> rpcs_;
  std::unordered_map<std::uint32_t, NameId> rpc_names_;  // "method.ID", as the trace says
};

// A row for each control group, container or pod (`of`): the sums of its threads' rows, elapsed
// times included.
std::vector<ProfileRow> rows_of_groups(const std::vector<ProfileRow>& rows, ProfileOf of);

// Rows of one base name merged: into "base_AVG", and by elapsed time into "base_1us", "base_2us",
// ... "base_8s" (powers of two). CPUs: only "CPU_AVG". Bases of a single row are left out unless
// `all`.
std::vector<ProfileRow> grouped_rows(const std::vector<ProfileRow>& rows, bool all);

}  // namespace kutrace::reports
