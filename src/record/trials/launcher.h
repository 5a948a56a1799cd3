// SPDX-License-Identifier: BSD-3-Clause
// Runs a command again and again and measures it, always in the same way, whatever is recorded
// meanwhile. In: the command; out: what each run took.
//
// A process of its own does it, which is made before anything is recorded and stays small: it forks
// the command, sleeps until that has ended, and reads the clock. So nothing of the recorder's
// start, end or memory is in what is measured. The command is the leader of a process group of its
// own, and has nothing to read.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "files/descriptor.h"

namespace kutrace::record {

struct CommandRun {
  Ns wall = 0;     // from just before exec to its end
  Ns cpu = 0;      // user and system, of it and of what it waited for; to the microsecond
  int status = 0;  // as wait(2) has it
};

enum class CommandOutput { kNowhere, kToStdout, kToStderr };

struct LauncherPage;

class Launcher {
 public:
  static Result<Launcher> start(const std::vector<std::string>& command, CommandOutput output);
  Launcher(Launcher&& other) noexcept;
  Launcher& operator=(Launcher&&) = delete;
  Launcher(const Launcher&) = delete;
  // Ends the command, if it runs.
  ~Launcher();

  // Begins a run; returns a descriptor that is readable when the command has ended.
  Result<int> begin();
  // Whether one was begun that is not yet taken.
  bool runs() const { return runs_; }
  // Waits for that so long, at most, or until the process is asked to end (StopSignal).
  bool wait(Ns most) const;
  // Of a run that has ended.
  Result<CommandRun> take();
  // Ends the command: by this signal, and by SIGKILL if it is still there two seconds later; and
  // what it started, as far as it stays in its group.
  void end(int signal);

 private:
  Launcher(pid_t pid, files::Descriptor socket, LauncherPage* page);

  pid_t pid_;
  files::Descriptor socket_;
  LauncherPage* page_;
  bool runs_ = false;
};

}  // namespace kutrace::record
