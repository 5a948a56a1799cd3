// SPDX-License-Identifier: BSD-3-Clause
// What stands for the nodes of summed up stacks. In: the sums, when all is told; out: the frames of
// a node as numbers, and the text of each. Frames of one text have one number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/by_number.h"
#include "emit/stream/stack_sums.h"

namespace kutrace::emit {

class StackFrames {
 public:
  explicit StackFrames(const StackSums& sums) : sums_(sums) {}

  // From below the root to the node, the outermost first, in numbers that stand for texts in the
  // order in which these were met. Valid until it is asked again.
  std::span<const std::uint32_t> of(std::size_t node);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  static constexpr std::uint32_t kNoFrame = UINT32_MAX - 1;
  struct Known {
    std::uint32_t frame = kUnknown;
    std::uint32_t process = kUnknown;  // what stands before it
  };

  std::uint32_t number(std::string text);
  std::uint32_t frame_of(std::size_t node);
  std::uint32_t process_of(std::size_t thread);

  const StackSums& sums_;
  ByNumber<Known> threads_;
  std::vector<std::uint32_t> by_name_[2];  // of calls, of waits
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> texts_;
  std::vector<std::size_t> path_;
  std::vector<std::uint32_t> frames_;
};

}  // namespace kutrace::emit
