// SPDX-License-Identifier: BSD-3-Clause
// Joining chunks.
#include "timeline/text_chunks.h"

#include "kutrace/abi.h"

namespace kutrace::timeline {

std::vector<std::string> TextChunks::texts() const {
  std::vector<std::string> texts;
  std::uint32_t serial = 0;
  for (const auto& [key, chunk] : chunks_) {
    if (texts.empty() || serial != (key & ~KUTRACE_META_CHUNK_MASK)) texts.emplace_back();
    serial = key & ~KUTRACE_META_CHUNK_MASK;
    texts.back() += chunk;
  }
  return texts;
}

}  // namespace kutrace::timeline
