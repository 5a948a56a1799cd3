// SPDX-License-Identifier: BSD-3-Clause
// Entries to the blocks of their CPUs, blocks to their places.
#include "format/raw_writer.h"

#include <array>
#include <utility>
#include <vector>

#include "base/check.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/name_blocks.h"

namespace kutrace {

namespace {

constexpr CpuId kLastCpu = 0xffff;

}  // namespace

RawWriter::RawWriter(Options options, BlockOutput output)
    // The blocks of names come first in the file and last in time: room is kept for them, and what
    // they have no room for stands behind the events.
    : options_(std::move(options)), output_(std::move(output)), written_(options_.front_blocks) {
  check(options_.start.counter > 0, "a trace's counter does not begin at 0");
  check(options_.front_blocks > 0, "a file begins with a block of names");
  names_.add(fact::kSource, options_.source);
  names_.add(fact::kTickNs, options_.rate);
}

std::uint64_t RawWriter::usec_at(Ticks time) const {
  const double ns = options_.rate.ns(time - options_.start.counter);
  return options_.start.usec + static_cast<std::uint64_t>(ns / 1000);
}

CpuWriter& RawWriter::writer_of(CpuId cpu) {
  check(cpu <= kLastCpu, "a CPU has 16 bits");
  CpuWriter::Options options;
  options.cpu = cpu;
  options.trailer = has_trailer(options_.flags);
  return cpus_.try_emplace(cpu, options).first->second;
}

Status RawWriter::close(CpuWriter& writer) {
  if (!writer.is_open()) return {};
  const Status written = write(writer.block());
  writer.close();
  return written;
}

Status RawWriter::open(BlockHeader header) {
  CpuWriter& writer = writer_of(header.cpu);
  KUTRACE_TRY(close(writer));
  // Computed, not read: a reader doubts blocks whose wall clock contradicts their counter.
  header.start.usec = usec_at(header.start.counter);
  writer.open(std::move(header));
  return {};
}

Status RawWriter::put_words(CpuId cpu, Ticks time, std::uint64_t low44,
                            std::span<const std::uint64_t> payload, std::uint8_t ipc) {
  CpuWriter& writer = writer_of(cpu);
  check(time >= (writer.is_open() ? writer.block().last() : options_.start.counter),
        "entries of a CPU are written in the order of their times");
  if (writer.is_open() && !writer.fits(time, payload.size() + 1)) KUTRACE_TRY(close(writer));
  if (!writer.is_open()) {
    BlockHeader header;
    header.start = {time, usec_at(time)};
    header.pid = writer.running();
    writer.open(std::move(header));
  }
  writer.put(time, low44, payload, ipc);
  return {};
}

Status RawWriter::put(CpuId cpu, Ticks time, EventNum event, std::uint32_t argument,
                      std::uint8_t ipc) {
  check(event_class(event) != EventClass::kName && event_class(event) != EventClass::kPcSample,
        "an entry of one word is no name and no sample");
  return put_words(cpu, time, low44(event, argument), {}, ipc);
}

Status RawWriter::put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result,
                             std::uint8_t ipc) {
  CpuWriter& writer = writer_of(cpu);
  // Whether it fits into the call's entry the block decides; a reader sees the same either way.
  if (writer.is_open() && writer.fold(time, call, result, ipc)) return {};
  return put(cpu, time, call | ev::kReturnBit, result, ipc);
}

Status RawWriter::put_sample(CpuId cpu, Ticks time, EventNum event, std::uint32_t argument,
                             std::uint64_t pc) {
  check(event_class(event) == EventClass::kPcSample, "a sample has a sample's event");
  return put_words(cpu, time, low44(event, argument), std::array{pc}, 0);
}

Status RawWriter::put(CpuId cpu, Ticks time, const LooseEntry& entry) {
  check(entry.payload.size() < KUTRACE_MAX_WORDS, "an entry has up to eight words");
  return put_words(cpu, time, low44(entry.number, entry.arg), entry.payload, 0);
}

Status RawWriter::finish(const TimePair& stop) {
  for (auto& [cpu, writer] : cpus_) {
    check(!writer.is_open() || writer.block().last() <= stop.counter,
          "nothing happens after the stop");
    KUTRACE_TRY(close(writer));
  }
  BlockHeader first;
  first.start = options_.start;
  BlockHeader last;
  last.start = stop;
  const FileHeader file{options_.start, stop, options_.flags};
  FrontBlocks front;
  std::vector<BlockWriter> later;
  // The number of blocks is a fact, too, and its text may need a block more.
  std::size_t expected = 0;
  do {
    expected = later.size();
    NameEntries names = names_;
    names.add(fact::kBlocks, written_ + expected);
    front = front_blocks(names, first, file, options_.front_blocks, options_.front_blocks);
    later = later_blocks(names, front.words, last, has_trailer(options_.flags));
  } while (later.size() != expected);
  for (const BlockWriter& block : later) KUTRACE_TRY(write(block));
  for (std::size_t i = 0; i < front.blocks.size(); ++i)
    KUTRACE_TRY(output_(i, front.blocks[i].bytes()));
  return {};
}

}  // namespace kutrace
