// SPDX-License-Identifier: BSD-3-Clause
// Numbers of frames. Threads are asked for once each, all else once by its name.
#include "emit/stream/stack_frames.h"

#include <utility>

namespace kutrace::emit {

std::uint32_t StackFrames::number(std::string text) {
  const auto [at, is_new] = numbers_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(std::move(text));
  return at->second;
}

std::uint32_t StackFrames::frame_of(std::size_t node) {
  const StackSums::Node& shown = sums_.nodes()[node];
  if (shown.parent == 0 && !shown.wait) {
    std::uint32_t& known = threads_[shown.pid].frame;
    if (known == kUnknown) known = number(sums_.text(node));
    return known;
  }
  std::vector<std::uint32_t>& same = by_name_[shown.wait ? 1 : 0];
  if (shown.name >= same.size()) same.resize(shown.name + std::size_t{1}, kUnknown);
  std::uint32_t& known = same[shown.name];
  if (known == kUnknown) known = number(sums_.text(node));
  return known;
}

std::uint32_t StackFrames::process_of(std::size_t thread) {
  std::uint32_t& known = threads_[sums_.nodes()[thread].pid].process;
  if (known == kUnknown) {
    std::string text = sums_.process_text(thread);
    known = text.empty() ? kNoFrame : number(std::move(text));
  }
  return known;
}

std::span<const std::uint32_t> StackFrames::of(std::size_t node) {
  path_.clear();
  for (std::size_t at = node; at != 0; at = sums_.nodes()[at].parent) path_.push_back(at);
  frames_.clear();
  if (node != 0) {
    const std::uint32_t process = process_of(path_.back());
    if (process != kNoFrame) frames_.push_back(process);
  }
  for (std::size_t i = path_.size(); i-- != 0;) frames_.push_back(frame_of(path_[i]));
  return frames_;
}

}  // namespace kutrace::emit
