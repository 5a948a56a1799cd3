// SPDX-License-Identifier: BSD-3-Clause
// Raw traces of any size and of many shapes, made from a seed. In: a shape; out: a file, written
// block by block, so that memory does not grow with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::test {

// The mix follows a recording of a compilation: 55 % folded system calls, 15 % system calls with
// nested faults or interrupts, 15 % faults, 5 % timer and softirq, 10 % wakeup, switch and idle.
// What is false or 1 below leaves it as it is.
struct TraceShape {
  std::string name{};
  std::uint64_t entries = 1'000'000;
  unsigned cpus = 4;
  unsigned threads = 200;
  unsigned pace = 1;         // activities are so many times farther apart
  bool samples = false;      // each timer interrupt and each switch takes one
  bool ipc = false;          // a trailer with instructions per cycle
  bool short_lived = false;  // a thread runs once; then comes one that never ran before
  bool idle = false;         // CPUs wake for a moment now and then
  bool same_name = false;    // of all threads
  std::uint64_t seed = 1;
};

// Shapes that differ in what a reader keeps: CPUs, threads, rows of overlays, trailers, lengths of
// time. What reading costs is measured on each of them.
std::vector<TraceShape> measured_shapes();

Status generate(const TraceShape& shape, const std::string& path);

}  // namespace kutrace::test
