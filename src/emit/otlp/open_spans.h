// SPDX-License-Identifier: BSD-3-Clause
// Requests and marks that have begun. In: those that begin and end; out: the one that is meant by a
// thread, a label, a request's number or an id, and which of them are parents. What a look-up takes
// does not grow with how many are open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/units.h"
#include "emit/otlp/trace_context.h"

namespace kutrace::emit {

struct OpenSpan {
  std::uint64_t number = 0;  // in the order in which they began
  Pid pid = kNoPid;
  std::string name;
  std::string ended_by;   // of a mark
  std::uint32_t rpc = 0;  // of a request
  Ns start = 0;
  std::uint64_t id = 0;
  TraceNumber trace;
  std::uint64_t parent = 0;  // 0: none
  bool has_child = false;    // that was written
};

class OpenSpans {
 public:
  // Numbers grow.
  void add(OpenSpan span);
  void erase(const OpenSpan& span);
  void set_parent(OpenSpan& span, std::uint64_t parent);

  // Null: none.
  OpenSpan* innermost(Pid pid);
  OpenSpan* of_id(std::uint64_t id);
  // The last one of those.
  OpenSpan* ended_by(Pid pid, const std::string& label);
  // The first one, if there are `most` of them.
  OpenSpan* first_of(Pid pid, const std::string& label, std::size_t most);
  // The thread's first one, or else the last of any thread.
  OpenSpan* request(Pid pid, std::uint32_t rpc);
  // Of a span that was written, or may be.
  bool is_parent(const OpenSpan& span) const;
  // By number.
  const std::map<std::uint64_t, OpenSpan>& all() const { return open_; }

 private:
  using Numbers = std::set<std::uint64_t>;

  void leave(std::uint64_t parent);
  OpenSpan* at(std::uint64_t number) { return &open_.at(number); }

  std::map<std::uint64_t, OpenSpan> open_;
  std::unordered_map<std::uint64_t, std::uint64_t> of_ids_;
  std::unordered_map<Pid, Numbers> of_threads_;
  std::map<std::pair<Pid, std::string>, Numbers> of_labels_;
  std::unordered_map<std::uint32_t, Numbers> of_requests_;
  std::map<std::pair<Pid, std::uint32_t>, Numbers> of_thread_requests_;
  std::unordered_map<std::uint64_t, std::uint64_t> children_;  // open ones, by their parent's id
};

}  // namespace kutrace::emit
