// SPDX-License-Identifier: BSD-3-Clause
// What is known of threads, by their numbers. In: a thread's number; out: what was put there. A
// table covers the numbers that Linux gives; others, which only other systems and damaged traces
// have, take a look-up.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "base/units.h"

namespace kutrace {

// T{} of a number of which nothing is known.
template <typename T>
class ByNumber {
 public:
  T& operator[](Pid pid) {
    if (!is_linux_number(pid)) return others_[pid];
    auto& chunk = chunks_[static_cast<std::size_t>(pid / kOfChunk)];
    if (chunk == nullptr) chunk = std::make_unique<Chunk>();
    return (*chunk)[static_cast<std::size_t>(pid % kOfChunk)];
  }
  // Null if nothing is known of that number, nor of those near it.
  const T* find(Pid pid) const {
    if (is_linux_number(pid)) {
      const Chunk* const chunk = chunks_[static_cast<std::size_t>(pid / kOfChunk)].get();
      return chunk != nullptr ? &(*chunk)[static_cast<std::size_t>(pid % kOfChunk)] : nullptr;
    }
    const auto found = others_.find(pid);
    return found == others_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr Pid kNumbers = 1 << 22;
  static constexpr Pid kOfChunk = 1 << 10;
  using Chunk = std::array<T, kOfChunk>;

  static bool is_linux_number(Pid pid) { return pid >= 0 && pid < kNumbers; }

  std::array<std::unique_ptr<Chunk>, kNumbers / kOfChunk> chunks_;
  std::unordered_map<Pid, T> others_;
};

}  // namespace kutrace
