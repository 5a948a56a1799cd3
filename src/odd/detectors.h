// SPDX-License-Identifier: BSD-3-Clause
// All detectors. One that is new is declared here and named in the table of detectors.cpp.
#pragma once

#include <span>

#include "odd/detector.h"

namespace kutrace::odd {

extern const DetectorKind kStarved;
extern const DetectorKind kThrottled;
extern const DetectorKind kHeldBack;
extern const DetectorKind kSleepingHolder;
extern const DetectorKind kLockConvoy;
extern const DetectorKind kPriorityInversion;
extern const DetectorKind kInterruptStorm;
extern const DetectorKind kFaultStorm;
extern const DetectorKind kFlushStall;
extern const DetectorKind kSlowWakeup;
extern const DetectorKind kFrequencyDrop;
extern const DetectorKind kMigrations;
extern const DetectorKind kSpin;
extern const DetectorKind kRecorderShare;

std::span<const DetectorKind* const> detectors();

}  // namespace kutrace::odd
