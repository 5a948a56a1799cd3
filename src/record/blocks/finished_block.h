// SPDX-License-Identifier: BSD-3-Clause
// A block that a CPU has finished, or that was open when recording stopped, in the source's memory.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "kutrace/abi.h"

namespace kutrace::record {

struct FinishedBlock {
  std::uint32_t index = 0;  // of the source
  CpuId cpu = 0;
  std::uint32_t end = 0;  // first word that holds no entry
  const std::uint64_t* words = nullptr;
  const std::uint8_t* trailer = nullptr;  // if the source counts

  Ticks base() const { return words[0] & KUTRACE_LOW56_MASK; }
  std::uint64_t sequence() const { return words[7]; }
};

}  // namespace kutrace::record
