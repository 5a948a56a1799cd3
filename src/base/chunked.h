// SPDX-License-Identifier: BSD-3-Clause
// A table that grows by whole chunks: what stands in it never moves or is copied, and no more than
// one chunk of room is unused.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace kutrace {

template <typename T>
class Chunked {
 public:
  std::size_t size() const { return size_; }
  // `at` is below size().
  T& operator[](std::size_t at) { return (*chunks_[at / kOfChunk])[at % kOfChunk]; }
  const T& operator[](std::size_t at) const { return (*chunks_[at / kOfChunk])[at % kOfChunk]; }
  // The element at `at`; those that are missing up to it are added.
  T& grown(std::size_t at) {
    if (at >= size_) [[unlikely]] {
      grow_over(at);
    }
    return (*this)[at];
  }
  // Adds an element at the end, as T is by default.
  T& add() {
    if (size_ == chunks_.size() * kOfChunk) chunks_.push_back(std::make_unique<Chunk>());
    return (*this)[size_++];
  }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kOfChunk = 64;
  using Chunk = std::array<T, kOfChunk>;

  // Not inlined: what is asked for is nearly always there.
  [[gnu::noinline, gnu::cold]] void grow_over(std::size_t at) {
    while (at >= size_) add();
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace kutrace
