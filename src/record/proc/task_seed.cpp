// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc/PID/task/TID. A thread that ends meanwhile is left out.
#include "record/proc/task_seed.h"

#include <elf.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "files/small_file.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "record/proc/pid_namespace.h"
#include "record/proc/proc_folder.h"

namespace kutrace::record {

namespace {

// PF_KTHREAD; PF_IO_WORKER and PF_USER_WORKER, which the kernel makes in a program's process.
constexpr std::uint64_t kNoUserCode = 0x00200000 | 0x00000010 | 0x00004000;
constexpr std::uint64_t kQueueWorker = 0x00000020;  // PF_WQ_WORKER

// "nr args...", "-1 sp pc" for a thread blocked elsewhere, "running".
std::optional<std::uint32_t> blocked_call(const std::string& line) {
  if (line.empty() || line[0] < '0' || line[0] > '9') return std::nullopt;
  return static_cast<std::uint32_t>(std::strtoul(line.c_str(), nullptr, 10));
}

// As the kernel names the worker of a workqueue. /proc adds + or - and what it does, or did last.
// What follows kworker/R- is the name of the queue that the worker rescues.
std::string worker_name(const std::string& shown) {
  constexpr std::string_view kWorker = "kworker/";
  if (!shown.starts_with(kWorker) || shown.starts_with("kworker/R-")) return shown;
  return shown.substr(0, shown.find_first_of("+-", kWorker.size()));
}

// Whether the process runs a 32-bit program, by that program's file.
bool is_32_bit(const std::string& process) {
  std::array<char, EI_CLASS + 1> head{};
  std::ifstream(process + "/exe", std::ios::binary).read(head.data(), head.size());
  return head[EI_CLASS] == ELFCLASS32;
}

// As a task's entry numbers them: those of 32-bit programs behind those of 64-bit ones.
std::uint32_t entry_number(std::uint32_t call, bool compat) {
  return syscall_number(KUTRACE_CALL_EVENT(call, compat));
}

}  // namespace

std::optional<SeedTask> parse_task_stat(const std::string& line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  SeedTask task;
  task.name = line.substr(open + 1, close - open - 1);
  std::istringstream rest(line.substr(close + 1));
  char state = 0;
  std::int64_t ignored = 0;
  std::uint64_t flags = 0;
  rest >> state >> task.parent >> ignored >> ignored >> ignored >> ignored >> flags;
  if (!rest) return std::nullopt;
  if ((flags & kQueueWorker) != 0) task.name = worker_name(task.name);
  task.kernel_thread = (flags & kNoUserCode) != 0;
  task.pid = static_cast<Pid>(std::strtol(line.c_str(), nullptr, 10));
  return task;
}

std::vector<SeedTask> read_all_tasks() {
  std::vector<SeedTask> tasks;
  if (!knows_kernel_pids()) return tasks;
  for (const Pid process : numbers_in("/proc")) {
    const std::string home = "/proc/" + std::to_string(process);
    const std::string folder = home + "/task";
    auto is_compat = [&home, known = std::optional<bool>()]() mutable {
      if (!known) known = is_32_bit(home);
      return *known;
    };
    for (const Pid pid : numbers_in(folder)) {
      const std::string path = folder + "/" + std::to_string(pid);
      std::optional<SeedTask> task = parse_task_stat(files::read_line(path + "/stat"));
      if (!task) continue;
      task->process = process;
      // This thread would find itself in the read of that line, which is over when it knows.
      const bool blocked = !task->kernel_thread && pid != gettid();
      if (blocked) task->blocked_in = blocked_call(files::read_line(path + "/syscall"));
      if (task->blocked_in) task->blocked_in = entry_number(*task->blocked_in, is_compat());
      tasks.push_back(std::move(*task));
    }
  }
  return tasks;
}

}  // namespace kutrace::record
