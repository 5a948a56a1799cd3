// SPDX-License-Identifier: BSD-3-Clause
// Records that perf packed (`perf record -z`): pieces of one zstd stream for the whole file. In: a
// piece; out: what it holds, behind what an earlier one held and nobody took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

struct ZSTD_DCtx_s;

namespace kutrace::read {

class PackedRecords {
 public:
  // All pieces together must not hold more than `most` bytes.
  explicit PackedRecords(std::uint64_t most);

  Status add(std::span<const std::byte> piece);
  // Valid until the next `add`.
  std::span<const std::byte> bytes() const { return bytes_; }
  void take(std::size_t count) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* stream) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> stream_;
  std::vector<std::byte> bytes_;
  std::uint64_t left_;
};

}  // namespace kutrace::read
