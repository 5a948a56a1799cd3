// SPDX-License-Identifier: BSD-3-Clause
// Events to entries.
#include "read/import/lowering.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/counted.h"
#include "base/most_cpus.h"
#include "format/call_number.h"
#include "format/ending_call.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/lost_entries.h"
#include "format/syscall_arguments.h"
#include "format/syscall_names.h"
#include "kutrace/abi.h"
#include "kutrace/inserts.h"
#include "kutrace/interrupts.h"
#include "read/import/kernel_names.h"
#include "read/import/tracepoints.h"

namespace kutrace::read {

namespace {

constexpr Ticks kFirstTick = 1;             // a trace's counter does not begin at 0
constexpr Ticks kFarAhead = 5'000'000'000;  // CPUs without work have events more often
constexpr std::int64_t kX32Bit = 0x40000000;
constexpr unsigned kRtSigreturn = 15;  // of x86-64
constexpr std::int64_t kIdleEnds = 0xffffffff;
// States of a thread that was switched away: one of these bits, or those that older kernels add
// where a thread with such a bit was preempted.
constexpr std::int64_t kBlockedStates = 0xff;
constexpr std::int64_t kPreemptedStates = 0xc00;
constexpr std::int64_t kCloneThread = 0x10000;

EventNum irq_event(std::int64_t irq) {
  return KUTRACE_FIRST_IRQ | kutrace_irq_slot(static_cast<std::uint32_t>(irq));
}

EventNum vector_event(std::int64_t vector) {
  return kutrace_vector_event(static_cast<std::uint32_t>(vector));
}

// What inter-processor interrupts of arm64 are for.
struct IpiReason {
  std::string_view text;
  EventNum event;
};

constexpr IpiReason kIpiReasons[] = {
    {"Rescheduling interrupts", KUTRACE_IRQ_RESCHEDULE},
    {"Function call interrupts", KUTRACE_IRQ_CALL_MANY},
    {"Timer broadcast interrupts", KUTRACE_IRQ_LOCAL_TIMER},
    {"IRQ work interrupts", KUTRACE_IRQ_IRQ_WORK},
};

// A write to a descriptor that cannot be open. write has this number on x86-64, or that on arm64.
bool is_written_mark(unsigned call, const KernelEvent& event) {
  return (call == 1 || call == 64) && event.known >= 3 &&
         (event.numbers[1] | 1) == std::int64_t{KUTRACE_ENTRY_FD};
}

RawWriter::Options writer_options(const std::string& source, std::uint64_t wall_usec) {
  RawWriter::Options options;
  options.source = source;
  options.start = {kFirstTick, wall_usec};
  options.rate = {1, 1};
  return options;
}

// Until then nobody has said who ran on the CPU.
LooseEntry unseen(CpuId cpu, Ticks until) {
  return loss_entry({cpu, KUTRACE_LOSS_UNSEEN, kFirstTick, until, KUTRACE_LOSS_UNKNOWN_COUNT});
}

// The event comes at the end. Nothing else of its CPU was recorded meanwhile.
Ns begin_of_nmi(const KernelEvent& event) {
  return event.time - std::clamp<Ns>(event.numbers[0], 0, std::max<Ns>(event.time, 0));
}

std::uint32_t low16(std::int64_t value) { return static_cast<std::uint32_t>(value & 0xffff); }

// A switch has room for these, and -1 is nobody.
bool can_be_thread(std::int64_t number) {
  return number >= kNoPid && number <= std::int64_t{KUTRACE_SWITCH_PID_MASK};
}

bool can_come(std::int64_t thread) { return thread >= 0 && can_be_thread(thread); }

bool is_possible(const KernelEvent& event) {
  if (event.cpu >= kMostCpus || !can_be_thread(event.pid)) return false;
  if (event.what == What::kSwitch && !can_come(event.numbers[2])) return false;
  if (event.what == What::kFrequency && (event.numbers[1] < 0 || event.numbers[1] >= kMostCpus))
    return false;
  for (unsigned i = 0, left = thread_numbers(event.what); left != 0; ++i, left >>= 1)
    if ((left & 1) != 0 && !can_be_thread(event.numbers[i])) return false;
  return true;
}

// A CPU's frequency may be told by another one.
bool is_of_other_cpu(const KernelEvent& event) {
  return event.what == What::kFrequency && event.known > 1 &&
         event.numbers[1] != std::int64_t{event.cpu};
}

// Whether a time is that of something else, which lies behind all that happened.
bool is_far_behind(Ticks last, Ticks time) {
  return time > last && time - last > std::max(kFarAhead, last - kFirstTick);
}

unsigned call_number(std::int64_t number) {
  return static_cast<unsigned>(number & ~kX32Bit & 0x7fffffff);
}

// Replaces the registers, and the number of the call with them.
unsigned rt_sigreturn(std::string_view machine) {
  for (const auto& [number, name] : syscall_names(machine))
    if (std::string_view(name) == "rt_sigreturn") return number;
  return kRtSigreturn;
}

bool is_left_blocked(std::int64_t state) {
  return (state & kBlockedStates) != 0 && (state & kPreemptedStates) == 0;
}

}  // namespace

Lowering::Lowering(Options options, BlockOutput output)
    : options_(std::move(options)),
      writer_(writer_options(options_.source, options_.wall_usec), std::move(output)) {
  if (options_.is_monotonic && options_.begin > 0)
    names().add(fact::kStartMonotonicNs, static_cast<std::uint64_t>(options_.begin));
  names().add_name(kind::kPID_NAME, 0, "-idle-");
  for (const auto& [number, name] : syscall_names(options_.machine)) {
    names().add_name(kind::kSYSCALL_NAME, KUTRACE_MAP_SYSCALL(number), name);
    if (ends_thread(name)) last_calls_.push_back(number);
    if (number >= argument_counts_.size()) argument_counts_.resize(number + 1);
    if (const auto* const arguments = arguments_of(name))
      argument_counts_[number] = arguments->size();
  }
}

Lowering::Cpu& Lowering::of(CpuId cpu) {
  if (cpu >= cpus_.size()) cpus_.resize(cpu + std::size_t{1});
  return cpus_[cpu];
}

void Lowering::records(What what) {
  told_[static_cast<std::size_t>(what)] = true;
  if (what == What::kNewTask) records(What::kFork);
}

void Lowering::has(CpuId cpu) {
  if (cpu < kMostCpus) of(cpu).said = true;
}

Ticks Lowering::ticks(Ns time) const {
  const Ns since = time > options_.begin ? time - options_.begin : 0;
  return kFirstTick + static_cast<Ticks>(since);
}

Status Lowering::put(CpuId cpu, EventNum event, std::uint32_t argument) {
  return writer_.put(cpu, of(cpu).last, event, argument);
}

Status Lowering::put_return(CpuId cpu, EventNum call, std::int64_t result) {
  return writer_.put_return(cpu, of(cpu).last, call, static_cast<std::uint16_t>(result));
}

void Lowering::name(Pid pid, std::string_view name) {
  Thread& thread = threads_[pid];
  thread.name = name;
  if (thread.first_name.empty()) thread.first_name = name;
}

void Lowering::finally_called(Pid pid, std::string_view name) {
  const auto found = threads_.find(pid);
  if (found != threads_.end() && found->second.first_name.empty()) this->name(pid, name);
}

void Lowering::belongs(Pid pid, Pid process, Pid parent) {
  Thread& thread = threads_[pid];
  thread.process = process;
  thread.parent = parent;
}

Status Lowering::put_name(CpuId cpu, Pid pid, std::string_view name) {
  if (pid <= 0 || name.empty()) return {};
  Thread& thread = threads_[pid];
  if (thread.name == name) return {};
  const bool is_first = thread.first_name.empty();
  this->name(pid, name);
  if (is_first && !thread.born) return {};
  return writer_.put(cpu, of(cpu).last,
                     name_entry(kind::kPID_NAME, static_cast<std::uint32_t>(pid), name));
}

// Where the file tells of another thread than the one last switched to, a switch is missing.
Status Lowering::who_runs(CpuId cpu, Pid pid) {
  Cpu& state = of(cpu);
  if (pid == kNoPid || (state.known && state.running == pid)) return {};
  const std::uint32_t missing = state.known ? KUTRACE_SWITCH_UNSEEN : 0;
  state.known = true;
  state.running = pid;
  Thread& thread = threads_[pid];
  thread.woken = false;
  thread.fresh = false;
  // Without switches nothing else tells that it has left the CPU where it was found before.
  const CpuId before = std::exchange(thread.found_on, cpu);
  if (!told(What::kSwitch) && before != kNoCpu && before != cpu && of(before).running == pid)
    of(before).known = false;
  KUTRACE_TRY(put(cpu, ev::kUSERPID,
                  (static_cast<std::uint32_t>(pid) & KUTRACE_SWITCH_PID_MASK) | missing));
  return put_family(cpu, pid);
}

// Of a thread that runs. Where the file tells of new threads, the front tells of the others.
Status Lowering::put_family(CpuId cpu, Pid pid) {
  Thread& thread = threads_[pid];
  if (told(What::kFork) || pid <= 0 || thread.process == kNoPid) return {};
  if (std::exchange(thread.family_told, true)) return {};
  const unsigned flags = is_kernel_thread(pid, thread) ? KUTRACE_TASK_KERNEL_THREAD : 0U;
  return writer_.put(cpu, of(cpu).last,
                     task_entry({pid, thread.process, thread.parent, flags, {}}));
}

Status Lowering::push(const KernelEvent& event) {
  if (!is_possible(event)) return doubt(event);
  if (is_of_other_cpu(event)) {
    KernelEvent of_it = event;
    of_it.cpu = static_cast<CpuId>(event.numbers[1]);
    of_it.pid = kNoPid;
    return push(of_it);
  }
  KUTRACE_TRY(settle(event.cpu, event.time));
  Cpu& state = of(event.cpu);
  if (!is_far_ahead(state, event.time)) return take(event);
  state.held = event;
  return {};
}

// What cannot be. A switch may still tell who comes, or at least that another one runs.
Status Lowering::doubt(const KernelEvent& event) {
  ++impossible_;
  if (event.what != What::kSwitch || event.cpu >= kMostCpus) return {};
  if (can_come(event.numbers[2])) {
    KernelEvent rest = event;
    rest.numbers[0] = rest.pid = kNoPid;
    return push(rest);
  }
  KUTRACE_TRY(settle(event.cpu, event.time));
  // Until then the one ran who was left.
  Cpu& state = of(event.cpu);
  const bool left = state.known && event.numbers[0] == state.running;
  if (left && !is_far_ahead(state, event.time))
    state.last = std::max(state.last, ticks(event.time));
  return lose(event.cpu, event.time, KUTRACE_LOSS_DAMAGED);
}

bool Lowering::is_far_ahead(const Cpu& cpu, Ns time) const {
  return ticks(time) - std::min(std::max(cpu.last, kFirstTick), ticks(time)) > kFarAhead;
}

// What comes next on the CPU says whether the one that is held was where it says: what follows it
// does so, too, and what followed the one before it has a wrong time of its own if it is older yet.
Status Lowering::settle(CpuId cpu, Ns next) {
  Cpu& state = of(cpu);
  if (!state.held) return {};
  const KernelEvent held = *std::exchange(state.held, std::nullopt);
  const bool is_between =
      ticks(next) >= state.last && ticks(next) < ticks(held.time) - kFarAhead / 2;
  if (!is_between) return take(held);
  leave_out(held);
  return {};
}

void Lowering::leave_out(const KernelEvent& event) {
  ++ahead_;
  first_ahead_ = std::min(first_ahead_, event.time);
}

// Nothing comes behind them. Of all CPUs' last events the latest ones may lie where nothing else
// happened.
Status Lowering::take_held() {
  std::vector<Cpu*> latest;
  for (Cpu& cpu : cpus_)
    if (cpu.held) latest.push_back(&cpu);
  std::ranges::sort(latest, {}, [](const Cpu* cpu) { return cpu->held->time; });
  for (; !latest.empty(); latest.pop_back()) {
    const Ticks before = latest.size() > 1 ? ticks(latest.end()[-2]->held->time) : 0;
    if (!is_far_behind(std::max(before, last()), ticks(latest.back()->held->time))) break;
    leave_out(*std::exchange(latest.back()->held, std::nullopt));
  }
  for (Cpu& cpu : cpus_)
    if (cpu.held) KUTRACE_TRY(take(*std::exchange(cpu.held, std::nullopt)));
  return {};
}

Ticks Lowering::last() const {
  Ticks last = kFirstTick;
  for (const Cpu& cpu : cpus_) last = std::max(last, cpu.last);
  return last;
}

// Ends that are told may be those of events that were left out, or of what is no event.
Ticks Lowering::end_of_all(Ns told) {
  const Ticks at_least = last();
  if (told >= first_ahead_) return at_least;
  end_is_far_ = is_far_behind(at_least, ticks(told));
  return end_is_far_ ? at_least : std::max(at_least, ticks(told));
}

Status Lowering::take(const KernelEvent& event) {
  Cpu& state = of(event.cpu);
  const bool is_nmi = event.what == What::kNmi;
  const Ticks now = ticks(is_nmi ? begin_of_nmi(event) : event.time);
  if (now < state.last && !is_nmi) ++clamped_;
  state.last = std::max({now, state.last, kFirstTick});
  Pid pid = event.what == What::kSwitch ? event.number_as_pid(0) : event.pid;
  // A thread that starts a program has its new number by now.
  if (event.what == What::kExec && event.known > 1) pid = event.number_as_pid(1);
  const bool only_comes = event.what == What::kSwitch && pid == kNoPid && !state.known;
  if (only_comes) pid = event.number_as_pid(2);
  // What happens while nobody knows who runs has no place.
  if (pid == kNoPid && !state.known) {
    if (event.what == What::kRename) name(event.number_as_pid(0), event.text(1));
    return {};
  }
  if (!state.begun) KUTRACE_TRY(begin(event.cpu));
  if (state.lost) write_loss(event.cpu, state.last);
  records(event.what);
  KUTRACE_TRY(who_runs(event.cpu, pid));
  return only_comes ? put_name(event.cpu, pid, event.text(1)) : convert(event);
}

Counters Lowering::found() const {
  Counters found;
  if (clamped_ != 0) found.add(Counter::kTimeClamped, clamped_);
  const std::uint64_t bad = impossible_ + ahead_ + (end_is_far_ ? 1 : 0);
  if (bad != 0) found.add(Counter::kEntryBadLength, bad);
  return found;
}

Status Lowering::begin(CpuId cpu) {
  if (++begun_ > options_.most_cpus)
    return fail(input_error("has events of more CPUs than a file of its size can tell of")
                    .with_hint("is it damaged?"));
  Cpu& state = of(cpu);
  state.begun = true;
  if (state.last > kFirstTick) names().add(unseen(cpu, state.last));
  return {};
}

Status Lowering::lose(CpuId cpu, Ns end, unsigned reason, std::uint64_t entries) {
  if (cpu >= kMostCpus) return {};
  KUTRACE_TRY(settle(cpu, end));
  Cpu& state = of(cpu);
  state.known = false;
  if (!state.begun) {
    if (entries != KUTRACE_LOSS_UNKNOWN_COUNT) lost_before_ += entries;
    return {};
  }
  // The event before it happened. It lasts until it is known again who runs.
  if (!state.lost) state.lost = LossFacts{cpu, reason, state.last + 1, 0, 0};
  state.lost->entries = add_lost(state.lost->entries, entries);
  // What comes next may lie far ahead, too.
  if (!is_far_ahead(state, end)) state.last = std::max(state.last, ticks(end));
  return {};
}

Status Lowering::lose_rest(Ns end) {
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu) KUTRACE_TRY(lose(cpu, end, KUTRACE_LOSS_DAMAGED));
  return {};
}

void Lowering::write_loss(CpuId cpu, Ticks end) {
  LossFacts& loss = *of(cpu).lost;
  loss.end = end;
  if (loss.end > loss.begin) names().add(loss_entry(loss));
  of(cpu).lost.reset();
}

Status Lowering::convert(const KernelEvent& event) {
  switch (event.what) {
    case What::kSwitch:
    case What::kWaking:
    case What::kWakeup:
    case What::kWakeupNew:
    case What::kFork:
    case What::kNewTask:
    case What::kExec:
    case What::kRename:
    case What::kExit:
      return convert_of_thread(event);
    case What::kSyscall:
      return called(event);
    case What::kSyscallReturn:
      return returned(event);
    default:
      return convert_of_cpu(event);
  }
}

Status Lowering::convert_of_thread(const KernelEvent& event) {
  switch (event.what) {
    case What::kSwitch:
      return switched(event);
    case What::kFork:
      return born(event.cpu, event.number_as_pid(0), event.number_as_pid(1), event.text(1));
    case What::kNewTask:
      return made(event);
    case What::kExec:
      return started(event);
    case What::kRename:
      KUTRACE_TRY(put_name(event.cpu, event.number_as_pid(0), event.text(0)));
      return put_name(event.cpu, event.number_as_pid(0), event.text(1));
    case What::kExit:
      return {};
    default:
      return woken(event);
  }
}

Status Lowering::convert_of_cpu(const KernelEvent& event) {
  const CpuId cpu = event.cpu;
  const auto number = static_cast<std::uint32_t>(event.numbers[0]);
  switch (event.what) {
    case What::kIrq:
    case What::kVector:
      return interrupted(event);
    case What::kIrqReturn:
      return put_return(cpu, irq_event(event.numbers[0]), event.numbers[1]);
    case What::kVectorReturn:
      return put_return(cpu, vector_event(event.numbers[0]));
    case What::kSoftirq:
      return put(cpu, KUTRACE_IRQ_BH, number & 0xff);
    case What::kSoftirqReturn:
      return put_return(cpu, KUTRACE_IRQ_BH, number & 0xff);
    case What::kNmi:
      return handled_nmi(event);
    case What::kFault:
      return put(cpu, KUTRACE_PAGE_FAULT, number & 0xffff);
    case What::kFaultReturn:
      return told(What::kFault) ? put_return(cpu, KUTRACE_PAGE_FAULT, event.numbers[0]) : Status();
    case What::kSendIpi:
      return put(cpu, ev::kSEND_IPI, number);
    case What::kSendIpis:
      return put(cpu, ev::kSEND_IPI, 0);
    case What::kIpi:
    case What::kIpiReturn:
      return signaled(event);
    case What::kIdle:
      if ((event.numbers[0] & kIdleEnds) == kIdleEnds)
        return put(cpu, ev::kMONITOR_EXIT, KUTRACE_IDLE_EXIT);
      return put(cpu, ev::kMWAIT, ((number + 1) & 0xffff) << KUTRACE_IDLE_STATE_SHIFT);
    case What::kFrequency:
      return put(cpu, ev::kFREQUENCY_NOTICE, number / 1000);
    case What::kSample:
      return writer_.put_sample(cpu, of(cpu).last,
                                event.numbers[1] != 0 ? ev::kPC_USER : ev::kPC_KERNEL, 0,
                                static_cast<std::uint64_t>(event.numbers[0]));
    default:
      return {};
  }
}

Status Lowering::switched(const KernelEvent& event) {
  const Pid from = event.number_as_pid(0);
  const Pid to = event.number_as_pid(2);
  KUTRACE_TRY(put_name(event.cpu, from, event.text(0)));
  KUTRACE_TRY(put_name(event.cpu, to, event.text(1)));
  threads_[to].woken = false;
  threads_[to].fresh = false;
  of(event.cpu).running = to;
  const bool blocked = is_left_blocked(event.numbers[1]);
  KUTRACE_TRY(put(event.cpu, ev::kUSERPID,
                  (static_cast<std::uint32_t>(to) & KUTRACE_SWITCH_PID_MASK) |
                      (blocked ? KUTRACE_SWITCH_BLOCKED : KUTRACE_SWITCH_RUNNABLE)));
  return put_family(event.cpu, to);
}

// sched_waking comes where a thread is woken; sched_wakeup may tell the same again, elsewhere.
Status Lowering::woken(const KernelEvent& event) {
  const Pid pid = event.number_as_pid(0);
  KUTRACE_TRY(put_name(event.cpu, pid, event.text(0)));
  Thread& thread = threads_[pid];
  if (event.what == What::kWakeup && thread.woken) return {};
  thread.woken = true;
  return put(event.cpu, ev::kRUNNABLE, static_cast<std::uint32_t>(pid));
}

// It is of its maker's process, or a process of its own.
Status Lowering::made(const KernelEvent& event) {
  const Pid child = event.number_as_pid(0);
  const Pid maker = of(event.cpu).running;
  if (child <= 0 || threads_[child].fresh) return {};
  const Thread& of_maker = threads_[maker];
  if ((event.numbers[1] & kCloneThread) != 0) {
    belongs(child, of_maker.process, of_maker.parent);
  } else {
    belongs(child, child, of_maker.process == kNoPid ? maker : of_maker.process);
  }
  return born(event.cpu, maker, child, event.text(0));
}

Status Lowering::born(CpuId cpu, Pid maker, Pid child, std::string_view name) {
  if (child <= 0) return {};
  Thread& thread = threads_[child];
  if (std::exchange(thread.fresh, true)) return {};
  thread.born = true;
  thread.woken = false;
  thread.called = false;
  thread.name.clear();
  // A new thread is called as the one that made it.
  const std::string called(name.empty() ? std::string_view(threads_[maker].name) : name);
  KUTRACE_TRY(put_name(cpu, child, called));
  TaskFacts task;
  task.pid = child;
  task.process = thread.process;
  task.parent = thread.parent;
  if (maker == kMotherOfKernelThreads) {
    thread.parent = task.parent = kMotherOfKernelThreads;
    task.flags = KUTRACE_TASK_KERNEL_THREAD;
  }
  return writer_.put(cpu, of(cpu).last, task_entry(task));
}

// A thread that is not its process's first takes the first one's number.
Status Lowering::started(const KernelEvent& event) {
  const Pid now = event.number_as_pid(0);
  const Pid before = event.number_as_pid(1);
  if (event.known < 2 || now == before || now <= 0) return {};
  const Thread& thread = threads_[now];
  LooseEntry entry = task_entry({now, thread.process, thread.parent, KUTRACE_TASK_RENUMBERED, {}});
  entry.payload[0] |= std::uint64_t{static_cast<std::uint32_t>(before)} << 32;
  of(event.cpu).running = now;
  return writer_.put(event.cpu, of(event.cpu).last, entry);
}

std::size_t Lowering::argument_count(unsigned call) const {
  return call < argument_counts_.size() ? argument_counts_[call] : 0;
}

Status Lowering::called(const KernelEvent& event) {
  const unsigned call = call_number(event.numbers[0]);
  Thread& thread = threads_[of(event.cpu).running];
  thread.call = call;
  thread.marks = is_written_mark(call, event);
  if (call == KUTRACE_SYSCALL || thread.marks) return inserted(event, thread.marks);
  thread.called = true;
  const Ticks now = of(event.cpu).last;
  if (call >= KUTRACE_CALLS) {
    WideFacts wide;
    wide.number = call;
    KUTRACE_TRY(writer_.put(event.cpu, now, wide_entry(wide)));
  }
  const std::size_t told = event.known == 0 ? 0 : event.known - std::size_t{1};
  if (const std::size_t count = std::min(told, argument_count(call)); count != 0) {
    LooseEntry entry;
    entry.number = with_length(kind::kARGUMENTS, static_cast<unsigned>(count) + 1);
    for (std::size_t i = 1; i <= count; ++i)
      entry.payload.push_back(static_cast<std::uint64_t>(event.numbers[i]));
    KUTRACE_TRY(writer_.put(event.cpu, now, entry));
  }
  return put(event.cpu, narrow_event(numbered_call_event(call)), low16(event.numbers[1]));
}

// What a program marks its doings with is a call that every tracer of system calls sees; not what
// an address points to, as that of names.
Status Lowering::inserted(const KernelEvent& event, bool is_written) {
  const auto command = static_cast<std::uint64_t>(event.numbers[1]);
  const auto word = static_cast<std::uint64_t>(event.numbers[2]);
  const bool is_word =
      is_written ? command == KUTRACE_WORD_FD
                 : command == KUTRACE_CMD_INSERT1 || command == ~std::uint64_t{KUTRACE_CMD_INSERT1};
  if (!is_word) return {};
  const auto point = static_cast<EventNum>(word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK);
  if (kutrace_is_program_point(point) == 0) return {};
  return put(event.cpu, point, static_cast<std::uint32_t>(word));
}

// rt_sigreturn leaves -1 as the number of the call that ends; -1 may also be what was called.
// A return without a result is one that was not seen: this project's export writes it for readers
// that would take what follows to be within the call. It once wrote returns of last calls, too.
Status Lowering::returned(const KernelEvent& event) {
  Thread& thread = threads_[of(event.cpu).running];
  const auto begun = std::exchange(thread.call, std::nullopt);
  unsigned call = call_number(event.numbers[0]);
  if (event.numbers[0] < 0) call = begun ? *begun : rt_sigreturn(options_.machine);
  if (call == KUTRACE_SYSCALL || std::exchange(thread.marks, false)) return {};
  thread.called = true;
  const bool is_told = event.known > 1;
  if (!is_told || std::ranges::find(last_calls_, call) != last_calls_.end()) return {};
  const std::int64_t result = event.numbers[1];
  WideFacts wide;
  if (call >= KUTRACE_CALLS) wide.number = call;
  if (result != static_cast<std::int16_t>(result)) wide.result = result;
  if (wide.number || wide.result)
    KUTRACE_TRY(writer_.put(event.cpu, of(event.cpu).last, wide_entry(wide)));
  return put_return(event.cpu, narrow_event(numbered_call_event(call)), result);
}

Status Lowering::interrupted(const KernelEvent& event) {
  if (event.what == What::kVector) return put(event.cpu, vector_event(event.numbers[0]));
  const EventNum call = irq_event(event.numbers[0]);
  if (!event.text(0).empty()) irq_names_.try_emplace(call & 0xff, event.text(0));
  return put(event.cpu, call, low16(event.numbers[0]));
}

Status Lowering::signaled(const KernelEvent& event) {
  const auto reason = std::ranges::find(kIpiReasons, event.text(0), &IpiReason::text);
  if (reason == std::end(kIpiReasons)) return {};
  return event.what == What::kIpi ? put(event.cpu, reason->event)
                                  : put_return(event.cpu, reason->event);
}

Status Lowering::handled_nmi(const KernelEvent& event) {
  KUTRACE_TRY(put(event.cpu, KUTRACE_IRQ_NMI));
  Cpu& state = of(event.cpu);
  state.last = std::max(state.last, ticks(event.time));
  return put_return(event.cpu, KUTRACE_IRQ_NMI, event.numbers[1]);
}

bool Lowering::is_kernel_thread(Pid pid, const Thread& thread) const {
  if (thread.called) return false;
  return pid == kMotherOfKernelThreads || thread.parent == kMotherOfKernelThreads ||
         names_kernel_thread(thread.first_name);
}

// Threads that existed before; that others did not is known where new ones are told of.
void Lowering::say_threads() {
  const bool births = told(What::kFork);
  const std::map<Pid, Thread> sorted(threads_.begin(), threads_.end());
  for (const auto& [pid, thread] : sorted) {
    if (pid <= 0 || thread.born) continue;
    names().add_name(kind::kPID_NAME, static_cast<std::uint32_t>(pid), thread.first_name);
    const bool is_kernel = is_kernel_thread(pid, thread);
    if (!births && !is_kernel) continue;
    names().add(task_entry(
        {pid, thread.process, thread.parent, is_kernel ? KUTRACE_TASK_KERNEL_THREAD : 0U, {}}));
  }
  for (const auto& [slot, name] : std::map(irq_names_.begin(), irq_names_.end()))
    names().add_name(kind::kIRQ_NAME, slot, name);
}

void Lowering::say_facts() {
  if (lost_before_ != 0)
    names().add(fact::kUnseen, counted(lost_before_, "event", "events") +
                                   " that were lost before the first one of their CPU");
  if (ahead_ != 0)
    names().add(fact::kUnseen, counted(ahead_, "event", "events") + " far ahead of the others");
  if (end_is_far_) names().add(fact::kUnseen, std::string("an end far ahead of all events"));
  fact::Words groups;
  for (const Told& row : what_is_told()) {
    const bool is_told = told(row.what);
    if (is_told && !row.group.empty() && std::ranges::find(groups, row.group) == groups.end())
      groups.emplace_back(row.group);
    if (!is_told && !row.missed.empty()) names().add(fact::kUnseen, std::string(row.missed));
  }
  names().add(fact::kEvents, groups);
  names().add(fact::kFaultReturns, told(What::kFault) && told(What::kFaultReturn));
  fact::Cpus online;
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu)
    if (cpus_[cpu].begun || cpus_[cpu].said) online.push_back(cpu);
  names().add(fact::kCpusOnline, online);
}

Status Lowering::finish(Ns end) {
  KUTRACE_TRY(take_held());
  const Ticks stop = end_of_all(end);
  say_threads();
  say_facts();
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu)
    if (cpus_[cpu].lost) write_loss(cpu, stop);
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu) {
    if (cpus_[cpu].begun || !cpus_[cpu].said) continue;
    names().add(unseen(cpu, stop));
  }
  const std::uint64_t usec = options_.wall_usec + (stop - kFirstTick) / 1000;
  return writer_.finish({stop, usec});
}

}  // namespace kutrace::read
