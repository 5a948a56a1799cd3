// SPDX-License-Identifier: BSD-3-Clause
// A rule for something odd: it observes what happens, and yields findings at the end. Each stands
// in a file of its own and has one row in the table of detectors.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/time_window.h"
#include "format/event_groups.h"
#include "model/names.h"
#include "model/trace_info.h"
#include "odd/scene.h"

namespace kutrace::odd {

struct DetectorKind;
class LockWaits;  // odd/lock_waits.h

struct Finding {
  const DetectorKind* kind = nullptr;  // set by the caller
  Ns cost = 0;                         // estimated nanoseconds that were lost by it
  TimeWindow when;                     // where to look
  Row row = kNoRow;                    // thread that it is about; kNoRow: it is about the CPU
  CpuId cpu = kNoCpu;
  std::string words;    // one sentence
  std::string command;  // words after `kutrace` that show it, the file's name excepted
};

// What is known when all has happened.
struct Told {
  const Scene& scene;
  const NameTable& names;
  const TraceInfo& info;
  const LockWaits& locks;
  Ns recorded = 0;         // length of what was looked at
  bool can_query = false;  // `kutrace query` works, so a command may be one

  // "gcc.77"
  std::string who(Row row) const;
  // The same, or what else may have had a CPU.
  std::string occupant(Row row) const;
  Pid process_of(Row row) const;
};

class Detector : public Observer {
 public:
  using Give = std::function<void(Finding)>;
  // Comes last.
  virtual void report(const Told& told, const Give& give) = 0;
};

// What a detector observes; it is told nothing else.
enum Hears : std::uint32_t {
  kHearsNothing = 0,
  kHearsInterrupts = 1 << 0,
  kHearsFaults = 1 << 1,
  kHearsCalls = 1 << 2,
  kHearsReady = 1 << 3,
  kHearsBlocked = 1 << 4,
  kHearsMoves = 1 << 5,
  kHearsFrequency = 1 << 6,
  kHearsLocks = 1 << 7,
};

// Facts of a trace that a detector reads.
enum class FactsRead : std::uint8_t {
  kNone,
  kQuotas,    // how control groups used up their quotas
  kRecorder,  // its process, and what events cost
};

struct DetectorKind {
  const char* name;       // stable, for outputs that programs read
  const char* looks_for;  // "threads that ..."
  std::string (*trigger)();
  std::uint32_t hears;  // of Hears
  std::unique_ptr<Detector> (*make)(const Scene& scene, const NameTable& names);
  bool needs_all_threads = false;  // what it finds is between threads
  // Without them it finds nothing, or only some; kAlways: nothing is needed.
  std::array<EventGroup, 2> needs{};
  FactsRead reads = FactsRead::kNone;
};

template <typename D>
std::unique_ptr<Detector> make_detector(const Scene& scene, const NameTable& names) {
  return std::make_unique<D>(scene, names);
}

// Most storms are looked for in windows of this length: long enough that bursts which any machine
// has are no storm in them, short enough that a request which met one was slow.
constexpr Ns kWindow = 100'000'000;

// "--from 1.000000000 --to 1.100000000"
std::string from_to(const TimeWindow& when);
// "1.234 s", "12.3 ms", "45.6 us": as a sentence says it.
std::string lasting(Ns time);

}  // namespace kutrace::odd
