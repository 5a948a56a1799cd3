// SPDX-License-Identifier: BSD-3-Clause
// What signals do to this process. A command that reads is ended by them, without its unfinished
// files; a recorder is asked to end, and writes what it recorded. Signals that the caller has
// ignored, as nohup does, stay ignored.
#pragma once

namespace kutrace::record {

// From now on every signal that ends the process removes its unfinished files first. A file that
// grows beyond the limit of its size (SIGXFSZ) is an error of write(2) and not the end. Faults of
// the program itself end it as ever. Called once, at the start: what is ignored and what is blocked
// then is the caller's wish. An ignored SIGCHLD, with which no child has a status, is not ignored.
void end_orderly_on_signals();

// While it lives, whatever would end the process, but SIGKILL and its own faults, asks the recorder
// to end. One inside another's life changes nothing: what is asked then is asked of the outer one.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The first one, or 0. Later ones change nothing: `timeout` and shells send two.
  static int received();
  // How many came.
  static int number_received();
  // All is written: the next signal ends the process at once, unless an outer one lives.
  static void nothing_to_lose();
};

// While it lives, the wait for a command of which all is written: SIGTERM and SIGHUP go to the
// command, each time, and first those that came while a StopSignal lived. SIGINT and SIGQUIT change
// nothing: the keyboard sends them to the command, too. Others are as ever.
class PassOnSignals {
 public:
  explicit PassOnSignals(int pidfd);
  ~PassOnSignals();
  PassOnSignals(const PassOnSignals&) = delete;
  PassOnSignals& operator=(const PassOnSignals&) = delete;
};

// For a command: no handlers, and ignored and blocked is what the caller ignored and blocked.
void give_back_signals();

}  // namespace kutrace::record
