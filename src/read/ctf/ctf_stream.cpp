// SPDX-License-Identifier: BSD-3-Clause
// From packet to packet, and from event to event in it.
#include "read/ctf/ctf_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "read/ctf/bit_reader.h"
#include "read/ctf/ctf_clock.h"

namespace kutrace::read {

namespace {

constexpr std::uint64_t kPacketMagic = 0xc1fc1fc1;
constexpr unsigned kWholeTime = 64;  // bits of one that does not begin again

// All ones, as in a packet that was never closed: its writer did not say yet.
bool is_unknown(std::uint64_t value) {
  return value == std::numeric_limits<std::uint32_t>::max() ||
         value == std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

CtfStream::CtfStream(const CtfSchema& schema, MappedFile file)
    : schema_(schema), file_(std::move(file)), rest_(file_.bytes()) {}

Ns CtfStream::ns(std::uint64_t count) const {
  if (stream_ == nullptr || stream_->clock < 0)
    return static_cast<Ns>(std::min<std::uint64_t>(count, kLatest));
  const CtfClock& clock = schema_.clocks[static_cast<std::size_t>(stream_->clock)];
  return static_cast<Ns>(std::clamp<Wide>(Wide{clock_ns(clock, count)} + shift_, 0, kLatest));
}

void CtfStream::lose(std::optional<std::uint64_t> count) {
  loss_.is = true;
  loss_.count = count && loss_.count ? std::optional(*loss_.count + *count) : std::nullopt;
}

void CtfStream::damage() {
  ++damaged_;
  lose(std::nullopt);
  loss_.is_damage = true;
}

bool CtfStream::next() {
  loss_ = {};
  while (true) {
    while (in_packet_ && reader_.at() < reader_.end()) {
      if (!read_event()) {
        damage();
        break;
      }
      last_event_ = now_;
      if (event_->use.kind != CtfUse::Kind::kNothing) return true;
    }
    leave_packet();
    if (!next_packet()) return false;
  }
}

void CtfStream::leave_packet() {
  if (!in_packet_) return;
  in_packet_ = false;
  const auto behind = std::exchange(lost_behind_, std::nullopt);
  if (behind && (*behind > 0 || *packet_end_ > last_event_)) lose(behind);
  // Nothing in it came later.
  if (packet_end_) latest_ = *packet_end_;
}

// Without what its begin says nothing behind it can be found.
bool CtfStream::next_packet() {
  if (rest_.empty()) return false;
  reader_ = CtfReader(rest_, rest_.size() * kByteBits);
  values_.known.reset();
  packet_bytes_ = rest_.size();
  if (!read_header() || !read_context()) {
    damage();
    rest_ = {};
    return false;
  }
  packet_ = rest_.first(packet_bytes_);
  rest_ = rest_.subspan(packet_bytes_);
  in_packet_ = true;
  return true;
}

bool CtfStream::read_header() {
  if (!reader_.read(schema_.packet_header, values_)) return false;
  if (values_.has(CtfRole::kMagic) && values_.of(CtfRole::kMagic) != kPacketMagic) return false;
  auto found = schema_.streams.begin();
  if (values_.has(CtfRole::kStreamClass)) {
    found = schema_.streams.find(values_.of(CtfRole::kStreamClass));
  } else if (schema_.streams.size() > 1) {
    return false;
  }
  if (found == schema_.streams.end()) return false;
  stream_ = &found->second;
  if (stream_->clock >= 0) {
    shift_ = clock_offset(schema_.clocks[static_cast<std::size_t>(stream_->clock)]) -
             clock_offset(schema_.clocks.front());
  }
  return true;
}

bool CtfStream::read_context() {
  if (!reader_.read(stream_->packet_context, values_)) return false;
  if (values_.has(CtfRole::kCpu)) {
    has_cpu_ = true;
    cpu_ = static_cast<CpuId>(std::min<std::uint64_t>(values_.of(CtfRole::kCpu), kNoCpu));
  }
  const auto size = [this](CtfRole role, std::uint64_t otherwise) {
    const bool is_told = values_.has(role) && !is_unknown(values_.of(role));
    return is_told ? values_.of(role) : otherwise;
  };
  const std::uint64_t held = packet_bytes_ * kByteBits;
  const std::uint64_t whole = size(CtfRole::kPacketBits, held);
  const std::uint64_t content = size(CtfRole::kContentBits, whole);
  is_unclosed_ =
      values_.has(CtfRole::kContentBits) && is_unknown(values_.of(CtfRole::kContentBits));
  if (whole % kByteBits != 0 || content > whole || content < reader_.at() || whole == 0)
    return false;
  is_cut_ = is_cut_ || whole > held;
  packet_bytes_ = std::min(whole, held) / kByteBits;
  reader_.end_at(std::min(content, held));
  find_losses();
  return true;
}

// Events were discarded between the end of the packet before and the end of this one: where no
// packet tells of the time, or behind this one's last event, or, if there is no such time, in
// front.
void CtfStream::find_losses() {
  const std::optional<std::uint64_t> end_before = packet_end_;
  const unsigned begin_bits = values_.time_bits;
  bool begins_later = false;
  if (values_.has(CtfRole::kBegin)) {
    const std::uint64_t begin = advanced(now_, values_.of(CtfRole::kBegin), begin_bits);
    begins_later = end_before && begin > *end_before;
    now_ = begin;
    if (is_first_) begin_ = ns(begin);
  }
  packet_end_.reset();
  if (values_.has(CtfRole::kEnd) && !is_unknown(values_.of(CtfRole::kEnd)))
    packet_end_ = values_.of(CtfRole::kEnd);
  if (values_.has(CtfRole::kSequence)) {
    const std::uint64_t sequence = values_.of(CtfRole::kSequence);
    if (sequence_ && sequence != *sequence_ + 1) lose(std::nullopt);
    sequence_ = sequence;
  }
  if (values_.has(CtfRole::kDiscarded) && !is_unknown(values_.of(CtfRole::kDiscarded))) {
    const std::uint64_t discarded = values_.of(CtfRole::kDiscarded);
    // What was discarded before the first packet of a file is of another file.
    const bool is_own = discarded_ || sequence_.value_or(0) == 0;
    const std::uint64_t before = discarded_.value_or(0);
    if (is_own && discarded > before) {
      if (begins_later || !packet_end_) {
        lose(discarded - before);
        if (packet_end_) lost_behind_ = 0;
      } else {
        lost_behind_ = discarded - before;
      }
    }
    discarded_ = discarded;
  }
  is_first_ = false;
}

bool CtfStream::read_event() {
  const std::uint64_t begin = reader_.at();
  values_.known.reset();
  if (!reader_.read(stream_->event_header, values_)) return false;
  const bool has_id = values_.has(CtfRole::kEventClass);
  if (!has_id && stream_->events.size() != 1) return false;
  const auto found =
      has_id ? stream_->events.find(values_.of(CtfRole::kEventClass)) : stream_->events.begin();
  if (found == stream_->events.end()) return false;
  event_ = &found->second;
  if (is_unclosed_ && is_unwritten(begin)) return false;
  advance();
  return reader_.read(stream_->event_context, values_) && reader_.read(event_->context, values_) &&
         reader_.read(event_->fields, values_) && reader_.at() > begin;
}

// Behind the last event of a packet that was never closed are zeros, or what was there before.
bool CtfStream::is_unwritten(std::uint64_t begin) const {
  const auto left = packet_.subspan(std::min<std::size_t>(begin / kByteBits, packet_.size()));
  const bool has_whole_time = values_.has(CtfRole::kTime) && values_.time_bits == kWholeTime;
  return (has_whole_time && values_.of(CtfRole::kTime) < now_) ||
         std::ranges::all_of(left, [](std::byte byte) { return byte == std::byte{0}; });
}

void CtfStream::advance() {
  if (values_.has(CtfRole::kTime))
    now_ = advanced(now_, values_.of(CtfRole::kTime), values_.time_bits);
  latest_ = std::max(latest_, now_);
}

}  // namespace kutrace::read
