// SPDX-License-Identifier: BSD-3-Clause
// Bytes that need not stay in memory: appended, then read back from anywhere. Who owns the
// program's files says where they go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace kutrace {

class Spill {
 public:
  virtual ~Spill() = default;
  virtual Status append(std::span<const std::byte> bytes) = 0;
  // Fills `bytes` from `offset` on; all of them must have been appended.
  virtual Status read(std::uint64_t offset, std::span<std::byte> bytes) = 0;
};

}  // namespace kutrace
