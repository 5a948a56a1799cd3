// SPDX-License-Identifier: BSD-3-Clause
// Names that other tracers have for what the kernel has, too.
#include "read/ctf/ctf_events.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/syscall_arguments.h"
#include "format/syscall_names.h"
#include "read/import/tracepoints.h"

namespace kutrace::read {

namespace {

constexpr std::string_view kUsualMachine = "x86_64";

// How LTTng's names begin, and the kernel's. Calls have a table of their own below.
constexpr std::pair<std::string_view, std::string_view> kBegins[] = {
    {"x86_irq_vectors_", ""},
    {"x86_exceptions_", ""},
    {"irq_softirq_", "softirq_"},
    {"power_cpu_", "cpu_"},
};

struct CallBegin {
  std::string_view begin;
  What what;
};

constexpr CallBegin kCallBegins[] = {
    {"syscall_entry_", What::kSyscall},
    {"syscall_exit_", What::kSyscallReturn},
    {"compat_syscall_entry_", What::kSyscall},
    {"compat_syscall_exit_", What::kSyscallReturn},
};

// Functions of the kernel that have other names than their calls.
constexpr std::pair<std::string_view, std::string_view> kCallNames[] = {
    {"newstat", "stat"},    {"newfstat", "fstat"},         {"newlstat", "lstat"},
    {"newuname", "uname"},  {"umount", "umount2"},         {"sendfile64", "sendfile"},
    {"mmap_pgoff", "mmap"}, {"fadvise64_64", "fadvise64"}, {"getrlimit_new", "getrlimit"},
};

std::string kernel_name(std::string_view name) {
  // perf has the system of an event before its name.
  if (const std::size_t colon = name.find(':'); colon != name.npos) name.remove_prefix(colon + 1);
  for (const auto& [begin, kernels] : kBegins)
    if (name.starts_with(begin)) return std::string(kernels).append(name.substr(begin.size()));
  return std::string(name);
}

CtfField* find_field(CtfField& part, std::string_view name) {
  const auto found = std::ranges::find_if(part.children, [&](const CtfField& field) {
    return field.name == name || without_underscore(field.name) == name;
  });
  return found == part.children.end() ? nullptr : &*found;
}

// What the kernel calls a pid is a tid to LTTng, whose pid is the process.
CtfField* find_number(CtfField& part, std::string_view name) {
  CtfField* found = nullptr;
  if (name.ends_with("pid"))
    found = find_field(part, std::string(name.substr(0, name.size() - 3)).append("tid"));
  if (found == nullptr) found = find_field(part, name);
  if (found == nullptr) return nullptr;
  const bool is_array =
      found->kind == CtfField::Kind::kArray || found->kind == CtfField::Kind::kSequence;
  const CtfField& one = is_array ? found->children.front() : *found;
  const bool is_number = one.kind == CtfField::Kind::kInteger ||
                         (!is_array && one.kind == CtfField::Kind::kLongInteger);
  return is_number ? found : nullptr;
}

bool mean_number(CtfField& part, std::string_view name, std::size_t i) {
  CtfField* const field = find_number(part, name);
  if (field != nullptr) field->role = number_role(i);
  return field != nullptr;
}

void mean_numbers(CtfField& part, const Tracepoint& tracepoint) {
  for (std::size_t i = 0; i < tracepoint.numbers.size(); ++i) {
    if (tracepoint.numbers[i] != kFieldsBehind) {
      if (!mean_number(part, tracepoint.numbers[i], i)) return;
      continue;
    }
    const CtfField* const first = find_field(part, tracepoint.numbers.front());
    const auto behind = static_cast<std::size_t>(first - part.children.data()) + 1;
    for (std::size_t k = 0; behind + k < part.children.size() && i + k < KernelEvent::kNumbers; ++k)
      if (part.children[behind + k].kind == CtfField::Kind::kInteger)
        part.children[behind + k].role = number_role(i + k);
  }
}

void mean_texts(CtfField& part, const Tracepoint& tracepoint) {
  for (std::size_t i = 0; i < tracepoint.texts.size(); ++i)
    if (CtfField* const field = find_field(part, tracepoint.texts[i])) field->role = text_role(i);
}

}  // namespace

CtfEvents::CtfEvents(std::string_view machine)
    : machine_(machine.empty() ? kUsualMachine : machine) {}

std::int64_t CtfEvents::call_number(std::string_view name) const {
  const auto* const other =
      std::ranges::find(kCallNames, name, &std::pair<std::string_view, std::string_view>::first);
  const auto names = syscall_names(machine_);
  const auto find = [&](std::string_view wanted) {
    return std::ranges::find_if(names, [&](const NumberedName& one) { return one.name == wanted; });
  };
  auto found = find(name);
  if (found == names.end() && other != std::end(kCallNames)) found = find(other->second);
  return found == names.end() ? -1 : std::int64_t{found->number};
}

// Of its arguments those are known that stand there as numbers, up to the first that does not:
// LTTng has texts for some, and others where the call returns.
bool CtfEvents::use_call(CtfEventClass& event, std::string_view begin, What what) {
  if (!event.name.starts_with(begin)) return false;
  const std::string_view name = std::string_view(event.name).substr(begin.size());
  if (name == "unknown") {
    const Tracepoint* const all =
        find_tracepoint(what == What::kSyscall ? "sys_enter" : "sys_exit");
    mean_numbers(event.fields, *all);
    event.use = {CtfUse::Kind::kEvent, what, -1};
    return true;
  }
  const std::int64_t number = call_number(name);
  if (number < 0) {
    unknown_calls_.emplace(name);
    return true;
  }
  event.use = {CtfUse::Kind::kEvent, what, number};
  if (what == What::kSyscallReturn) {
    mean_number(event.fields, "ret", 1);
    return true;
  }
  const auto* const arguments = arguments_of(name);
  for (std::size_t i = 0; arguments != nullptr && i < arguments->size(); ++i)
    if (!mean_number(event.fields, (*arguments)[i].name, i + 1)) break;
  return true;
}

void CtfEvents::use(CtfEventClass& event) {
  if (CtfField* const thread = find_field(event.fields, "perf_tid"))
    thread->role = CtfRole::kThread;
  if (event.name == "lttng_statedump_process_state") {
    event.use.kind = CtfUse::Kind::kThread;
    constexpr std::string_view kNumbers[] = {"tid", "pid", "ppid"};
    for (std::size_t i = 0; i < std::size(kNumbers); ++i)
      if (CtfField* const field = find_field(event.fields, kNumbers[i]))
        field->role = number_role(i);
    if (CtfField* const name = find_field(event.fields, "name")) name->role = text_role(0);
    return;
  }
  for (const CallBegin& call : kCallBegins)
    if (use_call(event, call.begin, call.what)) return;
  const Tracepoint* const tracepoint = find_tracepoint(kernel_name(event.name));
  if (tracepoint == nullptr) return;
  mean_numbers(event.fields, *tracepoint);
  mean_texts(event.fields, *tracepoint);
  const std::string_view first = tracepoint->numbers.front();
  if (!first.empty() && find_number(event.fields, first) == nullptr) return;
  event.use = {CtfUse::Kind::kEvent, tracepoint->what, -1};
  // LTTng tells the processes of both, too.
  if (tracepoint->what == What::kFork && find_field(event.fields, "child_tid") != nullptr) {
    if (CtfField* const parent = find_field(event.fields, "parent_pid"))
      parent->role = number_role(2);
    if (CtfField* const child = find_field(event.fields, "child_pid")) child->role = number_role(3);
  }
}

}  // namespace kutrace::read
