// SPDX-License-Identifier: BSD-3-Clause
// The table of detectors.
#include "odd/detectors.h"

#include <array>

namespace kutrace::odd {

std::span<const DetectorKind* const> detectors() {
  static constexpr std::array kAll = {
      &kStarved,           &kThrottled,      &kHeldBack,   &kSleepingHolder, &kLockConvoy,
      &kPriorityInversion, &kInterruptStorm, &kFaultStorm, &kFlushStall,     &kSlowWakeup,
      &kFrequencyDrop,     &kMigrations,     &kSpin,       &kRecorderShare,
  };
  return kAll;
}

}  // namespace kutrace::odd
