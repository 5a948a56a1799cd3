// SPDX-License-Identifier: BSD-3-Clause
// Texts that entries hold in chunks, such as META's: chunks enter in any order, whole texts leave.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "decode/entry.h"

namespace kutrace::timeline {

class TextChunks {
 public:
  // All entries are of one kind.
  void push(const decode::Entry& entry) { chunks_[entry.arg] = entry.payload_text(); }
  bool empty() const { return chunks_.empty(); }
  // In order of serial numbers.
  std::vector<std::string> texts() const;

 private:
  std::map<std::uint32_t, std::string> chunks_;  // by serial << 8 | chunk
};

}  // namespace kutrace::timeline
