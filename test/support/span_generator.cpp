// SPDX-License-Identifier: BSD-3-Clause
// A made-up machine, see span_generator.h.
#include "support/span_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "kutrace/abi.h"

namespace kutrace::test {
namespace {

struct Call {
  const char* name;
  EventNum event;
  Ns typical;
};

constexpr std::array<Call, 8> kCalls = {{{"read", 0x800, 900},
                                         {"write", 0x801, 1400},
                                         {"openat", 0x901, 2600},
                                         {"futex", 0x8ca, 1100},
                                         {"epoll_wait", 0x8e8, 1800},
                                         {"getppid", 0x86e, 90},
                                         {"mmap", 0x809, 3100},
                                         {"close", 0x803, 400}}};

constexpr std::array<const char*, 8> kPrograms = {"server", "bash",    "postgres", "nginx",
                                                  "make",   "cc1plus", "python3",  "sshd"};

class Machine {
 public:
  Machine(const MachineShape& shape, NameTable& names, SpanSink& sink)
      : shape_(shape), names_(names), sink_(sink), random_(shape.seed), cpus_(shape.cpus) {
    for (unsigned i = 0; i < shape.threads; i++) add_thread(i);
  }

  TraceInfo run() {
    for (unsigned c = 0; c < shape_.cpus; c++) cpus_[c].number = c;
    while (pushed_ < shape_.spans) {
      // The CPU that is furthest behind goes on, as merged streams do.
      Cpu& cpu = *std::min_element(cpus_.begin(), cpus_.end(),
                                   [](const Cpu& a, const Cpu& b) { return a.now < b.now; });
      step(cpu);
    }
    return finish();
  }

 private:
  struct Cpu {
    CpuId number = 0;
    Ns now = 0;
    Ns next_tick = 4'000'000;
    unsigned left = 0;  // spans until this burst of work ends
    unsigned thread = 0;
    bool lost = false;
  };
  struct Thread {
    Pid pid = 0;
    NameId name = kNoName;
    Pid process = 0;
    bool kernel = false;
    Ns slept_at = 0;
  };

  void add_thread(unsigned i) {
    Thread thread;
    thread.pid = static_cast<Pid>(1200 + 7 * i);
    thread.kernel = i % 9 == 8;
    const unsigned program = (i / 4) % kPrograms.size();
    thread.process = thread.kernel ? thread.pid : static_cast<Pid>(1200 + 7 * (i - i % 4));
    thread.name = names_.intern(thread.kernel ? fmt::format("kworker/{}:1", i % shape_.cpus)
                                : i % 4 == 0  ? kPrograms[program]
                                              : fmt::format("{}-w{}", kPrograms[program], i % 4));
    threads_.push_back(thread);
  }

  Ns around(Ns typical) {
    std::lognormal_distribution<double> shape(0, 0.7);
    const double ns = static_cast<double>(typical) * shape(random_);
    return std::max<Ns>(shape_.tick, static_cast<Ns>(ns) / shape_.tick * shape_.tick);
  }
  unsigned pick(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }

  void push(const Span& span) {
    sink_.push(span);
    pushed_++;
  }

  Span& execute(Cpu& cpu, SpanKind kind, EventNum event, const char* name, Ns typical) {
    span_ = Span{};
    span_.kind = kind;
    span_.event = event;
    span_.name = names_.intern(name);
    span_.start = cpu.now;
    span_.duration = around(typical);
    span_.cpu = cpu.number;
    span_.pid = threads_[cpu.thread].pid;
    cpu.now += span_.duration;
    return span_;
  }

  void user(Cpu& cpu) {
    const Thread& thread = threads_[cpu.thread];
    Span& span =
        execute(cpu, thread.kernel ? SpanKind::kKernelThread : SpanKind::kUser, 0x10000, "", 2200);
    span.name = thread.name;
    push(span);
  }

  void system_call(Cpu& cpu) {
    const Call& call = kCalls[std::min(pick(kCalls.size()), pick(kCalls.size()))];
    Span& span = execute(cpu, SpanKind::kSyscall, call.event, call.name, call.typical);
    span.arg = pick(12);
    span.has_result = true;
    span.result = {pick(20) == 0 ? -11 : static_cast<std::int64_t>(pick(4096)), false};
    push(span);
    if (pick(6) == 0) wake(cpu, span.start + span.duration / shape_.tick / 2 * shape_.tick);
  }

  void wake(const Cpu& cpu, Ns at) {
    const unsigned target = pick(threads_.size());
    Thread& thread = threads_[target];
    const Cpu& to = cpus_[pick(cpus_.size())];
    if (at > thread.slept_at) {
      Span wait;
      wait.kind = SpanKind::kWait;
      const char letter = "lptndmk"[pick(7)];
      wait.event = 0x300 + static_cast<EventNum>(letter - 'a');
      wait.name = names_.intern(letter == 'l'   ? "wait_lock"
                                : letter == 'p' ? "wait_pipe"
                                : letter == 't' ? "wait_time"
                                : letter == 'n' ? "wait_net"
                                : letter == 'd' ? "wait_disk"
                                : letter == 'm' ? "wait_mem"
                                                : "wait_task");
      wait.pid = thread.pid;
      wait.start = thread.slept_at;
      wait.duration = at - thread.slept_at;
      push(wait);
      thread.slept_at = at + around(9000);
    }
    Span arc;
    arc.kind = SpanKind::kWakeupArc;
    arc.event = 0x206;
    arc.name = names_.intern("-wakeup-");
    arc.cpu = cpu.number;
    arc.pid = threads_[cpu.thread].pid;
    arc.other = thread.pid;
    arc.arg = to.number;
    arc.start = at;
    arc.duration = around(3500);
    push(arc);
  }

  void interrupt(Cpu& cpu) {
    push(execute(cpu, SpanKind::kIrq, 0x5ec, "local_timer", 1300));
    if (pick(3) == 0) {
      Span& span = execute(cpu, SpanKind::kSoftirq, 0x5ff, "BH:rcu", 800);
      span.arg = 9;
      push(span);
    }
  }

  void rest(Cpu& cpu) {
    push(execute(cpu, SpanKind::kScheduler, 0xdff, "-sched-", 1100));
    threads_[cpu.thread].slept_at = cpu.now;
    const auto idle = [&](SpanKind kind, EventNum event, const char* name, Ns typical) {
      Span& span = execute(cpu, kind, event, name, typical);
      span.pid = 0;
      if (kind == SpanKind::kIdleLowPower) span.arg = (2u << 16) | 0x20;
      push(span);
    };
    if (pick(2) == 0) {
      idle(SpanKind::kIdle, 0x10000, "-idle-", 700);
      const bool busy = cpu.now / 200'000'000 % 3 == 1;
      idle(SpanKind::kIdleLowPower, 0x10000, "-idlelp-", busy ? 20'000 : 400'000);
      idle(SpanKind::kCExit, 0x20000, "-c-exit-", 3000);
    }
    if (shape_.with_loss && !cpu.lost && cpu.number == 1 && pushed_ > shape_.spans / 2) {
      Span& span = execute(cpu, SpanKind::kLoss, 0x20001, "-loss-", 2'000'000);
      span.arg = KUTRACE_LOSS_BUFFER_FULL;
      span.pid = kNoPid;
      push(span);
      info_.losses.push_back({cpu.number, span.start, cpu.now, 1234, KUTRACE_LOSS_BUFFER_FULL});
      cpu.lost = true;
    }
    cpu.thread = std::min(pick(threads_.size()), pick(threads_.size()));
    cpu.left = 4 + pick(60);
    push(execute(cpu, SpanKind::kScheduler, 0xdff, "-sched-", 600));
  }

  void step(Cpu& cpu) {
    if (cpu.now >= cpu.next_tick) {
      interrupt(cpu);
      cpu.next_tick = (cpu.now / 4'000'000 + 1) * 4'000'000;
    }
    if (cpu.left == 0) return rest(cpu);
    cpu.left--;
    user(cpu);
    const unsigned what = pick(10);
    if (what < 7) {
      system_call(cpu);
    } else if (what < 9) {
      Span& span = execute(cpu, SpanKind::kTrap, 0x40e, "page_fault", 500);
      span.arg = pick(65536);
      push(span);
    } else if (pick(40) == 0) {
      mark(cpu);
    }
  }

  void mark(const Cpu& cpu) {
    Span span;
    span.kind = SpanKind::kMark;
    span.event = 0x20a + pick(4);
    span.name = names_.intern(pick(2) == 0 ? "mark_a=hello" : "mark_a=/hello");
    span.start = cpu.now;
    span.cpu = cpu.number;
    span.pid = threads_[cpu.thread].pid;
    span.arg = pick(1000);
    push(span);
  }

  TraceInfo finish() {
    Ns end = 0;
    for (const Cpu& cpu : cpus_) end = std::max(end, cpu.now);
    end += 1024;
    for (Cpu& cpu : cpus_) {
      Span& span = execute(cpu, SpanKind::kIdle, 0x10000, "-idle-", shape_.tick);
      span.duration = end - span.start;
      span.pid = 0;
      push(span);
      info_.cpus.push_back(cpu.number);
    }
    info_.end = end;
    info_.wall_usec = 1'790'000'000'123'456;
    info_.ns_per_tick = static_cast<double>(shape_.tick);
    info_.kernel_version = "6.1.0-made-up";
    info_.cpu_model = "A machine that does not exist";
    info_.host_name = "generator";
    info_.facts.add(fact::kSource, "generator");
    info_.facts.add(fact::kUnseen, "everything real");
    info_.entries = pushed_;
    info_.events = pushed_;
    for (const Thread& thread : threads_) {
      info_.threads[thread.pid] = ThreadInfo{
          .name = thread.name, .process = thread.process, .kernel_thread = thread.kernel};
    }
    if (!threads_.empty()) info_.threads[threads_.front().pid].command = true;
    return info_;
  }

  MachineShape shape_;
  NameTable& names_;
  SpanSink& sink_;
  std::mt19937_64 random_;
  std::vector<Cpu> cpus_;
  std::vector<Thread> threads_;
  TraceInfo info_;
  Span span_;
  std::uint64_t pushed_ = 0;
};

}  // namespace

TraceInfo generate_spans(const MachineShape& shape, NameTable& names, SpanSink& sink) {
  return Machine(shape, names, sink).run();
}

}  // namespace kutrace::test
