// SPDX-License-Identifier: BSD-3-Clause
// What the program's exit status means; listed in every man page.
#pragma once

#include "base/error.h"

namespace kutrace::cli {

enum class ExitCode : int {
  kDone = 0,
  kFindings = 1,  // done, and something was found: a violated law, a loss in a check
  kUsage = 2,
  kInput = 3,   // the input file cannot be used
  kHost = 4,    // this machine cannot do it: no permission, no kernel feature, no module
  kOutput = 5,  // the output cannot be written, or not where it was to be
  kMemory = 6,  // there is too little memory
  kInternal = 70,
  kInterrupted = 130,
};

ExitCode exit_code_for(ErrorKind kind);

}  // namespace kutrace::cli
