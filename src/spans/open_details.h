// SPDX-License-Identifier: BSD-3-Clause
// Details of calls that are under way. In: what entries say of the call that begins or ends next;
// out: all that is known of a call when it is over. Nothing is kept of calls without details.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/call.h"
#include "model/call_details.h"
#include "spans/descriptors.h"

namespace kutrace::spans {

class OpenDetails {
 public:
  // The details belong to the next call of this event that begins or, with `at_end`, ends.
  void expect(EventNum event, CallDetails details, bool at_end) {
    expected_ = {event, at_end, std::move(details)};
  }
  void expect_nothing() { expected_.reset(); }

  // Who names descriptors; must outlive this object.
  void follow(Descriptors& descriptors) { descriptors_ = &descriptors; }
  bool is_used() const {
    return expected_.has_value() || !open_.empty() ||
           (descriptors_ != nullptr && descriptors_->any());
  }
  void begins(CallId id, EventNum event) {
    if (expected_ && !expected_->at_end && expected_->event == event) take(id);
  }
  // What is known of a call that has ended; null if nothing is. Valid until the next call of this
  // function.
  const CallDetails* ends(const Call& call) {
    if (expected_ && expected_->at_end && expected_->event == call.event) take(call.id);
    const auto found = open_.find(static_cast<std::uint32_t>(call.id));
    if (found == open_.end()) {
      if (descriptors_ != nullptr) descriptors_->ends_untold(call);
      return nullptr;
    }
    told_ = std::move(found->second);
    open_.erase(found);
    if (descriptors_ != nullptr) descriptors_->ends(call, told_);
    return &told_;
  }

 private:
  struct Expected {
    EventNum event = 0;
    bool at_end = false;
    CallDetails details;
  };
  void take(CallId id) {
    CallDetails& details = open_[static_cast<std::uint32_t>(id)];
    CallDetails& more = expected_->details;
    if (more.count != 0) {
      details.arguments = more.arguments;
      details.count = more.count;
      details.files = std::move(more.files);
      details.file = more.file;
    }
    for (CallData& data : more.data) details.data.push_back(std::move(data));
    expected_.reset();
  }

  std::optional<Expected> expected_;
  std::unordered_map<std::uint32_t, CallDetails> open_;  // by the call's id
  CallDetails told_;
  Descriptors* descriptors_ = nullptr;
};

}  // namespace kutrace::spans
