// SPDX-License-Identifier: BSD-3-Clause
// What a trace knows of threads beside what they do. In: their names, processes and parents, and
// that one was made or got another number, from entries and block headers; out: the thread table,
// and a span where a thread's name changes.
#pragma once

#include <string>
#include <vector>

#include "format/machine_fact.h"
#include "spans/execution.h"
#include "spans/lost_time.h"
#include "spans/thread_ids.h"
#include "spans/wakeups.h"
#include "timeline/event.h"
#include "timeline/stream_facts.h"

namespace kutrace::spans {

class ThreadNews {
 public:
  struct Parts {
    NameTable& names;
    NameBook& book;
    ThreadTable& threads;
    ThreadIds& ids;
    Execution& execution;
    Wakeups& wakeups;
    LostTime& lost;
    SpanSink& sink;
    Counters& counters;
  };
  ThreadNews(const timeline::StreamFacts& facts, Parts parts)
      : parts_(parts),
        own_source_(facts.own_source),
        calls_(facts.calls),
        machines_(machines_of(facts.facts)) {}

  // The thread is called `text` from `now` on.
  void name(Ns now, CpuId cpu, Pid pid, const std::string& text);
  // How a name is told that a thread took and that has no letter.
  std::string empty_name(Pid pid);
  // An entry of kind TASK.
  void task(const timeline::Event& event);
  // The thread was in this system call where the recording begins. Who makes a thread returns from
  // that twice: in a new one it is the first that is seen.
  void was_in_call(Pid pid, EventNum call, Ns begin);
  // A call has returned that may have made a thread. In traces without wakeups of new threads, its
  // return is that wakeup.
  void returned(const timeline::Event& event, EventNum call, std::uint16_t result) {
    if (!own_source_ && result != 0) forked(event, call, result);
  }

 private:
  Ns recorded_since(Pid pid, Ns begin) const;
  Thread& begun(Pid pid);
  void renumber(const timeline::Event& event, Pid before);
  void start_inside(Pid pid, EventNum call, std::uint64_t arg, Ns now);
  void found(Pid pid, Thread& thread, std::uint32_t blocked_in, Ns now);
  void existed(Pid pid, Thread& thread, std::uint32_t blocked_in, Ns now);
  void born(Pid pid, const CallStack& parent, Ns now);
  void forked(const timeline::Event& event, EventNum call, std::uint16_t result);

  Parts parts_;
  bool own_source_;
  bool calls_;
  std::vector<MachineFact> machines_;
};

}  // namespace kutrace::spans
