// SPDX-License-Identifier: BSD-3-Clause
// Asking the kernel for probes, with its own call where libbpf is older than it.
//
// Instructions that the kernel cannot probe it finds where a process maps them, and tells nobody if
// that is later. So each file is mapped here meanwhile.
#include "record/ebpf/function_probes.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/mapped_file.h"
#include "base/text.h"
#include "kutrace/labels.h"

namespace kutrace::record {

namespace {

// What headers before 6.6 do not have.
constexpr unsigned kUprobeMulti = 48;   // BPF_TRACE_UPROBE_MULTI
constexpr std::uint32_t kAtReturn = 1;  // BPF_F_UPROBE_MULTI_RETURN
constexpr int kNotSupported = 524;      // the kernel's own ENOTSUPP, which has no name here
struct alignas(8) UprobeMultiLink {
  std::uint32_t program = 0;
  std::uint32_t target = 0;
  std::uint32_t attach_type = kUprobeMulti;
  std::uint32_t link_flags = 0;
  std::uint64_t path = 0;
  std::uint64_t offsets = 0;
  std::uint64_t counters = 0;
  std::uint64_t cookies = 0;
  std::uint32_t count = 0;
  std::uint32_t flags = 0;
  std::uint32_t pid = 0;
  std::uint32_t pad = 0;
};

std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

std::uint64_t number_of(std::size_t place) { return KUTRACE_FIRST_PROBED_FUNCTION + place; }

std::string why_not(int error) {
  return error == kNotSupported ? "the kernel cannot probe how it begins" : errno_text(error);
}

Error probe_error(const std::string& what, int error) {
  Error failed = host_error(fmt::format("--functions: cannot probe {}: {}", what, why_not(error)));
  if (error == EOPNOTSUPP || error == EINVAL || error == ENOENT || error == ENODEV)
    return std::move(failed).with_hint("the kernel needs CONFIG_UPROBES and CONFIG_BPF_EVENTS");
  if (error == EMFILE || error == ENFILE)
    return std::move(failed).with_hint("choose fewer functions, or raise ulimit -n");
  return failed;
}

}  // namespace

bool can_probe_at_once(const KernelTypes& types) {
  return types.has_function("bpf_uprobe_multi_link_attach");
}

void prepare_to_probe_at_once(bpf_program* program) {
  bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(kUprobeMulti));
}

int FunctionProbes::attach_together(const ProbePrograms& programs,
                                    std::span<const ProbedFunction> functions, std::size_t first) {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> cookies;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    offsets.push_back(functions[i].offset);
    cookies.push_back(number_of(first + i));
  }
  const std::size_t before = fds_.size();
  // Returns first: a function that begins in between has none that was not asked for.
  for (const bool at_return : {true, false}) {
    UprobeMultiLink link;
    const bpf_program* program = at_return ? programs.leave : programs.enter;
    link.program = static_cast<std::uint32_t>(bpf_program__fd(program));
    link.path = address_of(functions.front().path.c_str());
    link.offsets = address_of(offsets.data());
    link.cookies = address_of(cookies.data());
    link.count = static_cast<std::uint32_t>(functions.size());
    link.flags = at_return ? kAtReturn : 0;
    const long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof link);
    if (fd < 0) {
      const int error = errno;
      for (; fds_.size() > before; fds_.pop_back()) close(fds_.back());
      return error;
    }
    fds_.push_back(static_cast<int>(fd));
  }
  return 0;
}

// The kernel says no to all where it cannot take one, so that is looked for in each half.
Status FunctionProbes::attach_most(const ProbePrograms& programs,
                                   std::span<const ProbedFunction> functions, std::size_t first) {
  const int error = attach_together(programs, functions, first);
  if (error == 0) return {};
  if (functions.size() == 1) return refuse(functions.front(), error);
  const std::size_t half = functions.size() / 2;
  const Status lower = attach_most(programs, functions.first(half), first);
  Status upper = attach_most(programs, functions.subspan(half), first + half);
  return lower ? lower : upper;
}

Status FunctionProbes::refuse(const ProbedFunction& function, int error) {
  refused_.push_back(fmt::format("function {} ({})", printable(function.name), why_not(error)));
  return fail(probe_error(printable(function.name), error));
}

Status FunctionProbes::attach_each(const ProbePrograms& programs,
                                   std::span<const ProbedFunction> functions, std::size_t first) {
  std::size_t refused = 0;
  Status why;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::vector<LinkPtr> both;
    for (const bool at_return : {true, false}) {
      bpf_uprobe_opts options{};
      options.sz = sizeof options;
      options.bpf_cookie = number_of(first + i);
      options.retprobe = at_return;
      bpf_link* link =
          bpf_program__attach_uprobe_opts(at_return ? programs.leave : programs.enter, -1,
                                          functions[i].path.c_str(), functions[i].offset, &options);
      if (link == nullptr) break;
      both.emplace_back(link);
    }
    if (both.size() == 2) {
      std::ranges::move(both, std::back_inserter(links_));
      continue;
    }
    why = refuse(functions[i], errno);
    ++refused;
  }
  return refused == functions.size() ? why : Status();
}

Status FunctionProbes::attach(const ProbePrograms& programs,
                              std::span<const ProbedFunction> functions, bool at_once) {
  for (std::size_t begin = 0; begin < functions.size();) {
    std::size_t end = begin + 1;
    while (end < functions.size() && functions[end].path == functions[begin].path) ++end;
    const auto of_file = functions.subspan(begin, end - begin);
    const auto here = MappedFile::open(of_file.front().path);
    KUTRACE_TRY(at_once ? attach_most(programs, of_file, begin)
                        : attach_each(programs, of_file, begin));
    begin = end;
  }
  return {};
}

void FunctionProbes::clear() {
  for (const int fd : fds_) close(fd);
  fds_.clear();
  links_.clear();
}

}  // namespace kutrace::record
