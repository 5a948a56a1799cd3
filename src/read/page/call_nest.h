// SPDX-License-Identifier: BSD-3-Clause
// Which call lay in which, told anew. In: the calls of a page, and its spans and waits in the order
// of time; out: each piece and each wait with its call, and the calls with their parents, each when
// all of it was told.
//
// A page does not hold that, for the times tell it: all that a thread does, interrupts included,
// lies inside or beside one another, and so does what an idle CPU does. So a span is a piece of
// the innermost call around it, and that of the call around that one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/prefetch.h"
#include "model/call.h"
#include "model/span_sink.h"
#include "read/page/decoded_slab.h"

namespace kutrace::read {

class CallNest {
 public:
  // `told`: the page tells on whose stack each call stood. If not, calls have no parents, and
  // waits no calls.
  CallNest(SpanSink& next, bool told) : next_(next), told_(told) {}

  // Calls that lie in no slab, before all spans; they stay until the end.
  void expect_long(const CallList& calls) { expect(long_, calls); }
  // Those of the slab whose spans come now; they stay until it is over.
  void expect(const CallList& calls) { expect(slab_, calls); }
  // What follows begins at that time: calls that ended before are handed on.
  void advance(Ns time) {
    const bool any_ends = !ends_.empty() && ends_.front().end < time;
    if (time >= next_begin_ || any_ends) [[unlikely]]
      go_to(time);
  }
  // Something on that stack is handed on soon.
  void fetch(StackOwner owner, Ahead ahead) const {
    const bool is_thread_s = owner.thread != ThreadId::kNone;
    const std::vector<Stack>& stacks = is_thread_s ? of_threads_ : of_cpus_;
    const auto number = is_thread_s ? static_cast<std::size_t>(owner.thread) : owner.cpu;
    if (number >= stacks.size()) return;
    if (ahead == Ahead::kFar) return prefetch(&stacks[number]);
    prefetch(stacks[number].data());
  }
  // Finds the call of a piece, or of a wait, that is handed on next.
  void place(Span& span);
  // Hands on a call that is this one span, in which nothing happened, after it; gives them the
  // call's number and place.
  void whole(Span& span, Call& call);
  void end_slab();
  // After the last slab.
  void finish();

 private:
  // What finding a span's call takes, side by side: of many threads, open calls lie far apart.
  struct Entry {
    explicit Entry(const Call& call)
        : begin(call.begin),
          end(call.end),
          id(call.id),
          slot(call.slot),
          name(call.name),
          event(call.event),
          kind(call.kind) {}

    Ns begin;
    Ns end;
    CallId id;
    std::uint32_t slot;
    NameId name;
    EventNum event;
    SpanKind kind;
  };
  using Stack = std::vector<Entry>;  // outermost first

  // No kernel has calls so deep; who made a page by hand does not get more.
  static constexpr std::size_t kMostNested = 64;

  // Calls by their begins.
  class Coming {
   public:
    void set(const CallList& list);
    bool any() const { return next_ < order_.size(); }
    const Call& call() const { return list_->calls[order_[next_].place]; }
    StackOwner owner() const { return list_->owners[order_[next_].place]; }
    void pop() {
      if (++next_ + kAhead < order_.size()) prefetch(&list_->calls[order_[next_ + kAhead].place]);
    }

   private:
    static constexpr std::size_t kAhead = 4;
    // What a call is sorted by stands beside its place: most begin at moments of their own.
    struct Due {
      Ns begin = 0;
      std::uint32_t place = 0;
    };

    const CallList* list_ = nullptr;
    std::vector<Due> order_;
    std::size_t next_ = 0;
  };

  struct Open {
    Call call;
    std::vector<WaitTime> waits;
    StackOwner owner;
    std::uint64_t number = 0;  // in the order of their begins; 0: none is open
  };
  // As the heap has it; it may be over already.
  struct Ending {
    Ns end = 0;
    Ns begin = 0;
    Ns called = 0;
    std::uint64_t number = 0;
    std::uint32_t slot = 0;
  };

  void expect(Coming& coming, const CallList& calls);
  void look_ahead();
  void go_to(Ns time);
  static bool begins_earlier(const Call& a, const Call& b);
  Coming& earlier() {
    if (!long_.any()) return slab_;
    return slab_.any() && begins_earlier(slab_.call(), long_.call()) ? slab_ : long_;
  }
  Open& at(std::uint32_t slot) { return open_[slot - std::size_t{1}]; }
  Stack* stack_of(StackOwner owner);
  // The innermost call that reaches over that time; null: none does.
  static const Entry* innermost(std::span<const Entry> stack, Ns begin, Ns end);
  static void set_parent(Call& call, std::span<const Entry> stack);
  std::uint32_t take_slot();
  void begin(const Call& coming, StackOwner owner);
  void end_before(Ns time);
  void end_until(Stack& stack, Ns time);
  void end(std::uint32_t slot);
  // Whether `a` is handed on after `b`.
  static bool ends_later(const Ending& a, const Ending& b);

  SpanSink& next_;
  const bool told_;
  Coming long_;
  Coming slab_;
  Ns next_begin_ = std::numeric_limits<Ns>::max();  // of these
  std::vector<Open> open_;                          // by slot - 1
  std::vector<std::uint32_t> free_;                 // slots
  std::vector<Ending> ends_;                        // a heap: the first one to end in front
  std::uint64_t begun_ = 0;
  std::uint32_t last_id_ = 0;
  std::vector<Stack> of_threads_;
  std::vector<Stack> of_cpus_;
};

}  // namespace kutrace::read
