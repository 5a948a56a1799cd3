// SPDX-License-Identifier: BSD-3-Clause
// Numbers of what is open, by all that it is asked for by.
#include "emit/otlp/open_spans.h"

#include <utility>

namespace kutrace::emit {

namespace {

// What is empty is not kept.
template <typename Map>
void erase_number(Map& map, const typename Map::key_type& key, std::uint64_t number) {
  const auto found = map.find(key);
  found->second.erase(number);
  if (found->second.empty()) map.erase(found);
}

}  // namespace

void OpenSpans::add(OpenSpan span) {
  const std::uint64_t number = span.number;
  of_ids_[span.id] = number;
  of_threads_[span.pid].insert(number);
  if (span.parent != 0) ++children_[span.parent];
  if (!span.ended_by.empty()) of_labels_[{span.pid, span.ended_by}].insert(number);
  if (span.rpc != 0) {
    of_requests_[span.rpc].insert(number);
    of_thread_requests_[{span.pid, span.rpc}].insert(number);
  }
  open_.emplace(number, std::move(span));
}

void OpenSpans::erase(const OpenSpan& span) {
  const std::uint64_t number = span.number;
  of_ids_.erase(span.id);
  erase_number(of_threads_, span.pid, number);
  leave(span.parent);
  if (!span.ended_by.empty()) erase_number(of_labels_, {span.pid, span.ended_by}, number);
  if (span.rpc != 0) {
    erase_number(of_requests_, span.rpc, number);
    erase_number(of_thread_requests_, {span.pid, span.rpc}, number);
  }
  open_.erase(number);
}

void OpenSpans::leave(std::uint64_t parent) {
  const auto found = children_.find(parent);
  if (found != children_.end() && --found->second == 0) children_.erase(found);
}

void OpenSpans::set_parent(OpenSpan& span, std::uint64_t parent) {
  leave(span.parent);
  span.parent = parent;
  if (parent != 0) ++children_[parent];
}

OpenSpan* OpenSpans::innermost(Pid pid) {
  const auto found = of_threads_.find(pid);
  return found == of_threads_.end() ? nullptr : at(*found->second.rbegin());
}

OpenSpan* OpenSpans::of_id(std::uint64_t id) {
  const auto found = of_ids_.find(id);
  return found == of_ids_.end() ? nullptr : at(found->second);
}

OpenSpan* OpenSpans::ended_by(Pid pid, const std::string& label) {
  const auto found = of_labels_.find({pid, label});
  return found == of_labels_.end() ? nullptr : at(*found->second.rbegin());
}

OpenSpan* OpenSpans::first_of(Pid pid, const std::string& label, std::size_t most) {
  const auto found = of_labels_.find({pid, label});
  const bool are_most = found != of_labels_.end() && found->second.size() >= most;
  return are_most ? at(*found->second.begin()) : nullptr;
}

OpenSpan* OpenSpans::request(Pid pid, std::uint32_t rpc) {
  const auto own = of_thread_requests_.find({pid, rpc});
  if (own != of_thread_requests_.end()) return at(*own->second.begin());
  const auto any = of_requests_.find(rpc);
  return any == of_requests_.end() ? nullptr : at(*any->second.rbegin());
}

bool OpenSpans::is_parent(const OpenSpan& span) const {
  return span.has_child || children_.contains(span.id);
}

}  // namespace kutrace::emit
