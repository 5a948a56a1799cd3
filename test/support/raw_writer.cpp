// SPDX-License-Identifier: BSD-3-Clause
// Block headers, folding and TSDELTA by the rules of doc/trace-format.md.
#include "support/raw_writer.h"

#include <algorithm>
#include <cstring>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/trace_builder.h"

namespace kutrace::test {

namespace {

constexpr unsigned kBaseJitter = 40;  // ticks between reading a block's base and its first entry

std::uint64_t entry_word(Ticks time, EventNum event, std::uint32_t low) {
  return (kStart + time) << KUTRACE_TIME_SHIFT | std::uint64_t{event} << KUTRACE_EVENT_SHIFT | low;
}

EventNum with_length(EventNum event, std::size_t words) {
  return event | static_cast<EventNum>((words + 1) << KUTRACE_LENGTH_SHIFT);
}

std::uint64_t usec_of(Ticks time) { return kStartUsec + time * 16 / 1000; }

}  // namespace

RawWriter::RawWriter(bool own, unsigned most_words, std::uint64_t seed)
    : own_(own), most_words_(most_words), engine_(seed) {}

void RawWriter::fact(const std::string& key, const std::string& value) {
  name(kind::kMETA, facts_++ << 8, (key + "=" + value).substr(0, KUTRACE_NAME_BYTES));
}

void RawWriter::name(EventNum kind, std::uint32_t item, std::string_view text) {
  name_words(kind, item, text_words(text));
}

void RawWriter::name_words(EventNum kind, std::uint32_t item, const Words& words) {
  names_.push_back(entry_word(0, with_length(kind, words.size()), item));
  names_.insert(names_.end(), words.begin(), words.end());
}

RawWriter::Words RawWriter::header(Ticks base, CpuId cpu, Pid running, bool first) const {
  Words words(first ? KUTRACE_FIRST_HEADER_WORDS : KUTRACE_HEADER_WORDS);
  words[0] = std::uint64_t{cpu & 0xff} << KUTRACE_TOP_BYTE_SHIFT | (kStart + base);
  words[1] = usec_of(base);
  words[words.size() - 4] = static_cast<std::uint32_t>(running);
  words[words.size() - 3] = cpu >> 8;
  return words;
}

void RawWriter::begin_block(Open& open, Ticks base, Pid running) {
  const bool first = !own_ && begun_ == 0;
  open.info.number = begun_++;
  open.base = first ? 0 : base;
  open.words = header(open.base, open.info.cpu, running, first);
  open.most = open.words.size() + 16 + random(most_words_);
  open.call = 0;
  if (first) {
    open.words.insert(open.words.end(), names_.begin(), names_.end());
    open.most += names_.size();
    open.last = 0;
  }
  if (own_) {
    open.words.push_back(entry_word(open.base, with_length(kind::kBLOCK, 1), open.info.cpu));
    open.words.push_back(open.sequence++);
    open.last = open.base;
  }
}

void RawWriter::close_block(Open& open) {
  closed_.emplace_back(open.info, std::move(open.words));
  open.words.clear();
}

RawWriter::Open& RawWriter::room(CpuId cpu, Ticks time, Pid running, std::size_t words) {
  Open& open = open_[cpu];
  const bool too_long = time > open.last && time - open.last > KUTRACE_TSDELTA_MAX;
  if (!open.words.empty() && (too_long || open.words.size() + words + 1 > open.most)) {
    close_block(open);
  }
  if (open.words.empty()) {
    // A block is begun after what stands in the one before it, even for an entry that is older.
    const Ticks jitter = random(2 * kBaseJitter);
    const Ticks least = std::max<Ticks>(1, open.info.last) + kBaseJitter;
    const Ticks begun = std::max(time + jitter, least) - kBaseJitter;
    open.info = {cpu, 0, time, time};
    begin_block(open, begun, running);
  }
  open.info.first = std::min(open.info.first, time);
  return open;
}

void RawWriter::put(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
                    const Words& words) {
  Open& open = room(cpu, time, running, 2 + words.size());
  if (time > open.last && time - open.last > KUTRACE_TSDELTA_TICKS) {
    open.words.push_back(
        entry_word(time, ev::kTSDELTA, static_cast<std::uint32_t>(time - open.last)));
  }
  open.call = is_call(event) ? open.words.size() : 0;
  open.last = time;
  open.info.last = std::max(open.info.last, time);
  const bool has_length = event_class(event) == EventClass::kName;
  open.words.push_back(
      entry_word(time, has_length ? with_length(event, words.size()) : event, low));
  open.words.insert(open.words.end(), words.begin(), words.end());
}

void RawWriter::put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result,
                           Pid running) {
  Open& open = open_[cpu];
  const auto signed_result = static_cast<std::int16_t>(result);
  const bool small = signed_result >= -128 && signed_result <= 127;
  if (open.call != 0 && small && time - open.last <= KUTRACE_DELTA_MAX) {
    std::uint64_t& word = open.words[open.call];
    if ((word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK) == call) {
      word |= (time - open.last) << KUTRACE_DELTA_SHIFT | (std::uint64_t{result} & 0xff)
                                                              << KUTRACE_RESULT_SHIFT;
      open.call = 0;
      open.info.last = std::max(open.info.last, time);
      return;
    }
  }
  put(cpu, time, call | ev::kReturnBit, result, running);
}

void RawWriter::put_late(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
                         std::int64_t gap_before) {
  Open& open = room(cpu, time, running, 2);
  if (static_cast<std::uint64_t>(gap_before) > KUTRACE_TSDELTA_TICKS) {
    open.words.push_back(entry_word(time, ev::kTSDELTA, static_cast<std::uint32_t>(gap_before)));
  }
  open.words.push_back(entry_word(time, event, low));
  open.last = time;
  open.call = 0;
}

Ticks RawWriter::last(CpuId cpu) const {
  const auto found = open_.find(cpu);
  return found == open_.end() ? 0 : found->second.last;
}

std::vector<std::byte> RawWriter::finish(Ticks stop, bool shuffled) {
  for (auto& [cpu, open] : open_) close_block(open);
  std::sort(closed_.begin(), closed_.end(),
            [](const auto& a, const auto& b) { return a.first.number < b.first.number; });
  if (shuffled) std::shuffle(closed_.begin() + (own_ ? 0 : 1), closed_.end(), engine_);
  std::vector<Words> file;
  if (own_) {
    fact("source", "test");
    fact("tick_ns", "16/1");
    fact("blocks", std::to_string(closed_.size() + 1));
    Words& zero = file.emplace_back(header(0, 0, 0, true));
    zero.insert(zero.end(), names_.begin(), names_.end());
  }
  for (auto& [info, words] : closed_) {
    info.number = file.size();
    written_.push_back(info);
    file.push_back(words);
  }
  Words& zero = file.front();
  zero[1] = std::uint64_t{KUTRACE_FORMAT_VERSION} << KUTRACE_TOP_BYTE_SHIFT | usec_of(0);
  zero[2] = kStart;
  zero[3] = usec_of(0);
  zero[4] = kStart + stop;
  zero[5] = usec_of(stop);
  std::vector<std::byte> bytes(file.size() * KUTRACE_BLOCK_BYTES);
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::memcpy(bytes.data() + i * KUTRACE_BLOCK_BYTES, file[i].data(), 8 * file[i].size());
  }
  return bytes;
}

}  // namespace kutrace::test
