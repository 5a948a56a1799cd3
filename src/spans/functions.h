// SPDX-License-Identifier: BSD-3-Clause
// Functions of programs to spans. In: where a function begins and ends, or that one has ended, and
// what ends all of a thread's functions; out: a span for each when it ends, those within it first.
// These spans lie over the time of their thread; they are no part of its execution.
//
// A program says how many functions are around one, the kernel's probes say where the stack is. So
// a function whose end was not seen (longjmp, an exception, exec, lost entries) ends where the next
// event of its thread proves that it has.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "spans/name_book.h"

namespace kutrace::spans {

class Functions {
 public:
  Functions(NameBook& names, SpanSink& sink, Counters& counters)
      : names_(names), sink_(sink), counters_(counters) {}

  struct Owner {
    Pid pid = kNoPid;
    ThreadId thread = ThreadId::kNone;
    Ns since = 0;  // it is known what the thread does
  };

  // Functions of nobody (where it is not known who runs) are ignored. `arg`: depth in 31:24 and
  // number in 23:0, as in FUNCTION_ENTER and FUNCTION_LEAVE.
  void enter(Owner owner, Ns now, std::uint32_t arg);
  void leave(Owner owner, Ns now, std::uint32_t arg);
  // A function has ended that took `took` ns.
  void whole(Owner owner, Ns now, std::uint32_t arg, Ns took);
  // The program left out so many calls.
  void left_out(std::uint64_t calls) { counters_.add(Counter::kFunctionsLeftOut, calls); }
  // The same, told by the recorder's probes; `stack` is the stack pointer there.
  void probe_enter(Owner owner, Ns now, std::uint32_t number, std::uint64_t stack);
  void probe_leave(Owner owner, Ns now, std::uint32_t number, std::uint64_t stack);

  // Whether any are, or were, open.
  bool any() const { return !threads_.empty(); }
  // All functions of the thread end: the thread does, or what it does is unknown from there on.
  void end_all(Pid pid, Ns now);

 private:
  static constexpr std::uint32_t kNoDepth = ~0U;

  struct Open {
    std::uint32_t number = 0;
    std::uint32_t depth = 0;
    std::uint64_t stack = 0;  // of probes
    Ns begin = 0;
    Ns within = 0;  // in functions that it called
    NameId name = kNoName;
  };
  // Functions that are over, of which the one around them is not.
  struct Within {
    Ns begin = 0;  // of the first
    Ns took = 0;
  };
  struct Thread {
    Owner owner;
    std::vector<Open> told;
    std::vector<Open> probed;
    std::vector<Within> within;  // by depth; of calls that are told when they are over
    // What ends at a depth below all that was seen is open since before the recording.
    std::uint32_t least_depth = kNoDepth;
    std::vector<Ns> outside;  // by depth: in functions that are over while none is open around them
  };

  Thread& thread_of(Owner owner);
  void end_last(Thread& thread, std::vector<Open>& open, Ns now);
  static Ns& outside(Thread& thread, std::uint32_t depth);
  void push(const Thread& thread, const Open& function, Ns end);

  NameBook& names_;
  SpanSink& sink_;
  Counters& counters_;
  std::unordered_map<Pid, Thread> threads_;
};

}  // namespace kutrace::spans
