// SPDX-License-Identifier: BSD-3-Clause
// Keeping blocks in memory and in a file.
#include "emit/page/kept_blocks.h"

#include <span>
#include <utility>

namespace kutrace::emit {

Status KeptBlocks::add(std::string block) {
  const bool fits = first_size_ + block.size() <= most_in_memory_;
  if (spill_ == nullptr || (fits && spilled_.empty())) {
    first_size_ += block.size();
    first_.push_back(std::move(block));
    return {};
  }
  KUTRACE_TRY(spill_->append(std::as_bytes(std::span(block))));
  spilled_.push_back(block.size());
  return {};
}

Status KeptBlocks::each(
    const std::function<void(std::size_t number, std::string_view block)>& take) const {
  std::size_t number = 0;
  for (const std::string& block : first_) take(number++, block);
  std::string block;
  std::uint64_t offset = 0;
  for (const std::size_t size : spilled_) {
    block.resize(size);
    KUTRACE_TRY(spill_->read(offset, std::as_writable_bytes(std::span(block))));
    offset += size;
    take(number++, block);
  }
  return {};
}

}  // namespace kutrace::emit
