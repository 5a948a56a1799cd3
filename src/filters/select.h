// SPDX-License-Identifier: BSD-3-Clause
// Spans of some CPUs, threads or event groups. In: a trace; out: what was asked for.
//
// Other CPUs disappear. On the CPUs that stay, execution that was not asked for becomes hidden
// spans, neighbours joined; loss is never hidden. Of the overlays stay those of a wanted thread,
// CPU and group; a wakeup stays if either thread is wanted and no end lies on a CPU left out.
#pragma once

#include <map>
#include <optional>
#include <unordered_set>

#include "filters/chosen_threads.h"
#include "filters/span_filter.h"
#include "filters/span_group.h"
#include "filters/woken_threads.h"
#include "model/names.h"

namespace kutrace::filters {

// What is absent selects everything.
struct Selection {
  std::optional<std::unordered_set<CpuId>> cpus;
  std::optional<ChosenThreads> threads;
  // Threads that ran on `cpus`: their waits, which are on no CPU, stay.
  ChosenThreads threads_of_cpus;
  std::optional<SpanGroups> groups;

  bool wants_cpu(CpuId cpu) const { return !cpus || cpus->contains(cpu); }
  bool ran_on_cpus(Pid pid, ThreadId thread) const {
    return !cpus || threads_of_cpus.has(pid, thread);
  }
  bool wants_thread(Pid pid, ThreadId thread) const {
    return !threads || threads->has(pid, thread);
  }
  bool everything() const { return !cpus && !threads && !groups; }
};

class Select : public SpanFilter {
 public:
  Select(Selection selection, NameTable& names, SpanSink& next);

  void push(const Span& span) override;

 private:
  struct Hidden {
    Ns start = 0;
    Ns end = 0;  // equal: nothing is being hidden
  };

  void finish(TraceInfo& info) override;
  bool wants_group(const Span& span) const {
    return !selection_.groups || selection_.groups->has(span_group(span));
  }
  bool wants_overlay(const Span& span) const;
  void execution(const Span& span);
  void show_hidden(CpuId cpu, Hidden& hidden);

  Selection selection_;
  NameId hidden_name_;
  WokenThreads woken_;
  std::map<CpuId, Hidden> hidden_;
};

}  // namespace kutrace::filters
