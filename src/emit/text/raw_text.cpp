// SPDX-License-Identifier: BSD-3-Clause
// Raw words to text.
#include "emit/text/raw_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::emit {

namespace {

unsigned words_of(EventNum number) {
  const EventClass kind = event_class(number);
  if (kind == EventClass::kPcSample) return 2;
  if (kind != EventClass::kName) return 1;
  const unsigned length = name_words(number);
  return length >= 1 && length <= KUTRACE_MAX_WORDS ? length : 1;
}

void dump_block(const Block& block, const LineSink& line) {
  line(fmt::format("block {} cpu {} base {:x} usec {} flags {:02x} pid {} mhz {} \"{}\"",
                   block.number, block.cpu, block.base, block.usec, block.flags, block.pid,
                   block.mhz, json_printable(block.comm())));
  for (std::uint32_t at = block.header_words; at < block.word_count;) {
    const std::uint64_t word = block.word(at);
    if (word == 0) {
      ++at;
      continue;
    }
    const auto number = static_cast<EventNum>(word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK);
    line(fmt::format("  {:4} {:05x} {:03x} {:08x}", at, word >> KUTRACE_TIME_SHIFT, number,
                     word & 0xffff'ffff));
    const std::uint32_t end = std::min(block.word_count, at + words_of(number));
    while (++at < end) line(fmt::format("  {:4} {:016x}", at, block.word(at)));
  }
}

}  // namespace

void dump_raw(const RawFile& file, const LineSink& line) {
  line(fmt::format("file version {} flags {:02x} start {:x} {} stop {:x} {}", file.version(),
                   file.flags(), file.start().counter, file.start().usec, file.stop().counter,
                   file.stop().usec));
  for (const Block& block : file.blocks()) dump_block(block, line);
}

}  // namespace kutrace::emit
