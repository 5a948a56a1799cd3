// SPDX-License-Identifier: BSD-3-Clause
// Where all time went, as stacks: process, thread, the calls it was in, what interrupted them, or
// what it waited for. In: spans and calls; out: a tree whose nodes have their own time. All
// executions add up to the time of all CPUs; waits come on top, under the thread that waited.
// Memory grows with different stacks, not with the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emit/stream/stack_children.h"
#include "emit/stream/thread_numbers.h"
#include "model/names.h"
#include "model/span_sink.h"

namespace kutrace::emit {

class StackSums : public SpanSink {
 public:
  struct Node {
    std::uint32_t parent = 0;  // the root has itself
    NameId name = kNoName;     // of threads: their last one, at the end
    Pid pid = kNoPid;          // of nodes below the root, of which each is a thread
    bool wait = false;
    Ns time = 0;              // in itself
    std::uint64_t count = 0;  // spans that this time consists of
  };

  explicit StackSums(NameTable& names) : names_(names) {}

  void push(const Span& span) override;
  void expect(Pid pid, ThreadId thread, Ahead ahead) const override;
  void call(const Call& call) override;
  void end(TraceInfo& info) override;

  // A parent comes before its children; the first one is the root.
  const std::vector<Node>& nodes() const { return nodes_; }
  // "server.812"; "wait:disk"; a call's name.
  std::string text(std::size_t node) const;
  // Of a node below the root: its process, where that has another number; else empty.
  std::string process_text(std::size_t thread) const;

 private:
  static constexpr std::uint32_t kNone = 0;

  struct OpenCall {
    CallId call = CallId::kNone;
    std::uint32_t node = kNone;
    std::uint32_t below = kNone;  // what it stands on
    NameId name = kNoName;
  };
  using OpenCalls = std::vector<OpenCall>;
  struct Thread {
    std::uint32_t node = kNone;
    OpenCalls calls;
    StackChildren below;  // all that stands on it
  };

  std::uint32_t child(Thread& of, std::uint32_t parent, NameId name, bool wait = false);
  Thread& thread_of(Pid pid, NameId name);
  std::uint32_t enter(Thread& of, OpenCalls& calls, std::uint32_t below, const Span& span);
  OpenCalls& calls_of(Thread& thread, Pid pid, CpuId cpu);
  static OpenCalls& of_cpu(std::vector<OpenCalls>& cpus, CpuId cpu);
  void execution(const Span& span);
  void add(std::uint32_t node, Ns time);

  NameTable& names_;
  std::vector<Node> nodes_{Node{}};
  ThreadNumbers numbers_;
  std::vector<Thread> threads_;        // by these
  std::vector<OpenCalls> interrupts_;  // of each CPU
  std::vector<OpenCalls> idle_;        // likewise: calls of nobody's time
  TraceInfo info_;
};

}  // namespace kutrace::emit
