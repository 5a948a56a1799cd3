// SPDX-License-Identifier: BSD-3-Clause
// Nesting of functions.
#include "spans/functions.h"

#include <algorithm>
#include <utility>

#include "format/event_table.h"
#include "kutrace/labels.h"

namespace kutrace::spans {

namespace {

// Functions whose returns never come would else pile up.
constexpr std::size_t kMostProbed = 1024;  // that a thread is in
// A return address: what a return takes from the stack, where the processor keeps it there.
constexpr std::uint64_t kReturnAddress = 8;
// Between the end of a function, as the program read it, and its entry.
constexpr Ns kLatestEntry = 10'000'000;

std::uint32_t depth_of(std::uint32_t arg) { return arg >> KUTRACE_FUNCTION_DEPTH_SHIFT; }
std::uint32_t number_of(std::uint32_t arg) { return arg & KUTRACE_FUNCTION_MASK; }

}  // namespace

Functions::Thread& Functions::thread_of(Owner owner) {
  Thread& thread = threads_[owner.pid];
  thread.owner = owner;
  return thread;
}

// `value` is the time in the function itself, without those that it called.
void Functions::push(const Thread& thread, const Open& function, Ns end) {
  Span span;
  span.start = function.begin;
  span.duration = std::max<Ns>(end - function.begin, 0);
  span.pid = thread.owner.pid;
  span.thread = thread.owner.thread;
  span.event = ev::kFUNCTION_CALL;
  span.arg = function.depth;
  span.value = static_cast<std::uint64_t>(std::max<Ns>(span.duration - function.within, 0));
  span.name = function.name;
  span.kind = SpanKind::kFunction;
  sink_.push(span);
}

void Functions::end_last(Thread& thread, std::vector<Open>& open, Ns now) {
  const Open function = open.back();
  open.pop_back();
  push(thread, function, now);
  const Ns took = std::max<Ns>(now - function.begin, 0);
  if (!open.empty())
    open.back().within += took;
  else if (&open == &thread.told)
    outside(thread, function.depth) += took;
}

Ns& Functions::outside(Thread& thread, std::uint32_t depth) {
  if (thread.outside.size() <= depth) thread.outside.resize(depth + std::size_t{1});
  return thread.outside[depth];
}

void Functions::enter(Owner owner, Ns now, std::uint32_t arg) {
  if (owner.pid <= 0) return;
  Thread& thread = thread_of(owner);
  // One at this depth or below it can only begin when those have ended.
  while (!thread.told.empty() && thread.told.back().depth >= depth_of(arg)) {
    counters_.add(Counter::kFunctionEndNotSeen);
    end_last(thread, thread.told, now);
  }
  thread.least_depth = std::min(thread.least_depth, depth_of(arg));
  thread.told.push_back({.number = number_of(arg),
                         .depth = depth_of(arg),
                         .begin = now,
                         .name = names_.function(owner.pid, number_of(arg))});
}

void Functions::leave(Owner owner, Ns now, std::uint32_t arg) {
  if (owner.pid <= 0) return;
  Thread& thread = thread_of(owner);
  while (!thread.told.empty() && thread.told.back().depth > depth_of(arg)) {
    counters_.add(Counter::kFunctionEndNotSeen);
    end_last(thread, thread.told, now);
  }
  const bool is_open = !thread.told.empty() && thread.told.back().depth == depth_of(arg) &&
                       thread.told.back().number == number_of(arg);
  if (is_open) return end_last(thread, thread.told, now);
  // It has no begin in the trace. Below all depths that were seen, it was open when the thread was
  // first seen, and so is its begin. Else its begin was lost.
  const std::uint32_t depth = depth_of(arg);
  if (depth >= thread.least_depth) return counters_.add(Counter::kFunctionBeginNotSeen);
  thread.least_depth = depth;
  const Open function{.depth = depth,
                      .begin = std::min(owner.since, now),
                      .within = std::exchange(outside(thread, depth + 1), 0),
                      .name = names_.function(owner.pid, number_of(arg))};
  // The one around it may come to light in the same way and needs to know.
  outside(thread, depth) += now - function.begin;
  push(thread, function, now);
}

// Such calls come when they are over, innermost first: what they called was told before, one
// deeper.
void Functions::whole(Owner owner, Ns now, std::uint32_t arg, Ns took) {
  if (owner.pid <= 0) return;
  Thread& thread = thread_of(owner);
  const std::uint32_t depth = depth_of(arg);
  Open function{.number = number_of(arg),
                .depth = depth,
                .begin = std::max<Ns>(now - took, 0),
                .name = names_.function(owner.pid, number_of(arg))};
  if (thread.within.size() < depth + std::size_t{2}) thread.within.resize(depth + std::size_t{2});
  // Its entry may have come later behind its end than theirs.
  const Within inner = thread.within[depth + 1];
  if (inner.took != 0 && inner.begin >= function.begin - kLatestEntry) {
    function.begin = std::min(function.begin, inner.begin);
    function.within = inner.took;
  }
  // It was around all that is deeper; the next one at this depth begins with nothing in it.
  std::fill(thread.within.begin() + depth + 1, thread.within.end(), Within());
  Within& among = thread.within[depth];
  if (among.took == 0) among.begin = function.begin;
  among.took += now - function.begin;
  push(thread, function, now);
}

void Functions::probe_enter(Owner owner, Ns now, std::uint32_t number, std::uint64_t stack) {
  if (owner.pid <= 0) return;
  Thread& thread = thread_of(owner);
  std::vector<Open>& open = thread.probed;
  // One with the same stack pointer called this one as its last deed, unless it is the same
  // function.
  while (!open.empty() && (open.back().stack < stack || open.size() == kMostProbed ||
                           (open.back().stack == stack && open.back().number == number))) {
    counters_.add(Counter::kFunctionEndNotSeen);
    end_last(thread, open, now);
  }
  open.push_back({.number = number,
                  .depth = static_cast<std::uint32_t>(thread.told.size() + open.size()),
                  .stack = stack,
                  .begin = now,
                  .name = names_.function(owner.pid, number)});
}

void Functions::probe_leave(Owner owner, Ns now, std::uint32_t number, std::uint64_t stack) {
  if (owner.pid <= 0) return;
  Thread& thread = thread_of(owner);
  std::vector<Open>& open = thread.probed;
  const auto is_left = [&](const Open& function) {
    return function.number == number && function.stack <= stack &&
           function.stack + kReturnAddress >= stack;
  };
  // The innermost: of a function that calls itself, each call has its own place on the stack.
  const auto found = std::find_if(open.rbegin(), open.rend(), is_left);
  if (found == open.rend()) {
    counters_.add(Counter::kFunctionBeginNotSeen);
    return;
  }
  const auto above = static_cast<std::size_t>(found - open.rbegin());
  if (above != 0) counters_.add(Counter::kFunctionEndNotSeen, above);
  for (std::size_t i = 0; i <= above; ++i) end_last(thread, open, now);
}

void Functions::end_all(Pid pid, Ns now) {
  const auto found = threads_.find(pid);
  if (found == threads_.end()) return;
  Thread& thread = found->second;
  for (std::vector<Open>* const open : {&thread.probed, &thread.told}) {
    while (!open->empty()) end_last(thread, *open, now);
  }
  // What follows may have begun in between.
  thread.within.clear();
  thread.outside.clear();
  thread.least_depth = 0;
}

}  // namespace kutrace::spans
