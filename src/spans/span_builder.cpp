// SPDX-License-Identifier: BSD-3-Clause
// Dispatch of events to trackers.
#include "spans/span_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/number_list.h"
#include "base/text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "timeline/code_records.h"

namespace kutrace {

namespace {

constexpr Ns kShortestExit = 100;  // a shorter C-state exit is not worth a span
constexpr EventNum kFirstIpiVector = 0x5f0;
constexpr Pid kLow16 = 0xffff;
constexpr Ns kForever = Ns{1} << 60;
constexpr Ns kLossSlack =
    20'000'000;  // a loss record's end is read a little after its entry's time

// Recordings of this project say which groups of events they hold.
bool records(const TraceLayout& layout, std::string_view group) {
  const auto groups = find_fact(layout.facts, "events");
  return !groups || groups->find(group) != std::string::npos;
}

}  // namespace

SpanBuilder::SpanBuilder(const TraceLayout& layout, NameTable& names, SpanSink& sink)
    : names_(names),
      sink_(sink),
      clock_(layout.clock),
      complete_(layout.complete),
      wrapped_(layout.wrapped),
      own_source_(find_fact(layout.facts, "source").has_value()),
      filtered_(find_fact(layout.facts, "recorded_threads").has_value()),
      switches_(records(layout, "sched")),
      calls_(records(layout, "syscalls")),
      fault_returns_(find_fact(layout.facts, "fault_returns") != "off"),
      measured_((layout.flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) != 0),
      book_(names),
      sample_names_(names),
      threads_(book_.idle()),
      execution_(book_, threads_, sink, info_.repairs, info_.losses,
                 static_cast<Ns>(std::ceil(layout.clock.ns_per_tick()))),
      wakeups_(names, threads_, execution_.calls(), sink),
      locks_(book_, sink),
      messages_(book_, sink),
      idle_exit_(layout.facts) {
  info_.begin = layout.begin;
  info_.end = layout.end;
  info_.wall_usec = layout.wall_usec;
  info_.ns_per_tick = layout.clock.ns_per_tick();
  info_.damage = layout.damage;
  add_cpus(layout);
  if (!switches_) execution_.hide_owners();
  if (!own_source_) learn_wide_pids(layout);
  for (CpuFacts& facts : cpus_) facts.ipc = IpcAverage(layout.flags);
  const CodeRecords code = recorded_code(layout);
  for (const MapRecord& map : code.maps) sample_names_.add(map, clock_);
  for (const SymbolRecord& symbol : code.symbols) sample_names_.add(symbol, clock_);
}

void SpanBuilder::add_cpus(const TraceLayout& layout) {
  for (const CpuBlocks& cpu : layout.cpus) info_.cpus.push_back(cpu.cpu);
  if (const auto online = find_fact(layout.facts, "cpus_online")) {
    for (const CpuId cpu : parse_cpu_list(*online)) info_.cpus.push_back(cpu);
  }
  std::sort(info_.cpus.begin(), info_.cpus.end());
  info_.cpus.erase(std::unique(info_.cpus.begin(), info_.cpus.end()), info_.cpus.end());
  if (!info_.cpus.empty()) cpus_.resize(info_.cpus.back() + 1);
  for (const CpuId cpu : info_.cpus) {
    execution_.add_cpu(cpu, info_.begin);
  }
}

void SpanBuilder::count(const Event& event) {
  ++info_.entries;
  if (event.cpu != kNoCpu) info_.events += event.entry.fold_ticks != 0 ? 2 : 1;
  ++by_event_[event.entry.number];
}

// KUtrace keeps 16 bits of thread ids in entries, all of them in block headers.
void SpanBuilder::learn_wide_pids(const TraceLayout& layout) {
  for (const CpuBlocks& cpu : layout.cpus) {
    for (const PlacedBlock& placed : cpu.blocks) {
      const Pid pid = placed.block.pid;
      const auto [place, is_new] = wide_pids_.try_emplace(pid & kLow16, pid);
      // Two threads that differ above the 16 bits cannot be told apart.
      if (!is_new && place->second != pid) place->second = pid & kLow16;
    }
  }
}

Pid SpanBuilder::whole_pid(std::uint32_t pid) const {
  const auto found = free_bsd_ ? wide_pids_.end() : wide_pids_.find(static_cast<Pid>(pid));
  return found != wide_pids_.end() ? found->second : static_cast<Pid>(pid);
}

Pid SpanBuilder::real_pid(std::uint32_t pid) const {
  const Pid number = whole_pid(pid);
  return idle_aliases_.contains(number) ? 0 : number;
}

// The trailer's byte of an event that ends a span. Zero in traces without a trailer.
Ipc SpanBuilder::ipc_of(const Event& event) {
  if (!measured_) return {};
  const auto low = static_cast<std::uint8_t>(event.entry.ipc & 15);
  const auto high = static_cast<std::uint8_t>(event.entry.ipc >> 4);
  return {facts_of(event.cpu).ipc.finish(event.time, low, event.time + event.duration), high};
}

void SpanBuilder::push(const Event& event) {
  const EventNum number = event.entry.number;
  if (number < 0x1000) count(event);
  if (event_class(number) == EventClass::kName) return variable_length(event);
  if (number == ev::kLINK_SPEED) messages_.link_speed(event.entry.arg);
  if (event.cpu == kNoCpu) return;
  check(execution_.has_cpu(event.cpu), "events come from CPUs that have blocks");
  CpuFacts& facts = facts_of(event.cpu);
  if (number == kBlockStart) return block_start(event, facts);
  const bool is_discovery = number == ev::kUSERPID && is_unseen_switch(event.entry.arg);
  if (facts.header_waits && !is_discovery) settle_header(facts, event.cpu);
  if (number == kGap) return gap(event, facts);
  while (!facts.losses_ahead.empty() && facts.losses_ahead.front().begin <= event.time) {
    apply_next_loss(facts);
  }
  if (is_discovery) return unseen_switch(event, facts);
  execution_.saw(event.cpu, event.time + event.duration);
  if (execution_.in_low_power(event.cpu)) leave_idle(event, facts);
  if (number >= ev::kFirstCall) answer_ipi(event, facts);
  if (!calls_ && event_class(number) == EventClass::kSyscall && !is_scheduler(number)) return;
  const bool is_moment = (number & ~ev::kReturnBit) == ev::kPageFault && !fault_returns_ &&
                         event.entry.fold_ticks == 0;
  if (is_moment) {
    if (is_call(number)) point(event, facts);
  } else if (is_call(number)) {
    if (event.entry.fold_ticks != 0) {
      execution_.folded_call(event.cpu, event.time, event.duration, number, event.entry.arg,
                             event.entry.result, ipc_of(event));
      wake_forked(event, number, event.entry.result);
    } else {
      execution_.call(event.cpu, event.time, number, event.entry.arg, ipc_of(event));
    }
  } else if (is_return(number)) {
    execution_.end_call(event.cpu, event.time, number & ~ev::kReturnBit, event.entry.arg,
                        ipc_of(event));
    wake_forked(event, number & ~ev::kReturnBit, static_cast<std::uint16_t>(event.entry.arg));
  } else {
    point(event, facts);
  }
}

// Traces of kernels that do not record the wakeup of a new thread: its parent's return is one.
void SpanBuilder::wake_forked(const Event& event, EventNum call, std::uint16_t result) {
  constexpr std::uint16_t kFirstErrno = 0xff80;
  if (own_source_ || result == 0 || result >= kFirstErrno) return;
  if (event_class(call) != EventClass::kSyscall || is_scheduler(call)) return;
  if (!book_.makes_thread(call)) return;
  const Pid child = whole_pid(result);
  const Thread& thread = threads_.get(child);
  // Its number belonged to a thread that ended: what that one was in says nothing of this one.
  const bool reused = thread.ran_before && book_.ends_thread(thread.stack.top().call);
  if (reused && !thread.running && thread.woken == kNever) {
    execution_.renew(child);
    name_thread(event, child, names_.text(threads_.get(execution_.pid(event.cpu)).info.name));
  }
  if (thread.running || thread.ran_before || thread.woken != kNever) return;
  ++info_.repairs["fork_is_wakeup"];
  wakeups_.wake(event.cpu, event.time + event.duration, execution_.pid(event.cpu),
                execution_.top(event.cpu), 0, child);
}

// ---- entries of variable length -------------------------------------------------------------

void SpanBuilder::variable_length(const Event& event) {
  const Entry& entry = event.entry;
  switch (name_kind(entry.number)) {
    case kind::kPID_NAME:
      return name_thread(event, whole_pid(entry.arg), entry.payload_text());
    case kind::kKERNEL_VERSION:
      info_.kernel_version = printable(entry.payload_text());
      free_bsd_ |= info_.kernel_version.find("FreeBSD") != std::string::npos;
      return;
    case kind::kCPU_MODEL:
      info_.cpu_model = printable(entry.payload_text());
      idle_exit_.set_cpu_model(info_.cpu_model);
      one_clock_ = info_.cpu_model.find("Raspberry") != std::string::npos;
      return;
    case kind::kHOST_NAME:
      info_.host_name = printable(entry.payload_text());
      return;
    case kind::kMETA:
      return meta_.push(entry);
    case kind::kTASK:
      return task(event);
    case kind::kLOSS:
      return loss(event);
    case kind::kPC_TEMP:
      if (event.cpu != kNoCpu) sample(event, facts_of(event.cpu));
      return;
    default:
      // Recorded among events only where a program inserted it; KUtrace's recorder does so, too.
      if (own_source_ && event.cpu != kNoCpu)
        return book_.define_by(execution_.pid(event.cpu), entry);
      return book_.define(entry);
  }
}

void SpanBuilder::name_thread(const Event& event, Pid pid, const std::string& text) {
  if (text.empty() || pid == 0) return;
  free_bsd_ |= text.starts_with("idle:");
  if (text.starts_with("idle:") || text.starts_with("swapper/")) {
    idle_aliases_.insert(pid);
    return;
  }
  const NameId name = names_.intern(printable(text));
  const NameId before = threads_.get(pid).info.name;
  if (before == name) return;
  threads_.set_name(pid, name);
  execution_.rename(pid, name);
  if (before == kNoName) return;
  Span span;
  span.start = event.time;
  span.cpu = event.cpu;
  span.pid = pid;
  span.name = name;
  span.kind = SpanKind::kRename;
  sink_.push(span);
}

void SpanBuilder::task(const Event& event) {
  const Entry& entry = event.entry;
  if (entry.words < KUTRACE_TASK_WORDS || entry.arg == 0) return;
  const auto pid = static_cast<Pid>(entry.arg);
  const bool from_start = event.cpu == kNoCpu;
  const auto flags = static_cast<std::uint32_t>(entry.payload_word(0));
  const bool renumbered = !from_start && (flags & KUTRACE_TASK_RENUMBERED) != 0;
  if (renumbered) renumber(event, static_cast<Pid>(entry.payload_word(0) >> 32));
  const bool is_new = !from_start && !renumbered && !threads_.get(pid).running;
  Thread& thread = is_new ? execution_.renew(pid) : threads_.get(pid);
  if (thread.life.begin == kNotYet) thread.life.begin = event.time;
  const std::uint64_t family = entry.payload_word(1);
  thread.info.process = static_cast<Pid>(family & 0xffff'ffff);
  thread.info.parent = static_cast<Pid>(family >> 32);
  book_.belongs(pid, thread.info.process, thread.info.parent);
  thread.info.recorder |= (flags & KUTRACE_TASK_RECORDER) != 0;
  thread.info.command |= (flags & KUTRACE_TASK_COMMAND) != 0;
  threads_.set_kernel_thread(pid, (flags & KUTRACE_TASK_KERNEL_THREAD) != 0);
  if (from_start) {
    thread.ran_before = true;
    wakeups_.waits_since(pid, event.time);
    const auto blocked_in = static_cast<std::uint32_t>(entry.payload_word(0) >> 32);
    // A kernel thread is in no system call, whatever its unused registers say.
    if (!thread.info.kernel_thread && blocked_in > 0 && blocked_in <= 1024) {
      start_inside(pid, syscall_event(blocked_in - 1), 0, event.time);
      thread.switched_while_in_call = true;  // it may have left before the hooks were in place
    }
  } else if (is_new) {
    // A child begins where its parent is: inside the call that made it.
    const CallStack& parent = execution_.stack(event.cpu);
    for (int depth = parent.depth(); depth > 0; --depth) {
      if (parent.at(depth).level != Level::kSyscall) continue;
      start_inside(pid, parent.at(depth).call, parent.at(depth).arg, event.time);
    }
  }
}

// The header of a block that begins with it named the thread by its new number.
void SpanBuilder::renumber(const Event& event, Pid before) {
  CpuFacts& facts = facts_of(event.cpu);
  if (facts.header_pid == static_cast<Pid>(event.entry.arg)) facts.header_waits = false;
  execution_.saw(event.cpu, event.time);
  execution_.renumber(event.cpu, event.time, before, static_cast<Pid>(event.entry.arg));
}

void SpanBuilder::start_inside(Pid pid, EventNum call, std::uint32_t arg, Ns now) {
  if (calls_) execution_.start_inside(pid, call, arg, now);
}

void SpanBuilder::loss(const Event& event) {
  const Entry& entry = event.entry;
  if (entry.words < KUTRACE_LOSS_WORDS) return;
  LossRecord record;
  record.cpu = entry.arg & KUTRACE_LOSS_CPU_MASK;
  record.reason = entry.arg >> KUTRACE_LOSS_REASON_SHIFT;
  const std::uint64_t end = entry.payload_word(1);
  record.begin = std::max(info_.begin, clock_.to_ns(entry.payload_word(0)));
  record.end = clock_.to_ns(end);
  record.entries = entry.payload_word(2);
  // Among events a record speaks of the past, in block 0 of the time until the recording's stop.
  const Ns latest = event.cpu != kNoCpu ? event.time + kLossSlack : info_.end + kLossSlack;
  const bool bounded = event.cpu != kNoCpu || complete_;
  const bool future = record.end > (bounded ? latest : kForever);
  if (!execution_.has_cpu(record.cpu) || record.end < record.begin || future ||
      end > KUTRACE_LOW56_MASK) {
    ++info_.damage["loss_record_unusable"];
    return;
  }
  CpuFacts& facts = facts_of(record.cpu);
  if (event.cpu == record.cpu) return apply_loss(facts, record);
  const auto later = std::find_if(facts.losses_ahead.begin(), facts.losses_ahead.end(),
                                  [&](const LossRecord& r) { return r.begin > record.begin; });
  facts.losses_ahead.insert(later, record);
}

void SpanBuilder::apply_loss(CpuFacts& facts, const LossRecord& record) {
  execution_.lose(record.cpu, record.begin, record.end, record.reason);
  execution_.saw(record.cpu, record.end);
  facts.ipi_sent = kNever;
  if (record.end > record.begin) info_.losses.push_back(record);
  if (!facts.header_waits) return;
  facts.header_waits = false;
  execution_.running(record.cpu, facts.header_pid);
}

void SpanBuilder::apply_next_loss(CpuFacts& facts) {
  const LossRecord record = facts.losses_ahead.front();
  facts.losses_ahead.erase(facts.losses_ahead.begin());
  apply_loss(facts, record);
}

// Blocks are missing. What the recorder declared as lost there has its own reason.
void SpanBuilder::gap(const Event& event, CpuFacts& facts) {
  const Ns end = event.time + event.duration;
  LossRecord missing{event.cpu, event.time, end, KUTRACE_LOSS_UNKNOWN_COUNT, KUTRACE_LOSS_DAMAGED};
  while (!facts.losses_ahead.empty() && facts.losses_ahead.front().begin < end) {
    missing.end = facts.losses_ahead.front().begin;
    if (missing.end > missing.begin) apply_loss(facts, missing);
    missing.begin = std::max(missing.begin, facts.losses_ahead.front().end);
    apply_next_loss(facts);
  }
  missing.end = end;
  if (missing.end > missing.begin || facts.header_waits) apply_loss(facts, missing);
}

// ---- blocks ---------------------------------------------------------------------------------

// The thread that a header names. FreeBSD's ids there are greater by 100000 than in entries.
Pid SpanBuilder::header_pid(std::uint32_t said) const {
  constexpr std::uint32_t kFreeBsdFirst = 100'000;
  if (own_source_) return static_cast<Pid>(said);
  if (free_bsd_ && said >= kFreeBsdFirst) return static_cast<Pid>(said - kFreeBsdFirst);
  return whole_pid(said & kLow16);
}

void SpanBuilder::block_start(const Event& event, CpuFacts& facts) {
  ++info_.blocks;
  if (!facts.started && event.entry.result != 0) {
    facts.mhz = event.entry.result;
    facts.mhz_holds = true;
    facts.last_frequency = event.time;
  }
  const bool names_thread = event.entry.words > 1;
  const std::string comm = event.entry.payload_text();
  free_bsd_ |= comm.starts_with("idle:");
  Pid pid = header_pid(event.entry.arg);
  if (names_thread) name_thread(event, pid, comm);
  if (idle_aliases_.contains(pid)) pid = 0;
  if (!facts.started && wrapped_ && event.time > info_.begin) {
    apply_loss(facts, {event.cpu, info_.begin, event.time, KUTRACE_LOSS_UNKNOWN_COUNT,
                       KUTRACE_LOSS_OVERWRITTEN});
  }
  facts.started = true;
  if (!names_thread) return;
  if (!execution_.known(event.cpu) || !switches_) {
    execution_.running(event.cpu, pid);
  } else if (execution_.pid(event.cpu) != pid) {
    // A switch was lost, unless a loss record follows that says so itself.
    facts.header_waits = true;
    facts.header_pid = pid;
    facts.header_time = event.time;
  }
}

void SpanBuilder::settle_header(CpuFacts& facts, CpuId cpu) {
  ++info_.repairs["block_pid_mismatch"];
  apply_loss(facts, {cpu, execution_.last_seen(cpu), facts.header_time, KUTRACE_LOSS_UNKNOWN_COUNT,
                     KUTRACE_LOSS_DAMAGED});
}

// The source found another thread running than it had recorded: a switch never reached its hook.
void SpanBuilder::unseen_switch(const Event& event, CpuFacts& facts) {
  const Pid pid = real_pid(switched_to(event.entry.arg));
  const bool hidden = is_hidden_switch(event.entry.arg);
  facts.header_waits = false;  // of a block that begins with it
  if (execution_.known(event.cpu) && execution_.pid(event.cpu) == pid)
    return execution_.hide(event.cpu, hidden);
  ++info_.repairs["unseen_switch"];
  wakeups_.switched(event.cpu, execution_.last_seen(event.cpu), 0, Left::kUnknown, pid);
  apply_loss(facts, {event.cpu, execution_.last_seen(event.cpu), event.time,
                     KUTRACE_LOSS_UNKNOWN_COUNT, KUTRACE_LOSS_UNSEEN});
  execution_.running(event.cpu, pid);
  execution_.hide(event.cpu, hidden);
}

// ---- points ---------------------------------------------------------------------------------

Span SpanBuilder::point_span(const Event& event, SpanKind kind) const {
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

void SpanBuilder::point(const Event& event, CpuFacts& facts) {
  const EventNum number = event.entry.number;
  // Longer entries have no byte in the trailer.
  if (event.entry.words == 1) facts.ipc.piece(event.time, event.entry.ipc & 15);
  SpanKind kind = SpanKind::kPoint;
  NameId name = kNoName;
  switch (number) {
    case ev::kUSERPID:
      return context_switch(event);
    case ev::kPC_USER:
    case ev::kPC_KERNEL:
      return sample(event, facts);
    case ev::kFREQUENCY:
    case ev::kFREQUENCY_NOTICE:
      return frequency(event, facts);
    case ev::kMWAIT:
      mwait(event);
      break;
    case ev::kRPC_REQUEST:
    case ev::kRPC_RESPONSE:
    case ev::kRPC_MIDDLE:
      rpc_point(event);
      if (rpc_id(event.entry.arg) != 0)
        name = book_.rpc(execution_.pid(event.cpu), event.entry.arg);
      break;
    case ev::kRUNNABLE:
      runnable(event, facts);
      break;
    case ev::kSEND_IPI:
    case ev::kMONITOR_STORE:
      send_ipi(event);
      break;
    case ev::kMARK_A:
    case ev::kMARK_B:
    case ev::kMARK_C:
      execution_.user_evidence(event.cpu);
      kind = SpanKind::kMark;
      name = names_.intern(fmt::format("{}={}", point_name(number), base40_text(event.entry.arg)));
      break;
    case ev::kMARK_D:
      execution_.user_evidence(event.cpu);
      kind = SpanKind::kMark;
      break;
    case ev::kLOCK_TRY:
    case ev::kLOCK_ACQUIRE:
    case ev::kLOCK_RELEASE:
      execution_.user_evidence(event.cpu);
      locks_.push(event.time, execution_.pid(event.cpu), number, event.entry.arg);
      name = book_.lock(execution_.pid(event.cpu), event.entry.arg);
      break;
    case ev::kENQUEUE:
    case ev::kDEQUEUE:
      messages_.queue(execution_.pid(event.cpu), number, event.entry.arg);
      name = book_.queue(execution_.pid(event.cpu), event.entry.arg);
      break;
    case ev::kRX_PACKET:
    case ev::kTX_PACKET:
    case ev::kRX_USER:
    case ev::kTX_USER:
      messages_.packet(event.time, execution_.pid(event.cpu), number, event.entry.arg);
      break;
    case ev::kPageFault:
      name = book_.call(number, event.entry.arg);
      break;
    default:
      break;
  }
  Span span = point_span(event, kind);
  span.name = name != kNoName ? name : book_.point(number);
  sink_.push(span);
}

void SpanBuilder::context_switch(const Event& event) {
  const Pid from = execution_.pid(event.cpu);
  const bool known = execution_.known(event.cpu);
  const std::uint32_t arg = event.entry.arg;
  const Pid to = real_pid(switched_to(event.entry.arg));
  const Left left = (arg & KUTRACE_SWITCH_RUNNABLE) != 0  ? Left::kRunnable
                    : (arg & KUTRACE_SWITCH_BLOCKED) != 0 ? Left::kBlocked
                                                          : Left::kUnknown;
  const bool hidden = filtered_ && is_hidden_switch(arg);
  if (filtered_ && known && to == from && is_statement(arg))
    return execution_.hide(event.cpu, hidden);
  if (known) messages_.switched_away(event.time, from, execution_.rpc(event.cpu));
  execution_.context_switch(event.cpu, event.time, to, ipc_of(event));
  if (known) wakeups_.switched(event.cpu, execution_.open_since(event.cpu), from, left, to);
  execution_.hide(event.cpu, hidden);
}

// A thread wakes on its own account, an interrupt, or idle that it ends, perhaps for who sent it.
void SpanBuilder::runnable(const Event& event, const CpuFacts& facts) {
  const Frame& waker = execution_.top(event.cpu);
  const Pid pid = execution_.pid(event.cpu);
  const bool is_sent = waker.level >= Level::kSoftirq || pid == 0;
  wakeups_.wake(event.cpu, event.time, pid, waker, is_sent ? facts.ipi_reason : '\0',
                real_pid(event.entry.arg));
}

void SpanBuilder::rpc_point(const Event& event) {
  messages_.rpc(event.entry.number, event.time, execution_.pid(event.cpu),
                execution_.rpc(event.cpu), event.entry.arg);
  execution_.set_rpc(event.cpu, event.time, rpc_id(event.entry.arg), ipc_of(event));
}

void SpanBuilder::mwait(const Event& event) {
  if (idle_exit_.is_low_power(event.entry.arg) && execution_.pid(event.cpu) == 0) {
    execution_.enter_low_power(event.cpu, event.time, event.entry.arg, ipc_of(event));
  }
}

void SpanBuilder::leave_idle(const Event& event, CpuFacts& facts) {
  const Ns slept_since = execution_.open_since(event.cpu);
  Ns latency =
      std::min(idle_exit_.latency(execution_.low_power_arg(event.cpu)), event.time - slept_since);
  if (facts.ipi_sent != kNever && facts.ipi_sent >= slept_since && facts.ipi_sent <= event.time) {
    latency = event.time - facts.ipi_sent;
    ++info_.repairs["c_exit_measured"];
    ipi_arc(facts, event.cpu, event.time);
  }
  execution_.leave_low_power(event.cpu, event.time, latency >= kShortestExit ? latency : 0,
                             ipc_of(event));
}

void SpanBuilder::send_ipi(const Event& event) {
  const CpuId cpu = event.entry.arg;
  if (cpu >= cpus_.size() || cpu == event.cpu) return;
  CpuFacts& target = facts_of(cpu);
  target.ipi_sent = event.time;
  target.ipi_from = event.cpu;
  target.ipi_by_store = event.entry.number == ev::kMONITOR_STORE;
  target.ipi_reason = wakeups_.reason_of(execution_.top(event.cpu));
}

// A call or return on a CPU that an IPI was sent to, while it was not asleep.
void SpanBuilder::answer_ipi(const Event& event, CpuFacts& facts) {
  if (facts.ipi_sent == kNever) return;
  const EventNum vector = event.entry.number;
  const bool is_ipi = event_class(vector) == EventClass::kIrq && vector >= kFirstIpiVector &&
                      vector != ev::kBottomHalf;
  if (facts.ipi_by_store || is_ipi) ipi_arc(facts, event.cpu, event.time);
}

void SpanBuilder::ipi_arc(CpuFacts& facts, CpuId cpu, Ns now) {
  Span arc;
  arc.start = facts.ipi_sent;
  arc.duration = std::max<Ns>(0, now - facts.ipi_sent);
  arc.cpu = facts.ipi_from;
  arc.arg = cpu;
  arc.event = ev::kSEND_IPI;
  arc.name = names_.intern("-ipi-");
  arc.kind = SpanKind::kIpiArc;
  sink_.push(arc);
  facts.ipi_sent = kNever;
}

void SpanBuilder::sample(const Event& event, CpuFacts& facts) {
  Span span = point_span(event, SpanKind::kSample);
  span.value = event.entry.payload_word(0);
  span.event = is_kernel_address(span.value) ? ev::kPC_KERNEL : ev::kPC_USER;
  const Thread* thread = threads_.find(span.pid);
  const bool known = thread != nullptr && thread->info.process != kNoPid;
  span.other = known ? thread->info.process : span.pid;
  span.name = sample_names_.name(event.time, span.other, span.value);
  if (facts.last_sample != kNever) {
    span.start = std::min(facts.last_sample, event.time);
    span.duration = event.time - span.start;
  }
  facts.last_sample = event.time;
  if (event.entry.arg != 0) frequency_until(event.cpu, event.time, facts, event.entry.arg);
  sink_.push(span);
}

void SpanBuilder::frequency(const Event& event, CpuFacts& facts) {
  const bool notice = event.entry.number == ev::kFREQUENCY_NOTICE;
  const auto say = [&](CpuId cpu, CpuFacts& said_of) {
    frequency_until(cpu, event.time, said_of, notice ? said_of.mhz : event.entry.arg);
    said_of.mhz = event.entry.arg;
    said_of.mhz_holds = notice;
  };
  if (!one_clock_ || !notice) return say(event.cpu, facts);
  for (const CpuId cpu : info_.cpus) say(cpu, facts_of(cpu));
}

// The CPU ran at `mhz` from the last word about its frequency until now.
void SpanBuilder::frequency_until(CpuId cpu, Ns now, CpuFacts& facts, std::uint32_t mhz) {
  if (facts.last_frequency != kNever && mhz != 0) {
    Span span;
    span.start = std::min(facts.last_frequency, now);
    span.duration = now - span.start;
    span.cpu = cpu;
    span.event = ev::kFREQUENCY;
    span.arg = mhz;
    span.name = book_.point(ev::kFREQUENCY);
    span.kind = SpanKind::kFrequency;
    sink_.push(span);
  }
  facts.last_frequency = now;
}

// ---- the end --------------------------------------------------------------------------------

void SpanBuilder::end_of_recording() {
  for (const CpuId cpu : info_.cpus) {
    CpuFacts& facts = facts_of(cpu);
    if (facts.header_waits) settle_header(facts, cpu);
    info_.end = std::max({info_.end, execution_.last_seen(cpu), execution_.open_since(cpu)});
  }
  for (const CpuId cpu : info_.cpus) {
    CpuFacts& facts = facts_of(cpu);
    while (!facts.losses_ahead.empty()) {
      Ns& loss_end = facts.losses_ahead.front().end;
      loss_end = std::min(loss_end, info_.end);
      apply_next_loss(facts);
    }
    const bool silent = !facts.started && find_fact(info_.meta, "source").has_value();
    if ((!complete_ || silent) && execution_.last_seen(cpu) < info_.end) {
      apply_loss(facts, {cpu, execution_.last_seen(cpu), info_.end, KUTRACE_LOSS_UNKNOWN_COUNT,
                         KUTRACE_LOSS_DAMAGED});
    }
    if (facts.mhz_holds) frequency_until(cpu, info_.end, facts, facts.mhz);
  }
  execution_.finish(info_.end);
}

TraceInfo SpanBuilder::finish() {
  info_.meta = meta_.facts();
  for (auto& [key, value] : info_.meta) value = printable(value);
  end_of_recording();
  for (const auto& [pid, thread] : threads_.all()) info_.threads[pid] = thread.info;
  for (std::size_t number = 0; number < by_event_.size(); ++number) {
    if (by_event_[number] == 0) continue;
    info_.by_event[static_cast<std::uint16_t>(number)] = by_event_[number];
    const auto event = static_cast<EventNum>(number);
    if (event_class(event) == EventClass::kName) {
      info_.event_names[event] = std::string(kind_name(name_kind(event)));
    } else if (is_call(event) || is_return(event)) {
      const EventNum call = event & ~ev::kReturnBit;
      const std::string name = call == ev::kBottomHalf ? "BH" : names_.text(book_.call(call, 0));
      info_.event_names[event] = is_return(event) ? "/" + name : name;
    } else {
      info_.event_names[event] = std::string(point_name(event));
    }
  }
  return std::move(info_);
}

}  // namespace kutrace
