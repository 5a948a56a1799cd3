// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and SIGTERM: the first asks the recorder to end, the second ends the process at once.
#pragma once

namespace kutrace {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static int received();  // the signal, or 0
};

}  // namespace kutrace
