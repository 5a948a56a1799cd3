// SPDX-License-Identifier: BSD-3-Clause
// Encoding by hand-given times.
#include "support/trace_builder.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/name_blocks.h"
#include "kutrace/abi.h"

namespace kutrace::test {

namespace {

std::uint64_t usec_at(Ticks ticks) { return kStartUsec + ticks * 16 / 1000; }

EventNum kind_with(EventNum kind, const std::vector<std::uint64_t>& payload) {
  return with_length(kind, payload.size() + 1);
}

// Block 0 with the names, which must fit.
BlockWriter names_block(const NameEntries& names, const FileHeader& file) {
  BlockHeader header;
  header.start = file.start;
  FrontBlocks front = front_blocks(names, header, file, 1, 1);
  if (front.words != names.words()) throw std::length_error("the test's names are too many");
  return std::move(front.blocks.front());
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
  names_.add_words(kind, arg, words);
  return *this;
}

TraceBuilder& TraceBuilder::name(EventNum kind, std::uint32_t item, std::string_view text) {
  return words_entry(kind, item, text_words(text));
}

TraceBuilder& TraceBuilder::text(EventNum kind, std::string_view text) {
  names_.add_text(kind, text);
  return *this;
}
TraceBuilder& TraceBuilder::task(Pid pid, Pid process, std::uint32_t task_flags, int blocked_in) {
  TaskFacts facts{pid, process, 0, task_flags, {}};
  if (blocked_in >= 0) facts.blocked_in = static_cast<unsigned>(blocked_in);
  names_.add(task_entry(facts));
  return *this;
}

TraceBuilder& TraceBuilder::child(Pid pid, Pid parent) {
  names_.add(task_entry({pid, pid, parent, 0, {}}));
  return *this;
}

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
  BuiltBlock& block = blocks_[open_.at(cpu_)];
  if (!block.started) {
    block.started = true;
    block.base = time;
    last_[cpu_] = time;
  }
  if (time > last_[cpu_] + KUTRACE_TSDELTA_TICKS) {
    const auto gap = static_cast<std::uint32_t>(time - last_[cpu_]);
    block.entries.push_back({time, low44(ev::kTSDELTA, gap), {}});
  }
  last_[cpu_] = time;
  block.entries.push_back({time, low44(event, low), words});
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
  append(time, sample ? kind : kind_with(kind, words), arg, words);
  return *this;
}

TraceBuilder& TraceBuilder::lost(Ticks from, Ticks until) {
  return words_at(until, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << KUTRACE_LOSS_REASON_SHIFT | cpu_,
                  {kStart + from, kStart + until, 1});
}

// `file`: of the block that is block 0.
BlockWriter TraceBuilder::written(const BuiltBlock& built, const FileHeader* file) const {
  BlockHeader header;
  header.cpu = built.cpu;
  header.start = {kStart + built.base, file != nullptr ? file->start.usec : usec_at(built.base)};
  header.pid = built.pid;
  header.comm = built.comm;
  BlockWriter block = file != nullptr ? BlockWriter(header, *file) : BlockWriter(header, false);
  if (style_ == Style::kOwn) {
    const auto number = with_length(kind::kBLOCK, KUTRACE_BLOCK_WORDS_USED);
    block.put(block.base(), low44(number, built.cpu), std::array{built.sequence});
  }
  for (const Stored& entry : built.entries) {
    if (!block.fits(entry.payload.size() + 1)) {
      throw std::length_error("the test's block is too full");
    }
    block.put(kStart + entry.time, entry.low44, entry.payload);
  }
  return block;
}

std::vector<std::byte> TraceBuilder::bytes(Ticks stop) {
  const bool own = style_ == Style::kOwn;
  const bool names_apart = own || names_.words() != 0;
  NameEntries names = names_;
  auto facts = facts_;
  if (own) {
    facts.emplace_back("source", "test");
    facts.emplace_back("tick_ns", "16/1");
    facts.emplace_back("blocks", std::to_string(blocks_.size() + 1));
  }
  for (const auto& [key, value] : facts) names.add(key, value);
  const FileHeader file{{kStart, usec_at(0)}, {kStart + stop, usec_at(stop)}, flags};
  std::vector<std::byte> bytes;
  const auto add = [&bytes](const BlockWriter& block) {
    // Flags may say that there are trailers: the test's files have none.
    const auto* begin = reinterpret_cast<const std::byte*>(block.words());
    bytes.insert(bytes.end(), begin, begin + KUTRACE_BLOCK_BYTES);
  };
  if (names_apart) add(names_block(names, file));
  for (const BuiltBlock& block : blocks_) add(written(block, bytes.empty() ? &file : nullptr));
  return bytes;
}

RawFile TraceBuilder::file(Ticks stop) {
  auto raw = RawFile::open(MappedFile::from_bytes(bytes(stop), "test"));
  if (!raw) throw std::runtime_error(describe(raw.error()));
  return std::move(*raw);
}

}  // namespace kutrace::test
