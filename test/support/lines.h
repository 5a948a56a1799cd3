// SPDX-License-Identifier: BSD-3-Clause
// What tests compare: spans, names and files as lines of text.
#pragma once

#include <string>
#include <vector>

namespace kutrace::test {

using Lines = std::vector<std::string>;

}  // namespace kutrace::test
