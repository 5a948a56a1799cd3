// SPDX-License-Identifier: BSD-3-Clause
// Holding, sorting, writing. A packet begins so; the metadata says the same:
//
//    0  u32  magic                    40  u64  time of its end
//    4       uuid, 16 bytes           48  u64  bits of it that are used: all
//   20  u32  class of the stream      56  u64  bits of it
//   24  u64  which of them            64  u64  its number in the stream
//   32  u64  time of its begin        72  u64  events that were lost so far
//   80  u32  CPU, of a CPU's stream
#include "emit/ctf/packet_stream.h"

#include <algorithm>
#include <utility>

#include "emit/ctf/event_bytes.h"

namespace kutrace::emit {

namespace {

constexpr std::uint32_t kMagic = 0xc1fc1fc1;
constexpr std::size_t kPacket = std::size_t{1} << 16;  // bytes of events, about
constexpr std::uint64_t kLostAt = 72;

}  // namespace

PacketStream::PacketStream(StreamSurroundings& around, Identity identity)
    : around_(around), identity_(std::move(identity)), written_until_(around.begin) {}

void PacketStream::hold(std::uint64_t time, std::string_view bytes, PlaceId place) {
  sorted_ = sorted_ && (held_.empty() || time >= held_.back().time);
  held_.push_back({time, bytes_.size(), static_cast<std::uint32_t>(bytes.size()), place});
  bytes_ += bytes;
  if (bytes_.size() < 2 * kPacket || identity_.holds_all) return;
  sort();
  std::size_t events = 0;
  for (std::size_t size = 0; size < kPacket; ++events) size += held_[events].size;
  write_first(events);
}

PlaceId PacketStream::add_open(std::uint64_t time, std::string_view bytes) {
  const PlaceId id = around_.places.take({.stream = this,
                                          .offset = bytes_.size(),
                                          .held = static_cast<std::uint32_t>(held_.size()),
                                          .written = false});
  hold(time, bytes, id);
  return id;
}

void PacketStream::change(const EventPlace& place, std::uint32_t at, std::string_view bytes) {
  if (place.written) {
    around_.folder.overwrite(identity_.file, place.offset + at, bytes);
  } else {
    bytes_.replace(place.offset + at, bytes.size(), bytes);
  }
}

bool PacketStream::move(const EventPlace& place, std::uint64_t time) {
  if (place.written || !takes(time)) return false;
  held_[place.held].time = time;
  sorted_ = false;
  change(place, EventBytes::kTimeAt, number_bytes(time));
  return true;
}

void PacketStream::forget(PlaceId id) {
  EventPlace& place = around_.places.at(id);
  if (--place.users != 0) return;
  if (!place.written) held_[place.held].place = kNoPlace;
  around_.places.give_back(id);
}

void PacketStream::sort() {
  if (std::exchange(sorted_, true)) return;
  std::ranges::stable_sort(held_, {}, &Held::time);
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    if (held_[i].place != kNoPlace) around_.places.at(held_[i].place).held = i;
  }
}

void PacketStream::begin_packet(std::uint64_t begin, std::uint64_t end, std::size_t content) {
  packet_.clear();
  append_number(packet_, kMagic);
  packet_ += around_.uuid;
  append_number(packet_, static_cast<std::uint32_t>(identity_.kind));
  append_number(packet_, identity_.instance);
  const bool of_cpu = identity_.kind == StreamClass::kOfCpu;
  const std::uint64_t bits = 8 * (kHead + (of_cpu ? sizeof(std::uint32_t) : 0) + content);
  for (const std::uint64_t number : {begin, end, bits, bits, packets_++, std::uint64_t{losses_}})
    append_number(packet_, number);
  if (of_cpu) append_number(packet_, identity_.cpu);
}

void PacketStream::hand_over() {
  if (losses_ != 0) behind_.push_back({file_size_, losses_});
  around_.folder.append(identity_.file, packet_);
  file_size_ += packet_.size();
}

void PacketStream::write_first(std::size_t events) {
  if (events == 0) return;
  std::size_t size = 0;
  for (std::size_t i = 0; i < events; ++i) size += held_[i].size;
  const std::uint64_t end = held_[events - 1].time;
  begin_packet(written_until_, end, size);
  std::uint64_t offset = file_size_ + packet_.size();
  for (std::size_t i = 0; i < events; ++i) {
    const Held& event = held_[i];
    if (event.place != kNoPlace) {
      EventPlace& place = around_.places.at(event.place);
      place.written = true;
      place.offset = offset;
    }
    offset += event.size;
  }
  copy(std::span(held_).first(events), packet_);
  hand_over();
  written_until_ = end;
  drop_first(events);
}

// Most lie one behind the other.
void PacketStream::copy(std::span<const Held> events, std::string& to) const {
  for (std::size_t i = 0; i < events.size();) {
    const std::uint64_t begin = events[i].offset;
    std::uint64_t end = begin;
    for (; i < events.size() && events[i].offset == end; ++i) end += events[i].size;
    to.append(bytes_, begin, end - begin);
  }
}

void PacketStream::drop_first(std::size_t events) {
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(events));
  spare_.clear();
  copy(held_, spare_);
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    Held& event = held_[i];
    event.offset = offset;
    offset += event.size;
    if (event.place == kNoPlace) continue;
    EventPlace& place = around_.places.at(event.place);
    place.offset = event.offset;
    place.held = i;
  }
  std::swap(bytes_, spare_);
}

void PacketStream::lose(std::uint64_t begin, std::uint64_t end) {
  sort();
  const auto behind = std::ranges::upper_bound(held_, begin, {}, &Held::time);
  write_first(static_cast<std::size_t>(behind - held_.begin()));
  // What is known of the lost time, as that another CPU sent an interrupt, ends the packet.
  if (!held_.empty()) end = std::min(end, held_.front().time);
  begin = std::max(begin, written_until_);
  end = std::max(begin, end);
  ++losses_;
  begin_packet(begin, end, 0);
  hand_over();
  written_until_ = end;
}

void PacketStream::finish(std::uint64_t end, std::span<const std::uint64_t> lost) {
  sort();
  write_first(held_.size());
  if (end > written_until_ || packets_ == 0) {
    begin_packet(written_until_, std::max(end, written_until_), 0);
    hand_over();
  }
  std::uint64_t sum = 0;
  std::size_t losses = 0;
  for (const Behind& packet : behind_) {
    for (; losses < packet.losses; ++losses) sum += lost[losses];
    if (sum != packet.losses)
      around_.folder.overwrite(identity_.file, packet.offset + kLostAt, number_bytes(sum));
  }
}

}  // namespace kutrace::emit
