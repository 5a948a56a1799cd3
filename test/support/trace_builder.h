// SPDX-License-Identifier: BSD-3-Clause
// Raw traces made by hand: entries per CPU go in at whole counter times, a file's bytes come out.
// Blocks begin and are missing where the test says. Counter 0 of the builder is counter kStart of
// the file; one tick is 16 ns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/block_writer.h"
#include "format/name_entries.h"
#include "format/raw_file.h"

namespace kutrace::test {

constexpr Ticks kStart = 1'000'000'000;
constexpr std::uint64_t kStartUsec = 1'700'000'000'000'000;
constexpr double kNsPerTick = 16;

class TraceBuilder {
 public:
  // Of our own source: facts, block sequence numbers and a stop time are written.
  // Of an upstream one: none of it.
  enum class Style { kOwn, kUpstream };

  explicit TraceBuilder(Style style = Style::kOwn) : style_(style) {}

  // Facts and names, which go to block 0.
  TraceBuilder& fact(const std::string& key, const std::string& value);
  TraceBuilder& name(EventNum kind, std::uint32_t item, std::string_view text);
  TraceBuilder& words_entry(EventNum kind, std::uint32_t arg,
                            const std::vector<std::uint64_t>& words);
  // A record of any length.
  TraceBuilder& text(EventNum kind, std::string_view text);
  TraceBuilder& task(Pid pid, Pid process, std::uint32_t task_flags, int blocked_in = -1);
  // A process that another one made.
  TraceBuilder& child(Pid pid, Pid parent);

  // What follows is on this CPU; `pid` runs when its first block starts.
  TraceBuilder& cpu(CpuId cpu, Pid pid = 0, std::string_view comm = "");
  // One-word entry at `time` ticks after the start.
  TraceBuilder& at(Ticks time, EventNum event, std::uint32_t arg = 0);
  TraceBuilder& folded(Ticks time, EventNum call, std::uint32_t arg, unsigned ticks, int result);
  TraceBuilder& words_at(Ticks time, EventNum kind, std::uint32_t arg,
                         const std::vector<std::uint64_t>& words);
  // An entry that tells of a loss, at its end.
  TraceBuilder& lost(Ticks from, Ticks until);
  // The following entries go to a new block of this CPU, which starts at `time`.
  TraceBuilder& new_block(Ticks time, Pid pid, std::string_view comm = "");
  // The block sequence number goes on, but the block itself is missing from the file.
  TraceBuilder& lose_block();

  // The recording stopped `stop` ticks after the start.
  std::vector<std::byte> bytes(Ticks stop);
  RawFile file(Ticks stop);

  // Flags of block 0 beside the version, and blocks that end the file early.
  unsigned flags = 0;

 private:
  struct Stored {
    Ticks time = 0;
    std::uint64_t low44 = 0;
    std::vector<std::uint64_t> payload;
  };
  struct BuiltBlock {
    CpuId cpu = 0;
    Ticks base = 0;
    Pid pid = 0;
    std::string comm;
    std::uint64_t sequence = 0;
    std::vector<Stored> entries;
    bool started = false;
  };

  void append(Ticks time, EventNum event, std::uint32_t low,
              const std::vector<std::uint64_t>& words);
  BlockWriter written(const BuiltBlock& built, const FileHeader* file) const;

  Style style_;
  std::vector<std::pair<std::string, std::string>> facts_;
  NameEntries names_;
  std::vector<BuiltBlock> blocks_;
  std::map<CpuId, std::size_t> open_;        // block of each CPU that is being filled
  std::map<CpuId, std::uint64_t> sequence_;  // next number
  std::map<CpuId, Ticks> last_;              // time of the last entry
  CpuId cpu_ = 0;
};

// `text` as the payload words of a name entry.
std::vector<std::uint64_t> text_words(std::string_view text);

}  // namespace kutrace::test
