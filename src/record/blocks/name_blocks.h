// SPDX-License-Identifier: BSD-3-Clause
// The blocks at the begin of a trace file: who is who, what is called how, facts about the
// recording. Enter names and facts; leave whole blocks, the first with the header of block 0.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "kutrace/abi.h"
#include "record/blocks/clock.h"

namespace kutrace {

// What stands in the header of block 0.
struct FirstHeader {
  CpuId cpu = 0;
  unsigned flags = KUTRACE_FORMAT_VERSION;
  ClockReading start;
  ClockReading stop;
  std::uint64_t pid = 0;  // what ran on that CPU at the start
  std::uint64_t comm[2] = {};
};

class NameBlocks {
 public:
  using Block = std::vector<std::uint64_t>;

  // Up to 56 bytes of text for item `item` of this kind; an empty text is left out.
  void add_name(EventNum kind, std::uint32_t item, std::string_view text);
  // A fact of any length.
  void add_fact(std::string_view key, std::string_view value);
  // A text in chunks, of a kind that is numbered serially: META, MAP, SYMBOL.
  void add_text(EventNum kind, std::string_view text);
  // An entry with payload words.
  void add_words(EventNum kind, std::uint32_t argument, std::initializer_list<std::uint64_t> words);
  void add_all(const NameBlocks& other);

  std::size_t words() const { return words_.size(); }
  // Entries that do not fit in `most` blocks are left out, the last ones first.
  std::vector<Block> build(const FirstHeader& header, std::size_t least, std::size_t most) const;
  // Blocks that may stand behind the events: as no CPU's, of the time of the stop.
  std::vector<Block> build_later(const FirstHeader& header) const;

 private:
  void fill(std::vector<Block>& blocks, Ticks time, std::size_t most,
            const std::function<Block(std::size_t)>& next) const;
  void begin_entry(EventNum kind, std::uint32_t argument, std::size_t words);

  std::vector<std::uint64_t> words_;         // entries without their time
  std::map<EventNum, std::uint32_t> texts_;  // how many, by kind
};

}  // namespace kutrace
