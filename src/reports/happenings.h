// SPDX-License-Identifier: BSD-3-Clause
// What every CPU and every thread did in some windows of time, kept so that it can be walked
// backwards. In: a stream of spans; out: pieces by CPU and by thread, and who woke whom when.
// Memory grows with what happened in the windows: about 40 bytes a span.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/time_window.h"
#include "base/units.h"
#include "model/span_sink.h"
#include "model/whole_threads.h"

namespace kutrace::reports {

using ThreadRow = std::uint32_t;
constexpr ThreadRow kNoRow = 0xffff'ffff;

// A thread executes on a CPU, or is interrupted there; a CPU idles; a thread waits.
struct Piece {
  Ns begin = 0;
  Ns end = 0;
  NameId name = kNoName;   // of a wait: the call that it is in
  CpuId cpu = kNoCpu;      // kNoCpu: a wait
  ThreadRow row = kNoRow;  // kNoRow: of no thread
  SpanKind kind = SpanKind::kUser;
  char letter = 0;             // of a wait
  bool of_lock = false;        // in a call that waits for locks alone, no thread
  bool ends_requests = false;  // of a softirq: a disk's or a timer's, never work of a thread's call
  // Of a kernel thread that runs softirqs for whoever raised them (ksoftirqd): they are not its
  // own.
  bool runs_softirqs = false;
};

struct Wakeup {
  ThreadRow woken = kNoRow;
  CpuId cpu = kNoCpu;  // of the waker
  Ns time = 0;
};

// As the kernel handed it to a network card, or took it from one.
struct Packet {
  std::uint32_t hash = 0;
  CpuId cpu = kNoCpu;
  Ns time = 0;
};

class Happenings : public SpanSink {
 public:
  // What lies in one of the windows or touches it. `windows` are tidy (base/time_window.h). `texts`
  // are those of the stream, and must outlive this.
  Happenings(std::vector<TimeWindow> windows, const NameTable& texts)
      : windows_(std::move(windows)), texts_(texts) {}

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void life(const ThreadLife& life) override;
  // Keeps which file a call that waited is about; who does not pass calls on gets no files.
  void call(const Call& call) override;
  void end(TraceInfo& info) override;

  // Of several machines packets are kept, too, so that a message leads to who sent it.
  bool has_machines() const { return has_machines_; }
  // Puts in order what was pushed so far. All below: after that or the end.
  void arrange();
  // Lets go of what ended before `time`, except where it touches one of these tidy windows.
  void forget(Ns time, const std::vector<TimeWindow>& except = {});
  // By row, as name_of has them; instead of the names of these rows in the stream.
  const std::vector<NameId>& names() const { return names_; }
  void know_names(std::vector<NameId> names) { known_names_ = std::move(names); }
  // As WholeThreads has them.
  ThreadRow row_of(Pid pid, ThreadId thread) { return rows_.index(pid, thread); }
  Pid pid_of(ThreadRow row) const { return rows_.pid(row); }
  NameId name_of(ThreadRow row) const {
    if (row < known_names_.size()) return known_names_[row];
    return row < names_.size() ? names_[row] : kNoName;
  }
  ThreadId thread_of(ThreadRow row) const { return rows_.thread(row); }
  // All of them, in no order.
  const std::vector<Piece>& pieces() const { return pieces_; }
  // The last piece that begins before `time`; null: none does.
  const Piece* of_thread(ThreadRow row, Ns time) const;
  const Piece* of_cpu(CpuId cpu, Ns time) const;
  // What is told of the CPU ends there; 0: nothing is.
  Ns reached(CpuId cpu) const;
  // The piece of the same thread right after or before, of the same CPU right before; null: none.
  const Piece* after_in_thread(const Piece& piece) const;
  const Piece* before_in_thread(const Piece& piece) const;
  const Piece* before_on_cpu(const Piece& piece) const;
  // A CPU of which events are missing at the begin or end of that time; kNoCpu: of none.
  CpuId lost(Ns from, Ns to) const;
  // The file or connection that the call is about in which that wait lies; kNoName: not told.
  NameId file_of(const Piece& wait) const;
  // Whether it goes on where the trace ends. Before that is told, none does.
  bool lasts_to_end(const Piece& wait) const { return wait.end >= end_; }
  // Who woke the thread at that time.
  const Wakeup* wakeup(ThreadRow row, Ns time) const;
  // The packets that the CPU received in that time, both ends included, by time.
  std::span<const Packet> received(CpuId cpu, Ns from, Ns to) const;
  // Those with that hash that were sent after `from` and before `to`, by time.
  std::span<const Packet> sent(std::uint32_t hash, Ns from, Ns to) const;

 private:
  // Places in pieces_, by begin.
  struct Order {
    std::vector<std::uint32_t> places;
    Ns last = -kForever;           // begin of the newest
    bool is_in_order = true;       // and not only after it was sorted
    mutable std::size_t near = 0;  // where the last search ended; the next one is most often there
  };

  // A call of a thread, and what it is about.
  struct FileOf {
    ThreadRow row = kNoRow;
    NameId file = kNoName;
    NameId call = kNoName;
    Ns begin = 0;
    Ns end = 0;
  };

  bool matters(Ns begin, Ns end) const;
  void execution(const Span& span);
  void wait(const Span& span);
  void moment(const Span& span);
  void keep(const Span& span, ThreadRow row, NameId name);
  bool is_of_lock(char letter, NameId call) const;
  ThreadRow row_of(const Span& span);
  std::size_t window_behind(Ns time) const;
  const Order* of_cpu(CpuId cpu) const { return cpu < cpus_.size() ? &cpus_[cpu] : nullptr; }
  void append(Order& order, std::uint32_t place);
  void sort(Order& order) const;
  std::size_t before(const Order& order, Ns time) const;
  const Piece* last_before(const Order& order, Ns time) const;
  const Piece* neighbour(const Order& order, const Piece& piece, int step) const;

  std::vector<TimeWindow> windows_;
  const NameTable& texts_;
  Ns end_ = kForever;
  bool has_machines_ = false;
  mutable std::size_t near_ = 0;  // the window that was reached; most of what comes is near it
  WholeThreads rows_;
  std::vector<NameId> names_;  // by row
  std::vector<NameId> known_names_;
  std::vector<NameId> calls_;  // by row: the call that it is in, or was last
  std::vector<Piece> pieces_;
  std::vector<Order> threads_;    // by row
  std::vector<Order> cpus_;       // by number
  std::vector<Wakeup> wakeups_;   // by thread and time
  std::vector<Packet> received_;  // by CPU and time
  std::vector<Packet> sent_;      // by hash and time
  std::vector<FileOf> files_;     // at the end by thread and time
};

}  // namespace kutrace::reports
