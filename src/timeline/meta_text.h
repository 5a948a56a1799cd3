// SPDX-License-Identifier: BSD-3-Clause
// META entries to facts. In: the chunks of key=value texts, in any order; out: whole facts.
#pragma once

#include "format/facts.h"
#include "timeline/text_chunks.h"

namespace kutrace::timeline {

class MetaText {
 public:
  // `entry` must be of kind META.
  void push(const decode::Entry& entry) { chunks_.push(entry); }
  // In order of serial numbers. A text without "=" is a key without a value.
  Facts facts() const;

 private:
  TextChunks chunks_;
};

}  // namespace kutrace::timeline
