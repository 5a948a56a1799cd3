// SPDX-License-Identifier: BSD-3-Clause
// Finding and unpacking blocks, see page_blocks.h.
#include "read/page/page_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/b128.h"
#include "base/json_scanner.h"
#include "base/text.h"

namespace kutrace::read {

namespace {

// Deflate makes at most this much of a byte.
constexpr std::uint64_t kMostTimes = 1032;
// The longest numbers in every column of a full slab.
constexpr std::uint64_t kMostSlab = std::uint64_t{32} << 20;
// Of blocks that grow with the trace.
constexpr std::uint64_t kMostOther = std::uint64_t{1} << 30;
constexpr std::string_view kHint = "the page is cut short or damaged; make it again from its trace";

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string opening(std::string_view id) { return fmt::format("{}{}\">", kPageBlock, id); }

}  // namespace

bool is_own_page(std::string_view text) {
  return text.find(opening(kHeaderBlock)) != std::string_view::npos;
}

bool is_container(std::string_view bytes) { return bytes.starts_with(kContainerMagic); }

std::string page_slab_id(std::size_t number) { return fmt::format("{}{}", kSlabBlock, number); }

PageBlocks::PageBlocks(std::string_view file, std::string name)
    : file_(file), name_(std::move(name)), container_(is_container(file)) {}

Error PageBlocks::damaged(std::string sentence, std::size_t at) const {
  return input_error(std::move(sentence))
      .with_file(name_)
      .with_byte(at)
      .with_hint(std::string(kHint));
}

Error PageBlocks::error(std::string sentence, std::string_view block) const {
  std::size_t at = block == kHeaderBlock ? header_at_ : long_.at;
  if (block == kSumsBlock && sums_) at = sums_->at;
  if (block == kFilesBlock && files_) at = files_->at;
  if (block.starts_with(kSlabBlock)) {
    std::size_t number = 0;
    const std::string_view digits = block.substr(kSlabBlock.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (number < slabs_.size()) at = slabs_[number].at;
  }
  return damaged(std::move(sentence), at);
}

Result<PageBlocks::Block> PageBlocks::find_header() {
  if (!container_) return next_element(std::string(kHeaderBlock), {});
  if (file_.size() < kContainerHead) {
    return fail(damaged("the container ends in its first 16 bytes", file_.size()));
  }
  const std::uint32_t format = little_endian(file_.substr(kContainerMagic.size()));
  if (format != kPageFormat && format != kPageFormatWithoutCalls) {
    return fail(
        damaged(fmt::format("the container's format is {}; this program reads formats {} and {}",
                            format, kPageFormatWithoutCalls, kPageFormat),
                kContainerMagic.size()));
  }
  const std::uint32_t size = little_endian(file_.substr(kContainerMagic.size() + 4));
  at_ = kContainerHead;
  return next_block(std::string(kHeaderBlock), {.packed = size});
}

Result<std::string> PageBlocks::header() {
  at_ = 0;
  KUTRACE_ASSIGN(const Block block, find_header());
  header_at_ = block.at;
  std::vector<std::uint8_t> room;
  KUTRACE_ASSIGN(const std::span<const std::uint8_t> bytes, packed(block, kHeaderBlock, room));
  const auto most =
      static_cast<std::size_t>(std::min<std::uint64_t>(kMostOther, kMostTimes * bytes.size()));
  std::optional<std::string> text = inflater_.inflate_text(bytes, most);
  if (!text || !header_is_whole(*text)) {
    return fail(
        damaged("the page's header cannot be unpacked, or not to what was packed", block.at));
  }
  return std::move(*text);
}

Result<PageBlocks::Block> PageBlocks::next_element(const std::string& id,
                                                   const PageBlockSize& size) {
  const std::string begin = opening(id);
  const std::size_t found = file_.find(begin, at_);
  if (found == std::string_view::npos) {
    return fail(damaged(fmt::format("the page ends before its block {}", id), file_.size()));
  }
  const std::size_t from = found + begin.size();
  // No '<' stands in a block.
  const std::size_t to = file_.find('<', from);
  if (to == std::string_view::npos || !file_.substr(to).starts_with(kPageBlockEnd)) {
    return fail(
        damaged(fmt::format("the page's block {} does not end", id), std::min(to, file_.size())));
  }
  at_ = to;
  return Block{from, to - from, size};
}

Result<PageBlocks::Block> PageBlocks::next_block(const std::string& id, const PageBlockSize& size) {
  if (!container_) return next_element(id, size);
  if (size.packed > file_.size() - at_) {
    return fail(damaged(fmt::format("the container ends in its block {}", id), file_.size()));
  }
  const std::size_t from = std::exchange(at_, at_ + size.packed);
  return Block{from, size.packed, size};
}

Status PageBlocks::locate(const PageFacts& facts) {
  KUTRACE_TRY(next_block(std::string(kOverviewBlock), facts.overview));
  KUTRACE_ASSIGN(long_, next_block(std::string(kLongBlock), facts.long_overlays));
  if (facts.far) KUTRACE_TRY(next_block(std::string(kFarBlock), *facts.far));
  slabs_.clear();
  parts_.clear();
  for (std::size_t i = 0; i < facts.slabs.size(); ++i) {
    KUTRACE_ASSIGN(const Block block, next_block(page_slab_id(i), facts.slabs[i]));
    slabs_.push_back(block);
    parts_.push_back(facts.slabs[i].parts);
  }
  sums_.reset();
  if (facts.sums) {
    KUTRACE_ASSIGN(sums_, next_block(std::string(kSumsBlock), *facts.sums));
  }
  files_.reset();
  if (facts.files) {
    KUTRACE_ASSIGN(files_, next_block(std::string(kFilesBlock), *facts.files));
  }
  return {};
}

Result<std::span<const std::uint8_t>> PageBlocks::packed(const Block& block, std::string_view id,
                                                         std::vector<std::uint8_t>& room) const {
  const std::string_view text = file_.substr(block.at, block.length);
  if (container_) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::optional<std::vector<std::uint8_t>> bytes = decode_b128(text);
  if (!bytes) {
    return fail(damaged(fmt::format("the page's block {} holds foreign characters", id), block.at));
  }
  room = std::move(*bytes);
  return room;
}

Result<std::vector<std::uint8_t>> PageBlocks::unpacked(const Block& block, const std::string& id,
                                                       std::vector<std::uint8_t> room) {
  std::vector<std::uint8_t> decoded;
  KUTRACE_ASSIGN(const std::span<const std::uint8_t> bytes, packed(block, id, decoded));
  const std::uint64_t most = id.starts_with(kSlabBlock) ? kMostSlab : kMostOther;
  const bool believable = bytes.size() == block.size.packed && block.size.raw <= most &&
                          block.size.raw <= kMostTimes * bytes.size();
  if (believable) {
    auto raw = inflater_.inflate(bytes, block.size.raw, block.size.crc, std::move(room));
    if (raw) return std::move(*raw);
  }
  return fail(not_as_said(block, id));
}

Error PageBlocks::not_as_said(const Block& block, std::string_view id) const {
  return damaged(fmt::format("the page's block {} is not what the header says of it", id),
                 block.at);
}

Result<std::vector<std::uint8_t>> PageBlocks::long_overlays() {
  return unpacked(long_, std::string(kLongBlock));
}

Result<std::vector<std::uint8_t>> PageBlocks::slab(std::size_t number,
                                                   std::vector<std::uint8_t> room) {
  return unpacked(slabs_[number], page_slab_id(number), std::move(room));
}

Result<std::vector<std::uint8_t>> PageBlocks::part(std::size_t number, SlabPart part,
                                                   std::vector<std::uint8_t> room) {
  const Block& block = slabs_[number];
  const std::string id = page_slab_id(number);
  if (decoded_ != number) {
    decoded_.reset();
    KUTRACE_ASSIGN(decoded_bytes_, packed(block, id, decoded_room_));
    decoded_ = number;
  }
  const std::span<const std::uint8_t> bytes = decoded_bytes_;
  const auto which = static_cast<std::size_t>(part);
  std::size_t from = 0;
  for (std::size_t i = 0; i < which; ++i) from += parts_[number][i].packed;
  const PageBlockSize& size = parts_[number][which];
  const bool believable = bytes.size() == block.size.packed && block.size.raw <= kMostSlab &&
                          size.raw <= kMostTimes * size.packed;
  if (believable) {
    const std::span<const std::uint8_t> piece = bytes.subspan(from, size.packed);
    auto raw = part == SlabPart::kRest
                   ? inflater_.inflate(piece, size.raw, size.crc, std::move(room))
                   : inflater_.inflate_blocks(piece, size.raw, size.crc, std::move(room));
    if (raw) return std::move(*raw);
  }
  return fail(not_as_said(block, id));
}

Result<std::vector<std::uint8_t>> PageBlocks::optional_block(const std::optional<Block>& block,
                                                             std::string_view id) {
  if (!block) return std::vector<std::uint8_t>();
  return unpacked(*block, std::string(id));
}

std::string PageBlocks::saved() const {
  const std::size_t found = file_.substr(0, header_at_).find(kSavedBlock);
  if (found == std::string_view::npos) return {};
  const std::size_t from = found + kSavedBlock.size();
  const std::size_t to = file_.find(kPageBlockEnd, from);
  const std::string_view text = file_.substr(from, std::min(to, file_.size()) - from);
  JsonScanner scanner(text);
  scanner.skip_value();
  return scanner.failed() ? std::string() : printable(text);
}

}  // namespace kutrace::read
