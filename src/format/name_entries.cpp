// SPDX-License-Identifier: BSD-3-Clause
// Encoding of names and of what is said in entries of their form.
#include "format/name_entries.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"
#include "format/entry_word.h"
#include "format/event_table.h"

namespace kutrace {

namespace {

constexpr unsigned kHighHalf = 32;

std::uint64_t halves(std::uint64_t high, Pid low) {
  return high << kHighHalf | static_cast<std::uint32_t>(low);
}

}  // namespace

LooseEntry name_entry(EventNum kind, std::uint32_t item, std::string_view text) {
  text = text.substr(0, KUTRACE_NAME_BYTES);
  LooseEntry entry;
  entry.payload.resize((text.size() + 7) / 8);
  if (!text.empty()) std::memcpy(entry.payload.data(), text.data(), text.size());
  entry.number = with_length(kind, entry.payload.size() + 1);
  entry.arg = item;
  return entry;
}

LooseEntry task_entry(const TaskFacts& task) {
  const std::uint64_t call = task.blocked_in ? *task.blocked_in + 1 : 0;
  return {with_length(kind::kTASK, KUTRACE_TASK_WORDS),
          static_cast<std::uint32_t>(task.pid),
          {call << kHighHalf | task.flags,
           halves(static_cast<std::uint32_t>(task.parent), task.process)}};
}

LooseEntry loss_entry(const LossFacts& loss) {
  return {with_length(kind::kLOSS, KUTRACE_LOSS_WORDS),
          loss.reason << KUTRACE_LOSS_REASON_SHIFT | (loss.cpu & KUTRACE_LOSS_CPU_MASK),
          {loss.begin, loss.end, loss.entries}};
}

LooseEntry wide_entry(const WideFacts& wide) {
  const unsigned holds = (wide.number ? KUTRACE_WIDE_NUMBER : 0) |
                         (wide.argument ? KUTRACE_WIDE_ARGUMENT : 0) |
                         (wide.result ? KUTRACE_WIDE_RESULT : 0);
  return {with_length(kind::kWIDE, KUTRACE_WIDE_WORDS),
          holds,
          {wide.number.value_or(0), wide.argument.value_or(0),
           static_cast<std::uint64_t>(wide.result.value_or(0))}};
}

void NameEntries::add_name(EventNum kind, std::uint32_t item, std::string_view text) {
  if (!text.empty()) add(name_entry(kind, item, text));
}

void NameEntries::add(std::string_view key, std::string_view value) {
  add_text(kind::kMETA, std::string(key) + "=" + std::string(value));
}

void NameEntries::add_text(EventNum kind, std::string_view text) {
  const std::size_t most = std::size_t{KUTRACE_NAME_BYTES} * (KUTRACE_META_CHUNK_MASK + 1);
  const std::uint32_t serial = texts_[kind]++;
  std::uint32_t chunk = 0;
  for (std::size_t at = 0; at < std::min(text.size(), most); at += KUTRACE_NAME_BYTES)
    add_name(kind, serial << 8 | chunk++, text.substr(at, KUTRACE_NAME_BYTES));
}

void NameEntries::add_words(EventNum kind, std::uint32_t argument,
                            std::span<const std::uint64_t> payload) {
  check(payload.size() < KUTRACE_MAX_WORDS, "an entry has up to eight words");
  words_.push_back(low44(with_length(name_kind(kind), payload.size() + 1), argument));
  words_.insert(words_.end(), payload.begin(), payload.end());
}

std::size_t NameEntries::fill(BlockWriter& block, std::size_t at) const {
  const std::span<const std::uint64_t> all(words_);
  while (at < all.size()) {
    const std::size_t length = name_words(entry_event(all[at]));
    if (!block.fits(length)) return at;
    block.put(block.base(), all[at], all.subspan(at + 1, length - 1));
    at += length;
  }
  return at;
}

}  // namespace kutrace
