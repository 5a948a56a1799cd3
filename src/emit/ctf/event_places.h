// SPDX-License-Identifier: BSD-3-Clause
// Where events are that may yet be changed: held in memory, or in their file. In: what a stream
// knows of them; out: the same, by a number that stays. As many as threads and open calls.
#pragma once

#include <cstdint>
#include <vector>

#include "base/prefetch.h"

namespace kutrace::emit {

class PacketStream;

using PlaceId = std::uint32_t;
constexpr PlaceId kNoPlace = 0;

struct EventPlace {
  PacketStream* stream = nullptr;
  std::uint64_t offset = 0;  // of its first byte, in what is held or in the file
  std::uint32_t held = 0;    // which of those that are held
  std::uint32_t users = 1;   // that have not forgotten it
  bool written = false;
};

class EventPlaces {
 public:
  PlaceId take(const EventPlace& place) {
    if (free_.empty()) {
      places_.push_back(place);
      return static_cast<PlaceId>(places_.size() - 1);
    }
    const PlaceId id = free_.back();
    free_.pop_back();
    places_[id] = place;
    return id;
  }
  EventPlace& at(PlaceId id) { return places_[id]; }
  void prefetch(PlaceId id) const { kutrace::prefetch(&places_[id]); }
  void give_back(PlaceId id) { free_.push_back(id); }

 private:
  std::vector<EventPlace> places_{EventPlace{}};
  std::vector<PlaceId> free_;
};

}  // namespace kutrace::emit
