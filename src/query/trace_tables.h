// SPDX-License-Identifier: BSD-3-Clause
// A trace as tables, in memory. In: its stream, or its slabs; out: tables of what CPUs did, of
// calls, waits, wakeups, threads, of all else that lies over them, and of what is known of the
// whole. Rows stand in the order in which the stream brought them, those of slabs by CPU within a
// slab.
//
// Either all of it is kept, or those columns that are needed: then the trace is read again when
// others are.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/recent_index.h"
#include "model/names.h"
#include "model/processes.h"
#include "model/span_sink.h"
#include "model/thread_rows.h"
#include "model/whole_threads.h"
#include "query/known_sums.h"
#include "query/slab_rows.h"
#include "query/span_rows.h"
#include "query/table.h"

namespace kutrace::query {

class TraceTables : public SpanSink {
 public:
  enum class Kept : std::uint8_t { kAll, kNeeded };
  // `names`: of the replay; it must stay.
  explicit TraceTables(const NameTable& names, Kept kept = Kept::kAll);
  TraceTables(const TraceTables&) = delete;
  TraceTables& operator=(const TraceTables&) = delete;
  ~TraceTables() override = default;

  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

  // Whether all of these are there.
  bool has(const Needs& needs) const;
  // Makes room for these, which the stream that comes next brings.
  void make_room(const Needs& needs);
  // Whether slabs have these, and nothing else was read so far.
  bool are_in(const SpanSlabs& slabs, const Needs& needs) const;
  // Reads them; spans when they are asked for, so that `slabs` must stay.
  Result<TraceInfo> read(SpanSlabs& slabs, const Needs& needs);
  // Whether all that was asked for could be read.
  Status state() const { return slab_rows_ ? slab_rows_->failure() : Status(); }

  // After the end; without rows also before.
  const std::deque<Table*>& all() const { return all_; }
  const Table& table(std::string_view name) const;
  const Texts& texts() const { return texts_; }
  // Of the table of spans.
  const KnownSums& known_sums() const { return known_sums_; }
  std::size_t bytes() const;

 private:
  struct What {
    SpanKind kind = SpanKind::kUser;
    EventNum event = 0;
    NameId name = kNoName;
    bool operator==(const What&) const = default;
  };
  struct WhatHash {
    std::size_t operator()(const What& what) const {
      const std::uint64_t key = std::uint64_t{what.name} << 32 | what.event;
      return static_cast<std::size_t>(
          ((key + static_cast<std::uint64_t>(what.kind)) * 0x9e37'79b9'7f4a'7c15ull) >> 20);
    }
  };
  struct CpuSums {
    Ns idle = 0;
    Ns user = 0;
    Ns lost = 0;
    Ns hidden = 0;
    Ns all = 0;
    std::int64_t spans = 0;
  };
  struct Rpc {
    NameId name = kNoName;
    Ns start = 0;
    Ns end = 0;
    Ns on_cpu = 0;
    std::int64_t spans = 0;
    bool seen = false;
  };
  // Storage of the tables that are not of spans; see trace_tables.cpp.
  struct CallStore {
    explicit CallStore(Table& table);
    PackedColumn &id, &parent, &start, &duration, &what, &cpu, &thread, &arg, &result, &has_result,
        &error, &file, &own, &on_cpu, &blocked, &ready, &unknown, &pieces, &begin_inferred,
        &end_inferred;
  };

  std::uint32_t what_of(SpanKind kind, EventNum event, NameId name);
  std::int64_t text(std::string_view text);
  std::int64_t text_of(NameId name);
  SpanRows& rows_of(SpanKind kind);
  void count_cpu(CpuId cpu, SpanKind kind, Ns duration, std::int64_t spans = 1);
  void count_rpc(const Span& span);
  void count_thread(const Span& span, std::uint32_t row);
  ThreadLife sums_of(std::uint32_t row) const;
  void add_call_columns();
  void add_list_columns();
  void restart();
  Table& own(const Table* table);
  void fill_lists(const TraceInfo& info);
  void fill_groups(const TraceInfo& info);
  std::uint32_t whole_of(std::uint32_t row);
  const Process* process_at(std::uint32_t row) const;
  Status read_overlays(SpanSlabs& slabs);
  bool tells_cpus_apart(const Needs& needs) const;
  Status count_cpus(SpanSlabs& slabs, const std::vector<SpanSlabs::CpuSums>& sums);
  std::vector<bool> of_command(const TraceInfo& info) const;
  void fill_threads(const TraceInfo& info);
  void fill_processes(const TraceInfo& info);
  void fill_cpus(const TraceInfo& info);
  void fill_rpcs();
  void fill_losses(const TraceInfo& info);
  void fill_counters(const TraceInfo& info);
  void fill_readings(const TraceInfo& info);
  void fill_metadata(const TraceInfo& info);

  const NameTable& names_;
  Texts texts_;
  std::vector<std::int64_t> texts_of_names_;               // by name; kNull: not asked for yet
  std::unordered_map<std::int64_t, std::int64_t> errors_;  // text by result

  RecentIndex<What, WhatHash, 1024> what_numbers_;
  WhatLists what_;
  KnownSums known_sums_{what_};
  ThreadRows thread_rows_;
  ThreadLists thread_lists_;
  std::map<std::uint32_t, ThreadLife> lives_;  // by row of thread_rows_
  Processes processes_of_lives_;
  WholeThreads whole_threads_;
  struct ThreadSums {
    Ns on_cpu = 0;
    Ns wait = 0;
  };
  std::vector<ThreadSums> thread_sums_;  // by row of thread_rows_
  bool has_waits_ = false;
  std::map<CpuId, CpuSums> cpu_sums_;
  std::map<std::uint32_t, Rpc> rpc_sums_;

  SpanRows spans_;
  SpanRows waits_;
  SpanRows wakeups_;
  SpanRows marks_;
  SpanRows samples_;
  SpanRows points_;
  SpanRows functions_;
  SpanRows intervals_;
  Table calls_;
  CallStore call_store_;
  Table threads_;
  Table processes_;
  Table cpus_;
  Table rpcs_;
  Table losses_;
  Table counters_;
  Table readings_;
  Table metadata_;
  std::deque<Table*> all_;
  SlabPlaces slab_places_;
  std::optional<SlabRows> slab_rows_;
  bool from_slabs_ = false;   // all that was read so far
  bool from_stream_ = false;  // something was read
};

}  // namespace kutrace::query
