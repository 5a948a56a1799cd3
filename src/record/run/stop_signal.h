// SPDX-License-Identifier: BSD-3-Clause
// Whatever ends a process, but SIGKILL, asks the recorder to end; what is recorded is still
// written. Signals that the caller has ignored, as nohup does, stay ignored.
#pragma once

namespace kutrace {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The first one, or 0. Later ones change nothing: `timeout` and shells send two.
  static int received();
  // All is written: the next signal ends the process at once.
  static void nothing_to_lose();
};

}  // namespace kutrace
