// SPDX-License-Identifier: BSD-3-Clause
// The simulated machine. Always the CPU that is furthest behind acts next, so that what CPUs do to
// one another happens in time order.
#include "support/truth_generator.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>

#include "format/event_table.h"
#include "format/name_entries.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"

namespace kutrace::test {

namespace {

constexpr Ns kShortestExit = 100;
constexpr Pid kFirstPid = 100'000;  // beyond 16 bits
constexpr Pid kFirstShortPid = 1000;
constexpr std::uint32_t kFirstIdlePid = 3;  // of FreeBSD
constexpr std::size_t kIdle = kNoTrueThread;
constexpr EventNum kExec = syscall_event(59);
constexpr EventNum kExit = syscall_event(60);

struct IdleState {
  std::uint32_t own;       // argument of mwait as our recorder writes it
  std::uint32_t upstream;  // as upstream does
  Ns latency;
};
constexpr IdleState kStates[] = {{2u << 16 | 0x10, 0x10, 3'300}, {3u << 16 | 0x20, 0x20, 13'300}};

struct Frame {
  SpanKind kind = SpanKind::kUser;
  EventNum event = 0;
  std::uint64_t arg = 0;
};

struct Thread {
  Pid pid = 0;
  Pid process = 0;
  std::size_t family = 0;  // the process, whatever its number
  bool dead = false;
  bool kernel = false;
  bool ran = false;  // or its state is known from a TASK entry
  bool ready = false;
  std::vector<Frame> stack;  // while it does not run
  std::optional<Ticks> stopped;
  std::optional<Ticks> woken;
  CpuId waker = 0;
};

struct Cpu {
  CpuId number = 0;
  Ticks now = 0;   // of its next action
  Ticks open = 0;  // start of the span it is in
  std::size_t thread = kIdle;
  std::vector<Frame> stack;
  const IdleState* asleep = nullptr;
  std::optional<Ticks> ipi;  // sent here and not answered
  CpuId ipi_from = 0;
  bool switched = false;    // within the present visit to the scheduler
  bool blocking = false;    // the scheduler was called to wait
  std::uint8_t nibble = 0;  // what the trailer says of the span it is in
};

// Of a thread that ended.
struct FreeNumber {
  Pid pid = 0;
  Ticks since = 0;
};

RawStyle style_of(const TruthOptions& options) {
  RawStyle style;
  style.own = options.own;
  style.version = options.version;
  style.flags = options.flags;
  switch (options.machine) {
    case MachineKind::kX86:
      break;
    case MachineKind::kRaspberry:
      style.ticks_per_2usec = 108;
      break;
    case MachineKind::kRaspberry32:
      style.ticks_per_2usec = 108;
      style.counter_bits = 32;
      style.start = (Ticks{1} << 32) - 3'000'000;
      break;
    case MachineKind::kRiscv:
      style.ticks_per_2usec = 2;
      style.times_per_tick = 64;
      break;
    case MachineKind::kFreeBsd:
      style.header_bias = 100'000;
      break;
  }
  return style;
}

class Machine {
 public:
  explicit Machine(const TruthOptions& options)
      : options_(options),
        style_(style_of(options)),
        next_number_(options.own ? kFirstPid : kFirstShortPid),
        engine_(options.seed),
        writer_(style_, options.block_words, options.seed ^ 0x5bd1e995) {
    name_machine();
    start_threads();
    start_cpus();
  }

  Truth run() {
    for (unsigned step = 0; step < options_.steps; ++step) {
      act(*std::min_element(cpus_.begin(), cpus_.end(),
                            [](const Cpu& a, const Cpu& b) { return a.now < b.now; }));
    }
    return finish();
  }

 private:
  unsigned random(unsigned below) { return static_cast<unsigned>(engine_() % below); }
  bool chance(unsigned percent) { return random(100) < percent; }

  Ticks pause() {
    if (options_.long_gaps && random(60) == 0) return gap() * style_.times_per_tick;
    return 1 + random(chance(70) ? 60 : 2000);
  }

  Ticks gap() {
    switch (random(4)) {
      case 0:
        return 0xe0000 - 3 + random(6);
      case 1:
        return 0x100000 * (1 + random(5)) - 300 + random(600);
      case 2:
        return 5'000'000 + random(50'000'000);
      default:
        return options_.own && random(8) == 0 ? 2'500'000'000 : 300'000 + random(700'000);
    }
  }

  // ---- the start --------------------------------------------------------------------------

  void name_machine() {
    if (options_.machine == MachineKind::kRaspberry ||
        options_.machine == MachineKind::kRaspberry32) {
      writer_.name(kind::kCPU_MODEL, 0, "Raspberry Pi 4 Model B Rev 1.1");
    }
    if (options_.version < 3) writer_.name_words(kind::kTIME_PAIR, 0, {kStart, kStartUsec});
    if (options_.machine != MachineKind::kFreeBsd) return;
    writer_.name(kind::kKERNEL_VERSION, 0, "FreeBSD 14.1-RELEASE");
    for (CpuId cpu = 0; cpu < options_.cpus; ++cpu) {
      writer_.name(kind::kPID_NAME, kFirstIdlePid + cpu, "idle: cpu");
    }
  }

  void start_threads() {
    for (unsigned i = 0; i < options_.threads; ++i) {
      Thread thread;
      thread.pid = thread.process = next_number_++;
      thread.family = families_++;
      thread.kernel = options_.own && i % 4 == 3;
      thread.ran = options_.own;
      thread.ready = chance(40);
      if (options_.own) seed(thread);
      threads_.push_back(thread);
    }
    if (options_.own) {
      writer_.fact("cstate.0", "POLL,0");
      writer_.fact("cstate.1", "C1,3");
      writer_.fact("cstate.2", "C2,13");
    }
  }

  void seed(Thread& thread) {
    const bool blocked = !thread.ready && !thread.kernel;
    const std::uint64_t call = blocked ? 7 + 1 : 0;
    writer_.name_words(kind::kTASK, static_cast<std::uint32_t>(thread.pid),
                       {call << 32 | (thread.kernel ? KUTRACE_TASK_KERNEL_THREAD : 0u),
                        static_cast<std::uint64_t>(thread.pid)});
    writer_.name(kind::kPID_NAME, static_cast<std::uint32_t>(thread.pid), "worker");
    if (blocked) thread.stack.push_back({SpanKind::kSyscall, syscall_event(7), 0});
    thread.stopped = 0;
  }

  void start_cpus() {
    for (CpuId number = 0; number < options_.cpus; ++number) {
      Cpu cpu;
      cpu.number = number;
      cpu.now = 1 + random(500);
      cpu.nibble = random_nibble();
      // Headers before version 3 do not say who runs.
      if (options_.version >= 3 && number < threads_.size() && chance(60)) {
        cpu.thread = number;
        Thread& thread = threads_[number];
        thread.ready = false;
        thread.ran = true;
        // A header says that a thread runs; it says nothing of a wait that ended there.
        thread.stopped.reset();
        cpu.stack = thread.stack;
      }
      cpus_.push_back(cpu);
    }
  }

  // ---- the truth and the entries ------------------------------------------------------------

  // As entries and headers say it.
  Pid said_pid(const Cpu& cpu) const {
    const bool named = options_.machine == MachineKind::kFreeBsd && cpu.thread == kIdle;
    return named ? static_cast<Pid>(kFirstIdlePid + cpu.number) : pid(cpu);
  }

  std::uint8_t random_nibble() {
    return style_.trailer() ? static_cast<std::uint8_t>(random(16)) : std::uint8_t{0};
  }

  // What the trailer says of a piece of a span of that nibble, other than its last: the same
  // instructions per cycle, no cache misses.
  std::uint8_t piece(std::uint8_t nibble) const {
    const unsigned misses = options_.flags & KUTRACE_FLAG_LLC;
    const unsigned ipc = options_.flags & KUTRACE_FLAG_IPC;
    if (misses == 0) return nibble;
    return ipc != 0 ? nibble & 0xc : std::uint8_t{0};
  }

  Pid pid(const Cpu& cpu) const { return cpu.thread == kIdle ? 0 : threads_[cpu.thread].pid; }

  Frame top(const Cpu& cpu) const {
    if (!cpu.stack.empty()) return cpu.stack.back();
    if (cpu.thread == kIdle) return {SpanKind::kIdle, ev::kUSER, 0};
    const bool kernel = threads_[cpu.thread].kernel;
    return {kernel ? SpanKind::kKernelThread : SpanKind::kUser, ev::kUSER, 0};
  }

  void add(const Cpu& cpu, Ns begin, Ns end, const Frame& frame) {
    if (end <= begin) return;
    TrueSpan span;
    span.begin = begin;
    span.end = end;
    span.cpu = cpu.number;
    span.pid = pid(cpu);
    span.thread = cpu.thread;
    span.kind = frame.kind;
    span.event = frame.event;
    span.arg = frame.arg;
    span.ipc = frame.kind == SpanKind::kCExit ? 0 : cpu.nibble;
    truth_.spans.push_back(span);
  }

  Ns ns(Ticks time) const {
    return static_cast<Ns>(time * 2000 / (style_.ticks_per_2usec * style_.times_per_tick));
  }

  void cut(Cpu& cpu, Ticks time) {
    add(cpu, ns(cpu.open), ns(time), top(cpu));
    cpu.open = time;
    cpu.nibble = random_nibble();
  }

  void put(Cpu& cpu, Ticks time, EventNum event, std::uint32_t low = 0) {
    const bool ends_span = event >= ev::kFirstCall || event == ev::kUSERPID || event == ev::kMWAIT;
    writer_.measured(ends_span ? cpu.nibble : piece(cpu.nibble));
    writer_.put(cpu.number, time, event, low, said_pid(cpu));
  }

  void push(Cpu& cpu, Ticks time, const Frame& frame) {
    cut(cpu, time);
    cpu.stack.push_back(frame);
  }

  void enter(Cpu& cpu, Ticks time, SpanKind kind, EventNum event, std::uint32_t arg) {
    put(cpu, time, event, arg);
    push(cpu, time, {kind, event, arg});
  }

  void pop(Cpu& cpu, Ticks time, CallResult result) {
    const bool visible = time > cpu.open;
    cut(cpu, time);
    cpu.stack.pop_back();
    if (!visible) return;
    truth_.spans.back().has_result = true;
    truth_.spans.back().result = result;
  }

  void leave(Cpu& cpu, Ticks time, std::uint16_t low) {
    const Frame& frame = cpu.stack.back();
    CallResult result = low_result(low);
    writer_.measured(cpu.nibble);
    if (is_wide_syscall(frame.event)) {
      result = {static_cast<std::int64_t>(random_word()), true};
      wide(cpu, time, {frame.event & ~kWideSyscall, std::nullopt, result.value});
    }
    writer_.put_return(cpu.number, time, narrow_event(frame.event), low_bits(result),
                       said_pid(cpu));
    pop(cpu, time, result);
  }

  // Numbers of the call or return that is written next.
  void wide(const Cpu& cpu, Ticks time, const WideFacts& numbers) {
    const LooseEntry entry = wide_entry(numbers);
    writer_.put(cpu.number, time, kind::kWIDE, entry.arg, said_pid(cpu), entry.payload);
  }

  // All arguments of that call, and what one of them points to.
  void details(const Cpu& cpu, Ticks time, std::uint64_t first) {
    constexpr std::uint32_t kSecond = 1 | 11 << KUTRACE_DATA_LENGTH_SHIFT;
    writer_.put(cpu.number, time, kind::kCALL_DATA, kSecond, said_pid(cpu), {first, first});
    writer_.put(cpu.number, time, kind::kARGUMENTS, 0, said_pid(cpu), {first, 2, 3});
  }

  void wide_call(Cpu& cpu, Ticks time) {
    const unsigned number = kNarrowSyscalls + random(chance(50) ? 100 : 0x7fff'0000);
    const Frame frame{SpanKind::kSyscall, syscall_event(number), random_word()};
    wide(cpu, time, {number, frame.arg, std::nullopt});
    if (number % 2 != 0) details(cpu, time, frame.arg);
    put(cpu, time, narrow_event(frame.event), static_cast<std::uint32_t>(frame.arg & 0xffff));
    push(cpu, time, frame);
  }

  // ---- what CPUs do -------------------------------------------------------------------------

  void act(Cpu& cpu) {
    const Ticks time = cpu.now;
    cpu.now += pause();
    if (options_.noise && cpu.asleep == nullptr && chance(10)) return noise(cpu, time);
    wake_from_sleep(cpu, time);
    const SpanKind kind = top(cpu).kind;
    if (cpu.ipi && kind != SpanKind::kIrq) return interrupt(cpu, time, kReschedule);
    switch (kind) {
      case SpanKind::kUser:
        return in_user(cpu, time);
      case SpanKind::kKernelThread:
        return in_kernel_thread(cpu, time);
      case SpanKind::kSyscall:
        return in_syscall(cpu, time);
      case SpanKind::kTrap:
        return in_trap(cpu, time);
      case SpanKind::kScheduler:
        return in_scheduler(cpu, time);
      case SpanKind::kSoftirq:
        return in_softirq(cpu, time);
      case SpanKind::kIrq:
        return in_interrupt(cpu, time);
      default:
        return in_idle(cpu, time);
    }
  }

  // Entries that begin and end nothing.
  void noise(Cpu& cpu, Ticks time) {
    constexpr EventNum kPoints[] = {
        ev::kFREQUENCY, ev::kFREQUENCY_NOTICE, ev::kLEFT_MARK, ev::kRIGHT_MARK, ev::kRX_PACKET,
        ev::kTX_PACKET, ev::kRX_USER,          ev::kTX_USER,   ev::kRESOURCE,   ev::kLINK_SPEED,
        ev::kENQUEUE,   ev::kDEQUEUE,          0x213,          0x22f,           0x27f};
    constexpr EventNum kNames[] = {kind::kFILE_NAME,    kind::kMETHOD_NAME, kind::kLOCK_NAME,
                                   kind::kERRNO_NAME,   kind::kPACKET_NAME, kind::kQUEUE_NAME,
                                   kind::kRESOURCE_NAME};
    const auto words = [this](std::size_t count) {
      std::vector<std::uint64_t> out(count);
      for (std::uint64_t& word : out) word = engine_() | 1;
      return out;
    };
    const auto put_words = [&](EventNum event, std::size_t count) {
      writer_.put(cpu.number, time, event, random(1000), said_pid(cpu), words(count));
    };
    switch (random(4)) {
      case 0:
        return put_words(chance(50) ? ev::kPC_USER : ev::kPC_KERNEL, 1);
      case 1:
        return put_words(kind::kPC_TEMP, 1);
      case 2:
        return put_words(kNames[random(std::size(kNames))], random(KUTRACE_MAX_WORDS));
      default:
        return put(cpu, time, kPoints[random(std::size(kPoints))], random(4000));
    }
  }

  void talk(Cpu& cpu, Ticks time, EventNum packet) {
    constexpr std::uint32_t kHashes = 2;
    if (options_.talks && chance(80)) put(cpu, time, packet, random(kHashes));
  }

  void in_user(Cpu& cpu, Ticks time) {
    switch (random(6)) {
      case 0:
        return fault(cpu, time);
      case 1:
        return interrupt(cpu, time, kTimer);
      case 2:
        return chance(60) ? put(cpu, time, ev::kMARK_D, random(1000)) : schedule(cpu, time, false);
      default:
        return system_call(cpu, time);
    }
  }

  void in_kernel_thread(Cpu& cpu, Ticks time) {
    switch (random(4)) {
      case 0:
        return interrupt(cpu, time, kTimer);
      case 1:
        return make_ready(cpu, time);
      default:
        return schedule(cpu, time, chance(70));
    }
  }

  void in_syscall(Cpu& cpu, Ticks time) {
    const EventNum call = cpu.stack.back().event;
    talk(cpu, time, ev::kTX_PACKET);
    if (deaths() && call == kExit && chance(60)) return schedule(cpu, time, true);
    if (deaths() && call == kExec && chance(60)) return take_number_of_process(cpu, time);
    switch (random(10)) {
      case 0:
        return fault(cpu, time);
      case 1:
        return interrupt(cpu, time, kTimer);
      case 2:
        return send_ipi(cpu, time);
      case 3:
        return make_ready(cpu, time);
      case 4:
      case 5:
        return schedule(cpu, time, true);
      case 6:
        return call == kClone ? start_thread(cpu, time) : make_ready(cpu, time);
      default:
        return leave(cpu, time, random_result());
    }
  }

  void in_trap(Cpu& cpu, Ticks time) {
    if (chance(10)) return interrupt(cpu, time, kTimer);
    if (chance(15)) return schedule(cpu, time, true);
    leave(cpu, time, 0);
  }

  void in_softirq(Cpu& cpu, Ticks time) {
    talk(cpu, time, ev::kRX_PACKET);
    if (chance(20)) return interrupt(cpu, time, kTimer);
    if (chance(options_.talks ? 80 : 40)) return make_ready(cpu, time);
    leave(cpu, time, 0);
  }

  void in_interrupt(Cpu& cpu, Ticks time) {
    if (chance(20)) return make_ready(cpu, time);
    leave(cpu, time, 0);
    if (top(cpu).kind < SpanKind::kIrq && chance(40)) {
      cpu.now = time + 1 + random(100);
      const Ticks begin = time + random(2);
      enter(cpu, begin, SpanKind::kSoftirq, ev::kBottomHalf, random(10));
      cpu.now = std::max(cpu.now, begin + 1);
    }
  }

  void in_idle(Cpu& cpu, Ticks time) {
    switch (random(4)) {
      case 0:
        return interrupt(cpu, time, kTimer);
      case 1:
        if (options_.power) return sleep(cpu, time);
        return interrupt(cpu, time, kTimer);
      default:
        return next_ready() ? schedule(cpu, time, true) : interrupt(cpu, time, kTimer);
    }
  }

  std::uint16_t random_result() {
    return static_cast<std::uint16_t>(chance(70) ? static_cast<int>(random(300)) - 140
                                                 : static_cast<int>(random(65536)));
  }

  std::uint64_t random_word() { return std::uint64_t{random(~0u)} << 32 | random(~0u); }

  void system_call(Cpu& cpu, Ticks time) {
    if (options_.own && options_.wide && chance(5)) return wide_call(cpu, time);
    const EventNum call = any_call();
    const std::uint32_t arg = random(65536);
    if (!options_.late_stores || !chance(8) || is_scheduler(call)) {
      return enter(cpu, time, SpanKind::kSyscall, is_scheduler(call) ? 0x800 : call, arg);
    }
    // The time was read, then an interrupt came before the entry was stored.
    const Ticks before = writer_.last(cpu.number);
    const std::uint8_t nibble = cpu.nibble;
    push(cpu, time, {SpanKind::kSyscall, call, arg});
    const Ticks begin = time + 1 + random(200);
    const Ticks end = begin + 1 + random(400);
    enter(cpu, begin, SpanKind::kIrq, kTimer, 0);
    leave(cpu, end, 0);
    const auto gap = chance(50)
                         ? static_cast<std::int64_t>(time) - static_cast<std::int64_t>(before)
                         : static_cast<std::int64_t>(time) - static_cast<std::int64_t>(end);
    writer_.measured(nibble);
    writer_.put_late(cpu.number, time, call, arg, said_pid(cpu), gap);
    cpu.now = end + 1 + random(500);
  }

  EventNum any_call() {
    if (chance(deaths() ? 20 : 10)) return kClone;
    if (deaths() && chance(15)) return chance(50) && alive() > 2 ? kExit : kExec;
    const EventNum call = syscall_event(random(chance(80) ? 300 : 1023));
    return deaths() && (call == kExit || call == kExec) ? kClone : call;
  }

  void fault(Cpu& cpu, Ticks time) {
    enter(cpu, time, SpanKind::kTrap, ev::kPageFault, random(65536));
  }

  void interrupt(Cpu& cpu, Ticks time, EventNum vector) {
    if (top(cpu).kind == SpanKind::kScheduler && !may_interrupt_scheduler(cpu)) {
      return leave(cpu, time, 0);
    }
    if (vector >= kCallFunction) cpu.ipi.reset();
    enter(cpu, time, SpanKind::kIrq, vector, 0);
  }

  // Of a thread never seen before, an interrupt is taken as a sign that it left the scheduler.
  bool may_interrupt_scheduler(const Cpu& cpu) const {
    return !cpu.switched || cpu.thread == kIdle || threads_[cpu.thread].ran;
  }

  void sleep(Cpu& cpu, Ticks time) {
    const IdleState& state = kStates[random(2)];
    put(cpu, time, ev::kMWAIT, options_.own ? state.own : state.upstream);
    cut(cpu, time);
    cpu.asleep = &state;
  }

  void wake_from_sleep(Cpu& cpu, Ticks time) {
    if (cpu.asleep == nullptr) return;
    const Ns slept = ns(time) - ns(cpu.open);
    Ns latency =
        std::min(options_.own ? cpu.asleep->latency / 1000 * 1000 : cpu.asleep->latency, slept);
    if (cpu.ipi && *cpu.ipi >= cpu.open) latency = ns(time) - ns(*cpu.ipi);
    if (latency < kShortestExit) latency = 0;
    const std::uint32_t arg = options_.own ? cpu.asleep->own : cpu.asleep->upstream;
    add(cpu, ns(cpu.open), ns(time) - latency, {SpanKind::kIdleLowPower, ev::kUSER, arg});
    add(cpu, ns(time) - latency, ns(time), {SpanKind::kCExit, ev::kC_EXIT, arg});
    cpu.open = time;
    cpu.asleep = nullptr;
  }

  void send_ipi(Cpu& cpu, Ticks time) {
    const CpuId target = random(options_.cpus);
    put(cpu, time, ev::kSEND_IPI, target);
    Cpu& other = cpus_[target];
    if (target == cpu.number) return;
    other.ipi = time;
    const Ticks busy_until = std::max({time, other.open, writer_.last(target)});
    other.now = std::max(busy_until + 1, std::min(other.now, time + 20 + random(200)));
  }

  // ---- threads ------------------------------------------------------------------------------

  void make_ready(Cpu& cpu, Ticks time) {
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (!threads_[i].ready && !threads_[i].dead && !runs(i)) waiting.push_back(i);
    }
    if (waiting.empty()) return put(cpu, time, ev::kMONITOR_EXIT, 0);
    ready(cpu, time, waiting[random(static_cast<unsigned>(waiting.size()))]);
  }

  void ready(Cpu& cpu, Ticks time, std::size_t index) {
    Thread& thread = threads_[index];
    put(cpu, time, ev::kRUNNABLE, static_cast<std::uint32_t>(thread.pid));
    if (thread.stopped) wait(thread, time);
    thread.ready = true;
    thread.stopped = time;
    thread.woken = time;
    thread.waker = cpu.number;
  }

  void wait(const Thread& thread, Ticks end) {
    if (end > *thread.stopped) truth_.waits.push_back({ns(*thread.stopped), ns(end), thread.pid});
  }

  void start_thread(Cpu& cpu, Ticks time) {
    Thread thread;
    thread.pid = new_number(time);
    const bool joins = options_.own && chance(70);
    thread.process = joins ? threads_[cpu.thread].process : thread.pid;
    thread.family = joins ? threads_[cpu.thread].family : families_++;
    const auto id = static_cast<std::uint32_t>(thread.pid);
    if (options_.own) {
      // The child begins inside the call that made it.
      const auto process = static_cast<std::uint64_t>(thread.process);
      writer_.put(cpu.number, time, kind::kTASK, id, pid(cpu), {0, process});
      thread.stack = cpu.stack;
      thread.ran = true;
    }
    threads_.push_back(thread);
    ready(cpu, time, threads_.size() - 1);
  }

  bool deaths() const { return options_.own && options_.deaths && !style_.trailer(); }

  std::ptrdiff_t alive() const {
    return std::ranges::count_if(threads_, [](const Thread& t) { return !t.dead && !t.kernel; });
  }

  Pid new_number(Ticks time) {
    if (deaths() && chance(50)) {
      for (const FreeNumber& free : free_) {
        if (const Pid pid = free.pid; !names_process(pid) && take_free(pid, time)) return pid;
      }
    }
    return next_number_++;
  }

  // The number of a process is not given again while it has threads.
  bool names_process(Pid pid) const {
    return std::ranges::any_of(threads_,
                               [pid](const Thread& t) { return !t.dead && t.process == pid; });
  }

  // Whether the number is free for long enough that no clock says it was given before.
  bool take_free(Pid pid, Ticks time) {
    return std::erase_if(free_, [&](const FreeNumber& free) {
             return free.pid == pid && free.since + style_.times_per_tick < time;
           }) != 0;
  }

  // What a thread that calls exec gets, if it is not the first of its process and that one ended.
  void take_number_of_process(Cpu& cpu, Ticks time) {
    Thread& thread = threads_[cpu.thread];
    const Pid before = thread.pid;
    if (before == thread.process || !take_free(thread.process, time)) {
      return leave(cpu, time, random_result());
    }
    cut(cpu, time);
    thread.pid = thread.process;
    free_.push_back({before, time});
    writer_.put(cpu.number, time, kind::kTASK, static_cast<std::uint32_t>(thread.pid), pid(cpu),
                {std::uint64_t{static_cast<std::uint32_t>(before)} << 32 | KUTRACE_TASK_RENUMBERED,
                 static_cast<std::uint64_t>(thread.process)});
  }

  bool runs(std::size_t index) const {
    return std::any_of(cpus_.begin(), cpus_.end(),
                       [index](const Cpu& cpu) { return cpu.thread == index; });
  }

  std::optional<std::size_t> next_ready() {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i].ready && !runs(i)) ready.push_back(i);
    }
    if (ready.empty()) return std::nullopt;
    return ready[random(static_cast<unsigned>(ready.size()))];
  }

  void schedule(Cpu& cpu, Ticks time, bool blocking) {
    cpu.blocking = blocking;
    cpu.switched = false;
    if (options_.scheduler_frames) {
      return enter(cpu, time, SpanKind::kScheduler, options_.scheduler, 0);
    }
    const auto next = next_ready();
    switch_to(cpu, time, next.value_or(kIdle));
  }

  void in_scheduler(Cpu& cpu, Ticks time) {
    if (!cpu.switched) {
      const auto next = next_ready();
      if (next || cpu.blocking) return switch_to(cpu, time, next.value_or(kIdle));
    }
    if (chance(15)) return interrupt(cpu, time, kTimer);
    leave(cpu, time, 0);
  }

  void switch_to(Cpu& cpu, Ticks time, std::size_t next) {
    cpu.switched = true;
    if (next == cpu.thread) return;
    put_switch(cpu, time, next);
    cut(cpu, time);
    const bool in_scheduler = options_.scheduler_frames;
    if (in_scheduler) cpu.stack.pop_back();
    if (cpu.thread != kIdle) {
      Thread& old = threads_[cpu.thread];
      old.stack = cpu.stack;
      old.dead = deaths() && cpu.blocking && !cpu.stack.empty() && cpu.stack.front().event == kExit;
      if (old.dead) free_.push_back({old.pid, time});
      old.ready = !cpu.blocking;
      old.ran = true;
      old.stopped = time;
      old.woken.reset();
    }
    cpu.thread = next;
    cpu.stack.clear();
    bool returns = in_scheduler;
    if (next != kIdle) returns = begin_thread(cpu, time, threads_[next]) && in_scheduler;
    if (returns) cpu.stack.push_back({SpanKind::kScheduler, options_.scheduler, 0});
  }

  void put_switch(Cpu& cpu, Ticks time, std::size_t next) {
    Cpu after = cpu;
    after.thread = next;
    put(cpu, time, ev::kUSERPID, static_cast<std::uint32_t>(said_pid(after)));
  }

  // Whether the thread leaves the scheduler with a return; a new one may not.
  bool begin_thread(Cpu& cpu, Ticks time, Thread& thread) {
    cpu.stack = thread.stack;
    if (thread.stopped) wait(thread, time);
    if (thread.woken) {
      truth_.wakeups.push_back({ns(*thread.woken), ns(time), thread.waker, cpu.number, thread.pid});
    }
    thread.ready = false;
    thread.stopped.reset();
    thread.woken.reset();
    return thread.ran || chance(50);
  }

  // ---- the end ------------------------------------------------------------------------------

  Truth finish() {
    Ticks stop = 0;
    for (const Cpu& cpu : cpus_)
      stop = std::max({stop, cpu.now, cpu.open, writer_.last(cpu.number)});
    // Whole microseconds, so that clock pairs are exact.
    const Ticks whole = style_.ticks_per_2usec * style_.times_per_tick;
    stop = (stop / whole + 2) * whole;
    for (Cpu& cpu : cpus_) finish_cpu(cpu, stop);
    truth_.tick = (2000 + style_.ticks_per_2usec - 1) / style_.ticks_per_2usec;
    truth_.end = ns(stop);
    truth_.file = writer_.finish(stop, options_.shuffled);
    truth_.blocks = writer_.blocks();
    truth_.own = options_.own;
    for (const Thread& thread : threads_) truth_.processes.push_back(thread.family);
    std::stable_sort(truth_.spans.begin(), truth_.spans.end(),
                     [](const TrueSpan& a, const TrueSpan& b) { return a.cpu < b.cpu; });
    if ((options_.flags & KUTRACE_FLAG_WRAP) != 0) forget_the_past();
    return std::move(truth_);
  }

  // A wrapped recording begins with its oldest block; CPUs whose first block is younger are lost
  // until then.
  void forget_the_past() {
    std::map<CpuId, Ns> since;
    truth_.begin = truth_.end;
    for (const WrittenBlock& block : truth_.blocks) {
      const Ns begun = ns(block.begun * style_.times_per_tick);
      const auto place = since.try_emplace(block.cpu, begun).first;
      place->second = std::min(place->second, begun);
      truth_.begin = std::min(truth_.begin, begun);
    }
    std::vector<TrueSpan> kept;
    for (TrueSpan span : truth_.spans) {
      const auto from = since.find(span.cpu);
      if (from == since.end() || span.end <= from->second) continue;
      if (span.begin <= from->second && from->second > truth_.begin) {
        TrueSpan lost;
        lost.begin = truth_.begin;
        lost.end = from->second;
        lost.cpu = span.cpu;
        lost.kind = SpanKind::kLoss;
        lost.event = ev::kLOSS_SPAN;
        lost.arg = KUTRACE_LOSS_OVERWRITTEN;
        lost.pid = kNoPid;
        kept.push_back(lost);
      }
      span.begin = std::max(span.begin, from->second);
      kept.push_back(span);
    }
    truth_.spans = std::move(kept);
  }

  void finish_cpu(Cpu& cpu, Ticks stop) {
    cpu.nibble = 0;  // never measured
    if (cpu.asleep != nullptr) {
      const std::uint32_t arg = options_.own ? cpu.asleep->own : cpu.asleep->upstream;
      return add(cpu, ns(cpu.open), ns(stop), {SpanKind::kIdleLowPower, ev::kUSER, arg});
    }
    cut(cpu, stop);
  }

  TruthOptions options_;
  RawStyle style_;
  Pid next_number_;
  std::vector<FreeNumber> free_;
  std::size_t families_ = 0;
  std::mt19937_64 engine_;
  KernelWriter writer_;
  std::deque<Thread> threads_;
  std::vector<Cpu> cpus_;
  Truth truth_;
};

}  // namespace

TruthOptions random_options(std::uint64_t seed) {
  std::mt19937_64 engine(seed * 0x9e3779b97f4a7c15u + 1);
  const auto coin = [&engine] { return engine() % 2 == 0; };
  TruthOptions options;
  options.seed = seed;
  options.cpus = 1 + static_cast<unsigned>(engine() % 6);
  options.threads = 1 + static_cast<unsigned>(engine() % 12);
  options.block_words = 20 + static_cast<unsigned>(engine() % 600);
  options.own = coin();
  options.scheduler_frames = coin();
  options.late_stores = coin();
  options.long_gaps = coin();
  options.power = coin();
  options.shuffled = coin();
  return options;
}

Truth generate_truth(const TruthOptions& options) { return Machine(options).run(); }

}  // namespace kutrace::test
