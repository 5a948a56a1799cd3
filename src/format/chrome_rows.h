// SPDX-License-Identifier: BSD-3-Clause
// Rows of this project's own traces in Chrome's JSON, as writer and reader agree on them: numbers
// of processes and threads that no program has. Readers take a thread 0, or one that has its
// process's number, for that process.
#pragma once

#include <cstdint>
#include <string_view>

namespace kutrace {  // NOLINT(modernize-concat-nested-namespaces): this room's own comes first

namespace chrome {

constexpr std::uint64_t kCpus = 2'000'000'001;     // the process whose threads are CPUs
constexpr std::uint64_t kThreads = 2'000'000'002;  // the process whose threads are all threads
constexpr std::uint64_t kFirstCpu = 2'000'001'000;
constexpr std::string_view kFrequencyOf = "MHz of CPU ";  // counter; the number of a CPU follows

}  // namespace chrome

}  // namespace kutrace
