// SPDX-License-Identifier: BSD-3-Clause
// Entries from a seeded generator, one CPU's block at a time.
#include "bench/trace_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"

namespace kutrace::bench {

namespace {

using test::kTimer;
constexpr Ticks kStart = 1'000'000'000;
constexpr std::uint64_t kStartUsec = 1'700'000'000'000'000;

using Words = std::vector<std::uint64_t>;

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
  Cpu(CpuId number, const GeneratorOptions& options)
      : number_(number), options_(options), random_(options.seed * 7919 + number) {}

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
    append(kind::kBLOCK | 2u << KUTRACE_LENGTH_SHIFT, number_);
    words_[at_++] = sequence_++;
    constexpr std::size_t kLongestActivity = 16;
    while (at_ + kLongestActivity < KUTRACE_BLOCK_WORDS) activity();
    entries += entries_;
    return words_;
  }

  static std::string thread_name(Pid pid) { return pid == 0 ? "" : fmt::format("worker{}", pid); }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  void pass(unsigned low, unsigned high) { time_ += low + pick(high - low); }

  void append(EventNum event, std::uint32_t low) {
    words_[at_++] = word_of(time_, event, low);
    ++entries_;
  }

  void activity() {
    pass(20, 400);
    const unsigned choice = pick(100);
    if (pid_ == 0) {
      timer();
      return switch_to(1 + static_cast<Pid>(pick(options_.threads)));
    }
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
    pass(100, 200);
    append(kTimer | ev::kReturnBit, 0);
    pass(2, 10);
    append(ev::kBottomHalf, 1 + pick(9));
    pass(50, 400);
    append(ev::kBottomHalf | ev::kReturnBit, 1);
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
    append(ev::kRUNNABLE, 1 + pick(options_.threads));
    pass(20, 100);
    switch_to(pick(3) == 0 ? 0 : 1 + static_cast<Pid>(pick(options_.threads)));
    if (pid_ == 0) append(ev::kMWAIT, 1u << KUTRACE_IDLE_STATE_SHIFT | 0xff);
  }
  void switch_to(Pid pid) {
    pass(10, 60);
    pid_ = pid;
    append(ev::kUSERPID, static_cast<std::uint32_t>(pid));
  }

  CpuId number_;
  GeneratorOptions options_;
  std::mt19937_64 random_;
  Ticks time_ = kStart + 10;
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

Words first_block(const GeneratorOptions& options, std::uint64_t blocks, Ticks stop) {
  Words words(KUTRACE_BLOCK_WORDS);
  words[0] = kStart;
  words[1] = std::uint64_t{KUTRACE_FORMAT_VERSION} << KUTRACE_TOP_BYTE_SHIFT | kStartUsec;
  words[2] = kStart;
  words[3] = kStartUsec;
  words[4] = stop;
  words[5] = usec_of(stop);
  std::size_t at = KUTRACE_FIRST_HEADER_WORDS;
  const auto text = [&](EventNum kind, std::uint32_t item, const std::string& name) {
    const std::size_t payload = (name.size() + 7) / 8;
    const auto length = static_cast<EventNum>((payload + 1) << KUTRACE_LENGTH_SHIFT);
    words[at++] = word_of(kStart, kind | length, item);
    put_text(&words[at], name, payload * 8);
    at += payload;
  };
  std::uint32_t serial = 0;
  for (const std::string& fact : {std::string("source=generator"), std::string("tick_ns=16/1"),
                                  fmt::format("blocks={}", blocks)}) {
    text(kind::kMETA, serial++ << 8, fact);
  }
  for (unsigned pid = 1; pid <= options.threads; ++pid) {
    text(kind::kPID_NAME, pid, Cpu::thread_name(static_cast<Pid>(pid)));
  }
  return words;
}

}  // namespace

Status generate(const GeneratorOptions& options, const std::string& path) {
  const File file(std::fopen(path.c_str(), "wb"));
  const auto failed = [&path] {
    return fail(output_error("cannot be written: " + errno_text(errno)).with_file(path));
  };
  if (!file) return failed();
  const auto write = [&file](const Words& words) {
    return std::fwrite(words.data(), KUTRACE_BLOCK_BYTES, 1, file.get()) == 1;
  };
  std::vector<Cpu> cpus;
  for (unsigned cpu = 0; cpu < options.cpus; ++cpu) cpus.emplace_back(cpu, options);
  std::uint64_t entries = 0;
  std::uint64_t blocks = 1;
  if (!write(first_block(options, blocks, kStart + 1))) return failed();
  while (entries < options.entries) {
    const auto next = std::min_element(
        cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) { return a.time() < b.time(); });
    if (!write(next->fill(entries))) return failed();
    ++blocks;
  }
  Ticks stop = kStart;
  for (const Cpu& cpu : cpus) stop = std::max(stop, cpu.time());
  if (std::fseek(file.get(), 0, SEEK_SET) != 0) return failed();
  if (!write(first_block(options, blocks, stop + 1))) return failed();
  return {};
}

}  // namespace kutrace::bench
