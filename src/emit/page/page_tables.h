// SPDX-License-Identifier: BSD-3-Clause
// The page's dictionaries: threads and kinds of span get small numbers in order of appearance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "emit/page/cpu_sums.h"
#include "format/event_table.h"
#include "format/page_format.h"
#include "model/call.h"
#include "model/span.h"
#include "model/thread_rows.h"

namespace kutrace::emit {

struct PageThread {
  Pid pid = kNoPid;
  NameId name = kNoName;  // of its life, like its family, begin and end
  Pid process = kNoPid;
  Pid parent = kNoPid;
  Ns begin = 0;
  Ns end = -1;  // before begin: the trace does not tell
  Ns waiting = 0;
  unsigned functions = 0;  // of the program, that stand in one another at most

  bool has_life() const { return begin <= end; }
};

class PageThreads {
 public:
  PageThreads();
  ThreadIndex index(Pid pid, ThreadId thread = ThreadId::kNone) {
    const ThreadIndex row = rows_.index(pid, thread);
    if (row == threads_.size()) threads_.push_back({.pid = pid});
    return row;
  }
  void add(const ThreadLife& life);
  void saw_function(ThreadIndex index, unsigned depth) {
    threads_[index].functions = std::max(threads_[index].functions, std::min(depth, 254U) + 1);
  }
  // Whether it was the last that had its number.
  bool is_last(ThreadIndex index) const { return rows_.is_last(index); }
  PageThread& at(ThreadIndex index) { return threads_[index]; }
  const std::vector<PageThread>& all() const { return threads_; }
  // By row: the first one of the same thread, which got other numbers.
  std::vector<ThreadIndex> firsts() const;

 private:
  ThreadRows rows_;
  std::vector<PageThread> threads_;  // by row
};

// What spans have in common: kind, event and name; for user mode and idle the thread too, so that
// those spans need no thread of their own.
struct PageKind {
  SpanKind kind = SpanKind::kUser;
  EventNum event = 0;
  NameId name = kNoName;
  ThreadIndex thread = kNoThread;
  bool names_thread = false;
};

// Of every kind; for the thread that packs slabs, which has each span at hand once more.
class KindTotals {
 public:
  void add_overlay(KindIndex kind, Ns duration) { at(overlays_, kind).add(duration); }
  // Of executions of the kinds below `kinds`, to be added to; until it is called anew.
  std::span<KindTotal> of_cpu(CpuId cpu, std::size_t kinds) { return cpus_.of_cpu(cpu, kinds); }
  void add_call(KindIndex kind, Ns duration) { at(calls_, kind).add(duration); }
  void add_calls(KindIndex kind, const KindTotal& calls) { at(calls_, kind).add(calls); }
  const CpuSums& cpus() const { return cpus_; }
  KindTotal of(KindIndex kind) const {
    KindTotal total = cpus_.of(kind);
    if (kind < overlays_.size()) total.add(overlays_[kind]);
    return total;
  }
  KindTotal calls_of(KindIndex kind) const {
    return kind < calls_.size() ? calls_[kind] : KindTotal();
  }

 private:
  static KindTotal& at(std::vector<KindTotal>& totals, KindIndex kind) {
    if (kind >= totals.size()) [[unlikely]] {
      totals.resize(kind + std::size_t{1});
    }
    return totals[kind];
  }

  std::vector<KindTotal> overlays_;
  std::vector<KindTotal> calls_;
  CpuSums cpus_;  // of executions
};

class KindTable {
 public:
  // The kind of `span`, which runs as `thread`.
  KindIndex index(const Span& span, ThreadIndex thread) {
    const bool names_thread = kind_names_thread(span.kind);
    std::vector<KindIndex>& nearest = names_thread ? of_threads_ : of_others_;
    const std::size_t place = names_thread ? thread : (span.event + 131 * span.name) % kOthers;
    if (place < nearest.size()) [[likely]] {
      const KindIndex kind = nearest[place];
      if (kind < kinds_.size() && is_of(kinds_[kind], span, thread)) [[likely]] {
        return kind;
      }
    }
    return look_up(span, thread, nearest, place);
  }
  const std::vector<PageKind>& all() const { return kinds_; }

 private:
  static constexpr std::size_t kOthers = 4096;
  static constexpr KindIndex kNone = std::numeric_limits<KindIndex>::max();

  static bool is_of(const PageKind& kind, const Span& span, ThreadIndex thread) {
    return kind.kind == span.kind && kind.name == span.name &&
           kind.event == narrow_event(span.event) && (!kind.names_thread || kind.thread == thread);
  }
  KindIndex look_up(const Span& span, ThreadIndex thread, std::vector<KindIndex>& nearest,
                    std::size_t place);

  struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.low ^ (key.high * 0x9e3779b97f4a7c15ull)) *
                                      0xff51afd7ed558ccdull) >>
             32;
    }
  };
  std::vector<PageKind> kinds_;
  std::unordered_map<Key, KindIndex, Hash> indices_;
  // The kind that was met last, by thread and, of what names none, by event and name.
  std::vector<KindIndex> of_threads_;
  std::vector<KindIndex> of_others_;
};

}  // namespace kutrace::emit
