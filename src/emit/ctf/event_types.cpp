// SPDX-License-Identifier: BSD-3-Clause
// Tables of types, and how they are declared. Fields begin with _, as LTTng's do, lest they be
// words of the language; readers leave it out.
#include "emit/ctf/event_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "emit/ctf/packet_stream.h"

namespace kutrace::emit {

namespace {

struct Known {
  EventType type;
  std::string_view name;
  std::string_view fields;
};

constexpr Known kKnown[] = {
    {EventType::kSwitch, "sched_switch",
     "utf8_t _prev_comm[16]; int32_t _prev_tid; int32_t _prev_prio; int64_t _prev_state; "
     "utf8_t _next_comm[16]; int32_t _next_tid; int32_t _next_prio;"},
    {EventType::kWaking, "sched_waking",
     "utf8_t _comm[16]; int32_t _tid; int32_t _prio; int32_t _target_cpu;"},
    {EventType::kIrqEntry, "irq_handler_entry", "int32_t _irq; string _name;"},
    {EventType::kIrqExit, "irq_handler_exit", "int32_t _irq; int32_t _ret;"},
    {EventType::kSoftirqEntry, "irq_softirq_entry", "uint32_t _vec;"},
    {EventType::kSoftirqExit, "irq_softirq_exit", "uint32_t _vec;"},
    {EventType::kFaultOfUser, "x86_exceptions_page_fault_user",
     "hex64_t _address; hex64_t _ip; hex64_t _error_code;"},
    {EventType::kFaultOfKernel, "x86_exceptions_page_fault_kernel",
     "hex64_t _address; hex64_t _ip; hex64_t _error_code;"},
    {EventType::kIdle, "power_cpu_idle", "uint32_t _state; uint32_t _cpu_id;"},
    {EventType::kFrequency, "power_cpu_frequency", "uint32_t _state; uint32_t _cpu_id;"},
    {EventType::kCallEntry, "kutrace_call_entry", "string _kind; string _name; uint64_t _arg;"},
    {EventType::kCallExit, "kutrace_call_exit", "string _kind; string _name; int64_t _ret;"},
    {EventType::kMark, "kutrace_mark", "string _name; uint64_t _arg;"},
    {EventType::kPoint, "kutrace_point", "string _name; uint64_t _arg; uint64_t _value;"},
    {EventType::kSample, "kutrace_sample", "hex64_t _pc; string _name;"},
    {EventType::kIpi, "kutrace_ipi", "uint32_t _from_cpu; int64_t _latency_ns;"},
    {EventType::kThread, "lttng_statedump_process_state",
     "int32_t _tid; int32_t _pid; int32_t _ppid; utf8_t _name[16]; int32_t _type; "
     "int32_t _status;"},
    {EventType::kWait, "kutrace_wait", "string _reason; int64_t _duration_ns;"},
    {EventType::kLockHeld, "kutrace_lock_held",
     "string _name; uint64_t _lock; int64_t _duration_ns;"},
    {EventType::kLockWanted, "kutrace_lock_wanted",
     "string _name; uint64_t _lock; int64_t _duration_ns;"},
    {EventType::kQueued, "kutrace_queued", "string _name; uint64_t _queue; int64_t _duration_ns;"},
    {EventType::kRpc, "kutrace_rpc", "string _name; uint64_t _rpc; int64_t _duration_ns;"},
    {EventType::kMessage, "kutrace_message", "string _name; uint64_t _rpc; int64_t _duration_ns;"},
    {EventType::kCall, "kutrace_call", "string _kind; string _name; int64_t _duration_ns;"},
    {EventType::kFunction, "kutrace_function",
     "string _name; uint64_t _depth; int64_t _duration_ns;"},
    {EventType::kMoment, "kutrace_moment", "string _name; uint64_t _arg;"},
};
static_assert(std::size(kKnown) == number_of(EventType::kCount));

struct Vector {
  unsigned number;
  std::string_view name;
};

constexpr Vector kVectors[] = {
    {0xec, "local_timer"},          {0xf4, "deferred_error_apic"}, {0xf6, "irq_work"},
    {0xf7, "x86_platform_ipi"},     {0xf9, "threshold_apic"},      {0xfa, "thermal_apic"},
    {0xfb, "call_function_single"}, {0xfc, "call_function"},       {0xfd, "reschedule"},
    {0xfe, "error_apic"},           {0xdf, "spurious_apic"},
};
constexpr std::uint32_t kFirstVector = number_of(EventType::kCount);
constexpr std::uint32_t kFirstMore = kFirstVector + 2 * std::size(kVectors);

// Of calls for which readers of LTTng's traces ask for arguments by name.
struct Shape {
  std::string_view syscall;
  std::array<ArgumentField, 3> fields;
  std::size_t count;
};

constexpr ArgumentField kFd{"fd", 0, false};
constexpr ArgumentField kCountField{"count", 2, false};
constexpr ArgumentField kVlen{"vlen", 2, false};
constexpr Shape kShapes[] = {
    {"open", {{{"filename", 0, true}, {"flags", 1, false}}}, 2},
    {"openat", {{{"dfd", 0, false}, {"filename", 1, true}, {"flags", 2, false}}}, 3},
    {"close", {{kFd}}, 1},
    {"read", {{kFd, kCountField}}, 2},
    {"write", {{kFd, kCountField}}, 2},
    {"pread64", {{kFd, kCountField}}, 2},
    {"pwrite64", {{kFd, kCountField}}, 2},
    {"readv", {{kFd, kVlen}}, 2},
    {"writev", {{kFd, kVlen}}, 2},
    {"preadv", {{kFd, kVlen}}, 2},
    {"pwritev", {{kFd, kVlen}}, 2},
    {"recvfrom", {{kFd, {"size", 2, false}}}, 2},
    {"sendto", {{kFd, {"len", 2, false}}}, 2},
    {"recvmsg", {{kFd}}, 1},
    {"sendmsg", {{kFd}}, 1},
    {"connect", {{kFd}}, 1},
    {"fsync", {{kFd}}, 1},
    {"fdatasync", {{kFd}}, 1},
    {"sync_file_range", {{kFd, {"offset", 1, false}, {"nbytes", 2, false}}}, 3},
    {"dup", {{{"fildes", 0, false}}}, 1},
    {"dup2", {{{"oldfd", 0, false}, {"newfd", 1, false}}}, 2},
    {"dup3", {{{"oldfd", 0, false}, {"newfd", 1, false}, {"flags", 2, false}}}, 3},
    {"fcntl", {{kFd, {"cmd", 1, false}, {"arg", 2, false}}}, 3},
    {"splice", {{{"fd_in", 0, false}, {"fd_out", 2, false}, {"len", 4, false}}}, 3},
    {"sendfile64", {{{"out_fd", 0, false}, {"in_fd", 1, false}, {"count", 3, false}}}, 3},
};
constexpr ArgumentField kOther[] = {{"arg0", 0, false}};

std::span<const ArgumentField> fields_of(std::string_view syscall) {
  const auto* const found = std::ranges::find(kShapes, syscall, &Shape::syscall);
  if (found == std::end(kShapes)) return kOther;
  return std::span(found->fields).first(found->count);
}

void declare(std::string& out, std::string_view name, std::uint32_t number, StreamClass kind,
             std::string_view fields) {
  fmt::format_to(std::back_inserter(out),
                 "event {{ name = \"{}\"; id = {}; stream_id = {};\n"
                 "  fields := struct {{ {} }};\n}};\n",
                 name, number, static_cast<std::uint32_t>(kind), fields);
}

}  // namespace

std::optional<std::uint32_t> vector_type(unsigned vector) {
  const auto* const found = std::ranges::find(kVectors, vector, &Vector::number);
  if (found == std::end(kVectors)) return std::nullopt;
  return kFirstVector + 2 * static_cast<std::uint32_t>(found - std::begin(kVectors));
}

std::string quoted(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

const EventTypes::Syscall& EventTypes::syscall(NameId name) {
  if (name >= syscalls_.size()) syscalls_.resize(name + std::size_t{1});
  std::optional<Syscall>& known = syscalls_[name];
  if (!known) {
    known = Syscall{kFirstMore + more_, fields_of(names_.text(name))};
    more_ += 2;
  }
  return *known;
}

std::uint32_t EventTypes::nothing(std::size_t size) {
  const auto [known, is_new] = nothings_.try_emplace(size, kFirstMore + more_);
  if (is_new) ++more_;
  return known->second;
}

std::string EventTypes::declarations() const {
  std::string out;
  for (const Known& known : kKnown) {
    declare(out, known.name, number_of(known.type),
            known.type < EventType::kThread ? StreamClass::kOfCpu : StreamClass::kOfTrace,
            known.fields);
  }
  for (const Vector& vector : kVectors) {
    const std::uint32_t number = *vector_type(vector.number);
    for (const bool exit : {false, true}) {
      declare(out, fmt::format("x86_irq_vectors_{}_{}", vector.name, exit ? "exit" : "entry"),
              number + (exit ? 1 : 0), StreamClass::kOfCpu, "int32_t _vector;");
    }
  }
  for (NameId name = 0; name < syscalls_.size(); ++name) {
    if (!syscalls_[name]) continue;
    std::string fields;
    for (const ArgumentField& field : syscalls_[name]->fields) {
      fields += field.is_text ? fmt::format("utf8_t _{}[{}]; ", field.name, field.kTextSize)
                              : fmt::format("int64_t _{}; ", field.name);
    }
    const std::string text = quoted(names_.text(name));
    const std::uint32_t entry = syscalls_[name]->entry;
    declare(out, "syscall_entry_" + text, entry, StreamClass::kOfCpu, fields);
    declare(out, "syscall_exit_" + text, entry + 1, StreamClass::kOfCpu, "int64_t _ret;");
  }
  for (const auto& [size, number] : nothings_) {
    declare(out, "kutrace_nothing", number, StreamClass::kOfCpu,
            fmt::format("byte_t _bytes[{}];", size));
  }
  return out;
}

}  // namespace kutrace::emit
