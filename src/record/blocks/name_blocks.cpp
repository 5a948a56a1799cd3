// SPDX-License-Identifier: BSD-3-Clause
// Packing names into blocks.
#include "record/blocks/name_blocks.h"

#include <algorithm>
#include <cstring>

#include "format/event_table.h"
#include "record/blocks/block_walk.h"

namespace kutrace {

namespace {

constexpr std::size_t kLastUsedWord = KUTRACE_BLOCK_WORDS - 1;  // the last word stays empty

std::uint64_t top_byte(std::uint64_t value) { return value << KUTRACE_TOP_BYTE_SHIFT; }

NameBlocks::Block first_block(const FirstHeader& header) {
  NameBlocks::Block block(KUTRACE_FIRST_HEADER_WORDS);
  block[0] = top_byte(header.cpu & 255) | header.start.counter;
  block[1] = top_byte(header.flags) | header.start.usec;
  block[2] = header.start.counter;
  block[3] = header.start.usec;
  block[4] = header.stop.counter;
  block[5] = header.stop.usec;
  block[8] = header.pid;
  block[9] = header.cpu >> 8;
  block[10] = header.comm[0];
  block[11] = header.comm[1];
  return block;
}

NameBlocks::Block next_block(const FirstHeader& header) {
  NameBlocks::Block block(KUTRACE_HEADER_WORDS);
  block[0] = top_byte(header.cpu & 255) | header.start.counter;
  block[1] = header.start.usec;
  block[2] = header.pid;
  block[3] = header.cpu >> 8;
  block[4] = header.comm[0];
  block[5] = header.comm[1];
  return block;
}

NameBlocks::Block later_block(const FirstHeader& header, std::size_t number) {
  NameBlocks::Block block(KUTRACE_HEADER_WORDS);
  block[0] = top_byte(header.cpu & 255) | header.stop.counter;
  block[1] = header.stop.usec;
  block[3] = header.cpu >> 8;
  const std::uint64_t kind = kind::kBLOCK | KUTRACE_BLOCK_WORDS_USED << KUTRACE_LENGTH_SHIFT;
  block.push_back(header.stop.counter << KUTRACE_TIME_SHIFT | kind << KUTRACE_EVENT_SHIFT |
                  KUTRACE_BLOCK_NAMES);
  block.push_back(number);
  return block;
}

}  // namespace

void NameBlocks::begin_entry(EventNum kind, std::uint32_t argument, std::size_t words) {
  const std::uint64_t event = kind | words << KUTRACE_LENGTH_SHIFT;
  words_.push_back(event << KUTRACE_EVENT_SHIFT | argument);
}

void NameBlocks::add_name(EventNum kind, std::uint32_t item, std::string_view text) {
  text = text.substr(0, KUTRACE_NAME_BYTES);
  if (text.empty()) return;
  const std::size_t payload = (text.size() + 7) / 8;
  begin_entry(kind, item, payload + 1);
  const std::size_t at = words_.size();
  words_.resize(at + payload);
  std::memcpy(&words_[at], text.data(), text.size());
}

void NameBlocks::add_fact(std::string_view key, std::string_view value) {
  add_text(kind::kMETA, std::string(key) + "=" + std::string(value));
}

void NameBlocks::add_text(EventNum kind, std::string_view text) {
  const std::size_t most = std::size_t{KUTRACE_NAME_BYTES} * (KUTRACE_META_CHUNK_MASK + 1);
  const std::uint32_t serial = texts_[kind]++;
  std::uint32_t chunk = 0;
  for (std::size_t at = 0; at < std::min(text.size(), most); at += KUTRACE_NAME_BYTES)
    add_name(kind, serial << 8 | chunk++, text.substr(at, KUTRACE_NAME_BYTES));
}

void NameBlocks::add_words(EventNum kind, std::uint32_t argument,
                           std::initializer_list<std::uint64_t> words) {
  begin_entry(kind, argument, words.size() + 1);
  words_.insert(words_.end(), words);
}

void NameBlocks::add_all(const NameBlocks& other) {
  words_.insert(words_.end(), other.words_.begin(), other.words_.end());
}

// Appends entries to the last block, and to those that `next` makes when it is full.
void NameBlocks::fill(std::vector<Block>& blocks, Ticks time, std::size_t most,
                      const std::function<Block(std::size_t)>& next) const {
  for (std::size_t at = 0; at < words_.size();) {
    const std::size_t length = entry_words(words_[at]);
    if (blocks.back().size() + length > kLastUsedWord) {
      if (blocks.size() == most) return;
      blocks.push_back(next(blocks.size()));
    }
    blocks.back().push_back(time << KUTRACE_TIME_SHIFT | words_[at]);
    const auto from = words_.begin() + static_cast<std::ptrdiff_t>(at);
    blocks.back().insert(blocks.back().end(), from + 1, from + static_cast<std::ptrdiff_t>(length));
    at += length;
  }
}

std::vector<NameBlocks::Block> NameBlocks::build(const FirstHeader& header, std::size_t least,
                                                 std::size_t most) const {
  std::vector<Block> blocks{first_block(header)};
  const auto next = [&](std::size_t) { return next_block(header); };
  fill(blocks, header.start.counter, most, next);
  while (blocks.size() < least) blocks.push_back(next_block(header));
  for (Block& block : blocks) block.resize(KUTRACE_BLOCK_WORDS);
  return blocks;
}

std::vector<NameBlocks::Block> NameBlocks::build_later(const FirstHeader& header) const {
  if (words_.empty()) return {};
  const auto next = [&](std::size_t number) { return later_block(header, number); };
  std::vector<Block> blocks{next(0)};
  fill(blocks, header.stop.counter, ~std::size_t{0}, next);
  for (Block& block : blocks) block.resize(KUTRACE_BLOCK_WORDS);
  return blocks;
}

}  // namespace kutrace
