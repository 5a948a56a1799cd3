// SPDX-License-Identifier: BSD-3-Clause
// Traces that are odd, or all but odd, to standard output.
//   kutrace-odd-trace                     names of the detectors, how many traces are, and all but
//   are kutrace-odd-trace NAME odd N          one that the detector finds, from 0 on
//   kutrace-odd-trace NAME near-miss N    one that it just does not
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/number_text.h"
#include "support/odd_traces.h"

namespace kutrace::test {
namespace {

int write(TraceBuilder trace) {
  const std::vector<std::byte> bytes = trace.bytes(kOddStop);
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
}

int list() {
  for (const OddTrace& odd : odd_traces()) {
    std::printf("%s %zu %zu\n", odd.detector, odd.triggers.size(), odd.near_misses.size());
  }
  return 0;
}

}  // namespace
}  // namespace kutrace::test

int main(int argc, char** argv) {
  using namespace kutrace::test;
  if (argc < 4) return list();
  const auto named = [&](const OddTrace& odd) { return std::string_view(odd.detector) == argv[1]; };
  const auto odd = std::ranges::find_if(odd_traces(), named);
  if (odd == odd_traces().end()) return 2;
  const auto& traces = std::string_view(argv[2]) == "odd" ? odd->triggers : odd->near_misses;
  const auto number = kutrace::parse_number<std::size_t>(std::string_view(argv[3]));
  return number && *number < traces.size() ? write(traces[*number]()) : 2;
}
