// SPDX-License-Identifier: BSD-3-Clause
// A stream of CTF, which is a file. In: events in nearly the order of their times; out: packets, in
// which they are in order. The newest part of a packet's size is held back, so that what is told a
// little late finds its place.
//
// A loss is a packet of its own, without events, whose `events_discarded` is higher than before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emit/ctf/event_places.h"
#include "emit/stream/export_folder.h"

namespace kutrace::emit {

// What the streams of a trace share.
struct StreamSurroundings {
  ExportFolder& folder;
  EventPlaces& places;
  std::string uuid;         // 16 bytes
  std::uint64_t begin = 0;  // of the trace; times are nanoseconds of its clock
};

// Classes of streams in the metadata.
enum class StreamClass : std::uint32_t { kOfCpu, kOfTrace };

class PacketStream {
 public:
  struct Identity {
    std::string file;
    StreamClass kind = StreamClass::kOfCpu;
    std::uint64_t instance = 0;
    std::uint32_t cpu = 0;   // of a CPU's
    bool holds_all = false;  // until the end, so that nothing comes too late
  };

  PacketStream(StreamSurroundings& around, Identity identity);

  // Whether an event of that time is not too late.
  bool takes(std::uint64_t time) const { return time >= written_until_; }
  // `bytes` begin as event_bytes.h says.
  void add(std::uint64_t time, std::string_view bytes) { hold(time, bytes, kNoPlace); }
  // The same for one that may be changed, until `forget`.
  PlaceId add_open(std::uint64_t time, std::string_view bytes);
  void change(const EventPlace& place, std::uint32_t at, std::string_view bytes);
  // Gives it an earlier time, if it is not too late for that.
  bool move(const EventPlace& place, std::uint64_t time);
  void forget(PlaceId id);
  // Between these times something was lost.
  void lose(std::uint64_t begin, std::uint64_t end);
  // The last packets; `lost`: how many events each loss was, in the order of `lose`.
  void finish(std::uint64_t end, std::span<const std::uint64_t> lost);

 private:
  static constexpr std::size_t kHead = 80;  // bytes of a packet before its CPU and events

  struct Held {
    std::uint64_t time = 0;
    std::uint64_t offset = 0;  // in bytes_
    std::uint32_t size = 0;
    PlaceId place = kNoPlace;
  };
  // A packet behind a loss, which tells how many events were lost so far.
  struct Behind {
    std::uint64_t offset = 0;  // in the file
    std::size_t losses = 0;
  };

  void hold(std::uint64_t time, std::string_view bytes, PlaceId place);
  void sort();
  void write_first(std::size_t events);
  void drop_first(std::size_t events);
  void copy(std::span<const Held> events, std::string& to) const;
  void begin_packet(std::uint64_t begin, std::uint64_t end, std::size_t content);
  void hand_over();

  StreamSurroundings& around_;
  Identity identity_;
  std::string bytes_;  // of the events that are held
  std::string spare_;  // likewise, while they move
  std::vector<Held> held_;
  bool sorted_ = true;
  std::string packet_;
  std::uint64_t written_until_;
  std::uint64_t file_size_ = 0;
  std::uint64_t packets_ = 0;
  std::size_t losses_ = 0;
  std::vector<Behind> behind_;
};

}  // namespace kutrace::emit
