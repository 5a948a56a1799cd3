// SPDX-License-Identifier: BSD-3-Clause
// When kernels begin blocks, fold and tell gaps; what their blocks have that honest ones lack.
#include "support/kernel_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/name_blocks.h"

namespace kutrace::test {

namespace {

constexpr unsigned kBaseJitter = 40;     // ticks between reading a block's base and its first entry
constexpr std::uint8_t kStale = 0xee;    // trailer bytes that a kernel does not write
constexpr std::size_t kThreadWords = 4;  // of a header; traces before version 3 lack them

// Takes the thread's words out of what stands for each word; all that follows moves up.
void drop_thread(std::byte* begin, std::size_t header_words, std::size_t width) {
  std::byte* thread = begin + (header_words - kThreadWords) * width;
  std::byte* end = begin + KUTRACE_BLOCK_WORDS * width;
  std::fill_n(std::copy(thread + kThreadWords * width, end, thread), kThreadWords * width,
              std::byte{});
}

void set_word(std::vector<std::byte>& file, std::size_t word, std::uint64_t value) {
  std::memcpy(file.data() + 8 * word, &value, sizeof value);
}

}  // namespace

KernelWriter::KernelWriter(const RawStyle& style, unsigned most_words, std::uint64_t seed)
    : style_(style), most_words_(most_words), engine_(seed) {}

std::uint64_t KernelWriter::counter(Ticks tick) const {
  return (style_.start + tick) & ((Ticks{1} << style_.counter_bits) - 1);
}

std::uint64_t KernelWriter::usec_of(Ticks tick) const {
  return kStartUsec + tick * 2 / style_.ticks_per_2usec;
}

// Whether block 0 holds names alone.
bool KernelWriter::names_apart() const {
  return style_.own || (style_.flags & KUTRACE_FLAG_WRAP) != 0;
}

void KernelWriter::fact(const std::string& key, const std::string& value) {
  names_.add(key, value);
}

void KernelWriter::name(EventNum kind, std::uint32_t item, std::string_view text) {
  name_words(kind, item, text_words(text));
}

void KernelWriter::name_words(EventNum kind, std::uint32_t item, const Words& words) {
  names_.add_words(kind, item, words);
}

BlockHeader KernelWriter::header(Ticks base, CpuId cpu, Pid running) const {
  BlockHeader header;
  header.cpu = cpu;
  header.start = {counter(base), usec_of(base)};
  header.pid = running + style_.header_bias;
  return header;
}

FileHeader KernelWriter::file_header() const {
  const TimePair start{counter(0), usec_of(0)};
  return {start, start, style_.flags};
}

void KernelWriter::begin_block(Open& open, Ticks base, Pid running) {
  const bool first = !names_apart() && begun_ == 0;
  open.info.number = begun_++;
  if (first) base = 0;
  open.info.begun = std::min(base, open.info.first);
  const BlockHeader begun = header(base, open.info.cpu, running);
  if (first) {
    open.block.emplace(begun, file_header());
  } else {
    open.block.emplace(begun, style_.trailer());
  }
  open.most = open.block->position() + 16 + random(most_words_);
  open.call = 0;
  // KUtrace's kernel knows of the CPU's last entry when it begins a block.
  if (style_.own || first) open.last = base;
  if (first) {
    if (names_.fill(*open.block, 0) != names_.words()) throw std::length_error("too many names");
    open.most += names_.words();
  }
  if (style_.own) {
    open.block->put(counter(base),
                    low44(with_length(kind::kBLOCK, KUTRACE_BLOCK_WORDS_USED), open.info.cpu),
                    std::array{open.sequence++});
  }
  open.trailer.assign(open.block->position(), kStale);
}

void KernelWriter::close_block(Open& open) {
  closed_.push_back({open.info, std::move(*open.block), std::move(open.trailer)});
  open.block.reset();
}

KernelWriter::Open& KernelWriter::room(CpuId cpu, Ticks tick, Pid running, std::size_t words) {
  Open& open = open_[cpu];
  const bool too_long = tick > open.last && tick - open.last > KUTRACE_TSDELTA_MAX;
  if (open.block && (too_long || open.block->position() + words + 1 > open.most)) {
    close_block(open);
  }
  if (!open.block) {
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

void KernelWriter::store(Open& open, Ticks tick, EventNum event, std::uint32_t low,
                         const Words& words) {
  const bool is_kind = event < 0x10;  // of a name; its length makes it an event number
  const bool has_length = is_kind || event_class(event) == EventClass::kName;
  const EventNum number = has_length ? with_length(event, words.size() + 1) : event;
  open.block->put(counter(tick), low44(number, low), words);
  const bool is_measured = words.empty() && event != ev::kTSDELTA;
  open.trailer.push_back(is_measured ? nibble_ : kStale);
  open.trailer.resize(open.block->position(), kStale);
}

void KernelWriter::put(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
                       const Words& words) {
  const Ticks tick = time / style_.times_per_tick;
  // The call that it speaks of stands in the same block.
  const std::size_t call_words = event == kind::kWIDE ? 2 : 0;
  Open& open = room(cpu, tick, running, 2 + words.size() + call_words);
  if (tick > open.last && tick - open.last > KUTRACE_TSDELTA_TICKS) {
    store(open, tick, ev::kTSDELTA, static_cast<std::uint32_t>(tick - open.last), {});
  }
  open.call = is_call(event) ? event : 0;
  open.last = tick;
  open.info.last = std::max(open.info.last, tick);
  store(open, tick, event, low, words);
}

void KernelWriter::put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result,
                              Pid running) {
  const Ticks tick = time / style_.times_per_tick;
  Open& open = open_[cpu];
  const auto signed_result = static_cast<std::int16_t>(result);
  const bool small = signed_result >= -128 && signed_result <= 127;
  if (open.call == call && small && tick - open.last <= KUTRACE_DELTA_MAX) {
    open.block->fold(std::max<Ticks>(1, tick - open.last), static_cast<std::uint8_t>(result));
    open.trailer.back() = static_cast<std::uint8_t>(open.trailer.back() | nibble_ << 4);
    open.call = 0;
    open.info.last = std::max(open.info.last, tick);
    return;
  }
  put(cpu, time, call | ev::kReturnBit, result, running);
}

void KernelWriter::put_late(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
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

Ticks KernelWriter::last(CpuId cpu) const {
  const auto found = open_.find(cpu);
  return found == open_.end() ? 0 : found->second.last * style_.times_per_tick;
}

// The bytes of a block, whatever its writer would not have done.
void KernelWriter::place(const Closed& closed, std::byte* at) const {
  const std::string_view bytes = closed.block.bytes();
  std::memcpy(at, bytes.data(), bytes.size());
  std::byte* trailer = at + KUTRACE_BLOCK_BYTES;
  if (style_.trailer() && !closed.trailer.empty()) {
    std::memcpy(trailer, closed.trailer.data(), closed.trailer.size());
  }
  if (style_.version >= 3) return;
  const std::size_t header_words =
      closed.info.number == 0 ? KUTRACE_FIRST_HEADER_WORDS : KUTRACE_HEADER_WORDS;
  drop_thread(at, header_words, sizeof(std::uint64_t));
  if (style_.trailer()) drop_thread(trailer, header_words, 1);
}

KernelWriter::Closed KernelWriter::names_block() const {
  const FrontBlocks front = front_blocks(names_, header(0, 0, 0), file_header(), 1, 1);
  if (front.words != names_.words()) throw std::length_error("too many names");
  return {{}, front.blocks.front(), {}};
}

std::vector<std::byte> KernelWriter::finish(Ticks stop, bool shuffled) {
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
  if (names_apart()) closed_.insert(closed_.begin(), names_block());
  const std::size_t stride = KUTRACE_BLOCK_BYTES + (style_.trailer() ? KUTRACE_TRAILER_BYTES : 0);
  std::vector<std::byte> bytes(closed_.size() * stride);
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    Closed& closed = closed_[i];
    closed.info.number = i;
    if (i > 0 || !names_apart()) written_.push_back(closed.info);
    place(closed, bytes.data() + i * stride);
  }
  set_word(bytes, 1,
           std::uint64_t{style_.flags | style_.version} << KUTRACE_TOP_BYTE_SHIFT | usec_of(0));
  set_word(bytes, 4, counter(stop));
  set_word(bytes, 5, usec_of(stop));
  return bytes;
}

}  // namespace kutrace::test
