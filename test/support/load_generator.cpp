// SPDX-License-Identifier: BSD-3-Clause
// Two CPUs, moment by moment.
#include "support/load_generator.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <string_view>

#include "format/event_table.h"
#include "format/raw_writer.h"
#include "support/event_numbers.h"

namespace kutrace::test {

namespace {

constexpr Ticks kBegin = 1'000'000'000;
constexpr std::uint64_t kBeginUsec = 1'700'000'000'000'000;
constexpr double kTickUs = 0.016;
constexpr double kTimerUs = 4000;

// Chance, in microseconds.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  double gap(double mean) { return -mean * std::log1p(-uniform()); }
  // Half as long, twice as long; the mean is kept.
  double about(double mean) { return mean * std::exp(0.5 * normal() - 0.125); }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  double normal() {
    return std::sqrt(-2 * std::log1p(-uniform())) * std::cos(6.283185307179586 * uniform());
  }

 private:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::mt19937_64 random_;
};

// How fast the machine is now; 1 in the mean. It changes every 5 ms, and never by much.
class Pace {
 public:
  explicit Pace(std::uint64_t seed) : chance_(seed), level_(chance_.normal()) {}

  double at(double us) {
    constexpr double kKept = 0.7;
    constexpr double kSpread = 0.1;
    for (; until_ < us; until_ += 5000) {
      level_ = kKept * level_ + std::sqrt(1 - kKept * kKept) * chance_.normal();
    }
    return std::exp(kSpread * level_ - kSpread * kSpread / 2);
  }

 private:
  Chance chance_;
  double level_;
  double until_ = 0;
};

class Machine {
 public:
  explicit Machine(const Load& load)
      : load_(load),
        end_(static_cast<double>(load.length) / 1e3),
        server_(static_cast<std::uint32_t>(load.first_pid)),
        helper_(server_ + 1),
        backup_(server_ + 2),
        chance_(load.seed * 2 + 1),
        pace_(load.seed * 2),
        helper_pace_(load.seed * 2 + 100'000),
        writer_(
            {"load", {kBegin, kBeginUsec}, {16, 1}},
            [this](std::uint64_t number, std::string_view block) { return keep(number, block); }) {
    name();
  }

  std::vector<std::byte> run() {
    run_server();
    run_helper();
    REQUIRE(writer_.finish({ticks(end_), kBeginUsec + static_cast<std::uint64_t>(end_)}));
    return std::move(bytes_);
  }

 private:
  Status keep(std::uint64_t number, std::string_view block) {
    const std::size_t place = number * block.size();
    if (bytes_.size() < place + block.size()) bytes_.resize(place + block.size());
    std::memcpy(bytes_.data() + place, block.data(), block.size());
    return {};
  }

  void name() {
    constexpr std::array<std::pair<std::uint32_t, const char*>, 3> kCalls = {
        {{0, "read"}, {1, "write"}, {202, "futex"}}};
    NameEntries& names = writer_.names();
    for (const auto& [number, text] : kCalls) names.add_name(kind::kSYSCALL_NAME, number, text);
    names.add_name(kind::kTRAP_NAME, 0x0e, "page_fault");
    names.add_name(kind::kIRQ_NAME, 0xec, "local_timer");
    thread(server_, "server", server_);
    thread(helper_, "helper", server_);
    thread(backup_, "backup", backup_);
  }
  void thread(std::uint32_t pid, const char* text, std::uint32_t process) {
    writer_.names().add_name(kind::kPID_NAME, pid, text);
    writer_.names().add(task_entry({static_cast<Pid>(pid), static_cast<Pid>(process), 1, 0, {}}));
  }

  static Ticks ticks(double us) { return kBegin + static_cast<Ticks>(us / kTickUs); }
  void put(CpuId cpu, double us, EventNum event, std::uint32_t arg = 0) {
    if (us < end_) REQUIRE(writer_.put(cpu, ticks(us), event, arg));
  }
  // When it returned.
  double call(CpuId cpu, double us, EventNum event, double mean) {
    put(cpu, us, event, 3);
    const double back = us + chance_.about(mean) * pace_.at(us);
    if (back < end_) REQUIRE(writer_.put_return(cpu, ticks(back), event, 0));
    return back;
  }

  // Arrivals wait while the server is busy, or the backup has its CPU.
  void run_server() {
    std::uint32_t running = server_;
    put(0, 0, ev::kUSERPID, running);
    double now = 1;
    double tick = chance_.between(0, kTimerUs);
    double other = chance_.gap(60'000);
    int left = 0;  // switches of a burst
    double read = 0;
    double write = 0;
    double fault = 0;
    while (now < end_) {
      double next = std::min(tick, other);
      if (running == server_) next = std::min({next, read, write, fault});
      now = std::max(now + 0.1, next);
      if (next == tick) {
        now = call(0, now, kTimer, 3);
        tick += kTimerUs;
      } else if (next == other) {
        if (left == 0) left = 2 * static_cast<int>(chance_.between(2, 10));
        running = running == server_ ? backup_ : server_;
        put(0, now, ev::kUSERPID, running);
        --left;
        other = now + (left == 0 ? chance_.gap(60'000) : chance_.between(500, 1500));
      } else if (next == read) {
        now = call(0, now, kRead, load_.read_us);
        read += chance_.gap(1000 / load_.reads_a_ms);
      } else if (next == write) {
        now = call(0, now, kWrite, 10);
        write += chance_.gap(350);
      } else {
        now = call(0, now, kFault, 2);
        fault += chance_.gap(500);
      }
    }
  }

  void run_helper() {
    put(1, 0, ev::kUSERPID, helper_);
    double now = 1;
    double due = 0;
    while (now < end_) {
      put(1, now, kFutex, 0);
      put(1, now + 1, ev::kUSERPID, 0);
      due += chance_.gap(1000 / load_.wakeups_a_ms);
      now = std::max(now + 3, due);
      put(1, now, kTimer);
      put(1, now + 0.5, ev::kRUNNABLE, helper_);
      put(1, now + 1.5, kTimer | kReturn);
      put(1, now + 3, ev::kUSERPID, helper_);
      put(1, now + 4, kFutex | kReturn, 0);
      now += 4 + chance_.about(150) * helper_pace_.at(now);
    }
  }

  const Load load_;
  const double end_;
  const std::uint32_t server_;
  const std::uint32_t helper_;
  const std::uint32_t backup_;
  Chance chance_;
  Pace pace_;
  Pace helper_pace_;
  std::vector<std::byte> bytes_;
  RawWriter writer_;
};

}  // namespace

std::vector<std::byte> generate_load(const Load& load) { return Machine(load).run(); }

}  // namespace kutrace::test
