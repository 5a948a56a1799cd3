// SPDX-License-Identifier: BSD-3-Clause
// Texts that entries hold in chunks, such as META's. In: the chunks, in any order; out: whole
// texts. A chunk that is missing is left out of its text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "decode/entry.h"

namespace kutrace::timeline {

class TextChunks {
 public:
  // All entries must be of one kind: kinds have serial numbers of their own.
  void push(const decode::Entry& entry) { chunks_[entry.arg] = entry.payload_text(); }
  bool empty() const { return chunks_.empty(); }
  // In order of serial numbers.
  std::vector<std::string> texts() const;

 private:
  std::map<std::uint32_t, std::string> chunks_;  // by serial << 8 | chunk
};

}  // namespace kutrace::timeline
