// SPDX-License-Identifier: BSD-3-Clause
// Encoding by hand-given times.
#include "support/trace_builder.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::test {

namespace {

std::uint64_t entry_word(Ticks counter, EventNum event, std::uint32_t low) {
  return counter << KUTRACE_TIME_SHIFT | std::uint64_t{event} << KUTRACE_EVENT_SHIFT | low;
}

EventNum with_length(EventNum kind, std::size_t words) {
  return kind | static_cast<EventNum>((words + 1) << KUTRACE_LENGTH_SHIFT);
}

void put_text(std::vector<std::uint64_t>& block, std::size_t at, std::string_view text) {
  char bytes[KUTRACE_COMM_BYTES] = {};
  std::memcpy(bytes, text.data(), std::min<std::size_t>(text.size(), sizeof bytes));
  std::memcpy(&block[at], bytes, sizeof bytes);
}

}  // namespace

std::vector<std::uint64_t> text_words(std::string_view text) {
  std::vector<std::uint64_t> words((text.size() + 7) / 8);
  if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
  return words;
}

TraceBuilder& TraceBuilder::fact(const std::string& key, const std::string& value) {
  facts_.emplace_back(key, value);
  return *this;
}

TraceBuilder& TraceBuilder::words_entry(EventNum kind, std::uint32_t arg,
                                        const std::vector<std::uint64_t>& words) {
  names_.push_back(entry_word(kStart, with_length(kind, words.size()), arg));
  names_.insert(names_.end(), words.begin(), words.end());
  return *this;
}

TraceBuilder& TraceBuilder::name(EventNum kind, std::uint32_t item, std::string_view text) {
  return words_entry(kind, item, text_words(text));
}

TraceBuilder& TraceBuilder::task(Pid pid, Pid process, std::uint32_t task_flags, int blocked_in) {
  const auto call = static_cast<std::uint64_t>(blocked_in + 1);
  return words_entry(kind::kTASK, static_cast<std::uint32_t>(pid),
                     {call << 32 | task_flags, static_cast<std::uint64_t>(process)});
}

TraceBuilder::BlockWords& TraceBuilder::current() { return blocks_[open_.at(cpu_)]; }

TraceBuilder& TraceBuilder::cpu(CpuId cpu, Pid pid, std::string_view comm) {
  cpu_ = cpu;
  if (!open_.contains(cpu)) {
    open_[cpu] = blocks_.size();
    blocks_.push_back({cpu, 0, pid, std::string(comm), sequence_[cpu]++, {}, false});
  }
  return *this;
}

TraceBuilder& TraceBuilder::new_block(Ticks time, Pid pid, std::string_view comm) {
  open_[cpu_] = blocks_.size();
  blocks_.push_back({cpu_, time, pid, std::string(comm), sequence_[cpu_]++, {}, true});
  last_[cpu_] = time;
  return *this;
}

TraceBuilder& TraceBuilder::lose_block() {
  ++sequence_[cpu_];
  return *this;
}

void TraceBuilder::append(Ticks time, EventNum event, std::uint32_t low,
                          const std::vector<std::uint64_t>& words) {
  BlockWords& block = current();
  if (!block.started) {
    block.started = true;
    block.base = time;
    last_[cpu_] = time;
  }
  if (time > last_[cpu_] + KUTRACE_TSDELTA_TICKS) {
    block.words.push_back(
        entry_word(kStart + time, ev::kTSDELTA, static_cast<std::uint32_t>(time - last_[cpu_])));
  }
  last_[cpu_] = time;
  block.words.push_back(entry_word(kStart + time, event, low));
  block.words.insert(block.words.end(), words.begin(), words.end());
}

TraceBuilder& TraceBuilder::at(Ticks time, EventNum event, std::uint32_t arg) {
  append(time, event, arg, {});
  return *this;
}

TraceBuilder& TraceBuilder::folded(Ticks time, EventNum call, std::uint32_t arg, unsigned ticks,
                                   int result) {
  const std::uint32_t low = ticks << KUTRACE_DELTA_SHIFT |
                            (static_cast<std::uint32_t>(result) & 0xff) << KUTRACE_RESULT_SHIFT |
                            (arg & 0xffff);
  append(time, call, low, {});
  return *this;
}

TraceBuilder& TraceBuilder::words_at(Ticks time, EventNum kind, std::uint32_t arg,
                                     const std::vector<std::uint64_t>& words) {
  const bool sample = event_class(kind) == EventClass::kPcSample;
  append(time, sample ? kind : with_length(kind, words.size()), arg, words);
  return *this;
}

std::vector<std::byte> TraceBuilder::bytes(Ticks stop) {
  const auto usec = [](Ticks ticks) { return kStartUsec + ticks * 16 / 1000; };
  const bool own = style_ == Style::kOwn;
  std::vector<std::vector<std::uint64_t>> file;
  if (own || !names_.empty()) {
    auto facts = facts_;
    if (own) {
      facts.emplace_back("source", "test");
      facts.emplace_back("tick_ns", "16/1");
      facts.emplace_back("blocks", std::to_string(blocks_.size() + 1));
    }
    std::uint32_t serial = 0;
    for (const auto& [key, value] : facts) {
      name(kind::kMETA, serial++ << 8, (key + "=" + value).substr(0, KUTRACE_NAME_BYTES));
    }
    auto& words = file.emplace_back(KUTRACE_BLOCK_WORDS);
    words[0] = kStart;
    std::copy(names_.begin(), names_.end(), words.begin() + KUTRACE_FIRST_HEADER_WORDS);
  }
  for (const BlockWords& block : blocks_) {
    const bool first = file.empty();
    auto& words = file.emplace_back(KUTRACE_BLOCK_WORDS);
    words[0] = std::uint64_t{block.cpu & 0xff} << KUTRACE_TOP_BYTE_SHIFT | (kStart + block.base);
    words[1] = usec(block.base);
    std::size_t at = first ? KUTRACE_FIRST_HEADER_WORDS : KUTRACE_HEADER_WORDS;
    words[at - 4] = static_cast<std::uint32_t>(block.pid);
    words[at - 3] = block.cpu >> 8;
    put_text(words, at - 2, block.comm);
    if (own) {
      words[at++] = entry_word(kStart + block.base, with_length(kind::kBLOCK, 1), block.cpu);
      words[at++] = block.sequence;
    }
    if (at + block.words.size() >= KUTRACE_BLOCK_WORDS) {
      throw std::length_error("the test's block is too full");
    }
    std::copy(block.words.begin(), block.words.end(),
              words.begin() + static_cast<std::ptrdiff_t>(at));
  }
  auto& zero = file.front();
  zero[1] = std::uint64_t{flags | KUTRACE_FORMAT_VERSION} << KUTRACE_TOP_BYTE_SHIFT | usec(0);
  zero[2] = kStart;
  zero[3] = usec(0);
  zero[4] = kStart + stop;
  zero[5] = usec(stop);
  std::vector<std::byte> bytes;
  for (const auto& words : file) {
    const auto* begin = reinterpret_cast<const std::byte*>(words.data());
    bytes.insert(bytes.end(), begin, begin + KUTRACE_BLOCK_BYTES);
  }
  return bytes;
}

RawFile TraceBuilder::file(Ticks stop) {
  auto raw = RawFile::open(MappedFile::from_bytes(bytes(stop), "test"));
  if (!raw) throw std::runtime_error(describe(raw.error()));
  return std::move(*raw);
}

}  // namespace kutrace::test
