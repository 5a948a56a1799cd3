// SPDX-License-Identifier: BSD-3-Clause
// Events to spans for a part of a recording that goes on. In: events in order of time; out: spans,
// calls and lives to a sink. A lane that has seen many threads begin and end is followed by a new
// one, so that memory stays flat however long the recording lasts: the new one begins at a moment,
// the old one goes on until what it saw begin before that is over.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <unordered_map>

#include "format/group_times.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "spans/span_builder.h"
#include "timeline/event.h"
#include "timeline/stream_facts.h"

namespace kutrace::live {

// What began in [from, until) is this lane's to tell of.
struct Tenure {
  Ns from = std::numeric_limits<Ns>::min();
  Ns until = std::numeric_limits<Ns>::max();
  bool is_over = false;  // the lane is being closed: what is open ends here for no reason

  // While there are two lanes: threads that were switched to since the younger one began, and when
  // first. Of a thread that was not, that one does not know how it was left.
  const std::unordered_map<Pid, Ns>* ran = nullptr;
  bool is_younger = false;

  bool has(Ns begin) const { return begin >= from && begin < until; }
  bool has_wait(Pid pid, Ns begin) const {
    if (ran == nullptr) return has(begin);
    const auto first = ran->find(pid);
    return (first != ran->end() && begin >= first->second) == is_younger;
  }
};

// The threads that were seen, and the last name of each.
class ThreadNames {
 public:
  explicit ThreadNames(NameTable& names) : names_(names) {}
  std::size_t count() const { return by_pid_.size(); }
  void saw(const timeline::Event& event);
  // Empty if the thread has no name.
  const std::string& of(Pid pid) const;

 private:
  NameTable& names_;
  std::unordered_map<Pid, NameId> by_pid_;
};

// What a sink is made with. All of it outlives the sink.
struct LaneView {
  const NameTable& names;
  const ThreadNames& threads;
  const Tenure& tenure;
  const GroupTimes& groups;
};
using MakeSink = std::function<std::unique_ptr<SpanSink>(const LaneView&)>;

class Lane {
 public:
  // `groups`: of the whole recording.
  Lane(timeline::StreamFacts facts, const GroupTimes& groups, Ns from, const MakeSink& make_sink);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void push(const timeline::Event& event);
  void groups_change(const GroupChange& change) {
    facts_.calls = facts_.calls || change.on.has_bit(EventGroup::kSyscalls);
    builder_.groups_change(change);
  }
  // Nothing comes any more: what is open is closed.
  void close();
  void ends_at(Ns until) { tenure_.until = until; }
  // It is one of two lanes; null: it is alone again.
  void share(const std::unordered_map<Pid, Ns>* ran, bool is_younger) {
    tenure_.ran = ran;
    tenure_.is_younger = is_younger;
  }
  Ns until() const { return tenure_.until; }
  // How much it keeps beyond what it began with: threads, names, losses.
  std::uint64_t weight() const { return load() - load_at_begin_; }
  // All that it begins with was pushed.
  void has_begun() { load_at_begin_ = load(); }

 private:
  std::uint64_t load() const { return threads_.count() + names_.size() + builder_.losses(); }

  timeline::StreamFacts facts_;
  Tenure tenure_;
  NameTable names_;
  ThreadNames threads_;
  std::unique_ptr<SpanSink> sink_;
  spans::SpanBuilder builder_;
  std::uint64_t load_at_begin_ = 0;
};

}  // namespace kutrace::live
