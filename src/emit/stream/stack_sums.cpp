// SPDX-License-Identifier: BSD-3-Clause
// Stacks. A call is entered with its first piece and left when it is told as a whole; what of it
// came between is what it called, or what interrupted it.
#include "emit/stream/stack_sums.h"

#include <algorithm>

#include "format/event_table.h"
#include "format/wait_word.h"
#include "model/thread_label.h"

namespace kutrace::emit {

namespace {

// Roots of what no thread did.
constexpr Pid kIdle = 0;
constexpr Pid kLost = -2;
constexpr Pid kLeftOut = -3;

Pid root_of(const Span& span) {
  if (span.kind == SpanKind::kLoss) return kLost;
  return span.kind == SpanKind::kHidden ? kLeftOut : std::max(span.pid, 0);
}

}  // namespace

std::uint32_t StackSums::child(Thread& of, std::uint32_t parent, NameId name, bool wait) {
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t number = of.below.number_of(parent, name, wait, next);
  if (number == next) nodes_.push_back({.parent = parent, .name = name, .wait = wait});
  return number;
}

StackSums::Thread& StackSums::thread_of(Pid pid, NameId name) {
  const std::uint32_t number = numbers_.of(pid);
  if (number == threads_.size()) {
    threads_.emplace_back().node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back().pid = pid;
  }
  Thread& thread = threads_[number];
  if (name != kNoName) nodes_[thread.node].name = name;
  return thread;
}

// CPUs idle at once, each in calls of its own.
StackSums::OpenCalls& StackSums::calls_of(Thread& thread, Pid pid, CpuId cpu) {
  return pid == kIdle && cpu != kNoCpu ? of_cpu(idle_, cpu) : thread.calls;
}

StackSums::OpenCalls& StackSums::of_cpu(std::vector<OpenCalls>& cpus, CpuId cpu) {
  if (cpu >= cpus.size()) cpus.resize(cpu + std::size_t{1});
  return cpus[cpu];
}

void StackSums::add(std::uint32_t node, Ns time) {
  nodes_[node].time += time;
  ++nodes_[node].count;
}

// Those of a CPU stand on whatever thread they interrupted, which is another one where a switch was
// seen before the interrupt's end was.
std::uint32_t StackSums::enter(Thread& of, OpenCalls& calls, std::uint32_t below,
                               const Span& span) {
  const auto known = std::ranges::find(calls, span.call, &OpenCall::call);
  const bool is_open = span.call != CallId::kNone && known != calls.end();
  for (OpenCall& open : calls) {
    if (open.below != below) open = {open.call, child(of, below, open.name), below, open.name};
    below = open.node;
    if (is_open && open.call == span.call) return open.node;
  }
  const std::uint32_t node = child(of, below, span.name);
  if (span.call != CallId::kNone) calls.push_back({span.call, node, below, span.name});
  return node;
}

void StackSums::execution(const Span& span) {
  const bool of_thread =
      is_user(span.kind) || span.kind == SpanKind::kLoss || span.kind == SpanKind::kHidden;
  const Pid root = root_of(span);
  Thread& thread = thread_of(root, of_thread ? span.name : kNoName);
  if (is_call_kind(span.kind)) {
    OpenCalls& calls = calls_of(thread, root, span.cpu);
    const std::uint32_t top = calls.empty() ? thread.node : calls.back().node;
    add(is_interrupt(span.kind) ? enter(thread, of_cpu(interrupts_, span.cpu), top, span)
                                : enter(thread, calls, thread.node, span),
        span.duration);
  } else if (span.kind == SpanKind::kCExit) {
    add(child(thread, thread.node, span.name), span.duration);
  } else {
    add(thread.node, span.duration);
  }
}

void StackSums::push(const Span& span) {
  if (is_execution(span.kind)) return execution(span);
  if (span.kind == SpanKind::kRename) {
    thread_of(span.pid, span.name);
  } else if (span.kind == SpanKind::kWait) {
    Thread& thread = thread_of(span.pid, kNoName);
    const OpenCalls& calls = calls_of(thread, span.pid, span.cpu);
    const auto in = std::ranges::find(calls, span.call, &OpenCall::call);
    const std::uint32_t node = in == calls.end() ? thread.node : in->node;
    add(child(thread, node, span.name, true), span.duration);
  }
}

void StackSums::call(const Call& call) {
  const auto leave = [&call](OpenCalls& calls) {
    const auto left = std::ranges::find(calls, call.id, &OpenCall::call);
    if (left != calls.end()) calls.erase(left, calls.end());
  };
  if (call.kind == SpanKind::kIrq || call.kind == SpanKind::kSoftirq) {
    if (call.cpu < interrupts_.size()) leave(interrupts_[call.cpu]);
  } else {
    const Pid pid = std::max(call.pid, 0);
    const std::uint32_t number = numbers_.find(pid);
    if (number != ThreadNumbers::kNone) leave(calls_of(threads_[number], pid, call.cpu));
  }
}

void StackSums::expect(Pid pid, ThreadId /*thread*/, Ahead ahead) const {
  const std::uint32_t number = numbers_.find(pid);
  if (number == ThreadNumbers::kNone) return;
  if (ahead == Ahead::kFar) {
    prefetch(&threads_[number]);
  } else {
    prefetch(&nodes_[threads_[number].node]);
    prefetch(threads_[number].calls.data());
  }
}

void StackSums::end(TraceInfo& info) { info_ = info; }

std::string StackSums::text(std::size_t node) const {
  const Node& shown = nodes_[node];
  if (shown.wait) {
    const std::string& name = names_.text(shown.name);
    return "wait:" + (name.starts_with("wait_") ? name.substr(5) : name);
  }
  if (shown.parent != 0) return names_.text(shown.name);
  switch (shown.pid) {
    case kIdle:
      return "-idle-";
    case kLost:
      return "-loss-";
    case kLeftOut:
      return "-hidden-";
    default:
      return shown.name != kNoName ? thread_label(names_.text(shown.name), shown.pid, info_.facts)
                                   : thread_label(shown.pid, info_, names_);
  }
}

std::string StackSums::process_text(std::size_t thread) const {
  const Pid pid = nodes_[thread].pid;
  const auto known = info_.threads.find(pid);
  if (pid <= 0 || known == info_.threads.end()) return {};
  const Pid process = known->second.process;
  if (process == kNoPid || process == pid) return {};
  return thread_label(process, info_, names_);
}

}  // namespace kutrace::emit
