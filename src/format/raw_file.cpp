// SPDX-License-Identifier: BSD-3-Clause
// Reading block headers, with every field doubted.
#include "format/raw_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/narrow_counter.h"
#include "kutrace/abi.h"

namespace kutrace {

namespace {

constexpr std::uint32_t kOldFirstHeaderWords = 8;  // traces before version 3 have no thread words
constexpr std::uint32_t kOldHeaderWords = 2;

std::uint64_t low56(std::uint64_t word) { return word & KUTRACE_LOW56_MASK; }
unsigned top8(std::uint64_t word) { return static_cast<unsigned>(word >> KUTRACE_TOP_BYTE_SHIFT); }

Error too_short(const MappedFile& file) {
  const std::size_t size = file.bytes().size();
  return input_error(size == 0 ? std::string("the file is empty")
                               : fmt::format("{} bytes are less than a block header", size))
      .with_file(file.name())
      .with_hint("a raw trace consists of 65536-byte blocks; was the recording ended too early?");
}

// A trace has no magic number; text is the mistake people make.
bool looks_like_text(std::span<const std::byte> bytes) {
  const auto count = std::min<std::size_t>(bytes.size(), 64);
  return std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count),
                     [](std::byte byte) {
                       const auto c = std::to_integer<unsigned char>(byte);
                       return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
                     });
}

}  // namespace

std::string Block::comm() const {
  if (header_words < KUTRACE_HEADER_WORDS) return {};
  const auto* text = reinterpret_cast<const char*>(words + 8 * (std::size_t{header_words} - 2));
  return {text, strnlen(text, KUTRACE_COMM_BYTES)};
}

std::size_t RawFile::stride() const {
  return KUTRACE_BLOCK_BYTES + (has_trailer_ ? KUTRACE_TRAILER_BYTES : 0);
}

// Whether a block that was begun while the trace was recorded starts at `offset`.
bool RawFile::block_begins_at(std::size_t offset) const {
  if (file_.bytes().size() < offset + 8) return false;
  std::uint64_t word;
  std::memcpy(&word, file_.bytes().data() + offset, sizeof word);
  // A period of the 20-bit time: blocks begin a little before the start is read or after the stop.
  constexpr Ticks kSlack = Ticks{1} << KUTRACE_TIME_BITS;
  return low56(word) + kSlack >= start_.counter && low56(word) <= stop_.counter + kSlack;
}

// KUtrace's dump leaves out the trailers of a trace that holds cache misses alone.
void RawFile::find_trailer() {
  has_trailer_ = (flags_ & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) != 0;
  if (!has_trailer_ || (flags_ & KUTRACE_FLAG_IPC) != 0) return;
  const std::size_t size = file_.bytes().size();
  const bool whole_blocks = size % KUTRACE_BLOCK_BYTES == 0;
  const bool whole_with_trailers = size % (KUTRACE_BLOCK_BYTES + KUTRACE_TRAILER_BYTES) == 0;
  // The size tells, unless the file is cut or fits both; then what stands where the second block
  // would.
  if (whole_blocks != whole_with_trailers) {
    has_trailer_ = whole_with_trailers;
  } else {
    has_trailer_ = !block_begins_at(KUTRACE_BLOCK_BYTES);
  }
}

// The thread's words that headers have since version 3 look like no entry: no time, no event, and
// an almost empty word behind. What most blocks have there counts, not what byte 15 says.
void RawFile::doubt_version() {
  const bool old = version_ < 3;
  std::size_t with_thread = 0;
  std::size_t without = 0;
  for (std::size_t at = 0; at + KUTRACE_BLOCK_BYTES <= file_.bytes().size(); at += stride()) {
    const std::size_t words = at == 0 ? kOldFirstHeaderWords : kOldHeaderWords;
    std::uint64_t thread[4];
    std::memcpy(thread, file_.bytes().data() + at + 8 * words, sizeof thread);
    const bool small = thread[0] >> 48 == 0 && thread[1] < 0x100;
    const bool empty = (thread[0] | thread[2] | thread[3]) == 0;
    if (small && !empty) ++with_thread;
    if (thread[0] >> 48 != 0 && thread[1] >= 0x100) ++without;
  }
  if (old ? with_thread <= without : without <= with_thread) return;
  version_ = old ? KUTRACE_FORMAT_VERSION : 2;
  counters_.add(Counter::kVersionContradicted);
}

Result<RawFile> RawFile::open(MappedFile file) {
  RawFile raw(std::move(file));
  KUTRACE_TRY(raw.read_first_header());
  // In this order: the trailer says where blocks begin, the version where their entries do, and the
  // counters are put right when all blocks are known.
  raw.find_trailer();
  raw.doubt_version();
  raw.index_blocks();
  if (mend_counters(raw.file_.bytes(), raw.wrapped_, raw.start_, raw.stop_, raw.blocks_)) {
    raw.counters_.add(Counter::kCounterTurnedOver);
  }
  return raw;
}

Status RawFile::read_first_header() {
  const auto bytes = file_.bytes();
  if (bytes.size() < 8 * KUTRACE_FIRST_HEADER_WORDS) return fail(too_short(file_));
  if (looks_like_text(bytes)) {
    return fail(input_error("is text, not a raw trace")
                    .with_file(name())
                    .with_byte(0)
                    .with_hint("give the file that `kutrace record` or a KUtrace dump wrote"));
  }
  std::uint64_t words[KUTRACE_FIRST_HEADER_WORDS];
  std::memcpy(words, bytes.data(), sizeof words);
  flags_ = top8(words[1]);
  version_ = flags_ & KUTRACE_FLAG_VERSION_MASK;
  wrapped_ = (flags_ & KUTRACE_FLAG_WRAP) != 0;
  start_ = {low56(words[2]), words[3]};
  stop_ = {low56(words[4]), words[5]};
  if (version_ == 0 || version_ > KUTRACE_FORMAT_VERSION) {
    return fail(input_error(fmt::format("trace version {} is unknown; this program reads 1 to {}",
                                        version_, KUTRACE_FORMAT_VERSION))
                    .with_file(name())
                    .with_byte(15)
                    .with_block(0)
                    .with_hint("is this a raw trace? its byte 15 holds flags and version"));
  }
  return {};
}

Block RawFile::read_header(std::uint64_t offset, std::uint32_t number, std::uint64_t bytes) const {
  Block block;
  block.words = file_.bytes().data() + offset;
  block.number = number;
  block.word_count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, KUTRACE_BLOCK_BYTES) / 8);
  // Of a block that is cut, the trailer is missing first.
  if (bytes >= stride() && stride() > KUTRACE_BLOCK_BYTES) {
    block.trailer = block.words + KUTRACE_BLOCK_BYTES;
  }
  const bool first = number == 0;
  const bool old = version_ < 3;
  block.header_words = first ? (old ? kOldFirstHeaderWords : KUTRACE_FIRST_HEADER_WORDS)
                             : (old ? kOldHeaderWords : KUTRACE_HEADER_WORDS);
  if (block.word_count < block.header_words) return block;
  block.cpu = top8(block.word(0));
  block.base = low56(block.word(0));
  block.flags = top8(block.word(1));
  block.usec = low56(block.word(1));
  if (!old) {
    const std::uint32_t at = block.header_words - 4;
    block.pid = static_cast<Pid>(block.word(at) & 0xffff'ffff);
    block.mhz = static_cast<std::uint32_t>(block.word(at) >> 32);
    // KUtrace leaves this word 0.
    block.cpu |= static_cast<CpuId>(block.word(at + 1) & 0xff) << 8;
  }
  return block;
}

void RawFile::index_blocks() {
  const std::uint64_t size = file_.bytes().size();
  std::uint32_t number = 0;
  for (std::uint64_t offset = 0; offset < size; offset += stride(), ++number) {
    const std::uint64_t left = size - offset;
    // The last block is read as far as it goes.
    if (left < KUTRACE_BLOCK_BYTES) cut_ = true;
    Block block = read_header(offset, number, left);
    if (block.word_count < block.header_words) {
      counters_.add(Counter::kBlockCutInHeader);
      continue;
    }
    blocks_.push_back(block);
  }
  if (cut_) counters_.add(Counter::kFileCut);
}

}  // namespace kutrace
