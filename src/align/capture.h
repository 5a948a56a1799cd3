// SPDX-License-Identifier: BSD-3-Clause
// What a file of captured packets holds. In: its bytes; out: its packets in the order of the file,
// what they are called, and those that a recorder would have seen, by hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "align/capture_file.h"
#include "align/capture_match.h"
#include "base/result.h"

namespace kutrace::align {

class Capture {
 public:
  struct Frame {
    Ns wall = 0;              // by the capture's clock
    std::uint32_t bytes = 0;  // as CapturedPayload has them
    std::uint32_t label = 0;  // text: from where to where, with TCP's flags
  };

  // An input error where it is no capture.
  static Result<Capture> read(std::span<const std::byte> bytes);

  const std::vector<Frame>& frames() const { return frames_; }
  const std::string& text(std::uint32_t number) const { return texts_[number]; }
  // Those with a hash, which a recorder would have seen.
  const std::vector<CapturedPacket>& packets() const { return packets_; }
  // Flows by hash. A message that was sent both ways has the one that was captured first.
  std::map<std::uint32_t, std::string> flows() const;
  // When it saw each of its frames.
  std::vector<Ns> walls() const;
  const CaptureSummary& summary() const { return summary_; }
  // Packets of which too little was kept to tell their hash.
  std::uint64_t cut() const { return cut_; }
  // Packets of which it is not known when they were seen: they are not in frames() and packets().
  std::uint64_t timeless() const { return timeless_; }

 private:
  void take(const CapturedFrame& captured);
  std::uint32_t number_of(std::string text);

  std::vector<Frame> frames_;
  std::vector<CapturedPacket> packets_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of texts
  CaptureSummary summary_;
  std::unordered_map<std::uint32_t, std::uint32_t> flows_;  // by hash
  std::uint64_t cut_ = 0;
  std::uint64_t timeless_ = 0;
};

}  // namespace kutrace::align
