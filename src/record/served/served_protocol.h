// SPDX-License-Identifier: BSD-3-Clause
// What a reader and the daemon say to each other (doc/daemon.md): lines of JSON, and behind
// a line that says so words of a block. In: values; out: lines, and the other way round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/event_groups.h"
#include "format/tick_rate.h"
#include "record/blocks/clock.h"
#include "record/source/skipped_runs.h"
#include "record/view/piece.h"

namespace kutrace::record {

constexpr std::uint64_t kServedVersion = 1;
constexpr const char* kDaemonSocket = "/run/kutrace-daemon.sock";
constexpr std::size_t kLongestRequest = 4096;
// That of a reader who does not say that he understands others.
constexpr const char* kMonotonicClock = "CLOCK_MONOTONIC";

struct ServedRequest {
  EventGroups groups;
  bool arguments = false;
  bool clocks = false;  // it understands any clock
};

struct ServedAnswer {
  bool own_only = false;
  EventGroups groups;              // that it will get
  bool arguments = false;          // likewise
  std::uint32_t string_bytes = 0;  // of a buffer that they point to; 0: nothing of it
  std::vector<CpuId> cpus;
  double call_ns = 0;  // what recording adds to a call
  double call_spread = 0;
  std::string hooks;
  bool fault_returns = true;
  std::vector<std::string> unseen;
  std::vector<std::string> lacking;
  // Whose entries these are, and what they count: a tick, and both clocks at one moment.
  std::string source = "ebpf";
  std::string clock = kMonotonicClock;
  std::uint64_t tick_ns_numerator = 1u << kMonotonicShift;
  std::uint64_t tick_ns_denominator = 1;
  Ticks counter = 0;
  std::uint64_t monotonic_ns = 0;

  TickRate tick_rate() const {
    return {static_cast<double>(tick_ns_numerator), static_cast<double>(tick_ns_denominator)};
  }
};

struct ServedEnd {
  struct Loss {
    CpuId cpu = 0;
    Ticks begin = 0;
    std::uint64_t entries = 0;
  };
  Ticks stop = 0;
  std::vector<Loss> losses;  // that no block could say
  std::vector<std::string> missed;
  std::vector<SkippedRuns> skipped;  // on whatever CPU, of whatever thread
  std::string ended_by;              // empty: the reader asked for it
};

// Lines, with their ends.
std::string line_of(const ServedRequest& request);
std::string line_of(const ServedAnswer& answer);
std::string line_of(const Piece& piece);  // its words follow
std::string line_of(const ServedEnd& end);
std::string line_of(const Error& error);
std::string line_of_begin(Ticks begin);
constexpr std::string_view kBeginLine = "{\"begin\":true}\n";
constexpr std::string_view kEndLine = "{\"end\":true}\n";

// What is not understood is an error that the other side can be told.
Result<ServedRequest> parse_request(std::string_view text);
enum class ServedOrder { kBegin, kEnd };
std::optional<ServedOrder> parse_order(std::string_view text);

Result<ServedAnswer> parse_answer(std::string_view text);
std::optional<Piece> parse_piece(std::string_view text);
std::optional<ServedEnd> parse_end(std::string_view text);
std::optional<Ticks> parse_begin(std::string_view text);
// What the line says went wrong, if it says so.
std::optional<Error> parse_refusal(std::string_view text);

}  // namespace kutrace::record
