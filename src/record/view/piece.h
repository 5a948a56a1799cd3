// SPDX-License-Identifier: BSD-3-Clause
// A reader's blocks while they grow: pieces of them, and where these go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace kutrace::record {

// What was added to a block; its words follow.
struct Piece {
  CpuId cpu = 0;
  std::uint64_t block = 0;  // number of it on its CPU
  std::uint32_t at = 0;     // its first word
  std::uint32_t words = 0;
  Ticks until = 0;  // time of its last entry
};

class PieceSink {
 public:
  PieceSink() = default;
  PieceSink(const PieceSink&) = delete;
  PieceSink& operator=(const PieceSink&) = delete;
  virtual ~PieceSink() = default;

  virtual void put(const Piece& piece, std::string_view words) = 0;
  // Bytes that were put and are not taken yet.
  virtual std::size_t waiting() const = 0;
};

}  // namespace kutrace::record
