// SPDX-License-Identifier: BSD-3-Clause
// Block headers, folding and TSDELTA by the rules of doc/trace-format.md.
#include "support/raw_writer.h"

#include <algorithm>
#include <cstring>

#include "format/event_table.h"

namespace kutrace::test {

namespace {

constexpr unsigned kBaseJitter = 40;   // ticks between reading a block's base and its first entry
constexpr std::uint8_t kStale = 0xee;  // trailer bytes that a kernel does not write

EventNum with_length(EventNum event, std::size_t words) {
  return event | static_cast<EventNum>((words + 1) << KUTRACE_LENGTH_SHIFT);
}

}  // namespace

RawWriter::RawWriter(const RawStyle& style, unsigned most_words, std::uint64_t seed)
    : style_(style), most_words_(most_words), engine_(seed) {}

std::uint64_t RawWriter::counter(Ticks tick) const {
  return (style_.start + tick) & ((Ticks{1} << style_.counter_bits) - 1);
}

std::uint64_t RawWriter::usec_of(Ticks tick) const {
  return kStartUsec + tick * 2 / style_.ticks_per_2usec;
}

std::uint64_t RawWriter::entry_word(Ticks tick, EventNum event, std::uint32_t low) const {
  return counter(tick) << KUTRACE_TIME_SHIFT | std::uint64_t{event} << KUTRACE_EVENT_SHIFT | low;
}

// Whether block 0 holds names alone.
bool RawWriter::names_apart() const {
  return style_.own || (style_.flags & KUTRACE_FLAG_WRAP) != 0;
}

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
  const bool old = style_.version < 3;
  const std::size_t length = first ? KUTRACE_FIRST_HEADER_WORDS : KUTRACE_HEADER_WORDS;
  Words words(old ? length - 4 : length);
  words[0] = std::uint64_t{cpu & 0xff} << KUTRACE_TOP_BYTE_SHIFT | counter(base);
  words[1] = usec_of(base);
  if (old) return words;
  words[length - 4] = static_cast<std::uint32_t>(running + style_.header_bias);
  words[length - 3] = cpu >> 8;
  return words;
}

void RawWriter::begin_block(Open& open, Ticks base, Pid running) {
  const bool first = !names_apart() && begun_ == 0;
  open.info.number = begun_++;
  open.base = first ? 0 : base;
  open.info.begun = std::min(open.base, open.info.first);
  open.words = header(open.base, open.info.cpu, running, first);
  open.most = open.words.size() + 16 + random(most_words_);
  open.call = 0;
  // KUtrace's kernel knows of the CPU's last entry when it begins a block.
  if (style_.own || first) open.last = open.base;
  if (first) {
    open.words.insert(open.words.end(), names_.begin(), names_.end());
    open.most += names_.size();
  }
  if (style_.own) {
    open.words.push_back(entry_word(open.base, with_length(kind::kBLOCK, 1), open.info.cpu));
    open.words.push_back(open.sequence++);
  }
  open.trailer.assign(open.words.size(), kStale);
}

void RawWriter::close_block(Open& open) {
  closed_.push_back({open.info, std::move(open.words), std::move(open.trailer)});
  open.words.clear();
}

RawWriter::Open& RawWriter::room(CpuId cpu, Ticks tick, Pid running, std::size_t words) {
  Open& open = open_[cpu];
  const bool too_long = tick > open.last && tick - open.last > KUTRACE_TSDELTA_MAX;
  if (!open.words.empty() && (too_long || open.words.size() + words + 1 > open.most)) {
    close_block(open);
  }
  if (open.words.empty()) {
    // A block is begun after what stands in the one before it, even for an entry that is older.
    const Ticks jitter = random(2 * kBaseJitter);
    const Ticks least = std::max<Ticks>(1, open.info.last) + kBaseJitter;
    const Ticks begun = std::max(tick + jitter, least) - kBaseJitter;
    open.info = {cpu, 0, tick, tick};
    begin_block(open, begun, running);
  }
  open.info.first = std::min(open.info.first, tick);
  open.info.begun = std::min(open.info.begun, tick);
  return open;
}

void RawWriter::store(Open& open, Ticks tick, EventNum event, std::uint32_t low,
                      const Words& words) {
  const bool is_kind = event < 0x10;  // of a name; its length makes it an event number
  const bool has_length = is_kind || event_class(event) == EventClass::kName;
  open.words.push_back(
      entry_word(tick, has_length ? with_length(event, words.size()) : event, low));
  open.words.insert(open.words.end(), words.begin(), words.end());
  const bool is_measured = words.empty() && event != ev::kTSDELTA;
  open.trailer.push_back(is_measured ? nibble_ : kStale);
  open.trailer.resize(open.words.size(), kStale);
}

void RawWriter::put(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
                    const Words& words) {
  const Ticks tick = time / style_.times_per_tick;
  Open& open = room(cpu, tick, running, 2 + words.size());
  if (tick > open.last && tick - open.last > KUTRACE_TSDELTA_TICKS) {
    store(open, tick, ev::kTSDELTA, static_cast<std::uint32_t>(tick - open.last), {});
  }
  open.call = is_call(event) ? open.words.size() : 0;
  open.last = tick;
  open.info.last = std::max(open.info.last, tick);
  store(open, tick, event, low, words);
}

void RawWriter::put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result,
                           Pid running) {
  const Ticks tick = time / style_.times_per_tick;
  Open& open = open_[cpu];
  const auto signed_result = static_cast<std::int16_t>(result);
  const bool small = signed_result >= -128 && signed_result <= 127;
  if (open.call != 0 && small && tick - open.last <= KUTRACE_DELTA_MAX) {
    std::uint64_t& word = open.words[open.call];
    if ((word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK) == call) {
      const Ticks length = std::max<Ticks>(1, tick - open.last);
      word |= length << KUTRACE_DELTA_SHIFT | (std::uint64_t{result} & 0xff)
                                                  << KUTRACE_RESULT_SHIFT;
      open.trailer[open.call] = static_cast<std::uint8_t>(open.trailer[open.call] | nibble_ << 4);
      open.call = 0;
      open.info.last = std::max(open.info.last, tick);
      return;
    }
  }
  put(cpu, time, call | ev::kReturnBit, result, running);
}

void RawWriter::put_late(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
                         std::int64_t gap_before) {
  const Ticks tick = time / style_.times_per_tick;
  const auto gap = gap_before / static_cast<std::int64_t>(style_.times_per_tick);
  Open& open = room(cpu, tick, running, 2);
  if (static_cast<std::uint64_t>(gap) > KUTRACE_TSDELTA_TICKS) {
    store(open, tick, ev::kTSDELTA, static_cast<std::uint32_t>(gap), {});
  }
  store(open, tick, event, low, {});
  open.last = tick;
  open.call = 0;
}

Ticks RawWriter::last(CpuId cpu) const {
  const auto found = open_.find(cpu);
  return found == open_.end() ? 0 : found->second.last * style_.times_per_tick;
}

std::vector<std::byte> RawWriter::finish(Ticks stop, bool shuffled) {
  stop /= style_.times_per_tick;
  for (auto& [cpu, open] : open_) close_block(open);
  std::sort(closed_.begin(), closed_.end(),
            [](const Closed& a, const Closed& b) { return a.info.number < b.info.number; });
  if (shuffled) std::shuffle(closed_.begin() + (names_apart() ? 0 : 1), closed_.end(), engine_);
  if (style_.own) {
    fact("source", "test");
    fact("tick_ns", "16/1");
    fact("blocks", std::to_string(closed_.size() + 1));
  }
  if (names_apart()) {
    Words zero = header(0, 0, 0, true);
    zero.insert(zero.end(), names_.begin(), names_.end());
    closed_.insert(closed_.begin(), Closed{{}, std::move(zero), {}});
  }
  const std::size_t stride = KUTRACE_BLOCK_BYTES + (style_.trailer() ? KUTRACE_TRAILER_BYTES : 0);
  std::vector<std::byte> bytes(closed_.size() * stride);
  Words& zero = closed_.front().words;
  zero[1] = std::uint64_t{style_.flags | style_.version} << KUTRACE_TOP_BYTE_SHIFT | usec_of(0);
  zero[2] = counter(0);
  zero[3] = usec_of(0);
  zero[4] = counter(stop);
  zero[5] = usec_of(stop);
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    Closed& block = closed_[i];
    block.info.number = i;
    if (i > 0 || !names_apart()) written_.push_back(block.info);
    std::byte* place = bytes.data() + i * stride;
    std::memcpy(place, block.words.data(), 8 * block.words.size());
    if (style_.trailer() && !block.trailer.empty()) {
      std::memcpy(place + KUTRACE_BLOCK_BYTES, block.trailer.data(), block.trailer.size());
    }
  }
  return bytes;
}

}  // namespace kutrace::test
