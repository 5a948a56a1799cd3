// SPDX-License-Identifier: BSD-3-Clause
// Stacks of calls by their times, see call_nest.h.
#include "read/page/call_nest.h"

#include <algorithm>
#include <tuple>

namespace kutrace::read {

namespace {

// On a CPU in what it called: of calls that begin and end together, the outer has more.
Ns called_by(const Call& call) { return call.on_cpu - call.own; }

}  // namespace

bool CallNest::begins_earlier(const Call& a, const Call& b) {
  return std::tuple(a.begin, b.end, called_by(b)) < std::tuple(b.begin, a.end, called_by(a));
}

void CallNest::Coming::set(const CallList& list) {
  list_ = &list;
  next_ = 0;
  order_.clear();
  for (const Call& call : list.calls) {
    order_.push_back({call.begin, static_cast<std::uint32_t>(order_.size())});
  }
  std::ranges::stable_sort(order_, [&](const Due& a, const Due& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    return begins_earlier(list.calls[a.place], list.calls[b.place]);
  });
}

CallNest::Stack* CallNest::stack_of(StackOwner owner) {
  const bool is_thread_s = owner.thread != ThreadId::kNone;
  if (!told_ || (!is_thread_s && owner.cpu == kNoCpu)) return nullptr;
  std::vector<Stack>& stacks = is_thread_s ? of_threads_ : of_cpus_;
  const auto number = is_thread_s ? static_cast<std::size_t>(owner.thread) : owner.cpu;
  if (number >= stacks.size()) stacks.resize(number + 1);
  return &stacks[number];
}

const CallNest::Entry* CallNest::innermost(std::span<const Entry> stack, Ns begin, Ns end) {
  for (std::size_t depth = stack.size(); depth > 0; --depth) {
    const Entry& call = stack[depth - 1];
    if (call.begin <= begin && call.end >= end) return &call;
  }
  return nullptr;
}

void CallNest::set_parent(Call& call, std::span<const Entry> stack) {
  const Entry* parent = innermost(stack, call.begin, call.end);
  if (parent == nullptr) return;
  call.parent = parent->id;
  call.parent_slot = parent->slot;
}

bool CallNest::ends_later(const Ending& a, const Ending& b) {
  // What lies inside ends first.
  return std::tuple(a.end, b.begin, a.called, b.number) >
         std::tuple(b.end, a.begin, b.called, a.number);
}

std::uint32_t CallNest::take_slot() {
  if (free_.empty()) {
    open_.emplace_back();
    return static_cast<std::uint32_t>(open_.size());
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void CallNest::begin(const Call& coming, StackOwner owner) {
  Call call = coming;
  Stack* stack = stack_of(owner);
  Stack::iterator above;
  if (stack != nullptr) {
    call.id = CallId{++last_id_};
    // One that is told late goes below those that begin after it.
    above = stack->end();
    while (above != stack->begin() && begins_earlier(call, at((above - 1)->slot).call)) --above;
    set_parent(call, {stack->begin(), above});
  }
  if (call.duration() == 0) return next_.call(call);
  const std::uint32_t slot = take_slot();
  if (stack != nullptr) {
    call.slot = slot;
    if (stack->size() < kMostNested) stack->insert(above, Entry(call));
  }
  Open& open = at(slot);
  open.call = call;
  open.waits.assign(call.waits.begin(), call.waits.end());
  open.owner = owner;
  open.number = ++begun_;
  ends_.push_back({call.end, call.begin, called_by(call), open.number, slot});
  std::ranges::push_heap(ends_, ends_later);
}

void CallNest::end(std::uint32_t slot) {
  Open& open = at(slot);
  if (Stack* stack = stack_of(open.owner); stack != nullptr)
    std::erase_if(*stack, [slot](const Entry& entry) { return entry.slot == slot; });
  open.call.waits = open.waits;
  open.number = 0;
  next_.call(open.call);
  free_.push_back(slot);
}

void CallNest::end_before(Ns time) {
  while (!ends_.empty() && ends_.front().end < time) {
    std::ranges::pop_heap(ends_, ends_later);
    const Ending ending = ends_.back();
    ends_.pop_back();
    if (!ends_.empty()) prefetch(&at(ends_.front().slot));
    if (at(ending.slot).number == ending.number) end(ending.slot);
  }
}

// Those of a stack on which something begins.
void CallNest::end_until(Stack& stack, Ns time) {
  for (std::size_t depth = stack.size(); depth > 0; --depth) {
    if (stack[depth - 1].end <= time) end(stack[depth - 1].slot);
  }
}

void CallNest::expect(Coming& coming, const CallList& calls) {
  coming.set(calls);
  look_ahead();
}

void CallNest::look_ahead() {
  const Coming& next = earlier();
  next_begin_ = next.any() ? next.call().begin : std::numeric_limits<Ns>::max();
}

// What another CPU did at the moment in which a call ends may come before the call's last piece.
void CallNest::go_to(Ns time) {
  for (Coming* coming = &earlier(); coming->any() && coming->call().begin <= time;
       coming = &earlier()) {
    const Call& call = coming->call();
    end_before(call.begin);
    begin(call, coming->owner());
    coming->pop();
  }
  look_ahead();
  end_before(time);
}

void CallNest::place(Span& span) {
  Stack* stack = stack_of({span.thread, span.cpu});
  if (stack == nullptr) return;
  end_until(*stack, span.start);
  const Entry* call = innermost(*stack, span.start, span.start + span.duration);
  if (call == nullptr) return;
  const bool fits =
      span.kind == SpanKind::kWait ||
      (call->kind == span.kind && call->event == span.event && call->name == span.name);
  if (!fits) return;
  span.call = call->id;
  span.call_slot = call->slot;
}

void CallNest::whole(Span& span, Call& call) {
  if (Stack* stack = stack_of({span.thread, span.cpu}); stack != nullptr) {
    end_until(*stack, span.start);
    set_parent(call, *stack);
    span.call = call.id = CallId{++last_id_};
  }
  next_.push(span);
  next_.call(call);
}

void CallNest::end_slab() {
  while (slab_.any()) go_to(slab_.call().begin);
}

void CallNest::finish() {
  constexpr Ns kEver = std::numeric_limits<Ns>::max();
  go_to(kEver);
}

}  // namespace kutrace::read
