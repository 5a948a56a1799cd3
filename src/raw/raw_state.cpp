// SPDX-License-Identifier: BSD-3-Clause
// Following a trace up to a moment.
#include "raw/raw_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/ending_call.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::raw {

namespace {

std::uint64_t low44_of(const decode::Entry& entry) {
  std::uint64_t word;
  std::memcpy(&word, entry.payload - sizeof word, sizeof word);
  return low44(word);
}

LooseEntry loose(EventNum kind, std::uint32_t arg, const std::byte* payload, std::size_t words) {
  LooseEntry entry{with_length(kind, words), arg, std::vector<std::uint64_t>(words - 1)};
  if (words > 1) std::memcpy(entry.payload.data(), payload, 8 * (words - 1));
  return entry;
}

LooseEntry loose(const decode::Entry& entry) {
  return loose(name_kind(entry.number), entry.arg, entry.payload, entry.words);
}

// What a return needs of them.
WideFacts wide_facts(const decode::Entry& entry) {
  WideFacts wide;
  if (entry.words < KUTRACE_WIDE_WORDS) return wide;
  if ((entry.arg & KUTRACE_WIDE_NUMBER) != 0)
    wide.number = static_cast<std::uint32_t>(entry.payload_word(0));
  if ((entry.arg & KUTRACE_WIDE_RESULT) != 0)
    wide.result = static_cast<std::int64_t>(entry.payload_word(2));
  return wide;
}

bool is_system_call(EventNum call) {
  return event_class(call) == EventClass::kSyscall && !is_scheduler(call);
}

}  // namespace

std::optional<LossFacts> loss_in(const LossFacts& loss, const TickWindow& window) {
  LossFacts part = loss;
  part.begin = std::max(loss.begin, window.begin);
  part.end = std::min(loss.end, window.end);
  // At one moment only entries can be lost, and those that were counted.
  const bool counted = loss.begin == loss.end && loss.entries != KUTRACE_LOSS_UNKNOWN_COUNT;
  const bool within = counted ? window.contains(loss.begin) : part.begin < part.end;
  return within ? std::optional(part) : std::nullopt;
}

RawState::RawState(const timeline::TraceLayout& layout, TickWindow window,
                   const std::optional<std::unordered_set<CpuId>>& cpus)
    : layout_(layout),
      window_(window),
      kept_cpus_(cpus),
      own_source_(layout.facts.has(fact::kSource)) {
  for (const timeline::CpuBlocks& cpu : layout.cpus) cpus_[cpu.cpu].begin = window.begin;
  timeline::EventStream stream(layout);
  // In the order of all CPUs: a thread moves, and what it is in must move with it.
  stream.run([this](const timeline::Event& event) { push(event); });
  if (!begun_) begin();
  for (LooseEntry& method : given_.first_of_methods()) define(std::move(method));
  for (const timeline::CpuBlocks& cpu : layout.cpus) settle(cpu, cpus_[cpu.cpu]);
}

void RawState::begin() {
  begun_ = true;
  for (auto& [number, cpu] : cpus_) {
    if (!cpu.started) continue;
    runs(cpu.pid);
    cpu.names = names_to_tell(number, cpu.pid);
  }
}

void RawState::runs(Pid pid) {
  const auto found = tasks_.find(pid);
  if (found != tasks_.end() && found->second.later == Later::kNothing)
    found->second.later = Later::kRuns;
}

// It was seen to end, or is in a call that never returns, and does not run any more.
bool RawState::is_over(const Task& task) const {
  if (task.later == Later::kRuns) return false;
  if (task.exits) return true;
  return task.call != 0 && ends_thread(name_of(kind::kSYSCALL_NAME, syscall_number(task.call)));
}

// With the piece's entries, at its own time, or behind them. What another CPU tells meanwhile is
// told at the begin of the piece.
bool RawState::is_copied(const timeline::Event& event) const {
  return event.cpu != kNoCpu && event.entry.time >= window_.begin &&
         (keeps(event.cpu) || event.entry.time >= window_.end);
}

std::vector<LooseEntry> RawState::names_to_tell(CpuId cpu, Pid pid) {
  if (!own_source_ || !keeps(cpu)) return {};
  if (!told_.insert(given_.process_of(pid)).second) return {};
  return given_.seen_by(pid);
}

void RawState::push(const timeline::Event& event) {
  const EventNum number = event.entry.number;
  if (!begun_ && event.cpu != kNoCpu && event.entry.time >= window_.begin) begin();
  if (event_class(number) == EventClass::kName) return variable_length(event);
  CpuState& cpu = cpus_[event.cpu];
  const Ticks time = event.entry.time;
  if (number == timeline::kGap) {
    // Gaps inside the window show by their blocks' numbers; one that leaves it does not.
    const Ticks end = layout_.clock.start() +
                      static_cast<Ticks>(static_cast<double>(event.time + event.duration) /
                                         layout_.clock.ns_per_tick());
    cpu.asleep_at_end = 0;
    if (end >= window_.end) lose({event.cpu, KUTRACE_LOSS_DAMAGED, cpu.last, end});
    return;
  }
  // Any event of the CPU ends its sleep, as it does for a reader.
  const std::uint64_t asleep = number == ev::kMWAIT ? low44_of(event.entry) : 0;
  if (number != timeline::kBlockStart) {
    cpu.last = std::max(cpu.last, time + event.entry.fold_ticks);
    if (time < window_.begin) cpu.asleep = asleep;
    if (time < window_.begin || window_.contains(time)) cpu.asleep_at_end = asleep;
  }
  if (time >= window_.begin && number == ev::kUSERPID)
    runs(static_cast<Pid>(decode::switched_to(event.entry.arg)));
  if (time < window_.begin) {
    before_begin(event, cpu);
  } else if (number == ev::kUSERPID && window_.contains(time)) {
    const auto pid = static_cast<Pid>(decode::switched_to(event.entry.arg));
    if (!keeps(event.cpu)) cpu.pid = pid;
    auto names = names_to_tell(event.cpu, pid);
    if (!names.empty()) cpu.first_runs.push_back({time, pid, std::move(names)});
  } else if (!cpu.started && number == timeline::kBlockStart) {
    // Nothing is known from before: the reader takes the header's thread, too.
    cpu.started = true;
    cpu.pid = static_cast<Pid>(event.entry.arg);
    runs(cpu.pid);
    if (layout_.wrapped) {
      cpu.begin = std::min(time, window_.end);
      lose({event.cpu, KUTRACE_LOSS_OVERWRITTEN, window_.begin, cpu.begin});
    }
  }
}

void RawState::before_begin(const timeline::Event& event, CpuState& cpu) {
  const decode::Entry& entry = event.entry;
  const EventNum number = entry.number;
  if (number == timeline::kBlockStart) {
    cpu.started = true;
    cpu.pid = static_cast<Pid>(entry.arg);
    if (entry.words > 1) define(loose(kind::kPID_NAME, entry.arg, entry.payload, entry.words));
    return;
  }
  const WideFacts wide = std::exchange(cpu.wide, {});
  if (number == ev::kUSERPID) {
    cpu.pid = static_cast<Pid>(decode::switched_to(entry.arg));
    cpu.hidden = decode::is_hidden_switch(entry.arg);
    return;
  }
  const Ticks end = entry.time + entry.fold_ticks;
  // A folded call that returns in the piece: its one entry is before it, so its return gets an
  // entry of its own, and until then its thread is in it.
  const bool straddles = entry.fold_ticks != 0 && end > window_.begin;
  if (straddles) {
    // A return that is not folded: the number with its bit, and the result as 16 bits.
    const std::uint64_t low = std::uint64_t{number | ev::kReturnBit} << KUTRACE_EVENT_SHIFT;
    std::optional<LooseEntry> before;
    if (wide.result) before = wide_entry(wide);
    cpu.returns.push_back({end, low | entry.result, std::move(before)});
  }
  if (is_system_call(number & ~ev::kReturnBit) && cpu.pid > 0) {
    Task& task = tasks_[cpu.pid];
    const bool stays = is_call(number) && (entry.fold_ticks == 0 || straddles);
    task.call = stays ? number : 0;
  }
}

void RawState::variable_length(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  const bool stays = event.cpu != kNoCpu && window_.contains(entry.time);
  switch (name_kind(entry.number)) {
    case kind::kMETA:
      return meta_.push(entry);
    case kind::kMAP:
    case kind::kSYMBOL:
    case kind::kSTACK:
    case kind::kCOUNTER:
    case kind::kPROCESS:
      return code_[name_kind(entry.number)].push(entry);
    case kind::kLOSS:
      // What is copied with its block would else be declared twice.
      if (stays || entry.words < KUTRACE_LOSS_WORDS) return;
      return lose({entry.arg & KUTRACE_LOSS_CPU_MASK, entry.arg >> KUTRACE_LOSS_REASON_SHIFT,
                   entry.payload_word(0), entry.payload_word(1), entry.payload_word(2)});
    case kind::kBLOCK:
    case kind::kTIME_PAIR:
    case kind::kPC_TEMP:
    case kind::kSTACKS:
    case kind::kARGUMENTS:
    case kind::kCALL_DATA:
    case kind::kFUNCTION:
      return;
    case kind::kPOINT:
      return exits(event);
    case kind::kWIDE:
      if (event.cpu != kNoCpu && entry.time < window_.begin)
        cpus_[event.cpu].wide = wide_facts(entry);
      return;
    case kind::kTASK:
      return task(event);
    default:
      break;
  }
  if (is_copied(event)) return;
  if (own_source_ && event.cpu != kNoCpu && is_given_name(name_kind(entry.number)))
    return given_.define(cpus_[event.cpu].pid, loose(entry));
  define(loose(entry));
}

void RawState::exits(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (entry.arg != ev::kEXIT || entry.words < 2 || event.cpu == kNoCpu) return;
  const Pid pid = cpus_[event.cpu].pid;
  if (entry.time < window_.begin && pid > 0 &&
      entry.payload_word(0) == static_cast<std::uint32_t>(pid))
    tasks_[pid].exits = true;
}

void RawState::task(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (entry.words < KUTRACE_TASK_WORDS) return;
  const auto process = static_cast<Pid>(entry.payload_word(1) & 0xffff'ffff);
  given_.belongs(static_cast<Pid>(entry.arg), process,
                 static_cast<Pid>(entry.payload_word(1) >> 32));
  if (is_copied(event)) {
    const bool is_new =
        (entry.payload_word(0) & (KUTRACE_TASK_RENUMBERED | KUTRACE_TASK_FOUND)) == 0;
    if (is_new && process == static_cast<Pid>(entry.arg)) told_.insert(process);
    const auto before = tasks_.find(static_cast<Pid>(entry.arg));
    if (is_new && before != tasks_.end() && before->second.later == Later::kNothing)
      before->second.later = Later::kReplaced;
    return;
  }
  Task& task = tasks_[static_cast<Pid>(entry.arg)];
  task.known = true;
  task.exits = false;
  TaskFacts& facts = task.facts;
  facts.flags = static_cast<std::uint32_t>(entry.payload_word(0)) & ~KUTRACE_TASK_FOUND;
  facts.process = process;
  facts.parent = static_cast<Pid>(entry.payload_word(1) >> 32);
  // The thread goes on under a new number, in the call that it was in.
  if ((facts.flags & KUTRACE_TASK_RENUMBERED) != 0 && event.cpu != kNoCpu) {
    const auto before = tasks_.find(static_cast<Pid>(entry.payload_word(0) >> 32));
    task.call = before == tasks_.end() ? 0 : before->second.call;
    if (before != tasks_.end() && &before->second != &task) tasks_.erase(before);
    facts.flags &= KUTRACE_TASK_KERNEL_THREAD;
    cpus_[event.cpu].pid = static_cast<Pid>(entry.arg);
    return;
  }
  const auto blocked_in = static_cast<unsigned>(entry.payload_word(0) >> 32);
  task.call = blocked_in >= 1 && blocked_in <= 1024 ? syscall_event(blocked_in - 1) : 0;
}

void RawState::define(LooseEntry name) {
  // The last definition before the piece holds, in the place of the first: order means nothing
  // among names.
  const auto [found, added] =
      name_index_.try_emplace({name_kind(name.number), name.arg}, names_.size());
  if (added) {
    names_.push_back(std::move(name));
  } else {
    names_[found->second] = std::move(name);
  }
}

void RawState::lose(const LossFacts& loss) {
  if (const auto part = loss_in(loss, window_)) losses_.push_back(loss_entry(*part));
}

void RawState::settle(const timeline::CpuBlocks& blocks, CpuState& state) {
  state.last = std::max(state.last, window_.begin);
  // The same rule as a reader's of the whole (`recording_not_complete`): in the piece, the missing
  // end of the file could not be seen.
  if (!layout_.complete && state.last < window_.end) {
    lose({blocks.cpu, KUTRACE_LOSS_DAMAGED, state.last, window_.end});
  }
}

std::vector<LooseEntry> RawState::entries() const {
  std::vector<LooseEntry> entries = names_;
  for (const auto& [pid, task] : tasks_) {
    if ((!task.known && task.call == 0) || is_over(task)) continue;
    TaskFacts facts = task.facts;
    facts.pid = pid;
    if (task.call != 0) facts.blocked_in = syscall_number(task.call);
    entries.push_back(task_entry(facts));
  }
  entries.insert(entries.end(), losses_.begin(), losses_.end());
  return entries;
}

std::vector<std::string> RawState::code_texts(EventNum kind) const {
  const auto found = code_.find(kind);
  return found == code_.end() ? std::vector<std::string>() : found->second.texts();
}

std::string RawState::name_of(Pid pid) const {
  return name_of(kind::kPID_NAME, static_cast<std::uint32_t>(pid));
}

std::string RawState::name_of(EventNum kind, std::uint32_t number) const {
  const auto found = name_index_.find({kind, number});
  if (found == name_index_.end()) return {};
  const auto& payload = names_[found->second].payload;
  if (payload.empty()) return {};
  const auto* text = reinterpret_cast<const char*>(payload.data());
  return {text, strnlen(text, 8 * payload.size())};
}

}  // namespace kutrace::raw
