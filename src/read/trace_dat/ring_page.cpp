// SPDX-License-Identifier: BSD-3-Clause
// Walking through a page.
#include "read/trace_dat/ring_page.h"

#include <cstring>

namespace kutrace::read {

namespace {

constexpr std::uint64_t kCommitted = (1U << 27) - 1;
constexpr std::uint64_t kLost = 1U << 31;
constexpr std::uint64_t kLostIsCounted = 1U << 30;
constexpr std::size_t kWord = 4;
constexpr unsigned kLengthBits = 5;
constexpr unsigned kDeltaBits = 27;
constexpr unsigned kPadding = 29;
constexpr unsigned kMoreDelta = 30;
constexpr unsigned kWholeTime = 31;
// A whole time has no room for the highest bits, which stay as they are.
constexpr std::uint64_t kTimeBits = (std::uint64_t{1} << 59) - 1;

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), size);
  return value;
}

}  // namespace

RingPage::RingPage(std::span<const std::byte> page, std::size_t long_bytes) {
  const std::size_t head = sizeof(std::uint64_t) + long_bytes;
  damaged_ = page.size() < head;
  if (damaged_) return;
  time_ = number_at(page, sizeof(std::uint64_t));
  const std::uint64_t commit = number_at(page.subspan(sizeof(std::uint64_t)), long_bytes);
  rest_ = page.subspan(head);
  const std::uint64_t committed = commit & kCommitted;
  damaged_ = committed > rest_.size();
  lost_ = (commit & kLost) != 0;
  if (damaged_) return;
  if ((commit & kLostIsCounted) != 0 && rest_.size() - committed >= long_bytes)
    lost_count_ = number_at(rest_.subspan(committed), long_bytes);
  rest_ = rest_.first(committed);
}

std::uint64_t RingPage::number(std::size_t bytes) {
  if (rest_.size() < bytes) {
    damaged_ = true;
    return 0;
  }
  const std::uint64_t value = number_at(rest_, bytes);
  rest_ = rest_.subspan(bytes);
  return value;
}

bool RingPage::leave(std::size_t bytes) {
  damaged_ = damaged_ || bytes > rest_.size();
  if (damaged_) return false;
  event_ = rest_.first(bytes);
  rest_ = rest_.subspan(bytes);
  return true;
}

bool RingPage::next() {
  while (!damaged_ && rest_.size() >= kWord) {
    const auto head = static_cast<std::uint32_t>(number(kWord));
    const std::uint64_t delta = head >> kLengthBits;
    const unsigned length = head & ((1U << kLengthBits) - 1);
    if (length == kPadding && delta == 0) return false;  // the rest of the page
    if (length == kWholeTime) {
      time_ = (time_ & ~kTimeBits) | (((number(kWord) << kDeltaBits) + delta) & kTimeBits);
      continue;
    }
    time_ += delta;
    if (length == kMoreDelta) {
      time_ += number(kWord) << kDeltaBits;
      continue;
    }
    if (length != 0 && length != kPadding) return leave(length * kWord);
    // The word that tells the length counts itself.
    const std::uint64_t bytes = number(kWord);
    damaged_ = damaged_ || bytes < kWord;
    if (damaged_ || !leave((bytes - kWord + kWord - 1) / kWord * kWord)) return false;
    if (length == 0) return true;
  }
  return false;
}

}  // namespace kutrace::read
