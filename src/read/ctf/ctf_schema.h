// SPDX-License-Identifier: BSD-3-Clause
// What the metadata of a CTF trace say of its streams, whichever form they have: which fields a
// packet and an event consist of, one behind the other, and what these mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "read/import/kernel_event.h"

namespace kutrace::read {

// What is read of a packet or an event. Of an event also its numbers and texts, in the order of
// its row in the table of tracepoints.
enum class CtfRole : std::uint8_t {
  kNone,
  kMagic,
  kStreamClass,
  kPacketBits,
  kContentBits,
  kBegin,
  kEnd,
  kDiscarded,
  kSequence,
  kCpu,
  kEventClass,
  kTime,
  kThread,
  kFirstNumber,
  kNumber1,
  kNumber2,
  kNumber3,
  kNumber4,
  kNumber5,
  kNumber6,
  kFirstText,
  kText1,
  kCount,
};

static_assert(static_cast<std::size_t>(CtfRole::kFirstText) ==
              static_cast<std::size_t>(CtfRole::kFirstNumber) + KernelEvent::kNumbers);

constexpr CtfRole number_role(std::size_t i) {
  return static_cast<CtfRole>(static_cast<std::size_t>(CtfRole::kFirstNumber) + i);
}
constexpr CtfRole text_role(std::size_t i) {
  return static_cast<CtfRole>(static_cast<std::size_t>(CtfRole::kFirstText) + i);
}

// Both ends belong to it.
struct CtfRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Of an enumeration. A name may have several ranges.
using CtfLabels = std::multimap<std::string, CtfRange, std::less<>>;

enum class ByteOrder : std::uint8_t { kOfTrace, kLittle, kBig };

// The parts of a packet and an event that hold fields, in their order.
enum class CtfScope : std::uint8_t {
  kPacketHeader,
  kPacketContext,
  kEventHeader,
  kStreamContext,  // what all events of a stream have
  kEventContext,
  kFields,
  kNowhere,
};

// Of a length or a choice: where the field stands that tells it.
struct CtfPath {
  CtfScope scope = CtfScope::kNowhere;  // kNowhere: in a struct around the one that tells it
  std::vector<std::string> names;       // an empty one: of the struct around
};

struct CtfField {
  enum class Kind : std::uint8_t {
    kStruct,
    kInteger,
    kLongInteger,  // LEB128
    kBits,         // a floating-point number, or what else is passed over
    kText,         // up to a NUL
    kArray,
    kSequence,  // an array whose length another field tells
    kVariant,   // one of its children, as another field tells; none: nothing
  };

  std::string name;
  Kind kind = Kind::kStruct;
  ByteOrder order = ByteOrder::kOfTrace;
  CtfRole role = CtfRole::kNone;
  bool is_signed = false;
  bool is_character = false;
  std::uint8_t depth = 1;
  std::uint32_t align = 1;    // in bits, a power of two
  std::uint32_t bits = 0;     // of an integer: 1 to 64
  std::uint32_t parts = 1;    // of this and all that it holds
  std::int32_t slot = -1;     // its value is kept there
  std::int32_t told_by = -1;  // the slot of its length or choice
  std::int32_t clock = -1;    // which it is a time of
  std::uint64_t count = 0;    // of an array
  std::vector<CtfField> children;
  std::vector<std::vector<CtfRange>> ranges;  // of a choice, for each child
  std::shared_ptr<const CtfLabels> labels;
  std::shared_ptr<const CtfPath> path;
};

constexpr std::uint64_t kMostFrequency = 1'000'000'000'000;  // Hz
constexpr std::size_t kMostClocks = 16;

struct CtfClock {
  std::string id;    // in the metadata
  std::string name;  // of what kind it is
  std::uint64_t frequency = 1'000'000'000;
  std::int64_t offset_seconds = 0;  // of its zero; since 1970 where the clock is absolute
  std::int64_t offset_cycles = 0;
  bool is_since_1970 = true;
};

// What becomes of an event.
struct CtfUse {
  enum class Kind : std::uint8_t { kNothing, kEvent, kThread };  // kThread: describes a thread

  Kind kind = Kind::kNothing;
  What what = What::kCount;
  std::int64_t call = -1;  // the number of the system call that its name tells
};

struct CtfEventClass {
  std::string name;
  CtfField context;
  CtfField fields;
  CtfUse use;
};

struct CtfStreamClass {
  CtfField packet_context;
  CtfField event_header;
  CtfField event_context;
  std::int32_t clock = -1;
  std::unordered_map<std::uint64_t, CtfEventClass> events;  // by id
};

struct CtfSchema {
  bool is_big_endian = false;
  CtfField packet_header;
  std::map<std::uint64_t, CtfStreamClass> streams;  // by id
  std::vector<CtfClock> clocks;
  std::map<std::string, std::string, std::less<>> environment;

  std::string_view told(std::string_view key) const {
    const auto found = environment.find(key);
    return found == environment.end() ? std::string_view() : std::string_view(found->second);
  }
};

// LTTng puts one in front of the names of fields, which must not be words of the language.
constexpr std::string_view without_underscore(std::string_view name) {
  return name.starts_with('_') ? name.substr(1) : name;
}

}  // namespace kutrace::read
