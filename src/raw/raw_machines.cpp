// SPDX-License-Identifier: BSD-3-Clause
// Machine after machine, each CPU's events in their order, into the blocks of one file.
#include "raw/raw_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/most_cpus.h"
#include "format/event_table.h"
#include "format/machine_fact.h"
#include "format/raw_writer.h"
#include "kutrace/abi.h"
#include "raw/counter_at.h"
#include "raw/machine_names.h"
#include "raw/machine_numbers.h"
#include "timeline/event_stream.h"
#include "timeline/stream_facts.h"
#include "timeline/trace_layout.h"

namespace kutrace::raw {

namespace {

constexpr Ticks kFirstTick = 1'000'000'000;  // a counter does not begin at 0
constexpr Ns kLongest = Ns{1} << 60;         // as long as a trace can be
constexpr double kMostDrift = 1e-3;          // ticks that differ by no more are of one length

Error about(const std::string& name, std::string sentence) {
  return input_error(std::move(sentence)).with_file(name);
}

// What uname calls the processor: the last word.
std::string architecture(const timeline::TraceLayout& layout) {
  const std::string uname = layout.facts.get(fact::kUname).value_or("");
  return uname.substr(uname.find_last_of(' ') + 1);
}

std::vector<std::string> sorted_groups(const timeline::TraceLayout& layout) {
  std::vector<std::string> groups = layout.facts.get(fact::kEvents).value_or(fact::Words());
  std::ranges::sort(groups);
  return groups;
}

// One machine's trace, and what is learnt of it while it is read.
struct Machine {
  const timeline::TraceLayout& layout() const { return *trace->layout; }

  const MachineTrace* trace = nullptr;
  timeline::StreamFacts facts;
  CpuId first_cpu = 0;
  CpuId cpus = 0;
  Ns begin = 0;  // by the first machine's clock
  Ns end = 0;    // the last event's, too, once it was read
  // The last entry's, likewise: short calls that follow each other within a tick end later.
  Ticks last = kFirstTick;
};

// Ticks as all machines have them; else of 1 ns.
TickRate common_rate(const std::vector<Machine>& machines) {
  const double first = machines.front().layout().clock.ns_per_tick();
  const bool is_common = std::ranges::all_of(machines, [first](const Machine& machine) {
    return std::abs(machine.layout().clock.ns_per_tick() / first - 1) <= kMostDrift;
  });
  if (!is_common) return {};
  const timeline::TraceLayout& layout = machines.front().layout();
  return told_rate(layout.facts, layout.clock).value_or(TickRate{first, 1});
}

// The earliest recording's begin, or less than a tick earlier: whole ticks before the first
// machine's begin, whose times then stay what they are.
Ns begin_of(const std::vector<Machine>& machines, const TraceClock& clock) {
  const Ns first = machines.front().begin;
  const Ns earliest = std::ranges::min(machines, {}, &Machine::begin).begin;
  return first - clock.to_ns(counter_at(clock, first - earliest));
}

// Writes all of it once.
class Pass {
 public:
  Pass(std::vector<Machine>& machines, const JoinedRpcs& rpcs, BlockOutput output)
      : machines_(machines),
        rpcs_(rpcs),
        rate_(common_rate(machines)),
        clock_(kFirstTick, rate_.ns(1)),
        begin_(begin_of(machines, clock_)),
        writer_(options(), std::move(output)),
        names_(writer_.names(), clock_) {}

  Status run() {
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      numbers_ = std::make_unique<MachineNumbers>(place_of(i), shared_);
      state_.clear();
      KUTRACE_TRY(read(machines_[i]));
      names_.end_machine(machines_[i].facts, *numbers_, machines_[i].trace->clock);
      if (numbers_->met_strange_pid())
        return fail(about(machines_[i].trace->name,
                          "has a thread number of 4,194,304 or above, which Linux does not give"));
    }
    names_.finish();
    say_start();
    const Ns end = std::ranges::max(machines_, {}, &Machine::end).end;
    const Ticks stop = std::max(counter(end), std::ranges::max(machines_, {}, &Machine::last).last);
    for (const Machine& machine : machines_) lose_around(machine, stop);
    return writer_.finish({stop, wall_usec() + static_cast<std::uint64_t>(end - begin_) / 1000});
  }

 private:
  // CLOCK_MONOTONIC of the first machine, when the earliest recording began.
  void say_start() {
    const Machine& first = machines_.front();
    const auto start = first.layout().facts.get(fact::kStartMonotonicNs);
    if (!start) return;
    const auto earlier = static_cast<std::uint64_t>(first.begin - begin_);
    writer_.names().add(fact::kStartMonotonicNs, *start - std::min(*start, earlier));
  }

  // Of a CPU, while its machine is read.
  struct CpuState {
    Ticks last = kFirstTick;
    std::optional<std::pair<Ns, Ns>> gap;  // that a block is missing in
    std::optional<LooseEntry> wide;        // stands before the entry that comes next
    bool begun = false;
  };

  RawWriter::Options options() const {
    RawWriter::Options options;
    options.source = machines_.front().layout().facts.get(fact::kSource).value_or("");
    options.start = {kFirstTick, wall_usec()};
    options.rate = rate_;
    options.flags = machines_.front().layout().flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC);
    return options;
  }

  // By the first machine's clock; 0: not known.
  std::uint64_t wall_usec() const {
    const auto known = static_cast<std::int64_t>(machines_.front().layout().wall_usec);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, known + begin_ / 1000));
  }

  // The last tick until then.
  Ticks counter(Ns by_first_clock) const {
    const Ns time = by_first_clock - begin_;
    const Ticks next = counter_at(clock_, time);
    return next > kFirstTick && clock_.to_ns(next) > time ? next - 1 : next;
  }

  MachineNumbers::Place place_of(std::size_t i) const {
    const Machine& machine = machines_[i];
    MachineNumbers::Place place;
    place.number = static_cast<std::uint32_t>(i);
    place.first_cpu = machine.first_cpu;
    place.cpus = machine.cpus;
    place.clock = machine.layout().clock;
    place.rpcs = &rpcs_.machines[i];
    place.counter = [this, &machine](Ns own) { return counter(machine.trace->time(own)); };
    return place;
  }

  // ---- events -------------------------------------------------------------------------------

  Status read(Machine& machine) {
    began_ = machine.facts.begin;
    wrapped_since_ = machine.facts.wrapped ? std::optional(machine.facts.begin) : std::nullopt;
    Status state;
    Ns last = machine.facts.end;
    timeline::EventStream stream(machine.layout());
    stream.run([&](const timeline::Event& event) {
      if (!state) return;
      if (event.cpu == kNoCpu) {
        names_.take(event.entry, *numbers_);
        return;
      }
      last = std::max(last, event.time + event.duration);
      state = of_cpu(event);
    });
    machine.end = std::max(machine.begin, machine.trace->time(last));
    for (const auto& [cpu, of] : state_) {
      machine.last = std::max(machine.last, of.last);
      if (of.gap) lose(cpu, KUTRACE_LOSS_DAMAGED, of.gap->first, of.gap->second);
    }
    return state;
  }

  Status of_cpu(const timeline::Event& event) {
    CpuState& cpu = state_[event.cpu];
    const decode::Entry& entry = event.entry;
    if (entry.number == timeline::kGap) {
      cpu.gap = {event.time, event.time + event.duration};
      return {};
    }
    // What was stored late keeps the order in which it came.
    cpu.last = std::max(cpu.last, numbers_->time(event.time));
    if (entry.number == timeline::kBlockStart) return begin_block(event, cpu);
    if (event_class(entry.number) == EventClass::kName) return put_name(event, cpu);
    if (entry.fold_ticks != 0) return put_folded(event, cpu);
    KUTRACE_TRY(put_waiting(event.cpu, cpu));
    const LooseEntry moved = numbers_->entry(entry);
    const CpuId number = numbers_->cpu(event.cpu);
    if (!moved.payload.empty()) return writer_.put(number, cpu.last, moved);
    if (is_return(entry.number)) {
      return writer_.put_return(number, cpu.last, entry.number & ~ev::kReturnBit,
                                static_cast<std::uint16_t>(moved.arg), entry.ipc);
    }
    return writer_.put(number, cpu.last, entry.number, moved.arg, entry.ipc);
  }

  Status begin_block(const timeline::Event& event, CpuState& cpu) {
    const CpuId number = numbers_->cpu(event.cpu);
    KUTRACE_TRY(put_waiting(event.cpu, cpu));
    const bool is_first = !std::exchange(cpu.begun, true);
    // Who runs when the first block begins ran since the recording did, if nothing is missing.
    const bool ran_before = is_first && !wrapped_since_ && !cpu.gap;
    if (is_first && wrapped_since_)
      lose(event.cpu, KUTRACE_LOSS_OVERWRITTEN, *wrapped_since_, event.time);
    if (ran_before) cpu.last = std::min(cpu.last, numbers_->time(began_));
    if (cpu.gap) writer_.skip(number, 1);
    cpu.gap.reset();
    BlockHeader header;
    header.cpu = number;
    header.start.counter = cpu.last;
    header.pid = numbers_->pid(static_cast<Pid>(event.entry.arg));
    header.mhz = event.entry.result;
    header.comm = event.entry.payload_text().substr(0, KUTRACE_COMM_BYTES);
    const auto pid = static_cast<std::uint32_t>(header.pid);
    KUTRACE_TRY(writer_.open(std::move(header)));
    return ran_before ? writer_.put(number, cpu.last, ev::kUSERPID, pid) : Status();
  }

  Status put_name(const timeline::Event& event, CpuState& cpu) {
    switch (name_kind(event.entry.number)) {
      case kind::kBLOCK:
      case kind::kTIME_PAIR:
      case kind::kPC_TEMP:
      case kind::kMETA:
      case kind::kMAP:
      case kind::kSYMBOL:
      case kind::kSTACK:
      case kind::kCOUNTER:
      case kind::kPROCESS:
        return {};
      default:
        break;
    }
    KUTRACE_TRY(put_waiting(event.cpu, cpu));
    LooseEntry moved = numbers_->entry(event.entry);
    if (name_kind(event.entry.number) == kind::kWIDE) {
      cpu.wide = std::move(moved);
      return {};
    }
    if (name_kind(event.entry.number) == kind::kMETHOD_NAME) return put_method(event, cpu, moved);
    return writer_.put(numbers_->cpu(event.cpu), cpu.last, moved);
  }

  Status put_method(const timeline::Event& event, const CpuState& cpu, LooseEntry name) {
    for (const std::uint32_t rpc : numbers_->rpcs(event.entry.arg)) {
      name.arg = rpc;
      KUTRACE_TRY(writer_.put(numbers_->cpu(event.cpu), cpu.last, name));
    }
    return {};
  }

  Status put_waiting(CpuId own, CpuState& cpu) {
    if (!cpu.wide) return {};
    const LooseEntry wide = *std::exchange(cpu.wide, std::nullopt);
    return writer_.put(numbers_->cpu(own), cpu.last, wide);
  }

  // A call and its return, which become one entry again where the writer finds room. Of numbers
  // that did not fit, the result is the return's.
  Status put_folded(const timeline::Event& event, CpuState& cpu) {
    const decode::Entry& entry = event.entry;
    const CpuId number = numbers_->cpu(event.cpu);
    const Ticks end = std::max(cpu.last + 1, numbers_->time(event.time + event.duration));
    std::optional<LooseEntry> of_return;
    if (cpu.wide && end - cpu.last > KUTRACE_DELTA_MAX) of_return = split_result(*cpu.wide);
    KUTRACE_TRY(put_waiting(event.cpu, cpu));
    KUTRACE_TRY(writer_.put(number, cpu.last, entry.number, entry.arg & 0xffff, entry.ipc & 15));
    cpu.last = end;
    if (of_return) KUTRACE_TRY(writer_.put(number, end, *of_return));
    return writer_.put_return(number, end, entry.number, entry.result, entry.ipc >> 4);
  }

  // The words of kind WIDE that speak of the result, taken out of it.
  static std::optional<LooseEntry> split_result(LooseEntry& wide) {
    if ((wide.arg & KUTRACE_WIDE_RESULT) == 0) return std::nullopt;
    LooseEntry result = wide;
    result.arg &= ~KUTRACE_WIDE_ARGUMENT;
    wide.arg &= ~KUTRACE_WIDE_RESULT;
    return result;
  }

  // ---- losses -------------------------------------------------------------------------------

  // Of the machine that is read, by its own clock.
  void lose(CpuId own, unsigned reason, Ns begin, Ns end) {
    lose_between(numbers_->cpu(own), reason, numbers_->time(begin), numbers_->time(end));
  }

  void lose_between(CpuId cpu, unsigned reason, Ticks begin, Ticks end) {
    if (begin < end) writer_.names().add(loss_entry({cpu, reason, begin, end}));
  }

  void lose_around(const Machine& machine, Ticks stop) {
    const Ticks machine_end = std::max(counter(machine.end), machine.last);
    for (const CpuId own : machine.facts.cpus) {
      const CpuId cpu = machine.first_cpu + own;
      lose_between(cpu, KUTRACE_LOSS_UNWRITTEN, kFirstTick, counter(machine.begin));
      lose_between(cpu, KUTRACE_LOSS_UNWRITTEN, machine_end, stop);
    }
  }

  std::vector<Machine>& machines_;
  const JoinedRpcs& rpcs_;
  TickRate rate_;
  TraceClock clock_;  // of the whole
  Ns begin_;          // time 0 of the whole, by the first machine's clock
  RawWriter writer_;
  MachineNames names_;
  SharedNumbers shared_;
  // Of the machine that is read.
  std::unique_ptr<MachineNumbers> numbers_;
  std::map<CpuId, CpuState> state_;
  Ns began_ = 0;
  std::optional<Ns> wrapped_since_;  // what was before a CPU's first block is overwritten
};

Result<std::vector<Machine>> placed(const std::vector<MachineTrace>& traces) {
  std::vector<Machine> machines;
  CpuId next = 0;
  for (const MachineTrace& trace : traces) {
    Machine& machine = machines.emplace_back();
    machine.trace = &trace;
    machine.facts = timeline::stream_facts(machine.layout());
    machine.first_cpu = next;
    machine.cpus = machine.facts.cpus.empty() ? 0 : machine.facts.cpus.back() + 1;
    machine.begin = trace.time(machine.facts.begin);
    if (machine.cpus > kMostCpus - next)
      return fail(about(trace.name, "makes more than 65,536 CPUs of all machines"));
    next += machine.cpus;
    const Ns apart = machine.begin - machines.front().begin;
    if (std::max(apart, -apart) > kLongest / 2)
      return fail(about(trace.name, "is years away from the first by their clocks"));
  }
  return machines;
}

}  // namespace

Status check_joinable(const std::string& name, const timeline::TraceLayout& layout,
                      const timeline::TraceLayout& first) {
  if (!layout.facts.has(fact::kSource)) {
    return fail(about(name, "was not recorded by kutrace")
                    .with_hint("KUtrace's own files lack what tells two machines apart"));
  }
  if (!machines_of(layout.facts).empty()) {
    return fail(about(name, "holds several machines already")
                    .with_hint("align the traces of all machines at once"));
  }
  const std::string own = architecture(layout);
  const std::string of_first = architecture(first);
  if (own != of_first) {
    return fail(about(name, own.empty() || of_first.empty()
                                ? "may be of another architecture than the first: one does not say"
                                : fmt::format("is of another architecture ({}) than the first ({})",
                                              own, of_first)));
  }
  constexpr const char* kHint = "record all machines with the same --events and source";
  if (sorted_groups(layout) != sorted_groups(first)) {
    return fail(about(name, fmt::format("holds other kinds of events ({}) than the first ({})",
                                        fact::to_text(sorted_groups(layout)),
                                        fact::to_text(sorted_groups(first))))
                    .with_hint(kHint));
  }
  if (layout.facts.get(fact::kFaultReturns) != first.facts.get(fact::kFaultReturns)) {
    return fail(about(name, "differs from the first in whether page faults have a return")
                    .with_hint(kHint));
  }
  return {};
}

bool is_same_recording(const timeline::TraceLayout& one, const timeline::TraceLayout& other) {
  const auto boot = one.facts.get(fact::kBootId);
  const auto start = one.facts.get(fact::kStartMonotonicNs);
  return boot && start && boot == other.facts.get(fact::kBootId) &&
         start == other.facts.get(fact::kStartMonotonicNs);
}

// The blocks of names at the file's begin are known at its end, so all is read twice; which RPCs
// are one is known before.
Result<RawSummary> join_machines(const std::vector<MachineTrace>& traces, const RawOutput& output) {
  check(!traces.empty() && traces.size() <= MachineNumbers::kMostMachines,
        "machines that a switch can tell apart");
  KUTRACE_ASSIGN(std::vector<Machine> machines, placed(traces));
  const JoinedRpcs rpcs = joined_rpcs(traces);
  std::string front;
  KUTRACE_TRY(Pass(machines, rpcs, [&front](std::uint64_t number, std::string_view bytes) {
                if (number == 0) front = bytes;
                return Status();
              }).run());
  RawSummary summary;
  summary.alike_rpcs = rpcs.alike;
  const auto put = [&](std::string_view bytes) -> Status {
    ++summary.blocks;
    summary.bytes += bytes.size();
    if (output(bytes)) return {};
    return fail(output_error("the raw trace could not be written"));
  };
  KUTRACE_TRY(put(front));
  KUTRACE_TRY(Pass(machines, rpcs, [&put](std::uint64_t number, std::string_view bytes) {
                return number == 0 ? Status() : put(bytes);
              }).run());
  return summary;
}

}  // namespace kutrace::raw
