// SPDX-License-Identifier: BSD-3-Clause
// Lines of four words.
#include "emit/text/hex_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::emit {

namespace {

constexpr std::uint32_t kPerLine = 4;
constexpr std::uint32_t kPerParagraph = 1024;  // words: 8 KB

std::string wall_clock(std::uint64_t usec) {
  const auto seconds = static_cast<std::time_t>(usec / 1'000'000);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "at no possible time";
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06} UTC", parts, usec % 1'000'000);
}

char shown(std::byte byte) {
  const auto c = std::to_integer<unsigned char>(byte);
  return c >= 0x20 && c < 0x7f ? static_cast<char>(c) : '.';
}

unsigned words_of(EventNum number) {
  switch (event_class(number)) {
    case EventClass::kPcSample:
      return 2;
    case EventClass::kName:
      if (name_kind(number) == kind::kPC_TEMP) return 2;
      return name_words(number) <= KUTRACE_MAX_WORDS ? name_words(number) : 1;
    default:
      return 1;
  }
}

class HexBlock {
 public:
  HexBlock(const Block& block, const std::byte* begin, std::uint64_t offset, bool zeros,
           const LineSink& line)
      : block_(block), begin_(begin), offset_(offset), zeros_(zeros), line_(line) {}

  void dump() {
    line_(fmt::format("block {} CPU {} {}", block_.number, block_.cpu, wall_clock(block_.usec)));
    words(0, block_.word_count);
    if (block_.trailer != nullptr) {
      line_("trailer, one byte per word");
      words(KUTRACE_BLOCK_WORDS, KUTRACE_BLOCK_WORDS + KUTRACE_TRAILER_BYTES / 8);
    }
  }

 private:
  std::uint64_t word(std::uint32_t at) const {
    std::uint64_t value;
    std::memcpy(&value, begin_ + 8 * std::size_t{at}, sizeof value);
    return value;
  }

  void words(std::uint32_t from, std::uint32_t to) {
    entries_end_ = from == 0 ? to : 0;
    bool skipping = false;
    for (std::uint32_t at = from; at < to; at += kPerLine) {
      if (at != from && at % kPerParagraph == 0 && !skipping) line_("");
      const std::uint32_t end = std::min(at + kPerLine, to);
      bool zero = true;
      for (std::uint32_t i = at; i < end; ++i) zero = zero && word(i) == 0;
      if (zero && !zeros_) {
        if (!skipping) line_("...");
        skipping = true;
        continue;
      }
      skipping = false;
      print_line(at, end);
    }
  }

  void print_line(std::uint32_t at, std::uint32_t end) {
    std::string text = fmt::format("[{:08x}]", offset_ + 8 * std::uint64_t{at});
    std::string bytes;
    for (std::uint32_t i = at; i < end; ++i) {
      text += fmt::format(" {:>17}", word_text(i));
      for (std::size_t b = 0; b < 8; ++b) bytes += shown(begin_[8 * std::size_t{i} + b]);
    }
    line_(fmt::format("{:<82}  {}", text, bytes));
  }

  // Called for every word in order, so that an entry's further words are known.
  std::string word_text(std::uint32_t at) {
    const std::uint64_t value = word(at);
    if (at < block_.header_words || at >= entries_end_) return fmt::format("{:016x}", value);
    if (at < entry_end_) return fmt::format("_{:016x}", value);
    const auto number = static_cast<EventNum>(value >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK);
    entry_end_ = at + std::max(1u, words_of(number));
    return fmt::format("{:05x}.{:03x}{:08x}", value >> KUTRACE_TIME_SHIFT, number,
                       value & 0xffff'ffff);
  }

  const Block& block_;
  const std::byte* begin_;
  std::uint64_t offset_;
  bool zeros_;
  const LineSink& line_;
  std::uint32_t entries_end_ = 0;
  std::uint32_t entry_end_ = 0;  // of the entry that is being printed
};

}  // namespace

void dump_hex(const RawFile& file, const HexOptions& options, const LineSink& line) {
  if (file.blocks().empty()) return;
  const std::byte* begin = file.blocks().front().words;
  for (const Block& block : file.blocks()) {
    if (options.block && *options.block != block.number) continue;
    const auto offset = static_cast<std::uint64_t>(block.words - begin);
    HexBlock(block, block.words, offset, options.zeros, line).dump();
  }
}

}  // namespace kutrace::emit
