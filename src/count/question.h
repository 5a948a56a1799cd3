// SPDX-License-Identifier: BSD-3-Clause
// What is to be counted: which events, grouped by what, summed up how, and under which condition.
// The parser makes it from text; who counts reads it. Nothing here knows how it is counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/distribution.h"
#include "base/result.h"

namespace kutrace::count {

enum class Probe : std::uint8_t {
  kSyscall,
  kSwitch,
  kWakeup,
  kOffCpu,
  kRunQueue,
  kIrq,
  kSoftirq,
  kFault,
  kTracepoint,
};

enum class Field : std::uint8_t {
  kName,
  kComm,
  kPid,
  kProcess,
  kTid,
  kThread,
  kCpu,
  kError,
  kResult,
  kBytes,
  kDuration,
  kArg0,
  kArg1,
  kArg2,
  kArg3,
  kArg4,
  kArg5,
  kKernelStack,
  kUserStack,
};
constexpr std::size_t kFields = 19;

enum class Unit : std::uint8_t { kNone, kNanoseconds, kBytes };

struct FieldInfo {
  std::string_view word;
  std::string_view means;
  Unit unit;
  bool is_text;     // compared with words, else with numbers
  bool is_key;      // what `by` takes
  bool is_measure;  // what is summed up
  bool is_signed;   // may be negative
};
const FieldInfo& info(Field field);
// Nothing by another word.
const Field* find_field(std::string_view word);

struct ProbeInfo {
  std::string_view word;   // of the group: "syscall"
  std::string_view event;  // "" where names of events follow, as in syscall:read
  std::string_view means;
  std::string_view one;   // what one of them is called, ...
  std::string_view many;  // ... and several
};
const ProbeInfo& info(Probe probe);

// Whether events of this kind have such a thing.
bool has_field(Probe probe, Field field);

enum class AggregateKind : std::uint8_t {
  kCount,
  kSum,
  kMin,
  kMax,
  kAvg,
  kStddev,
  kQuantize,
  kLquantize,
};
std::string_view word_of(AggregateKind kind);

struct Aggregate {
  AggregateKind kind = AggregateKind::kCount;
  Field of = Field::kDuration;  // not of a count
  LinearBounds bounds = {};     // of lquantize
};

enum class Compare : std::uint8_t { kEqual, kUnequal, kLess, kAtMost, kMore, kAtLeast };

// A condition in reverse Polish notation.
struct Step {
  enum class Kind : std::uint8_t { kTest, kAnd, kOr, kNot };
  Kind kind = Kind::kTest;
  Field field = Field::kName;
  Compare compare = Compare::kEqual;
  std::int64_t number = 0;
  std::string text;  // a pattern, where the field is text
};

struct Question {
  Probe probe = Probe::kSyscall;
  std::vector<std::string> names;  // patterns; of a tracepoint: its group and its name
  std::vector<Field> keys;
  std::vector<Aggregate> aggregates;  // at least one once it is parsed
  std::vector<Step> where;            // empty: all
};

constexpr std::size_t kMostKeys = 4;
constexpr std::size_t kMostAggregates = 6;
constexpr std::size_t kMostSteps = 24;

}  // namespace kutrace::count
