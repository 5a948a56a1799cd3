// SPDX-License-Identifier: BSD-3-Clause
// Moving numbers.
#include "model/machines.h"

#include <algorithm>

#include "base/check.h"
#include "kutrace/abi.h"

namespace kutrace {

namespace {

constexpr Pid kNumbers = 1 << 22;  // of threads of one machine: Linux's PID_MAX_LIMIT
constexpr std::size_t kMostMachines = 511;

template <typename Id>
Id moved_id(Id id, std::uint32_t by, std::uint32_t& last) {
  if (id == Id::kNone) return id;
  const std::uint32_t moved = static_cast<std::uint32_t>(id) + by;
  last = std::max(last, moved);
  return Id{moved};
}

}  // namespace

// A machine's numbers become the model's.
class Machines::Stream : public SpanSink {
 public:
  Stream(Machines& machines, const Machine& machine) : all_(machines), machine_(machine) {}

  void begin(const TraceInfo&) override {
    threads_before_ = all_.last_thread_;
    calls_before_ = all_.last_call_;
  }

  void push(const Span& span) override {
    Span moved = span;
    moved.start += machine_.shift;
    moved.cpu = cpu(span.cpu);
    moved.pid = pid(span.pid);
    moved.thread = thread(span.thread);
    moved.call = call_id(span.call);
    if (is_arc(span.kind)) moved.arg = cpu(span.low_arg());
    if (span.kind == SpanKind::kWakeupArc || span.kind == SpanKind::kSample) {
      moved.other = pid(span.other);
    }
    all_.next_.push(moved);
  }

  void call(const Call& call) override {
    Call moved = call;
    moved.id = call_id(call.id);
    moved.parent = call_id(call.parent);
    moved.thread = thread(call.thread);
    moved.pid = pid(call.pid);
    moved.cpu = cpu(call.cpu);
    moved.begin += machine_.shift;
    moved.end += machine_.shift;
    all_.next_.call(moved);
  }

  void life(const ThreadLife& life) override {
    ThreadLife moved = life;
    moved.thread = thread(life.thread);
    moved.pid = pid(life.pid);
    moved.process = pid(life.process);
    moved.parent = pid(life.parent);
    moved.begin += machine_.shift;
    moved.end += machine_.shift;
    all_.next_.life(moved);
  }

  void stack(const Stack& stack) override {
    Stack moved = stack;
    moved.process = pid(stack.process);
    moved.time += machine_.shift;
    all_.next_.stack(moved);
  }

  void end(TraceInfo& info) override { all_.add(machine_, info); }

  // 0 is idle, or nobody's; what is negative is none.
  Pid pid(Pid own) const { return own > 0 ? own + machine_.first_pid : own; }

 private:
  CpuId cpu(CpuId own) const { return own == kNoCpu ? own : own + machine_.first_cpu; }
  ThreadId thread(ThreadId own) { return moved_id(own, threads_before_, all_.last_thread_); }
  CallId call_id(CallId own) { return moved_id(own, calls_before_, all_.last_call_); }

  Machines& all_;
  const Machine& machine_;
  std::uint32_t threads_before_ = 0;
  std::uint32_t calls_before_ = 0;
};

Machines::Machines(const std::vector<Part>& parts, SpanSink& next) : next_(next) {
  check(!parts.empty() && parts.size() <= kMostMachines, "a model has 1 to 511 machines");
  info_ = parts.front().known;
  info_.cpus.clear();
  CpuId first_cpu = 0;
  for (const Part& part : parts) {
    Machine& machine = machines_.emplace_back();
    machine.first_cpu = first_cpu;
    machine.first_pid = static_cast<Pid>(machines_.size() - 1) * kNumbers;
    machine.shift = part.shift;
    for (const CpuId cpu : part.known.cpus) machine.cpus.push_back(first_cpu + cpu);
    if (!machine.cpus.empty()) first_cpu = machine.cpus.back() + 1;
    info_.cpus.insert(info_.cpus.end(), machine.cpus.begin(), machine.cpus.end());
    const Ns begin = part.known.begin + part.shift;
    const Ns end = part.known.end + part.shift;
    const bool is_first = machines_.size() == 1;
    info_.begin = is_first ? begin : std::min(info_.begin, begin);
    info_.end = is_first ? end : std::max(info_.end, end);
  }
  for (const Machine& machine : machines_) {
    streams_.push_back(std::make_unique<Stream>(*this, machine));
  }
  ends_.resize(machines_.size());
  next_.begin(info_);
  info_.counters = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const CpuId cpu : machines_[i].cpus) {
      fill(cpu, info_.begin, parts[i].known.begin + parts[i].shift);
    }
  }
}

Machines::~Machines() = default;

SpanSink& Machines::stream(std::size_t number) { return *streams_.at(number); }

// Nothing is known of the CPU between.
void Machines::fill(CpuId cpu, Ns begin, Ns end) {
  if (end <= begin) return;
  next_.push(loss_span(cpu, begin, end, KUTRACE_LOSS_UNWRITTEN, kNoName));
  info_.losses.push_back({cpu, begin, end, KUTRACE_LOSS_UNKNOWN_COUNT, KUTRACE_LOSS_UNWRITTEN});
}

void Machines::add(const Machine& of, const TraceInfo& info) {
  const auto number = static_cast<std::size_t>(&of - machines_.data());
  Machine& machine = machines_[number];
  machine.host_name = info.host_name;
  machine.kernel_version = info.kernel_version;
  machine.cpu_model = info.cpu_model;
  machine.facts = info.facts;
  ends_[number] = info.end + machine.shift;
  info_.end = std::max(info_.end, ends_[number]);
  const Stream& stream = *streams_[number];
  for (const auto& [pid, known] : info.threads) {
    ThreadInfo& thread = info_.threads[stream.pid(pid)];
    thread = known;
    thread.process = stream.pid(known.process);
    thread.parent = stream.pid(known.parent);
  }
  for (LossRecord loss : info.losses) {
    loss.cpu += machine.first_cpu;
    loss.begin += machine.shift;
    loss.end += machine.shift;
    info_.losses.push_back(loss);
  }
  info_.blocks += info.blocks;
  info_.entries += info.entries;
  info_.events += info.events;
  for (const auto& [event, entries] : info.by_event) info_.by_event[event] += entries;
  info_.event_names.insert(info.event_names.begin(), info.event_names.end());
  info_.counters.add(info.counters);
}

TraceInfo Machines::finish() {
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    for (const CpuId cpu : machines_[i].cpus) fill(cpu, ends_[i], info_.end);
  }
  const Machine& first = machines_.front();
  info_.host_name = first.host_name;
  info_.kernel_version = first.kernel_version;
  info_.cpu_model = first.cpu_model;
  info_.facts = first.facts;
  // Whose they are, and at which of the shifted times, a fact does not tell.
  info_.facts.erase(fact::kCounter);
  info_.facts.erase(fact::kReading);
  next_.end(info_);
  return std::move(info_);
}

}  // namespace kutrace
