// SPDX-License-Identifier: BSD-3-Clause
// A trace that stands in slabs, which can be read in any order and in part. In: the number of a
// slab, and which columns of its executions are wanted; out: those columns. What lies over the
// executions (waits, moments, arcs) is read all at once. Neither calls nor which one lay in which
// can be asked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "model/span.h"
#include "model/span_sink.h"

namespace kutrace {

// The executions of a slab, CPU by CPU, each CPU's in order of time. Columns that were not asked
// for may be empty; rows of sections that were not asked for hold nothing.
struct SlabColumns {
  // What is wanted.
  enum Wanted : unsigned {
    kStarts = 1,
    kDurations = 2,
    kThreads = 4,
    kArgs = 8,
    kResults = 16,
    kIpcs = 32,
    kRpcs = 64,
    kAll = 127
  };
  // CPUs and kinds are always there.
  struct Section {
    CpuId cpu = 0;
    std::size_t spans = 0;
  };

  std::vector<Section> sections;
  std::vector<std::uint32_t> kinds;    // places in SpanSlabs::Tables::kinds
  std::vector<Ns> starts;              // ns
  std::vector<Ns> durations;           // ns
  std::vector<std::uint32_t> threads;  // places in SpanSlabs::Tables::pids
  std::vector<std::uint32_t> args;
  std::vector<std::uint32_t> results;  // 0: none, else + 1; see page_result.h
  std::vector<std::uint8_t> ipcs;
  std::vector<std::uint32_t> rpcs;
};

class SpanSlabs {
 public:
  // All executions, or overlays, of a kind: how many there are, and their durations in ns.
  struct KindSums {
    std::uint64_t spans = 0;
    Ns total = 0;
    Ns shortest = 0;
    Ns longest = 0;
  };
  // The same of the executions of a CPU.
  struct CpuSums {
    CpuId cpu = 0;
    std::uint32_t kind = 0;
    KindSums sums;
  };
  // What columns refer to, with names of the reader's table.
  struct Tables {
    std::vector<Span> kinds;     // kind, event and name of each
    std::vector<KindSums> sums;  // of each kind, as the trace tells it before any span is read
    std::vector<Pid> pids;       // of each thread
    std::vector<ThreadId> ids;   // of each thread
    std::vector<Pid> processes;  // of each thread; its own number where it is not known
  };
  // Of the executions of a slab, or of its section of a CPU: how many there are, and the time in
  // which they lie.
  struct Part {
    std::size_t spans = 0;
    Ns begin = 0;
    Ns end = 0;
  };
  struct Section : Part {
    CpuId cpu = 0;
  };
  struct Extent : Part {
    std::vector<Section> sections;
  };
  // An overlay, with the places of its thread and of the woken one in the tables.
  struct Overlay {
    Span span;
    std::uint32_t kind = 0;
    std::uint32_t thread = 0;
    std::uint32_t other = 0;
  };

  virtual ~SpanSlabs() = default;
  virtual const Tables& tables() const = 0;
  virtual const std::vector<Extent>& extents() const = 0;
  // Whether the lives that tell_facts() tells come with the time that threads ran and waited.
  virtual bool tells_lives() const = 0;
  // Tells the sink all that is known without reading a span: lives, and the end. May be called
  // again.
  virtual TraceInfo tell_facts(SpanSink& sink) const = 0;
  // What of a slab is read: columns, as SlabColumns::Wanted, of sections first to end.
  struct Choice {
    unsigned columns = SlabColumns::kAll;
    std::size_t first = 0;
    std::size_t end = std::numeric_limits<std::size_t>::max();
  };
  // Reads what is chosen of a slab; fails if that is damaged. Cheapest slab by slab, in order of
  // sections.
  virtual Status executions(std::size_t slab, const Choice& choice, SlabColumns& columns) = 0;
  // Sums for each CPU and kind that has executions; empty if the trace does not tell them.
  virtual Result<std::vector<CpuSums>> cpu_sums() = 0;
  // Calls `take` for each overlay, in no promised order. Fails if they are damaged.
  virtual Status overlays(const std::function<void(const Overlay&)>& take) = 0;
};

}  // namespace kutrace
