// SPDX-License-Identifier: BSD-3-Clause
// What waits for a reader's socket. In: pieces of his blocks, and lines; out: bytes, in order.
#pragma once

#include <string>
#include <string_view>

#include "record/served/served_protocol.h"
#include "record/view/piece.h"

namespace kutrace::serve {

class Outgoing final : public record::PieceSink {
 public:
  void put(const record::Piece& piece, std::string_view words) override {
    bytes_ += record::line_of(piece);
    bytes_ += words;
  }
  std::size_t waiting() const override { return bytes_.size() - sent_; }

  void say(std::string_view line) { bytes_ += line; }
  std::string_view bytes() const { return std::string_view(bytes_).substr(sent_); }
  // Bytes that were sent go when they are the larger part.
  void sent(std::size_t bytes) {
    sent_ += bytes;
    if (sent_ < bytes_.size() - sent_) return;
    bytes_.erase(0, sent_);
    sent_ = 0;
  }

 private:
  std::string bytes_;
  std::size_t sent_ = 0;
};

}  // namespace kutrace::serve
