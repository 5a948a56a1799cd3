// SPDX-License-Identifier: BSD-3-Clause
// Lists of parts by their time, the part that has not grown for longest first.
#include "filters/aside.h"

#include <bit>

namespace kutrace::filters {

void SpanPart::join(const SpanPart& more) {
  if (span.arg != more.span.arg) span.arg = 0;
  if (span.rpc != more.span.rpc) span.rpc = 0;
  span.has_result = false;
  span.result = {};
  time += more.time;
  ipc_time += more.ipc_time;
  grown = more.grown;
}

std::size_t Aside::SortHash::operator()(const SpanSort& sort) const {
  constexpr std::uint64_t kMix = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t hash = (std::uint64_t{sort.event} << 32 | sort.name) * kMix;
  hash ^= (std::uint64_t{static_cast<std::uint32_t>(sort.pid)} << 8 |
           static_cast<std::uint64_t>(sort.kind)) +
          (hash >> 29);
  return static_cast<std::size_t>(hash * kMix >> 17);
}

// The power of two, and the two bits behind the first one.
std::size_t Aside::bucket_of(Ns time) {
  const auto bits = static_cast<std::uint64_t>(time);
  const auto power = static_cast<std::size_t>(std::bit_width(bits)) - 1;
  const std::uint64_t behind = power < 2 ? bits << (2 - power) : bits >> (power - 2);
  return power << 2 | (behind & 3);
}

void Aside::link(std::uint32_t slot) {
  const std::size_t bucket = bucket_of(slots_[slot].part.time);
  Ends& ends = buckets_[bucket];
  slots_[slot].older = ends.newest;
  slots_[slot].newer = kNowhere;
  (ends.newest == kNowhere ? ends.oldest : slots_[ends.newest].newer) = slot;
  ends.newest = slot;
  used_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
}

void Aside::unlink(std::uint32_t slot) {
  const std::size_t bucket = bucket_of(slots_[slot].part.time);
  Ends& ends = buckets_[bucket];
  const std::uint32_t older = slots_[slot].older;
  const std::uint32_t newer = slots_[slot].newer;
  (older == kNowhere ? ends.oldest : slots_[older].newer) = newer;
  (newer == kNowhere ? ends.newest : slots_[newer].older) = older;
  if (ends.oldest == kNowhere) used_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
}

Ns Aside::time_of(const SpanSort& sort) const {
  const auto found = places_.find(sort);
  return found == places_.end() ? 0 : slots_[found->second].part.time;
}

void Aside::add(const SpanPart& part) {
  time_ += part.time;
  const auto [found, added] = places_.try_emplace(sort_of(part.span), kNowhere);
  std::uint32_t& slot = found->second;
  if (!added) {
    unlink(slot);
    slots_[slot].part.join(part);
  } else if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back({part});
  } else {
    slot = free_.back();
    free_.pop_back();
    slots_[slot].part = part;
  }
  link(slot);
}

SpanPart Aside::take_slot(std::uint32_t slot) {
  unlink(slot);
  free_.push_back(slot);
  time_ -= slots_[slot].part.time;
  return slots_[slot].part;
}

std::optional<SpanPart> Aside::take(const SpanSort& sort) {
  const auto found = places_.find(sort);
  if (found == places_.end()) return std::nullopt;
  const std::uint32_t slot = found->second;
  places_.erase(found);
  return take_slot(slot);
}

SpanPart Aside::take_best(std::uint64_t spans) {
  std::uint32_t best = kNowhere;
  double most = 0;
  for (std::size_t word = 0; word < used_.size(); ++word) {
    for (std::uint64_t left = used_[word]; left != 0; left &= left - 1) {
      const auto bucket = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t slot = buckets_[bucket].oldest;
      const SpanPart& part = slots_[slot].part;
      const double worth =
          static_cast<double>(part.time) * static_cast<double>(spans + 1 - part.grown);
      if (worth <= most) continue;
      most = worth;
      best = slot;
    }
  }
  places_.erase(sort_of(slots_[best].part.span));
  return take_slot(best);
}

}  // namespace kutrace::filters
