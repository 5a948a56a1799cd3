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
#include <string_view>
#include <unordered_set>

#include "base/units.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"

namespace kutrace::test {

namespace {

constexpr Ticks kStart = 1'000'000'000;
constexpr std::uint64_t kStartUsec = 1'700'000'000'000'000;
constexpr unsigned kNameWords = 1 + KUTRACE_COMM_BYTES / 8;

using Words = std::vector<std::uint64_t>;
using Trailer = std::array<std::uint8_t, KUTRACE_TRAILER_BYTES>;

std::uint64_t usec_of(Ticks time) { return kStartUsec + (time - kStart) * 16 / 1000; }

void put_text(std::uint64_t* at, std::string_view text, std::size_t bytes) {
  std::memset(at, 0, bytes);
  std::memcpy(at, text.data(), std::min(bytes, text.size()));
}

std::uint64_t word_of(Ticks time, EventNum event, std::uint32_t low) {
  return time << KUTRACE_TIME_SHIFT | std::uint64_t{event} << KUTRACE_EVENT_SHIFT | low;
}

// One CPU: knows its time and thread, fills blocks with activity.
class Cpu {
 public:
  Cpu(CpuId number, const TraceShape& shape)
      : number_(number), shape_(shape), random_(shape.seed * 7919 + number) {
    if (shape.short_lived) pid_ = static_cast<Pid>(1 + number);
  }

  Ticks time() const { return time_; }

  // The next block of this CPU; counts its entries.
  const Words& fill(std::uint64_t& entries) {
    words_.assign(KUTRACE_BLOCK_WORDS, 0);
    words_[0] = std::uint64_t{number_} << KUTRACE_TOP_BYTE_SHIFT | time_;
    words_[1] = usec_of(time_);
    words_[2] = static_cast<std::uint64_t>(pid_);
    put_text(&words_[4], thread_name(pid_), KUTRACE_COMM_BYTES);
    at_ = KUTRACE_HEADER_WORDS;
    entries_ = 0;
    last_ = time_;
    append(kind::kBLOCK | 2u << KUTRACE_LENGTH_SHIFT, number_);
    words_[at_++] = sequence_++;
    constexpr std::size_t kLongestActivity = 40;
    // Every CPU has its share of a small trace, too.
    const std::uint64_t most = std::max<std::uint64_t>(64, shape_.entries / shape_.cpus);
    while (at_ + kLongestActivity < KUTRACE_BLOCK_WORDS && entries_ < most) activity();
    entries += entries_;
    return words_;
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

  void append(EventNum event, std::uint32_t low) {
    const Ticks gap = time_ - last_;
    last_ = time_;
    if (gap > KUTRACE_TSDELTA_TICKS) append(ev::kTSDELTA, static_cast<std::uint32_t>(gap));
    words_[at_++] = word_of(time_, event, low);
    ++entries_;
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
    append(ev::kPC_USER, 0);
    words_[at_++] = 0x5555'0000'0000 + pick(1u << 20);
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
    append(kind::kPID_NAME | kNameWords << KUTRACE_LENGTH_SHIFT, static_cast<std::uint32_t>(pid));
    put_text(&words_[at_], thread_name(pid), KUTRACE_COMM_BYTES);
    at_ += kNameWords - 1;
  }

  CpuId number_;
  TraceShape shape_;
  std::mt19937_64 random_;
  std::unordered_set<Pid> named_;
  Ticks time_ = kStart + 10;
  Ticks last_ = time_;  // of the last entry
  Pid pid_ = 1;
  std::uint64_t sequence_ = 0;
  Words words_;
  std::size_t at_ = 0;
  std::uint64_t entries_ = 0;
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

Words first_block(const TraceShape& shape, std::uint64_t blocks, Ticks stop) {
  const unsigned flags = KUTRACE_FORMAT_VERSION | (shape.ipc ? KUTRACE_FLAG_IPC : 0);
  Words words(KUTRACE_BLOCK_WORDS);
  words[0] = kStart;
  words[1] = std::uint64_t{flags} << KUTRACE_TOP_BYTE_SHIFT | kStartUsec;
  words[2] = kStart;
  words[3] = kStartUsec;
  words[4] = stop;
  words[5] = usec_of(stop);
  std::size_t at = KUTRACE_FIRST_HEADER_WORDS;
  std::uint32_t serial = 0;
  for (const std::string& fact : {std::string("source=generator"), std::string("tick_ns=16/1"),
                                  fmt::format("blocks={}", blocks)}) {
    const std::size_t payload = (fact.size() + 7) / 8;
    const auto length = static_cast<EventNum>((payload + 1) << KUTRACE_LENGTH_SHIFT);
    words[at++] = word_of(kStart, kind::kMETA | length, serial++ << 8);
    put_text(&words[at], fact, payload * 8);
    at += payload;
  }
  return words;
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
  const auto write = [&](const Words& words, const Trailer& trailer) {
    return std::fwrite(words.data(), KUTRACE_BLOCK_BYTES, 1, file.get()) == 1 &&
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
    const Words& words = next->fill(entries);
    if (!write(words, next->trailer())) return failed();
    ++blocks;
  }
  Ticks stop = kStart;
  for (const Cpu& cpu : cpus) stop = std::max(stop, cpu.time());
  if (std::fseek(file.get(), 0, SEEK_SET) != 0) return failed();
  if (!write(first_block(shape, blocks, stop + 1), {})) return failed();
  return {};
}

}  // namespace kutrace::test
