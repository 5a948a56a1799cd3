// SPDX-License-Identifier: BSD-3-Clause
// Frames to packets with names.
#include "align/capture.h"

#include <utility>

#include "align/captured_payload.h"

namespace kutrace::align {

Result<Capture> Capture::read(std::span<const std::byte> bytes) {
  Capture capture;
  KUTRACE_ASSIGN(capture.summary_, read_capture(bytes, [&](const CapturedFrame& captured) {
                   capture.take(captured);
                 }));
  return capture;
}

void Capture::take(const CapturedFrame& captured) {
  const CapturedPayload payload = payload_of(captured);
  const std::uint32_t flow = number_of(payload.flow);
  const bool is_hashed = payload.state == PayloadState::kHashed;
  if (is_hashed) flows_.try_emplace(payload.hash, flow);
  if (payload.state == PayloadState::kCut) ++cut_;
  if (!captured.wall) {
    ++timeless_;
    return;
  }
  Frame& frame = frames_.emplace_back();
  frame.wall = *captured.wall;
  frame.bytes = payload.bytes;
  frame.label = payload.flags.empty() ? flow : number_of(payload.flow + ' ' + payload.flags);
  if (!is_hashed) return;
  packets_.push_back({payload.hash, frame.wall, static_cast<std::uint32_t>(frames_.size() - 1)});
}

std::uint32_t Capture::number_of(std::string text) {
  const auto [known, is_new] =
      numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(known->first);
  return known->second;
}

std::map<std::uint32_t, std::string> Capture::flows() const {
  std::map<std::uint32_t, std::string> flows;
  for (const auto& [hash, flow] : flows_) flows.emplace(hash, text(flow));
  return flows;
}

std::vector<Ns> Capture::walls() const {
  std::vector<Ns> walls;
  walls.reserve(frames_.size());
  for (const Frame& frame : frames_) walls.push_back(frame.wall);
  return walls;
}

}  // namespace kutrace::align
