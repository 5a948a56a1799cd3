// SPDX-License-Identifier: BSD-3-Clause
// Asking the detectors.
#include "odd/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace kutrace::odd {

namespace {

constexpr std::size_t place(Hears hears) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint32_t>(hears)));
}

}  // namespace

void Look::Tell::add(Observer& observer, std::uint32_t hears) {
  for (std::size_t bit = 0; bit < kHappenings; ++bit) {
    if ((hears >> bit & 1) != 0) hearers_[bit].push_back(&observer);
  }
}

void Look::Tell::interrupt(const Span& piece) {
  for (Observer* observer : hearers_[place(kHearsInterrupts)]) observer->interrupt(piece);
}

void Look::Tell::fault(const Span& piece, Row row) {
  for (Observer* observer : hearers_[place(kHearsFaults)]) observer->fault(piece, row);
}

void Look::Tell::call(const ReturnedCall& call) {
  for (Observer* observer : hearers_[place(kHearsCalls)]) observer->call(call);
}

void Look::Tell::ready(const ReadyWait& wait) {
  for (Observer* observer : hearers_[place(kHearsReady)]) observer->ready(wait);
}

void Look::Tell::blocked(const BlockedWait& wait) {
  for (Observer* observer : hearers_[place(kHearsBlocked)]) observer->blocked(wait);
}

void Look::Tell::lock(const LockWait& wait) {
  for (Observer* observer : hearers_[place(kHearsLocks)]) observer->lock(wait);
}

void Look::Tell::moved(const Move& move) {
  for (Observer* observer : hearers_[place(kHearsMoves)]) observer->moved(move);
}

void Look::Tell::frequency(const Span& span) {
  saw_frequencies_ = true;
  for (Observer* observer : hearers_[place(kHearsFrequency)]) observer->frequency(span);
}

Look::Look(const NameTable& names)
    : names_(names), locks_(scene_, names, [this](const LockWait& wait) { tell_.lock(wait); }) {
  scene_.tell(tell_);
  tell_.add(locks_, kHearsCalls | kHearsBlocked);
  for (const DetectorKind* kind : detectors()) {
    detectors_.push_back(kind->make(scene_, names));
    tell_.add(*detectors_.back(), kind->hears);
  }
}

std::vector<Finding> Look::findings(const TraceInfo& info, Ns recorded, bool can_query) {
  scene_.end(info.end);
  const Told told{scene_, names_, info, locks_, recorded, can_query};
  std::vector<Finding> found;
  for (std::size_t i = 0; i < detectors_.size(); ++i) {
    detectors_[i]->report(told, [&](Finding finding) {
      finding.kind = detectors()[i];
      // Windows of storms may reach beyond the ends of the recording.
      finding.when.begin = std::max(finding.when.begin, info.begin);
      finding.when.end = std::min(finding.when.end, info.end);
      found.push_back(std::move(finding));
    });
  }
  // Not by how a table of rows happens to be ordered.
  std::ranges::stable_sort(found, [](const Finding& a, const Finding& b) {
    return std::tuple(-a.cost, a.when.begin, a.row, a.cpu) <
           std::tuple(-b.cost, b.when.begin, b.row, b.cpu);
  });
  return found;
}

std::string Look::subject(const Finding& finding, const TraceInfo& info) const {
  if (finding.row != kNoRow) return Told{scene_, names_, info, locks_}.who(finding.row);
  return finding.cpu != kNoCpu ? fmt::format("CPU {}", finding.cpu) : std::string();
}

}  // namespace kutrace::odd
