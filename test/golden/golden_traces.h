// SPDX-License-Identifier: BSD-3-Clause
// The hand-made traces whose text forms are kept: name and bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kutrace::test {

struct GoldenTrace {
  std::string name;  // "ok/..." is healthy, "bad/..." is not
  std::vector<std::byte> bytes;
};

std::vector<GoldenTrace> golden_traces();

}  // namespace kutrace::test
