// SPDX-License-Identifier: BSD-3-Clause
// One event of the kernel's tracepoints as all imports speak of it, whatever file it stood in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace kutrace::read {

// A file may tell any number as a time. Those that sums are made of are taken for this at most, so
// that the sum and the distance of two fit.
constexpr Ns kLatest = (Ns{1} << 62) - 1;

// Behind each: its numbers, its texts.
enum class What : std::uint8_t {
  kSwitch,         // from (kNoPid: not told), state of the one left, to; names of both
  kWaking,         // thread; its name
  kWakeup,         // likewise, perhaps told later and by another CPU
  kWakeupNew,      // likewise
  kFork,           // parent, child; names of both
  kNewTask,        // child, flags of clone; its name
  kExec,           // thread, the number that it had
  kRename,         // thread; its name, the new one
  kExit,           // thread; its name
  kSyscall,        // number, six arguments
  kSyscallReturn,  // number, result
  kIrq,            // number; name of its handler
  kIrqReturn,      // number, whether it was handled
  kVector,         // x86's number
  kVectorReturn,   // likewise
  kSoftirq,        // kind
  kSoftirqReturn,  // kind
  kNmi,            // its end: duration in ns, whether it was handled
  kFault,          // error code
  kFaultReturn,    // 1: a major one
  kSendIpi,        // CPU
  kSendIpis,       // to several CPUs
  kIpi,            // arm64's; what for
  kIpiReturn,      // likewise
  kIdle,           // state; all ones: idle ends
  kFrequency,      // kHz, CPU
  kSample,         // program counter, 1: of user code
  kCount,
};

struct KernelEvent {
  static constexpr std::size_t kNumbers = 7;
  static constexpr std::size_t kTextBytes = 32;
  using Text = std::array<char, kTextBytes>;

  Ns time = 0;       // of the file's clock
  CpuId cpu = 0;     // where it happened
  Pid pid = kNoPid;  // who ran there; kNoPid: not told
  What what = What::kCount;
  std::uint8_t known = 0;  // how many numbers are told
  std::array<std::int64_t, kNumbers> numbers{};
  std::array<Text, 2> texts{};  // cut, with a NUL behind them

  Pid number_as_pid(std::size_t i) const { return static_cast<Pid>(numbers[i]); }
  std::string_view text(std::size_t i) const { return texts[i].data(); }
  void set_text(std::size_t i, std::string_view text) {
    texts[i] = {};
    text = text.substr(0, text.find('\0'));
    text.substr(0, kTextBytes - 1).copy(texts[i].data(), kTextBytes - 1);
  }
};

}  // namespace kutrace::read
