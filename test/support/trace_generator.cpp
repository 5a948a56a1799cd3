// SPDX-License-Identifier: BSD-3-Clause
// Entries from a seeded generator, one CPU's block at a time.
#include "support/trace_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <unordered_set>

#include "base/units.h"
#include "format/cpu_writer.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/name_blocks.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"

namespace kutrace::test {

namespace {

constexpr Ticks kStart = 1'000'000'000;
constexpr std::uint64_t kStartUsec = 1'700'000'000'000'000;

using Trailer = std::array<std::uint8_t, KUTRACE_TRAILER_BYTES>;

std::uint64_t usec_of(Ticks time) { return kStartUsec + (time - kStart) * 16 / 1000; }

// One CPU: knows its time and thread, fills blocks with activity.
class Cpu {
 public:
  Cpu(CpuId number, const TraceShape& shape)
      : shape_(shape), random_(shape.seed * 7919 + number), writer_({.cpu = number}) {
    if (shape.short_lived) pid_ = static_cast<Pid>(1 + number);
  }

  Ticks time() const { return time_; }

  // The next block of this CPU; counts its entries.
  const BlockWriter& fill(std::uint64_t& entries) {
    writer_.open({.start = {time_, usec_of(time_)}, .pid = pid_, .comm = thread_name(pid_)});
    entries_ = 1;  // the block's number
    constexpr std::size_t kLongestActivity = 40;
    // Every CPU has its share of a small trace, too.
    const std::uint64_t most = std::max<std::uint64_t>(64, shape_.entries / shape_.cpus);
    while (writer_.block().fits(kLongestActivity) && entries_ < most) activity();
    entries += entries_;
    return writer_.block();
  }

  Trailer trailer() {
    Trailer nibbles{};
    for (std::uint8_t& pair : nibbles) pair = static_cast<std::uint8_t>(random_());
    return nibbles;
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  void pass(unsigned low, unsigned high) { time_ += low + pick(high - low); }

  std::string thread_name(Pid pid) const {
    if (pid == 0) return "";
    return shape_.same_name ? "worker" : fmt::format("worker{}", pid);
  }

  void append(EventNum event, std::uint32_t low, std::span<const std::uint64_t> payload = {}) {
    entries_ += writer_.needs_gap(time_) ? 2u : 1u;
    writer_.put(time_, low44(event, low), payload);
  }

  void activity() {
    time_ += std::uint64_t{20 + pick(380)} * shape_.pace;
    if (pid_ == 0) {
      if (shape_.idle) pass(20'000, 250'000);
      timer();
      return switch_to(next_thread());
    }
    const unsigned choice = pick(100);
    if (shape_.idle && choice < 40) return wake_and_switch();
    if (shape_.short_lived && choice < 55) return wake_and_switch();
    if (choice < 55) return folded();
    if (choice < 70) return nested();
    if (choice < 85) return fault();
    if (choice < 90) return timer();
    wake_and_switch();
  }

  void folded() {
    const unsigned ticks = 5 + pick(200);
    append(syscall_event(pick(300)), ticks << KUTRACE_DELTA_SHIFT | pick(100) << 16 | pick(65536));
    time_ += ticks;
  }
  void fault() {
    const unsigned ticks = 60 + pick(190);
    append(ev::kPageFault, ticks << KUTRACE_DELTA_SHIFT | pick(16));
    time_ += ticks;
  }
  void timer() {
    append(kTimer, 0);
    if (shape_.samples) sample();
    pass(100, 200);
    append(kTimer | ev::kReturnBit, 0);
    pass(2, 10);
    append(ev::kBottomHalf, 1 + pick(9));
    pass(50, 400);
    append(ev::kBottomHalf | ev::kReturnBit, 1);
  }
  void sample() {
    append(ev::kPC_USER, 0, std::array{std::uint64_t{0x5555'0000'0000} + pick(1u << 20)});
  }
  void nested() {
    const EventNum call = syscall_event(pick(300));
    append(call, pick(65536));
    pass(20, 300);
    if (pick(2) == 0) fault();
    if (pick(4) == 0) timer();
    pass(256, 600);
    append(call | ev::kReturnBit, pick(65536));
  }
  void wake_and_switch() {
    const EventNum call = syscall_event(pick(300));
    append(call, pick(65536));
    pass(20, 100);
    append(ev::kRUNNABLE, 1 + pick(shape_.threads));
    pass(20, 100);
    const bool rest = shape_.idle || (!shape_.short_lived && pick(3) == 0);
    switch_to(rest ? 0 : next_thread());
    if (pid_ == 0) append(ev::kMWAIT, 1u << KUTRACE_IDLE_STATE_SHIFT | 0xff);
  }
  // Where threads are short-lived, CPUs take turns at numbers until all threads have run.
  Pid next_thread() {
    const auto next = static_cast<unsigned>(pid_) + shape_.cpus;
    if (shape_.short_lived && next <= shape_.threads) return static_cast<Pid>(next);
    return static_cast<Pid>(1 + pick(shape_.threads));
  }
  void switch_to(Pid pid) {
    pass(10, 60);
    pid_ = pid;
    if (pid != 0 && named_.insert(pid).second) name(pid);
    append(ev::kUSERPID, static_cast<std::uint32_t>(pid));
    if (shape_.samples) sample();
  }
  void name(Pid pid) {
    std::string comm = thread_name(pid);
    comm.resize(KUTRACE_COMM_BYTES);
    const LooseEntry entry = name_entry(kind::kPID_NAME, static_cast<std::uint32_t>(pid), comm);
    append(entry.number, entry.arg, entry.payload);
  }

  TraceShape shape_;
  std::mt19937_64 random_;
  std::unordered_set<Pid> named_;
  Ticks time_ = kStart + 10;
  Pid pid_ = 1;
  CpuWriter writer_;
  std::uint64_t entries_ = 0;
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

BlockWriter first_block(const TraceShape& shape, std::uint64_t blocks, Ticks stop) {
  NameEntries facts;
  facts.add(fact::kSource, "generator");
  facts.add(fact::kTickNs, TickRate{16, 1});
  facts.add(fact::kBlocks, blocks);
  FileHeader file{{kStart, kStartUsec}, {stop, usec_of(stop)}, 0};
  if (shape.ipc) file.flags = KUTRACE_FLAG_IPC;
  BlockHeader header;
  header.start = file.start;
  return front_blocks(facts, header, file, 1, 1).blocks.front();
}

}  // namespace

std::vector<TraceShape> measured_shapes() {
  return {
      {.name = "2 CPUs", .cpus = 2},
      {.name = "8 CPUs", .cpus = 8},
      {.name = "128 CPUs", .cpus = 128, .threads = 1000},
      {.name = "samples", .cpus = 8, .samples = true},
      {.name = "IPC", .cpus = 8, .ipc = true},
      {.name = "40,000 threads, samples",
       .cpus = 16,
       .threads = 40'000,
       .samples = true,
       .short_lived = true},
      {.name = "idle machine", .cpus = 16, .idle = true},
  };
}

Status generate(const TraceShape& shape, const std::string& path) {
  const File file(std::fopen(path.c_str(), "wb"));
  const auto failed = [&path] {
    return fail(output_error("cannot be written: " + errno_text(errno)).with_file(path));
  };
  if (!file) return failed();
  const auto write = [&](const BlockWriter& block, const Trailer& trailer) {
    return std::fwrite(block.words(), KUTRACE_BLOCK_BYTES, 1, file.get()) == 1 &&
           (!shape.ipc || std::fwrite(trailer.data(), KUTRACE_TRAILER_BYTES, 1, file.get()) == 1);
  };
  std::vector<Cpu> cpus;
  for (unsigned cpu = 0; cpu < shape.cpus; ++cpu) cpus.emplace_back(cpu, shape);
  std::uint64_t entries = 0;
  std::uint64_t blocks = 1;
  if (!write(first_block(shape, blocks, kStart + 1), {})) return failed();
  while (entries < shape.entries) {
    const auto next = std::min_element(
        cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) { return a.time() < b.time(); });
    const BlockWriter& block = next->fill(entries);
    if (!write(block, next->trailer())) return failed();
    ++blocks;
  }
  Ticks stop = kStart;
  for (const Cpu& cpu : cpus) stop = std::max(stop, cpu.time());
  if (std::fseek(file.get(), 0, SEEK_SET) != 0) return failed();
  if (!write(first_block(shape, blocks, stop + 1), {})) return failed();
  return {};
}

}  // namespace kutrace::test
