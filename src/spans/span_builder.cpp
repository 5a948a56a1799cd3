// SPDX-License-Identifier: BSD-3-Clause
// Dispatch of events to trackers.
#include "spans/span_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/counted.h"
#include "base/text.h"
#include "format/event_groups.h"
#include "format/event_table.h"
#include "format/machine_fact.h"
#include "kutrace/abi.h"
#include "kutrace/labels.h"
#include "model/readings.h"

namespace kutrace::spans {

// Which member handles an event, by its number.
struct SpanBuilder::Handlers {
  using Handler = void (SpanBuilder::*)(const timeline::Event&);
  struct Row {
    EventNum number;
    Handler handler;
  };

  static constexpr Row kPoints[] = {
      {ev::kUSERPID, &SpanBuilder::context_switch},
      {ev::kRUNNABLE, &SpanBuilder::runnable},
      {ev::kSEND_IPI, &SpanBuilder::ipi},
      {ev::kMONITOR_STORE, &SpanBuilder::ipi},
      {ev::kMWAIT, &SpanBuilder::mwait},
      {ev::kFREQUENCY, &SpanBuilder::frequency},
      {ev::kFREQUENCY_NOTICE, &SpanBuilder::frequency_notice},
      {ev::kPC_USER, &SpanBuilder::sample},
      {ev::kPC_KERNEL, &SpanBuilder::sample},
      {ev::kMARK_A, &SpanBuilder::text_mark},
      {ev::kMARK_B, &SpanBuilder::text_mark},
      {ev::kMARK_C, &SpanBuilder::text_mark},
      {ev::kMARK_D, &SpanBuilder::number_mark},
      {ev::kLOCK_TRY, &SpanBuilder::lock},
      {ev::kLOCK_ACQUIRE, &SpanBuilder::lock},
      {ev::kLOCK_RELEASE, &SpanBuilder::lock},
      {ev::kENQUEUE, &SpanBuilder::queue},
      {ev::kDEQUEUE, &SpanBuilder::queue},
      {ev::kRPC_REQUEST, &SpanBuilder::rpc},
      {ev::kRPC_RESPONSE, &SpanBuilder::rpc},
      {ev::kRPC_MIDDLE, &SpanBuilder::rpc},
      {ev::kRX_PACKET, &SpanBuilder::packet},
      {ev::kTX_PACKET, &SpanBuilder::packet},
      {ev::kRX_USER, &SpanBuilder::packet},
      {ev::kTX_USER, &SpanBuilder::packet},
      {ev::kLINK_SPEED, &SpanBuilder::link_speed},
      {ev::kFUNCTION_ENTER, &SpanBuilder::function_begins},
      {ev::kFUNCTION_LEAVE, &SpanBuilder::function_ends},
      {ev::kFUNCTIONS_LEFT_OUT, &SpanBuilder::functions_left_out},
  };
  // Names have their length in the number, so one kind has several numbers.
  // By kind.
  static constexpr Row kNames[] = {
      {kind::kFUNCTION, &SpanBuilder::function},
      {kind::kPID_NAME, &SpanBuilder::thread_name},
      {kind::kKERNEL_VERSION, &SpanBuilder::kernel_version},
      {kind::kCPU_MODEL, &SpanBuilder::cpu_model},
      {kind::kHOST_NAME, &SpanBuilder::host_name},
      {kind::kMETA, &SpanBuilder::meta},
      {kind::kTASK, &SpanBuilder::task},
      {kind::kWIDE, &SpanBuilder::wide},
      {kind::kARGUMENTS, &SpanBuilder::arguments},
      {kind::kCALL_DATA, &SpanBuilder::call_data},
      {kind::kSTACKS, &SpanBuilder::stacks},
      {kind::kPOINT, &SpanBuilder::numbered_moment},
      {kind::kLOSS, &SpanBuilder::loss},
      {kind::kPC_TEMP, &SpanBuilder::sample},
  };

  // For numbers that have no row of their own.
  static constexpr Handler of_class(EventNum number) {
    switch (event_class(number)) {
      case EventClass::kName:
        return &SpanBuilder::name;
      case EventClass::kSyscall:
        return is_scheduler(number) ? &SpanBuilder::call : &SpanBuilder::system_call;
      case EventClass::kTrap:
        return number == ev::kPageFault ? &SpanBuilder::fault : &SpanBuilder::call;
      case EventClass::kTrapReturn:
        return (number & ~ev::kReturnBit) == ev::kPageFault ? &SpanBuilder::end_fault
                                                            : &SpanBuilder::end_call;
      case EventClass::kIrq:
        return &SpanBuilder::call;
      case EventClass::kIrqReturn:
      case EventClass::kSyscallReturn:
        return &SpanBuilder::end_call;
      default:
        return &SpanBuilder::moment;
    }
  }

  static constexpr std::array<Handler, kEventNumbers> by_number() {
    std::array<Handler, kEventNumbers> handlers{};
    for (EventNum number = 0; number < kEventNumbers; ++number) {
      handlers[number] = of_class(number);
      if (event_class(number) != EventClass::kName) continue;
      for (const Row& row : kNames) {
        if (row.number == name_kind(number)) handlers[number] = row.handler;
      }
    }
    // Last: a row says more than a class. The table is made by the compiler, so that each event
    // costs one jump however many kinds there are.
    for (const Row& row : kPoints) handlers[row.number] = row.handler;
    return handlers;
  }

  static Handler of(EventNum number) {
    static constexpr std::array<Handler, kEventNumbers> kTable = by_number();
    return kTable[number];
  }
};

namespace {

// No time is as late, so a trace without changes and captures pays one comparison an event.
constexpr Ns kNoChange = std::numeric_limits<Ns>::max();
constexpr Ns kShortestExit = 100;  // a shorter C-state exit is not worth a span

// Tables by CPU have this size: the highest number, and one for CPU 0.
std::size_t numbers(const timeline::StreamFacts& facts) {
  return facts.cpus.empty() ? 0 : facts.cpus.back() + std::size_t{1};
}

}  // namespace

// Trackers refer to those above them: the order of the members is part of this.
SpanBuilder::SpanBuilder(const timeline::StreamFacts& facts, NameTable& names, SpanSink& sink)
    : facts_(facts),
      names_(names),
      sink_(sink),
      info_(what_is_known()),
      measured_(facts.trailer() != 0),
      groups_(facts.groups),
      next_change_(groups_.any() ? groups_.changes().front().at : kNoChange),
      captured_(facts.packets, facts.clock, info_.begin, names, sink),
      next_due_(std::min(next_change_, captured_.next())),
      book_(names),
      threads_(book_.idle()),
      ids_(facts),
      execution_(book_, threads_, sink, info_.counters, info_.losses,
                 static_cast<Ns>(std::ceil(facts.clock.ns_per_tick()))),
      wakeups_(names, threads_, execution_.calls(), sink, groups_),
      ipis_(names, sink, numbers(facts)),
      lost_(facts, execution_, ipis_, info_),
      news_(facts,
            {names, book_, threads_, ids_, execution_, wakeups_, lost_, sink, info_.counters}),
      locks_(book_, sink),
      functions_(book_, sink, info_.counters),
      messages_(book_, sink),
      wide_numbers_(numbers(facts)),
      arguments_(numbers(facts)),
      descriptors_(facts, names, threads_, info_.losses, info_.counters),
      idle_exit_(facts.facts),
      frequencies_(book_, sink, info_.cpus),
      samples_(names, threads_, sink, facts.code, facts.clock, numbers(facts)),
      stacks_(names, samples_.names(), sink, facts.code.stacks, facts.clock, numbers(facts)),
      ipc_(numbers(facts), IpcAverage(facts.trailer())),
      started_(numbers(facts)) {
  for (const CpuId cpu : info_.cpus) execution_.add_cpu(cpu, info_.begin);
  if (!facts.switches) execution_.hide_owners();
  if (facts.own_source) {
    execution_.begins_are_recorded();
    wakeups_.each_ends_wait();
  }
  execution_.calls().details().follow(descriptors_);
  execution_.follow(functions_);
  messages_.link_speed(static_cast<std::uint32_t>(facts.facts.get(fact::kLinkSpeed).value_or(0)));
  if (!groups_.off_at_first().empty()) leave_out(groups_.off_at_first(), info_.begin);
  sink_.begin(info_);
}

TraceInfo SpanBuilder::what_is_known() const {
  TraceInfo info;
  info.begin = facts_.begin;
  info.end = facts_.end;
  info.wall_usec = facts_.wall_usec;
  info.ns_per_tick = facts_.clock.ns_per_tick();
  info.flags = facts_.flags;
  info.version = facts_.version;
  info.cpus = facts_.cpus;
  info.counters = facts_.counters;
  take_facts(facts_.facts, info);
  return info;
}

// Facts go to sinks that show them, so bytes that are no text become visible here, and counters
// become nanoseconds.
void SpanBuilder::take_facts(const Facts& facts, TraceInfo& info) const {
  info.facts = Facts();
  for (const auto& [key, value] : facts) info.facts.add(key, printable(value));
  for (const CgroupRecord& cgroup : facts_.processes.cgroups) {
    info.facts.add(fact::kCgroup,
                   fmt::format("{} {} {}", cgroup.process, facts_.clock.to_ns(cgroup.at),
                               printable(cgroup.path)));
  }
  CounterRecords readings = facts_.readings;
  for (CounterSeries& series : readings.series) {
    series.unit = printable(series.unit);
    series.name = printable(series.name);
  }
  for (CounterReading& reading : readings.readings)
    reading.at = facts_.clock.to_ns(static_cast<Ticks>(reading.at));
  add_readings(info.facts, readings);
}

void SpanBuilder::push(const timeline::Event& event) {
  const EventNum number = event.entry.number;
  // Before the event itself: it may be the first that its group is off for.
  if (event.time >= next_due_) [[unlikely]]
    catch_up(event.time);
  tally_.add(event);
  if (event_class(number) == EventClass::kName) return (this->*Handlers::of(number))(event);
  if (event.cpu != kNoCpu) return of_cpu(event);
  // Of what is no CPU's (the preamble), names were handled above, and this alone is left.
  if (number == ev::kLINK_SPEED) messages_.link_speed(event.entry.arg);
}

// First what is true before the event, so that it meets the CPU as it was at its time: whether a
// header named another thread, losses whose time has come, the end of a sleep.
void SpanBuilder::of_cpu(const timeline::Event& event) {
  const EventNum number = event.entry.number;
  check(execution_.has_cpu(event.cpu), "events come from CPUs of the stream");
  // (Not the header itself: a loss or the source's own word for a missed switch may follow and
  // explain why it names another thread.)
  if (number == timeline::kBlockStart) return block_start(event);
  const bool is_discovery = number == ev::kUSERPID && decode::is_unseen_switch(event.entry.arg);
  if (lost_.header_waits(event.cpu) && !is_discovery) lost_.settle_header(event.cpu);
  if (number == timeline::kGap) return gap(event);
  lost_.until(event.cpu, event.time);
  if (is_discovery) return unseen_switch(event);
  // What is found lost later begins behind this event.
  execution_.saw(event.cpu, event.time + event.duration);
  // Any event ends the sleep, also one that is then left out: a CPU that records is awake.
  if (execution_.in_low_power(event.cpu)) leave_idle(event);
  if (!left_out_.empty() && is_left_out(group_of(number))) [[unlikely]]
    return info_.counters.add(Counter::kEventOfGroupOff);
  if (number >= ev::kFirstCall) {
    ipis_.begins(event.cpu, number, event.time);
  } else if (measured_ && event.entry.words == 1) {  // longer entries have no byte in the trailer
    ipc_[event.cpu].piece(event.time, event.entry.ipc & 15);
  }
  (this->*Handlers::of(number))(event);
}

// What has a time and is no event.
void SpanBuilder::catch_up(Ns until) {
  apply_changes(until);
  captured_.until(until);
  next_due_ = std::min(next_change_, captured_.next());
}

// ---- groups that are switched on and off ------------------------------------------------------

void SpanBuilder::apply_changes(Ns until) {
  const std::vector<GroupChange>& changes = groups_.changes();
  while (changes_applied_ < changes.size() && changes[changes_applied_].at <= until) {
    const GroupChange& change = changes[changes_applied_++];
    EventGroups groups = left_out_;
    for (const auto group : change.on.with(change.off).each())
      // Of a trace of several machines, each may switch a group: it is off as long as one has it
      // off.
      groups.set(group, groups_.first_off(group, change.at, change.at + 1).has_value());
    leave_out(groups, change.at);
  }
  const bool is_last = changes_applied_ == changes.size();
  next_change_ = is_last ? kNoChange : changes[changes_applied_].at;
}

// Of a stream that is still being recorded; a file tells all changes at its start.
void SpanBuilder::groups_change(const GroupChange& change) {
  groups_.add(change);
  next_change_ = std::min(next_change_, change.at);
  next_due_ = std::min(next_due_, change.at);
}

// What was known of them holds until then.
void SpanBuilder::leave_out(EventGroups groups, Ns at) {
  // Trackers forget at the moment of "off" only.
  const EventGroups anew = groups.without(left_out_);
  left_out_ = groups;
  execution_.leave_out(groups, at);
  if (anew.has_bit(EventGroup::kIrqs))
    for (const CpuId cpu : info_.cpus) ipis_.forget(cpu);
  if (anew.has_bit(EventGroup::kPower))
    for (const CpuId cpu : info_.cpus) frequencies_.forget(cpu, at);
  if (!anew.has_bit(EventGroup::kSyscalls)) return;
  // Marks come by system calls, too: so does all that programs say of locks and RPCs.
  descriptors_.forget();
  locks_.forget();
  messages_.forget();
}

// The trailer's byte of an event that ends a span. Zero in traces without a trailer.
Ipc SpanBuilder::ipc_of(const timeline::Event& event) {
  if (!measured_) return {};
  const auto low = static_cast<std::uint8_t>(event.entry.ipc & 15);
  const auto high = static_cast<std::uint8_t>(event.entry.ipc >> 4);
  return {ipc_[event.cpu].finish(event.time, low, event.time + event.duration), high};
}

// ---- calls ----------------------------------------------------------------------------------

// What stood before the entry is of the call that it begins or ends.
void SpanBuilder::expect_details(const timeline::Event& event, CallNumbers& numbers, bool at_end) {
  std::optional<CallDetails> details = arguments_.take(event);
  const bool has_arguments = details && details->count != 0;
  if (has_arguments) numbers.arg = details->arguments.front();
  if (!at_end) {
    const Pid pid = execution_.pid(event.cpu);
    const NameId name = book_.call(numbers.call, numbers.arg);
    if (!has_arguments) descriptors_.begins_untold(pid, name, event.time, numbers.arg);
    if (details) descriptors_.begins(pid, name, event.time, *details);
  }
  if (!details) return;
  execution_.calls().details().expect(numbers.call, *std::move(details), at_end);
}

void SpanBuilder::call(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  // The number must be whole before anything is looked up by it.
  CallNumbers numbers = wide_numbers_.of_call(event);
  if (arguments_.any() || descriptors_.any()) [[unlikely]] {
    expect_details(event, numbers, false);
  }
  // Numbers that did not fit stood before it: the entry's own are only their low bits.
  if (entry.fold_ticks == 0) {
    execution_.call(event.cpu, event.time, numbers.call, numbers.arg, ipc_of(event));
  } else {
    execution_.folded_call(event.cpu, event.time, event.duration, numbers.call, numbers.arg,
                           numbers.result, ipc_of(event));
    // Of the low 16 bits, which are all that KUtrace's traces have.
    news_.returned(event, numbers.call, entry.result);
  }
  // What this call did not take must not go to the next one of its number.
  execution_.calls().details().expect_nothing();
}

void SpanBuilder::system_call(const timeline::Event& event) {
  // In a recording without them, one that is known to be under way would last for ever: no return
  // is recorded.
  if (facts_.calls) call(event);
}

void SpanBuilder::end_call(const timeline::Event& event) {
  CallNumbers numbers = wide_numbers_.of_return(event);
  const bool any_of_program = functions_.any() || book_.any_shares();
  if (any_of_program && numbers.result.value == 0 && book_.starts_program(numbers.call))
    start_program(execution_.pid(event.cpu), event.time);
  if (arguments_.any()) [[unlikely]] {
    expect_details(event, numbers, true);
  }
  execution_.end_call(event.cpu, event.time, numbers.call, event.entry.arg, numbers.result,
                      ipc_of(event));
  execution_.calls().details().expect_nothing();
  news_.returned(event, numbers.call, static_cast<std::uint16_t>(event.entry.arg));
}

// The functions were the old program's, of which nothing returns.
void SpanBuilder::start_program(Pid pid, Ns now) {
  functions_.end_all(pid, now);
  book_.shares_no_more(pid);
}

// A page fault is a moment where its return is not recorded.
void SpanBuilder::fault(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (facts_.fault_returns || entry.fold_ticks != 0) return call(event);
  // It ends no span, so what the trailer measured until here is kept for the one that does.
  if (entry.words == 1) ipc_[event.cpu].piece(event.time, entry.ipc & 15);
  show(event, SpanKind::kPoint, book_.call(entry.number, entry.arg));
}

void SpanBuilder::end_fault(const timeline::Event& event) {
  if (facts_.fault_returns || event.entry.fold_ticks != 0) end_call(event);
}

// ---- blocks ---------------------------------------------------------------------------------

void SpanBuilder::block_start(const timeline::Event& event) {
  const CpuId cpu = event.cpu;
  const bool first = !started_[cpu];
  started_[cpu] = true;
  // What names calls comes before all blocks.
  if (info_.blocks++ == 0) {
    for (const auto& [pid, call] : facts_.calls_at_begin) news_.was_in_call(pid, call, info_.begin);
  }
  if (first && event.entry.result != 0) frequencies_.starts(cpu, event.time, event.entry.result);
  // Not before version 3.
  const bool names_thread = event.entry.words > 1;
  const std::string comm = event.entry.payload_text();
  ids_.saw_name(comm);
  Pid pid = ids_.of_header(event.entry.arg);
  if (names_thread) news_.name(event.time, cpu, pid, comm);
  if (ids_.is_idle(pid)) pid = 0;
  // The recorded time begins with the oldest block of any CPU. This CPU's older ones are
  // overwritten.
  if (first && facts_.wrapped && event.time > info_.begin) {
    lost_.lose(cpu, info_.begin, event.time, KUTRACE_LOSS_OVERWRITTEN);
  }
  if (!names_thread) return;
  // Headers repeat what events named, perhaps long ago.
  if (!facts_.switches && execution_.names_threads(cpu)) return;
  // At the start and after a loss, the header is all that says who runs; without switches it is
  // always.
  if (!execution_.known(cpu) || !facts_.switches) {
    execution_.running(cpu, pid);
    wakeups_.found_running(pid);
  } else if (execution_.pid(cpu) != pid) {
    lost_.header_names(cpu, event.time, pid);
  }
}

// ---- threads and CPUs -----------------------------------------------------------------------

void SpanBuilder::context_switch(const timeline::Event& event) {
  if (!facts_.switches) return found(event);
  const Pid from = execution_.pid(event.cpu);
  const bool known = execution_.known(event.cpu);
  const std::uint32_t arg = event.entry.arg;
  const Pid to = ids_.of_event(decode::switched_to(arg));
  // The source reads the old thread's state at the switch, where it is certain.
  const Left left = (arg & KUTRACE_SWITCH_RUNNABLE) != 0  ? Left::kRunnable
                    : (arg & KUTRACE_SWITCH_BLOCKED) != 0 ? Left::kBlocked
                                                          : Left::kUnknown;
  const bool hidden = facts_.filtered && decode::is_hidden_switch(arg);
  // In a filtered recording a "switch" to the thread that runs says that the filter's answer
  // changed.
  if (facts_.filtered && known && to == from && decode::is_statement(arg))
    return execution_.hide_from(event.cpu, event.time, hidden, ipc_of(event));
  const NameId stack = stack_of(event);
  // The queue point of the thread that goes takes effect before it is gone.
  if (known) messages_.switched_away(event.time, from, execution_.rpc(event.cpu));
  execution_.context_switch(event.cpu, event.time, to, ipc_of(event));
  if (known) {
    // After execution, whose time counts: it may have moved the switch behind what the thread did
    // elsewhere. A wait must end exactly there.
    wakeups_.switched(event.cpu, execution_.open_since(event.cpu), from, left, to);
  } else {
    wakeups_.found_running(to);
  }
  // After switched(), which forgets the thread's stack of the last time.
  if (stack != kNoName && known) wakeups_.left_with_stack(from, stack);
  execution_.hide(event.cpu, hidden);
}

// What stands before it says of the thread that runs, or was left by this switch.
NameId SpanBuilder::stack_of(const timeline::Event& event) {
  if (!stacks_.waits(event.cpu)) return kNoName;
  const Pid pid = execution_.pid(event.cpu);
  const Thread* const thread = threads_.find(pid);
  // Code is mapped for a process: its threads share what stands at an address.
  const bool known = thread != nullptr && thread->info.process != kNoPid;
  return stacks_.take(event, known ? thread->info.process : pid);
}

// Without switches: the first event of another thread. When it came, and what it did until then, is
// not known.
void SpanBuilder::found(const timeline::Event& event) {
  const Pid pid = ids_.of_event(decode::switched_to(event.entry.arg));
  lost_.forget_header(event.cpu);
  execution_.found(event.cpu, event.time, pid);
  wakeups_.found_running(pid);
}

// The source found another thread running than it had recorded: a switch never reached its hook.
void SpanBuilder::unseen_switch(const timeline::Event& event) {
  if (!facts_.switches) return found(event);
  const Pid pid = ids_.of_event(decode::switched_to(event.entry.arg));
  const bool hidden = decode::is_hidden_switch(event.entry.arg);
  lost_.forget_header(event.cpu);  // of a block that begins with it
  if (execution_.known(event.cpu) && execution_.pid(event.cpu) == pid)
    return execution_.hide(event.cpu, hidden);
  info_.counters.add(Counter::kUnseenSwitch);
  // The last event before is the last moment at which the thread that was known ran for certain.
  const Ns since = execution_.last_seen(event.cpu);
  // The thread that was found waited until then at most. When and how the other one left is not
  // known, so no wait of it begins (0).
  wakeups_.switched(event.cpu, since, 0, Left::kUnknown, pid);
  lost_.lose(event.cpu, since, event.time, KUTRACE_LOSS_UNSEEN);
  execution_.running(event.cpu, pid);
  execution_.hide(event.cpu, hidden);
}

// A thread wakes on its own account, an interrupt, or idle that it ends, perhaps for who sent it.
void SpanBuilder::runnable(const timeline::Event& event) {
  // Without switches nobody knows whether the thread waited, or when it ran.
  if (!facts_.switches) return moment(event);
  const Frame& waker = execution_.top(event.cpu);
  const Pid pid = execution_.pid(event.cpu);
  const bool is_sent = waker.level >= Level::kSoftirq || pid == 0;
  // A thread that an interrupt is not seen in has woken nobody.
  const bool may_be_interrupted =
      is_left_out(EventGroup::kIrqs) || is_left_out(EventGroup::kSoftirqs);
  if (may_be_interrupted && waker.level < Level::kSoftirq) {
    wakeups_.wake_by_unknown(event.cpu, event.time, ids_.of_event(event.entry.arg));
    return moment(event);
  }
  wakeups_.wake(event.cpu, event.time, pid, waker, is_sent ? ipis_.reason(event.cpu) : '\0',
                ids_.of_event(event.entry.arg));
  moment(event);
}

void SpanBuilder::ipi(const timeline::Event& event) {
  // The sender's routine is kept with the interrupt: on the other CPU it alone can say what for.
  ipis_.sent(event.cpu, event.entry.arg, event.time, event.entry.number == ev::kMONITOR_STORE,
             wakeups_.reason_of(execution_.top(event.cpu)));
  moment(event);
}

void SpanBuilder::mwait(const timeline::Event& event) {
  // Where another thread is known to run, a switch to idle was missed: who sleeps is not it.
  if (idle_exit_.is_low_power(event.entry.arg) && execution_.pid(event.cpu) == 0) {
    execution_.enter_low_power(event.cpu, event.time, event.entry.arg, ipc_of(event));
  }
  moment(event);
}

void SpanBuilder::leave_idle(const timeline::Event& event) {
  const Ns slept_since = execution_.open_since(event.cpu);
  Ns latency =
      std::min(idle_exit_.latency(execution_.low_power_arg(event.cpu)), event.time - slept_since);
  // Measured where it can be: what the cpuidle driver states is the same for every exit.
  if (const Ns sent = ipis_.woke(event.cpu, slept_since, event.time); sent != kNever) {
    latency = event.time - sent;
    info_.counters.add(Counter::kCExitMeasured);
  }
  execution_.leave_low_power(event.cpu, event.time, latency >= kShortestExit ? latency : 0,
                             ipc_of(event));
}

void SpanBuilder::frequency(const timeline::Event& event) {
  frequencies_.sampled(event.cpu, event.time, event.entry.arg);
}

void SpanBuilder::frequency_notice(const timeline::Event& event) {
  frequencies_.changes(event.cpu, event.time, event.entry.arg);
}

void SpanBuilder::sample(const timeline::Event& event) {
  if (event.cpu == kNoCpu) return;
  if (event.entry.arg != 0) frequencies_.ran(event.cpu, event.time, event.entry.arg);
  Span span = point_span(event, SpanKind::kSample);
  span.stack = stack_of(event);
  samples_.push(span, event.entry.payload_word(0));
}

// ---- what programs say ----------------------------------------------------------------------

void SpanBuilder::text_mark(const timeline::Event& event) {
  execution_.user_evidence(event.cpu);
  const std::uint32_t arg = event.entry.arg;
  // Six letters of base 40 are the number itself; a larger number was given a name by the program.
  const std::string label = arg < KUTRACE_FIRST_LONG_LABEL
                                ? base40_text(arg)
                                : book_.label(execution_.pid(event.cpu), arg);
  if (event.entry.number == ev::kMARK_C)
    program_counters_.mark(execution_.pid(event.cpu), label, event.time);
  const std::string text = fmt::format("{}={}", point_name(event.entry.number), label);
  show(event, SpanKind::kMark, names_.intern(text));
}

void SpanBuilder::number_mark(const timeline::Event& event) {
  execution_.user_evidence(event.cpu);
  show(event, SpanKind::kMark);
}

void SpanBuilder::lock(const timeline::Event& event) {
  execution_.user_evidence(event.cpu);
  const Pid pid = execution_.pid(event.cpu);
  locks_.push(event.time, pid, event.entry.number, event.entry.arg);
  show(event, SpanKind::kPoint, book_.lock(pid, event.entry.arg));
}

void SpanBuilder::queue(const timeline::Event& event) {
  const Pid pid = execution_.pid(event.cpu);
  messages_.queue(pid, event.entry.number, event.entry.arg);
  show(event, SpanKind::kPoint, book_.queue(pid, event.entry.arg));
}

void SpanBuilder::rpc(const timeline::Event& event) {
  const Pid pid = execution_.pid(event.cpu);
  const std::uint32_t id = rpc_id(event.entry.arg);
  messages_.rpc(event.entry.number, event.time, pid, execution_.rpc(event.cpu), event.entry.arg);
  execution_.set_rpc(event.cpu, event.time, id, ipc_of(event));
  show(event, SpanKind::kPoint, id != 0 ? book_.rpc(pid, event.entry.arg) : kNoName);
}

void SpanBuilder::packet(const timeline::Event& event) {
  messages_.packet(event.time, execution_.pid(event.cpu), event.entry.number, event.entry.arg);
  show(event, SpanKind::kPoint, book_.packet(event.entry.number, event.entry.arg));
}

void SpanBuilder::link_speed(const timeline::Event& event) {
  messages_.link_speed(event.entry.arg);
  moment(event);
}

Functions::Owner SpanBuilder::function_owner(CpuId cpu) {
  const Pid pid = execution_.pid(cpu);
  const Thread& thread = threads_.get(pid);
  const Ns since = thread.life.begin != kNotYet ? thread.life.begin : execution_.open_since(cpu);
  return {pid, thread.id, since};
}

void SpanBuilder::function_begins(const timeline::Event& event) {
  execution_.user_evidence(event.cpu);
  functions_.enter(function_owner(event.cpu), event.time, event.entry.arg);
}

void SpanBuilder::function_ends(const timeline::Event& event) {
  execution_.user_evidence(event.cpu);
  functions_.leave(function_owner(event.cpu), event.time, event.entry.arg);
}

void SpanBuilder::function(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (event.cpu == kNoCpu || entry.words < KUTRACE_FUNCTION_WORDS) return;
  if (is_left_out(EventGroup::kSyscalls)) return info_.counters.add(Counter::kEventOfGroupOff);
  execution_.user_evidence(event.cpu);
  // The program's word, which may reach back behind the begin of the recording.
  const auto took = static_cast<Ns>(
      std::min(entry.payload_word(0), static_cast<std::uint64_t>(event.time - info_.begin)));
  functions_.whole(function_owner(event.cpu), event.time, entry.arg, took);
  functions_.left_out(entry.payload_word(1));
}

// ---- entries of variable length -------------------------------------------------------------

void SpanBuilder::thread_name(const timeline::Event& event) {
  const Pid pid = ids_.whole(event.entry.arg);
  const std::string text = event.entry.payload_text();
  news_.name(event.time, event.cpu, pid, text.empty() ? news_.empty_name(pid) : text);
}

void SpanBuilder::kernel_version(const timeline::Event& event) {
  info_.kernel_version = printable(event.entry.payload_text());
  if (info_.kernel_version.find("FreeBSD") != std::string::npos) ids_.recorded_by_free_bsd();
}

void SpanBuilder::cpu_model(const timeline::Event& event) {
  info_.cpu_model = printable(event.entry.payload_text());
  idle_exit_.set_cpu_model(info_.cpu_model);
  if (info_.cpu_model.find("Raspberry") != std::string::npos) frequencies_.share_one_clock();
}

void SpanBuilder::host_name(const timeline::Event& event) {
  info_.host_name = printable(event.entry.payload_text());
}

// Recorded among events only where a program inserted it; KUtrace's recorder does so, too.
void SpanBuilder::task(const timeline::Event& event) {
  news_.task(event);
  const auto pid = static_cast<Pid>(event.entry.arg);
  const Thread* const thread = threads_.find(pid);
  const bool is_process = thread != nullptr && thread->info.process == pid;
  const bool is_found =
      event.entry.words > 1 && (event.entry.payload_word(0) & KUTRACE_TASK_FOUND) != 0;
  if (event.cpu != kNoCpu && is_process && !is_found && execution_.pid(event.cpu) != pid)
    descriptors_.forked(execution_.pid(event.cpu), pid, event.time);
}

void SpanBuilder::name(const timeline::Event& event) {
  // Among the events of our own sources, a program inserted it, and it names for itself only
  // (own_names.h).
  if (facts_.own_source && event.cpu != kNoCpu) {
    return book_.define_by(execution_.pid(event.cpu), event.entry);
  }
  book_.define(event.entry);
}

// ---- moments --------------------------------------------------------------------------------

Span SpanBuilder::point_span(const timeline::Event& event, SpanKind kind) const {
  Span span;
  span.start = event.time;
  span.cpu = event.cpu;
  span.pid = execution_.pid(event.cpu);
  span.rpc = execution_.rpc(event.cpu);
  span.event = event.entry.number;
  span.arg = event.entry.arg;
  span.kind = kind;
  return span;
}

void SpanBuilder::show(const timeline::Event& event, SpanKind kind, NameId name) {
  Span span = point_span(event, kind);
  span.name = name != kNoName ? name : book_.point(event.entry.number);
  sink_.push(span);
}

void SpanBuilder::numbered_moment(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  const auto number = static_cast<EventNum>(entry.arg);
  // Without a CPU it is nobody's; without a word it has no number.
  if (event.cpu == kNoCpu || entry.words < 2) return;
  // Probes pass no moment on: a function is an interval.
  if ((number == ev::kPROBE_ENTER || number == ev::kPROBE_LEAVE) && entry.words > 2) {
    const auto function = static_cast<std::uint32_t>(entry.payload_word(0));
    const auto happens =
        number == ev::kPROBE_ENTER ? &Functions::probe_enter : &Functions::probe_leave;
    return (functions_.*happens)(function_owner(event.cpu), event.time, function,
                                 entry.payload_word(1));
  }
  if (!has_numbers(number)) return;
  if (is_left_out(group_of(number))) return info_.counters.add(Counter::kEventOfGroupOff);
  // Whatever ends it: a call of its own, a signal, or another thread of its process.
  const Pid pid = execution_.pid(event.cpu);
  if (number == ev::kEXIT && pid != 0 && entry.payload_word(0) == static_cast<std::uint32_t>(pid))
    threads_.get(pid).exits = true;
  Span span = point_span(event, SpanKind::kPoint);
  span.event = number;
  span.name = book_.point(number);
  span.arg = entry.payload_word(0);
  if (entry.words > 2) span.value = entry.payload_word(1);
  span.has_result = entry.words > 3;
  if (span.has_result) span.result = {static_cast<std::int64_t>(entry.payload_word(2)), true};
  sink_.push(span);
}

// ---- the end --------------------------------------------------------------------------------

void SpanBuilder::end_of_recording() {
  // What ends where the recording does must know of the last change before.
  catch_up(info_.end);
  // Two passes: the end is the latest of all CPUs, and each one's last span reaches to it.
  for (const CpuId cpu : info_.cpus) {
    if (lost_.header_waits(cpu)) lost_.settle_header(cpu);
    info_.end = std::max({info_.end, execution_.last_seen(cpu), execution_.open_since(cpu)});
  }
  const bool ours = info_.facts.has(fact::kSource);
  for (const CpuId cpu : info_.cpus) {
    lost_.finish(cpu);
    // A CPU that was online and has no block at all was recorded by nobody.
    const bool silent = ours && !started_[cpu];
    if ((!facts_.complete || silent) && execution_.last_seen(cpu) < info_.end) {
      lost_.lose(cpu, execution_.last_seen(cpu), info_.end, KUTRACE_LOSS_DAMAGED);
    }
    frequencies_.finish(cpu, info_.end);
  }
  waits_at_end();
  execution_.finish(info_.end);
}

// Threads that wait where the recording ends. Only where it tells of wakeups and of threads that
// end, it is known that they do.
void SpanBuilder::waits_at_end() {
  const EventGroups told =
      EventGroups::of_names(info_.facts.get(fact::kEvents).value_or(std::vector<std::string>()));
  const bool is_one = machines_of(info_.facts).size() <= 1;
  if (!facts_.own_source || !is_one || !told.has(EventGroup::kProcesses) ||
      !told.has(EventGroup::kWakeups))
    return;
  Ns whole_since = info_.begin;
  for (const LossRecord& loss : info_.losses) {
    // An unseen switch hides whose time it was, but no event.
    if (loss.reason != KUTRACE_LOSS_UNSEEN) whole_since = std::max(whole_since, loss.end);
  }
  for (std::size_t place = 0; place < threads_.size(); ++place) {
    Thread& thread = threads_.at(place);
    const bool is_known = thread.pid != 0 && !thread.hidden && !thread.running;
    if (is_known && !execution_.has_ended(thread))
      wakeups_.waits_at_end(thread, whole_since, info_.end);
  }
}

TraceInfo SpanBuilder::finish(const Counters& read) {
  take_facts(meta_.facts(), info_);
  std::uint32_t free_number = 0;
  for (const CounterSeries& series : facts_.readings.series)
    free_number = std::max(free_number, series.number + 1);
  add_readings(info_.facts, program_counters_.records(free_number, threads_));
  if (const std::uint64_t count = program_counters_.left_out(); count != 0)
    info_.facts.add(fact::kUnseen, kutrace::counted(count, "reading", "readings") +
                                       " of programs' counters, the last ones");
  end_of_recording();
  for (const auto& [pid, info] : threads_.known()) {
    info_.threads.emplace_hint(info_.threads.end(), pid, *info);
  }
  tally_.finish(book_, names_, info_);
  info_.counters.add(read);
  sink_.end(info_);
  return std::move(info_);
}

}  // namespace kutrace::spans
