// SPDX-License-Identifier: BSD-3-Clause
// Keeps what was spilled, as a file would, and how much it was.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/spill.h"

namespace kutrace {

class MemorySpill : public Spill {
 public:
  Status append(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Status read(std::uint64_t offset, std::span<std::byte> bytes) override {
    if (offset + bytes.size() > bytes_.size()) return fail(output_error("beyond the end"));
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
    return {};
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace kutrace
