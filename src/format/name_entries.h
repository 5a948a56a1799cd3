// SPDX-License-Identifier: BSD-3-Clause
// What a trace says that is bound to no moment. In: names of any kind, facts, texts of any length,
// threads, losses; out: entries, long texts cut into chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/units.h"
#include "format/block_writer.h"
#include "format/facts.h"
#include "kutrace/abi.h"

namespace kutrace {

// An entry without its time.
struct LooseEntry {
  EventNum number = 0;  // with its length
  std::uint32_t arg = 0;
  std::vector<std::uint64_t> payload;
};

// A thread's state, not an event. kNoPid: a process that is not known.
struct TaskFacts {
  Pid pid = 0;
  Pid process = kNoPid;
  Pid parent = kNoPid;
  std::uint32_t flags = 0;             // KUTRACE_TASK_*
  std::optional<unsigned> blocked_in;  // number of the system call it is blocked in
};

// What happened on a CPU in [begin, end) was not recorded.
struct LossFacts {
  CpuId cpu = 0;
  unsigned reason = 0;  // KUTRACE_LOSS_*
  Ticks begin = 0;
  Ticks end = 0;
  std::uint64_t entries = KUTRACE_LOSS_UNKNOWN_COUNT;  // lost
};

// Numbers of a call, return or folded call that do not fit its entry.
struct WideFacts {
  std::optional<std::uint32_t> number;  // of the system call, below 2^31
  std::optional<std::uint64_t> argument;
  std::optional<std::int64_t> result;
};

// A name of at most 56 bytes for item `item` of this kind.
LooseEntry name_entry(EventNum kind, std::uint32_t item, std::string_view text);
LooseEntry task_entry(const TaskFacts& task);
LooseEntry loss_entry(const LossFacts& loss);
// Stands before the entry of its call and has the same time. If the call's number does not fit
// there, that entry has KUTRACE_UNKNOWN_CALL.
LooseEntry wide_entry(const WideFacts& wide);

class NameEntries {
 public:
  void add(const LooseEntry& entry) { add_words(entry.number, entry.arg, entry.payload); }
  // A name of at most 56 bytes for item `item` of this kind; an empty one is left out.
  void add_name(EventNum kind, std::uint32_t item, std::string_view text);
  // A fact of any length.
  template <typename Value>
  void add(fact::Key<Value> key, const std::type_identity_t<Value>& value) {
    add(key.text, fact::to_text(value));
  }
  void add(std::string_view key, std::string_view value);
  // A text in chunks, of a kind whose texts are numbered: META, MAP, SYMBOL, ... What does not fit
  // into 256 chunks is left out.
  void add_text(EventNum kind, std::string_view text);
  // An entry with up to 7 payload words.
  void add_words(EventNum kind, std::uint32_t argument, std::span<const std::uint64_t> payload);

  std::size_t words() const { return words_.size(); }
  // Puts entries from word `at` on into the block, at the time of the block's begin, as long as
  // they fit. Returns the word of the first one that did not; words() if all are in.
  std::size_t fill(BlockWriter& block, std::size_t at) const;

 private:
  std::vector<std::uint64_t> words_;         // first words have no time
  std::map<EventNum, std::uint32_t> texts_;  // how many, by kind
};

}  // namespace kutrace
