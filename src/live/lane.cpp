// SPDX-License-Identifier: BSD-3-Clause
// One lane.
#include "live/lane.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "format/event_table.h"

namespace kutrace::live {

void ThreadNames::saw(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (entry.number == ev::kUSERPID)
    by_pid_.try_emplace(static_cast<Pid>(decode::switched_to(entry.arg)), kNoName);
  if (entry.words < 2) return;
  const bool is_header = entry.number == timeline::kBlockStart;
  const bool is_name = !is_header && event_class(entry.number) == EventClass::kName &&
                       name_kind(entry.number) == kind::kPID_NAME;
  if (!is_header && !is_name) return;
  const std::string text = printable(entry.payload_text());
  if (!text.empty()) by_pid_[static_cast<Pid>(entry.arg)] = names_.intern(text);
}

const std::string& ThreadNames::of(Pid pid) const {
  const auto known = by_pid_.find(pid);
  return names_.text(known == by_pid_.end() ? kNoName : known->second);
}

Lane::Lane(timeline::StreamFacts facts, const GroupTimes& groups, Ns from,
           const MakeSink& make_sink)
    : facts_(std::move(facts)),
      tenure_{.from = from},
      threads_(names_),
      sink_(make_sink({names_, threads_, tenure_, groups})),
      builder_(facts_, names_, *sink_) {}

void Lane::push(const timeline::Event& event) {
  threads_.saw(event);
  builder_.push(event);
}

void Lane::close() {
  tenure_.is_over = true;
  builder_.finish({});
}

}  // namespace kutrace::live
