// SPDX-License-Identifier: BSD-3-Clause
// Ending in a way that every fuzzer takes for a crash.
#include <cstdio>
#include <cstdlib>

#include "fuzz/fuzz_target.h"

namespace kutrace::test {

void broken_promise(const char* sentence) {
  std::fprintf(stderr, "broken promise: %s\n", sentence);
  std::abort();
}

}  // namespace kutrace::test
