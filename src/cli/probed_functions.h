// SPDX-License-Identifier: BSD-3-Clause
// What `record --functions` names. In: BINARY:PATTERN, as often as they are given; out: the
// functions whose names fit, file by file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/source/probed_function.h"

namespace kutrace::cli {

Result<std::vector<record::ProbedFunction>> probed_functions(const std::vector<std::string>& asked);

}  // namespace kutrace::cli
