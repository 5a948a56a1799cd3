// SPDX-License-Identifier: BSD-3-Clause
// What a source needs of the machine, as a question and its answer, for `kutrace doctor`.
#pragma once

#include <string>

#include "base/result.h"

namespace kutrace::record {

struct Check {
  std::string question;
  Status answer;
};

}  // namespace kutrace::record
