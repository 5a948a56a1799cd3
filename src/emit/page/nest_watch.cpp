// SPDX-License-Identifier: BSD-3-Clause
// Stacks of calls by their ids, which are given in the order of their begins.
#include "emit/page/nest_watch.h"

#include <algorithm>
#include <utility>

namespace kutrace::emit {

NestWatch::Stack& NestWatch::stack(Owner owner) {
  const bool is_thread_s = owner.thread != ThreadId::kNone;
  std::vector<Stack>& stacks = is_thread_s ? of_threads_ : of_cpus_;
  // One more for calls of which no CPU is known.
  const auto number =
      is_thread_s ? static_cast<std::size_t>(owner.thread) : std::size_t{owner.cpu + 1};
  if (number >= stacks.size()) stacks.resize(number + 1);
  return stacks[number];
}

NestWatch::Owner& NestWatch::owner_of(std::uint32_t slot) {
  if (slot >= of_slots_.size()) of_slots_.resize(slot + std::size_t{1});
  return of_slots_[slot];
}

void NestWatch::add(const Span& span, ThreadIndex row) {
  const bool is_wait = span.kind == SpanKind::kWait;
  if (!is_wait && span.call == CallId::kNone) return;
  // All of a call, which comes next and says as much, but for whose stack an interrupt stood on.
  const bool is_leaf = span.call != CallId::kNone && span.call_slot == 0;
  if (is_leaf && span.thread != ThreadId::kNone && !is_interrupt(span.kind)) return;
  const Owner owner{span.thread, span.thread == ThreadId::kNone ? span.cpu : kNoCpu};
  Stack& stack = this->stack(owner);
  stack.row = row;
  const Ns end = span.start + span.duration;
  if (span.call != CallId::kNone) owner_of(span.call_slot) = owner;
  if (is_leaf) return;
  expect(stack.last_done() <= span.start);
  stack.enter(span.call);
  expect(stack.innermost() == span.call);
  stack.reach(end);
}

// It lies behind all that those around it did before, and what made it is the innermost of these.
void NestWatch::close(Stack& stack, const Call& call) {
  if (stack.innermost() == call.id) stack.leave();
  if (call.duration() == 0) return;
  expect(stack.last_done() <= call.begin);
  stack.enter(call.parent);
  expect(stack.innermost() == call.parent);
  stack.reach(call.end);
}

ThreadIndex NestWatch::add(const Call& call, ThreadIndex row) {
  // Streams that do not tell have no slots.
  const bool is_leaf = call.pieces <= 1 && call.own == call.on_cpu && call.blocked == 0;
  expect(is_leaf || call.slot != 0);
  const Owner stood = std::exchange(owner_of(call.slot), Owner{});
  const bool is_known = stood != Owner{};
  Owner owner = stood;
  if (call.thread != ThreadId::kNone) {
    owner = {call.thread, kNoCpu};
    expect(!is_known || stood == owner);
  } else if (!is_known) {
    owner.cpu = call.cpu;
  }
  Stack& stack = this->stack(owner);
  if (call.thread != ThreadId::kNone) stack.row = row;
  close(stack, call);
  if (call.parent != CallId::kNone && call.duration() != 0) owner_of(call.parent_slot) = owner;
  return stack.row;
}

}  // namespace kutrace::emit
