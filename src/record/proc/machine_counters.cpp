// SPDX-License-Identifier: BSD-3-Clause
// Tables of lines that are wanted.
#include "record/proc/machine_counters.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/number_text.h"
#include "files/small_file.h"
#include "record/proc/online_cpus.h"

namespace kutrace::record {

namespace {

constexpr std::int64_t kKibi = 1024;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kNsPerUs = 1000;
constexpr std::int64_t kPages = 0;            // as a scale: bytes of a page
constexpr std::size_t kStealField = 7;        // of a line of CPUs in /proc/stat
constexpr std::size_t kMostFrequencies = 64;  // CPUs of larger machines are left out
constexpr unsigned kMostZones = 32;
constexpr std::array<const char*, 4> kPressures = {"cpu", "memory", "io", "irq"};

struct Line {
  std::string_view word;  // with which it begins
  std::string_view name;
  std::string_view unit;
  bool is_total;
  std::int64_t scale;
};

constexpr std::array<Line, 11> kMeminfo = {{
    {"MemTotal:", "mem_total", kBytes, false, kKibi},
    {"MemFree:", "mem_free", kBytes, false, kKibi},
    {"MemAvailable:", "mem_available", kBytes, false, kKibi},
    {"Buffers:", "buffers", kBytes, false, kKibi},
    {"Cached:", "cached", kBytes, false, kKibi},
    {"AnonPages:", "anonymous", kBytes, false, kKibi},
    {"Slab:", "slab", kBytes, false, kKibi},
    {"Dirty:", "dirty", kBytes, false, kKibi},
    {"Writeback:", "writeback", kBytes, false, kKibi},
    {"SwapTotal:", "swap_total", kBytes, false, kKibi},
    {"SwapFree:", "swap_free", kBytes, false, kKibi},
}};

constexpr std::array<Line, 6> kVmstat = {{
    {"pgpgin", "page_in", kBytes, true, kKibi},
    {"pgpgout", "page_out", kBytes, true, kKibi},
    {"pswpin", "swap_in", kBytes, true, kPages},
    {"pswpout", "swap_out", kBytes, true, kPages},
    {"pgfault", "faults", kEvents, true, 1},
    {"pgmajfault", "major_faults", kEvents, true, 1},
}};

constexpr std::array<Line, 4> kStat = {{
    {"procs_running", "runnable", kTasks, false, 1},
    {"procs_blocked", "blocked", kTasks, false, 1},
    {"ctxt", "switches", kEvents, true, 1},
    {"processes", "forks", kEvents, true, 1},
}};

// Calls take(words of a line).
template <typename Take>
void each_line(const std::string& text, const Take& take) {
  std::vector<std::string_view> words;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    words.clear();
    while (!line.empty()) {
      const std::string_view word = line.substr(0, line.find(' '));
      if (!word.empty()) words.push_back(word);
      line.remove_prefix(std::min(line.size(), word.size() + 1));
    }
    if (words.size() >= 2) take(words);
  }
}

void read_lines(const std::string& text, std::span<const Line> wanted, std::int64_t page_bytes,
                std::vector<Measured>& to) {
  each_line(text, [&](const std::vector<std::string_view>& words) {
    const auto line = std::ranges::find(wanted, words[0], &Line::word);
    if (line == wanted.end()) return;
    const auto value = parse_number<std::int64_t>(words[1]);
    const std::int64_t scale = line->scale == kPages ? page_bytes : line->scale;
    if (value) to.push_back({std::string(line->name), line->unit, line->is_total, *value * scale});
  });
}

std::optional<std::int64_t> number_in(const std::string& path) {
  return parse_number<std::int64_t>(files::read_line(path));
}

}  // namespace

void read_meminfo(const std::string& text, std::vector<Measured>& to) {
  read_lines(text, kMeminfo, 0, to);
}

void read_vmstat(const std::string& text, std::int64_t page_bytes, std::vector<Measured>& to) {
  read_lines(text, kVmstat, page_bytes, to);
}

void read_stat(const std::string& text, std::int64_t hertz, std::vector<Measured>& to) {
  read_lines(text, kStat, 0, to);
  each_line(text, [&](const std::vector<std::string_view>& words) {
    if (words[0] != "cpu" || words.size() <= kStealField + 1) return;
    const auto ticks = parse_number<std::int64_t>(words[kStealField + 1]);
    if (ticks) to.push_back({"steal", kNs, true, *ticks * (kNsPerSecond / hertz)});
  });
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234"
void read_pressure(const std::string& text, const std::string& resource,
                   std::vector<Measured>& to) {
  constexpr std::string_view kTotal = "total=";
  each_line(text, [&](const std::vector<std::string_view>& words) {
    if (!words.back().starts_with(kTotal)) return;
    const auto us = parse_number<std::int64_t>(words.back().substr(kTotal.size()));
    if (us) to.push_back({fmt::format("{}_{}", resource, words[0]), kNs, true, *us * kNsPerUs});
  });
}

MachineCounters::MachineCounters() {
  const auto add = [this](std::string path, std::string name, std::string_view unit,
                          std::int64_t scale) {
    if (number_in(path)) files_.push_back({std::move(path), std::move(name), unit, scale});
  };
  for (const CpuId cpu : online_cpus()) {
    if (files_.size() == kMostFrequencies) break;
    add(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu),
        fmt::format("frequency_cpu{}", cpu), kHertz, 1000);
  }
  for (unsigned zone = 0; zone < kMostZones; ++zone) {
    const std::string folder = fmt::format("/sys/class/thermal/thermal_zone{}/", zone);
    const std::string type = files::read_line(folder + "type");
    if (type.empty()) break;
    add(folder + "temp", fmt::format("temperature{}_{}", zone, type), kMillidegrees, 1);
  }
}

void MachineCounters::read(std::vector<Measured>& to) const {
  read_meminfo(files::read_text("/proc/meminfo"), to);
  read_vmstat(files::read_text("/proc/vmstat"), sysconf(_SC_PAGESIZE), to);
  read_stat(files::read_text("/proc/stat"), sysconf(_SC_CLK_TCK), to);
  for (const std::string resource : kPressures)
    read_pressure(files::read_text("/proc/pressure/" + resource), resource, to);
  for (const File& file : files_)
    if (const auto value = number_in(file.path))
      to.push_back({file.name, file.unit, false, *value * file.scale});
}

}  // namespace kutrace::record
