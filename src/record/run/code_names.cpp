// SPDX-License-Identifier: BSD-3-Clause
// Sampled program counters to MAP and SYMBOL entries.
#include "record/run/code_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "files/small_file.h"
#include "format/event_table.h"
#include "format/kallsyms.h"
#include "record/proc/tracing_functions.h"

namespace kutrace::record {

namespace {

constexpr std::string_view kOwnProgram = "stacks_sch";  // the kernel may shorten its name

}  // namespace

void CodeNames::start(const std::vector<CpuId>& cpus, const std::vector<SeedTask>& tasks) {
  sampled_.add(tasks);
  if (const Status started = events_.start(cpus); !started)
    missed_.push_back("files of code that was mapped after the start: " + started.error().sentence);
  memory_.read_all();
}

const Kallsyms& CodeNames::kernel_symbols() {
  if (!kernel_) kernel_.emplace(files::read_text("/proc/kallsyms"));
  return *kernel_;
}

// What recording itself put on top of a stack of the kernel is left out.
void CodeNames::add(std::vector<StackRecord> stacks) {
  stacks_ = std::move(stacks);
  for (StackRecord& stack : stacks_) {
    const auto name_of = [&](std::uint64_t frame) {
      const auto function = kernel_symbols().find(frame);
      return function ? function->name : std::string();
    };
    if (stack.frames.front() >> 63 == 0) continue;
    const std::string top = name_of(stack.frames.front());
    if (!top.contains(kOwnProgram) && !is_of_tracing(top)) continue;
    const auto last =
        std::find_if(stack.frames.rbegin(), stack.frames.rend(),
                     [&](std::uint64_t frame) { return is_of_tracing(name_of(frame)); });
    if (last.base() != stack.frames.end()) stack.frames.erase(stack.frames.begin(), last.base());
  }
  sampled_.add(stacks_);
}

void CodeNames::add_kernel_names(NameEntries& names) {
  if (sampled_.kernel().empty()) return;
  const Kallsyms& symbols = kernel_symbols();
  if (symbols.empty()) {
    missed_.emplace_back("names of the kernel's functions: /proc/kallsyms hides its addresses");
    return;
  }
  std::map<std::uint64_t, KernelFunction> functions;
  for (const std::uint64_t pc : sampled_.kernel()) {
    if (auto function = symbols.find(pc)) functions[function->start] = std::move(*function);
  }
  for (const auto& [start, function] : functions)
    names.add_text(kind::kSYMBOL,
                   record_text(SymbolRecord{0, 0, start, function.end, function.name}));
}

void CodeNames::add_to(NameEntries& names, const ClockReading& start, const TickRate& rate) {
  const double ticks_per_ns = rate.denominator / rate.numerator;
  const auto counter_at = [&](std::uint64_t monotonic_ns) {
    const auto ns = static_cast<std::int64_t>(monotonic_ns - start.monotonic_ns);
    const auto ticks = std::llround(static_cast<double>(ns) * ticks_per_ns);
    return std::max<Ticks>(1, start.counter + static_cast<Ticks>(ticks));
  };
  add_kernel_names(names);
  for (const StackRecord& stack : stacks_) names.add_text(kind::kSTACK, record_text(stack));
  const std::vector<MapEvent> events = events_.take();
  for (const MapRecord& map : memory_.records(events, sampled_.user(), counter_at))
    names.add_text(kind::kMAP, record_text(map));
  if (events_.lost() != 0)
    missed_.push_back(fmt::format("files of code: {} changes of memory maps", events_.lost()));
}

}  // namespace kutrace::record
